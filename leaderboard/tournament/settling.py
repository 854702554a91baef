"""What it would take to settle a comparison: pairings of the two models, prompts to play them on, and money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.fits import SCALE, Fit
from leaderboard.core.money import NANO
from leaderboard.core.separation import to_settle
from leaderboard.history.records import RatingFacts, Row
from leaderboard.tournament.registered import MOST_ROWS, prompts_of
from leaderboard.tournament.scopes import belongs
from leaderboard.tournament.standing import unused_prompts

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

ANSWER_COSTS = """
    SELECT model, sum(cost_usd) / count(DISTINCT prompt_id) FROM answers
    GROUP BY model HAVING count(cost_usd) = count(*)"""
DECIDED: Row = {"pairings": 0, "usd": 0.0, "reason": None}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Prices:
    """USD: `verdict` a verdict of this judge (None: unknown), `answers` a prompt of each model (absent: unknown)."""

    verdict: float | None
    answers: dict[str, float]

    def of(self, pairings: int, models: tuple[str, str]) -> tuple[float | None, str | None]:
        """What so many pairings cost, each a verdict and an answer of either model; None with the reason."""
        unpriced = [model for model in models if model not in self.answers]
        if pairings == 0:
            return 0.0, None
        if self.verdict is None:
            return None, "price unknown: the judge's verdicts have none"
        if unpriced:
            return None, f"price unknown: the answers of {' and '.join(unpriced)} have none"
        return pairings * (self.verdict + sum(self.answers[model] for model in models)), None


def prices(reader: SnapshotReader, facts: RatingFacts) -> Prices:
    """As paid so far: verdicts without a price are left out of the mean, a model with an unpriced answer has none."""
    known = facts.nano_usd[facts.nano_usd >= 0]
    answers = dict(reader.sql(ANSWER_COSTS, MOST_ROWS)["rows"])
    return Prices(verdict=float(known.mean()) / NANO if len(known) else None, answers=answers)


def unused(reader: SnapshotReader, facts: RatingFacts, scope: str, models: tuple[str, str]) -> int:
    """On how many of the tournament's prompts of the scope the two have no pairing yet."""
    wanted = [prompt for prompt in prompts_of(reader) if belongs(prompt, scope)]
    if not set(models) <= set(facts.judged.models):
        return len(wanted)
    a, b = (facts.judged.models.index(model) for model in models)
    return unused_prompts(facts, [(a, b)], wanted)[0]


def settling(fit: Fit, models: tuple[str, str], least: float, free: int, paid: Prices) -> Row:
    """{"pairings", "prompts_unused", "usd", "reason"}: to find a difference beyond `least` (Elo points) in 80 % of the
    cases, if it is what it seems. `free`: prompts on which the two have not met.
    """
    i, j = (fit.models.index(model) for model in models)
    more = to_settle(fit, i, j, free, least=least / SCALE)
    usd, unpriced = (None, None) if more.pairings is None else paid.of(more.pairings, models)
    reason = "; ".join(filter(None, [more.reason, unpriced])) or None
    return {"pairings": more.pairings, "prompts_unused": free, "usd": usd, "reason": reason}
