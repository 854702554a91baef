"""The judge's gate over the validation pairings of its lists, and the figures beside it, from counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaderboard.core.consistency import Consistency, clustered_ratio, consistency_of, gate
from leaderboard.core.judged import MISSING
from leaderboard.history.records import RatingFacts
from leaderboard.tournament.lists import Trial
from leaderboard.tournament.scopes import prompt_numbers

if TYPE_CHECKING:
    from leaderboard.history.reading_counts import ReadingCounts

C_FIELDS = ("lower", "upper", "deff", "plain_lower", "plain_upper", "n", "prompts")


def trial_of(
    validation: RatingFacts, counts: Sequence[ReadingCounts], *, threshold: float, protocol: str, blocks: bool
) -> Trial:
    """The gate on C of these verdicts, with P(first wins), samples and readable share of the readings behind them."""
    return Trial(gate=_gate(_consistency(validation), threshold), head=_head(counts, protocol), blocks=blocks)


def _consistency(validation: RatingFacts) -> Consistency | None:
    """C over the pairings readable in both orders."""
    import numpy as np

    consistent, prompt = validation.judged.consistent, prompt_numbers(validation)
    columns = (prompt[consistent == 1], prompt[consistent != MISSING])
    tops, bottoms = (np.bincount(rows, minlength=len(validation.prompts)).tolist() for rows in columns)
    counted = zip(validation.prompts, tops, bottoms, strict=True)
    return consistency_of({about.id: (float(top), float(bottom)) for about, top, bottom in counted if bottom})


def _gate(found: Consistency | None, threshold: float) -> dict[str, object]:
    judged = gate(found, threshold)
    figures = {name: getattr(found, name) if found else None for name in C_FIELDS}
    head = {"c": judged.c, "threshold": judged.threshold, "state": judged.state, "reason": judged.reason}
    return head | figures


def _head(counts: Sequence[ReadingCounts], protocol: str) -> dict[str, object]:
    readings = sum(prompt.readings for prompt in counts)
    return {
        "p_first": _first_position(counts),
        "protocol": protocol,
        "samples": max((prompt.samples for prompt in counts), default=1),
        "readable_share": sum(prompt.readable for prompt in counts) / readings if readings else None,
    }


def _first_position(counts: Sequence[ReadingCounts]) -> dict[str, object]:
    """P(first wins) with its interval clustered by prompt; ties are left out and counted beside it."""
    judged = [prompt for prompt in counts if prompt.first + prompt.second + prompt.tie]
    sums = {prompt.prompt: (float(prompt.first), float(prompt.first + prompt.second)) for prompt in judged}
    ratio = clustered_ratio(sums) if any(decided for _, decided in sums.values()) else None
    lower, upper = (ratio.interval() if ratio else None) or (None, None)
    tie = sum(prompt.tie for prompt in judged)
    return {"share": ratio.value if ratio else None, "lower": lower, "upper": upper, "tie": tie}
