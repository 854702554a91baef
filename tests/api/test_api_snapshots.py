"""The snapshot behind the answers: swapped while requests run, closed when unused, kept when a new one is broken."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_facts import Client, Tournament, stamp, standing

from api.asked import Asked
from api.routes.leaderboard import board_json
from api.snapshots import MOST_DOCUMENTS, PAUSE_AFTER_FAILURE, Around, Shelf
from leaderboard.errors import StoreDamaged
from leaderboard.history.snapshots import point_at

BOARD = "/api/v1/leaderboard"
PATHS = (BOARD, "/", "/api/v1/verdicts", "/healthz")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shelf(tournament: Tournament, clock: Clock) -> Iterator[Shelf]:
    made = Shelf(tournament.home.snapshots, {"json": board_json}, lambda: ["judy"], clock)
    yield made
    made.close()


def broken(folder: Path, name: str = "snap-broken.duckdb") -> Path:
    """Publish something that is no snapshot."""
    path = folder / name
    path.write_bytes(b"not a database")
    point_at(folder, name)
    return path


def test_a_snapshot_stays_open_for_the_request_that_reads_it(tournament: Tournament, shelf: Shelf) -> None:
    first = tournament.publish()
    with shelf.reading() as old:
        assert old is not None
        second = tournament.publish()
        with shelf.reading() as new:
            assert new is not None
            assert (old.id, new.id) == (first.id, second.id)
        assert old.verdicts()["items"] == []
    with pytest.raises(Exception, match="closed"):
        old.verdicts()


def test_one_that_nobody_reads_is_closed_at_once(tournament: Tournament, shelf: Shelf) -> None:
    tournament.publish()
    with shelf.reading() as old:
        assert old is not None
    tournament.publish()
    with shelf.reading(), pytest.raises(Exception, match="closed"):
        old.verdicts()


def test_the_snapshot_stays_open_between_requests(tournament: Tournament, shelf: Shelf) -> None:
    tournament.publish()
    for _ in range(3):
        with shelf.reading() as reader:
            assert reader is not None
            assert reader.verdicts()["items"] == []


def test_closing_the_shelf_waits_for_readers(tournament: Tournament, shelf: Shelf) -> None:
    tournament.publish()
    with shelf.reading() as reader:
        assert reader is not None
        shelf.close()
        assert reader.verdicts()["items"] == []
    with pytest.raises(Exception, match="closed"):
        reader.verdicts()


def test_nothing_is_ready_until_made_and_ready_until_there_is_news(tournament: Tournament, shelf: Shelf) -> None:
    tournament.publish()
    assert shelf.ready("json", Asked()) is None
    made = shelf.document("json", Asked())
    assert shelf.ready("json", Asked()) is made
    assert shelf.ready("json", Asked("judy")) is None
    tournament.publish()
    assert shelf.ready("json", Asked()) is None


def test_a_board_of_another_time_is_made_each_time(tournament: Tournament, shelf: Shelf) -> None:
    tournament.rate("validated", [standing("alpha")])
    tournament.publish()
    then = Asked(as_of=stamp(200))
    first, again = (shelf.document("json", then) for _ in range(2))
    assert first == again
    assert first is not again
    assert shelf.ready("json", then) is None


def test_the_oldest_documents_go_where_there_are_too_many(tournament: Tournament) -> None:
    """As many names for the same board as there are renderings; the one that was made last is kept."""
    kinds = {str(number): board_json for number in range(MOST_DOCUMENTS + 2)}
    shelf = Shelf(tournament.home.snapshots, kinds, list)
    tournament.publish()
    for kind in kinds:
        shelf.document(kind, Asked())
    kept = [kind for kind in kinds if shelf.ready(kind, Asked()) is not None]
    assert kept == list(kinds)[2:]
    shelf.close()


def test_while_one_opens_the_others_go_on_with_what_there_is(tournament: Tournament) -> None:
    """The second rendering of the board blocks; a request that comes meanwhile is served from the snapshot before."""
    entered, go_on, made = threading.Event(), threading.Event(), 0

    def slow(board: dict[str, object], around: Around) -> bytes:
        nonlocal made
        made += 1
        if made == 2:
            entered.set()
            assert go_on.wait(30)
        return board_json(board, around)

    shelf = Shelf(tournament.home.snapshots, {"json": slow}, list)
    first = tournament.publish()
    shelf.document("json", Asked())
    second = tournament.publish()
    opener = threading.Thread(target=shelf.document, args=("json", Asked()))
    opener.start()
    assert entered.wait(30)
    with shelf.reading() as meanwhile:
        assert meanwhile is not None
        assert meanwhile.id == first.id
    go_on.set()
    opener.join(30)
    with shelf.reading() as after:
        assert after is not None
        assert after.id == second.id
    shelf.close()


def test_a_broken_snapshot_leaves_the_former_in_place(tournament: Tournament, shelf: Shelf, clock: Clock) -> None:
    good = tournament.publish()
    board = shelf.document("json", Asked())
    broken(tournament.home.snapshots)
    assert shelf.document("json", Asked()) == board
    assert shelf.trouble is not None
    clock.now += PAUSE_AFTER_FAILURE / 2
    assert shelf.ready("json", Asked()) == board
    clock.now += PAUSE_AFTER_FAILURE
    assert shelf.ready("json", Asked()) is None
    assert shelf.document("json", Asked()) == board
    with shelf.reading() as reader:
        assert reader is not None
        assert reader.id == good.id
    newer = tournament.publish()
    with shelf.reading() as reader:
        assert reader is not None
        assert reader.id == newer.id
    assert shelf.trouble is None


def test_with_nothing_before_it_a_broken_snapshot_is_said(tournament: Tournament, shelf: Shelf) -> None:
    broken(tournament.home.snapshots)
    for _ in range(3):
        with pytest.raises(StoreDamaged, match="cannot be read"):
            shelf.document("json", Asked())
    tournament.publish()
    assert b"snap-" in shelf.document("json", Asked()).body


def test_over_http_that_is_503_without_a_path(tournament: Tournament, client: Client) -> None:
    broken(tournament.home.snapshots)
    for path in (BOARD, "/", "/api/v1/verdicts"):
        response = client.get(path)
        assert (response.status_code, response.headers["retry-after"]) == (503, "5")
        assert str(tournament.home.path) not in response.text


def test_switching_while_requests_run_never_fails_one(tournament: Tournament, client: Client) -> None:
    """Eight rounds of publication against a stream of requests: every answer is whole and from a published snapshot."""
    published = {tournament.publish().id}
    seen: list[tuple[int, str]] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            for answer in client.many(*(("GET", path, {}) for path in PATHS * 3)):
                shown = answer.json().get("snapshot", "") if "json" in answer.headers["content-type"] else ""
                seen.append((answer.status_code, shown))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(8):
        tournament.rate("validated", [standing("alpha", 1000.0 + number)], second=number)
        published.add(tournament.publish().id)
    over.set()
    for thread in threads:
        thread.join(60)
    last = client.get(BOARD).json()
    assert {status for status, _ in seen} == {200}
    assert {snapshot for _, snapshot in seen} - {""} <= published
    assert last["standings"][0]["rating"] == 1007.0
