from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_facts import Client, Tournament


@pytest.fixture
def tournament(tmp_path: Path) -> Iterator[Tournament]:
    """Two models, one judge, three prompts, nothing published."""
    made = Tournament.make(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def client(tournament: Tournament) -> Iterator[Client]:
    opened = Client(tournament.home)
    yield opened
    opened.close()
