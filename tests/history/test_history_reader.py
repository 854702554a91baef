"""What a snapshot answers: lists in pages, one verdict with its evidence, SQL that only reads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from history_facts import FINGERPRINT, batch, fit, identical, judgement

from leaderboard.errors import BadInput, NotFound, StoreDamaged
from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.records import StandingRow
from leaderboard.history.writer import History

Published = Callable[[], SnapshotReader]
WINS_A, WINS_B, TIE = ("8", "6"), ("6", "8"), ("7", "7")


def store(history: History, *requests: Any, attempts: Any = (), name: str = "b1") -> None:
    history.derive(history.insert_batch(batch(name, requests, attempts)))


def items(page: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page["items"]
    return found


FILTERS: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["p1 beta-gamma", "p2 alpha-gamma", "p1 alpha-beta"]),
    ({"model": "alpha"}, ["p2 alpha-gamma", "p1 alpha-beta"]),
    ({"model": "gamma", "opponent": "beta"}, ["p1 beta-gamma"]),
    ({"model": "beta", "opponent": "alpha"}, ["p1 alpha-beta"]),
    ({"stage": "screening"}, ["p1 beta-gamma"]),
    ({"outcome": "tie"}, ["p2 alpha-gamma"]),
    ({"outcome": "incomplete"}, ["p1 beta-gamma"]),
    ({"language": "nl"}, ["p2 alpha-gamma"]),
    ({"category": "chat", "prompt": "p1", "judge": "judy"}, ["p1 beta-gamma", "p1 alpha-beta"]),
    ({"judge": "zoe"}, []),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_of_the_verdict_list(played: SnapshotReader, filters: dict[str, Any], expected: list[str]) -> None:
    found = items(played.verdicts(**filters))
    assert [f"{row['prompt_id']} {row['model_a']}-{row['model_b']}" for row in found] == expected


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"outcome": "win"}, "outcome"),
        ({"stage": "final"}, "stage"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"cursor": "zzz"}, "cursor"),
        ({"cursor": "é"}, "cursor"),
        ({"cursor": "WzEsIDJd"}, "cursor"),
        ({"cursor": "bnVsbA"}, "cursor"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(played: SnapshotReader, arguments: Any, place: str) -> None:
    with pytest.raises(BadInput, match=f"^{place}: "):
        played.verdicts(**arguments)


def test_pages_do_not_overlap_even_when_verdicts_are_added(history: History, published: Published) -> None:
    store(history, *(identical(f"p{number:02d}", second=5 + number % 2) for number in range(30)))
    seen: list[str] = []
    cursor, reader = None, published()
    for number in range(5):
        page = reader.verdicts(limit=7, cursor=cursor)
        seen += [row["id"] for row in items(page)]
        cursor = page["next_cursor"]
        store(history, identical(f"new{number}", second=40), name=f"more{number}")
        reader = published()
    assert cursor is None
    assert len(seen) == len(set(seen)) == 30


def test_answers_come_in_pages_too(played: SnapshotReader) -> None:
    first = played.answers(limit=3)
    rest = played.answers(limit=3, cursor=first["next_cursor"])
    texts = [row["text"] for row in items(first) + items(rest)]
    assert texts == ["came later", "hello again", "hello", "hey"]
    assert rest["next_cursor"] is None
    assert [row["text"] for row in items(played.answers(model="beta", prompt="p1"))] == ["came later", "hey"]


def test_a_verdict_comes_with_everything_behind_it(played: SnapshotReader) -> None:
    listed = items(played.verdicts(model="alpha", opponent="beta"))[0]
    verdict = played.verdict(listed["id"])
    assert {name: verdict[name] for name in listed} == listed
    samples = [(r["shown_first"], r["sample"], r["score_a"], r["score_b"], r["outcome"]) for r in verdict["readings"]]
    assert samples == [
        ("a", 1, 8.0, 6.0, "a"),
        ("a", 2, 9.0, 6.0, "a"),
        ("b", 1, 8.0, 6.0, "a"),
        ("b", 2, 8.0, 6.0, "a"),
    ]
    assert verdict["readings"][1]["text"] == "Score of the Assistant 1: 9\nScore of the Assistant 2: 6"
    call = verdict["calls"][1]
    assert (call["shown_first"], call["sample_from"], call["sample_to"], call["template"], call["mark"]) == (
        "b", 1, 2, "scoring_evidence", "0123456789abcdef",
    )  # fmt: skip
    assert (call["sent_sha256"], call["params"]["not_sent"]) == ("a" * 64, {"seed": "refused"})
    assert (verdict["prompt"]["turns"], verdict["prompt"]["reference"]) == (["Say hi", "Again"], "hi")
    assert json.loads(json.dumps(verdict, allow_nan=False)) == verdict


def test_the_texts_shown_are_those_that_were_judged(played: SnapshotReader) -> None:
    verdict = played.verdict(items(played.verdicts(model="alpha", opponent="beta"))[0]["id"])
    texts = {side: [one["text"] for one in found] for side, found in verdict["answers"].items()}
    assert texts == {"a": ["hello", "hello again"], "b": ["hey"]}
    assert (verdict["judge_row"]["rubric"], verdict["judge_row"]["fingerprint"]) == ("Be fair.", FINGERPRINT)


def test_what_the_snapshot_does_not_hold_is_null(history: History, published: Published) -> None:
    store(history, identical("p9"))
    reader = published()
    verdict = reader.verdict(items(reader.verdicts())[0]["id"])
    assert (verdict["prompt"], verdict["judge_row"], verdict["readings"], verdict["calls"]) == (None, None, [], [])
    with pytest.raises(NotFound, match="no verdict 'nope'"):
        reader.verdict("nope")


def test_judges_and_money(played: SnapshotReader) -> None:
    judges = played.judges()
    assert [judge["id"] for judge in judges] == ["judy", "zoe"]
    facts = judges[0]["readings"]
    assert isinstance(facts, list)
    assert {(f["stage"], f["readings"], f["unreadable"], f["pairings"]) for f in facts} == {
        ("validation", 6, 0, 2), ("screening", 1, 1, 1),
    }  # fmt: skip
    spend = played.spend()
    assert (spend["total_usd"], spend["unpriced"]) == (0.000000309, 1)
    assert [(row["state"], row["attempts"], row["cost_usd"]) for row in items(spend)] == [
        ("settled", 2, 3e-07), ("unknown", 1, 9e-09),
    ]  # fmt: skip
    assert played.sql("SELECT state, cost_usd FROM spend ORDER BY cost_usd")["rows"] == [
        ["unknown", 9e-09], ["settled", 3e-07],
    ]  # fmt: skip


def test_fifty_threads_get_their_own_answers(history: History, published: Published) -> None:
    store(history, *(judgement("p1", "ab", [(1, *WINS_A)], a="alpha", b=f"m{number:02d}") for number in range(50)))
    history.append_fit(fit("f1", "validated", [StandingRow(model="alpha", rating=1000.0, rank=1)]))
    reader = published()

    def ask(number: int) -> tuple[set[str], object, object]:
        model = f"m{number % 50:02d}"
        rows = items(reader.verdicts(model=model))
        told = reader.sql(f"SELECT {number}, count(*) FROM verdicts WHERE model_b = '{model}'")["rows"]
        return {row["model_b"] for row in rows}, told, reader.board()["standings"]

    with ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(ask, range(200)))
    board = reader.board()["standings"]
    assert answers == [({f"m{number % 50:02d}"}, [[number, 1]], board) for number in range(200)]


def test_two_openings_of_one_snapshot_share_it_locked(history: History, tmp_path: Path) -> None:
    path = history.publish(tmp_path / "snapshots").path
    with open_snapshot(path) as one, open_snapshot(path) as other:
        assert one.id == other.id == path.stem
        for reader in (one, other):
            assert reader.sql("SELECT current_setting('enable_external_access')")["rows"] == [[False]]


def test_a_snapshot_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "snap-x.duckdb"
    path.write_text("nonsense")
    with pytest.raises(StoreDamaged, match=r"snap-x\.duckdb cannot be read"):
        open_snapshot(path)


def test_reading_loads_nothing_heavy_but_duckdb() -> None:
    """The board must come up without the seconds that polars, choix or litellm take to load."""
    heavy = "{'polars', 'numpy', 'choix', 'scipy', 'litellm', 'sqlalchemy', 'pyarrow', 'pandas'}"
    program = f"import sys, leaderboard.history.reader; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_board_is_read_without_loading_anything_heavy(history: History, tmp_path: Path) -> None:
    history.append_fit(fit("f1", "validated", [StandingRow(model="alpha", rating=1000.0, rank=1)]))
    path = history.publish(tmp_path / "snapshots").path
    program = (
        "import sys; from pathlib import Path; from leaderboard.history.reader import open_snapshot\n"
        f"r = open_snapshot(Path({str(path)!r})); r.board(); r.sql('SELECT now(), 1.5'); r.verdicts()\n"
        "print(sorted({'polars', 'numpy', 'pyarrow', 'pandas', 'sqlalchemy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
