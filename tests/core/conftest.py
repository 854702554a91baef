"""Public judgements of the position-bias study, where they lie beside the checkout."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.core.bias import JudgedPairing
from leaderboard.core.types import Order, SlotScores, to_reading

CASES = Path(__file__).parents[3] / "shared" / "cases"
WINNERS = {"A": "1", "B": "2", "C": "tie"}


@pytest.fixture
def case_path() -> Callable[[str], Path]:
    """The path of a case; the test is skipped where the cases are absent."""

    def found(name: str) -> Path:
        if not (CASES / name).exists():
            pytest.skip(f"{name} is not beside this checkout")
        return CASES / name

    return found


@pytest.fixture
def public_pairings(case_path: Callable[[str], Path]) -> Callable[[str], list[JudgedPairing]]:
    """Judged pairings of one file of `position-bias`; as in its source a text's first bracket is its verdict."""

    def found(name: str) -> list[JudgedPairing]:
        rows = [json.loads(line) for line in (case_path("position-bias") / name).open(encoding="utf-8")]
        grouped: dict[tuple[str, str, str], list[dict]] = {}
        for row in rows:
            key = (row["question_id"], *sorted((row["model_a"], row["model_b"])))
            grouped.setdefault(key, []).append(row)
        return [_judged(key, asked) for key, asked in grouped.items()]

    return found


def _judged(key: tuple[str, str, str], rows: list[dict]) -> JudgedPairing:
    readings, unreadable = [], 0
    for row in rows:
        verdict = re.search(r"\[\[([ABC])]]", row["text"])
        order = Order.AB if row["model_a"] == key[1] else Order.BA
        if verdict is None:
            unreadable += 1
        else:
            readings.append(to_reading(order, row.get("repetition", 1), SlotScores.won_by(WINNERS[verdict[1]])))
    return JudgedPairing(
        pairing="/".join(key),
        prompt_id=key[0],
        category=rows[0].get("task", "general"),
        language="en",
        model_a=key[1],
        model_b=key[2],
        readings=tuple(readings),
        unreadable=unreadable,
    )
