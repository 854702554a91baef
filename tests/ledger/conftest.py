from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.ledger.writer import LedgerWriter


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    opened = open_ledger(url)
    yield opened
    opened.close()


@pytest.fixture
def writer(ledger: Ledger) -> Iterator[LedgerWriter]:
    started = LedgerWriter(ledger)
    yield started
    started.close()
