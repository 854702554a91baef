"""Providers are tested against a server on this machine and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.loopback import Loopback
from tests.loopback_only import loopback_only

__all__ = ["loopback_only"]


LIBRARY_NOISE = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*:UserWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """litellm silences these warnings itself, and pytest undoes that."""
    for item in items:
        item.add_marker(LIBRARY_NOISE)


@pytest.fixture(scope="session")
def server() -> Iterator[Loopback]:
    with Loopback(hang=30.0) as running:
        yield running


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that no provider ever issued."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-openai-000000000000")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-anthropic-key-1111111111")
