"""What it would take to settle a comparison: pairings of the two models, prompts to play them on, and money."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.fits import SCALE, Fit
from leaderboard.core.intervals import LEVEL, t_quantile
from leaderboard.core.money import NANO
from leaderboard.core.separation import LEAST_Z, NOT_HERE, POWER, Settling, difference, to_settle
from leaderboard.history.records import PromptFacts, RatingFacts, Row
from leaderboard.tournament.scopes import belongs
from leaderboard.tournament.standing import unused_prompts

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

MOST_ROWS = 10**7
NOT_BEYOND = "the difference is not far enough beyond the least effect to plan for"
ANSWER_COSTS = """
    SELECT model, sum(cost_usd) / count(DISTINCT prompt_id) FROM answers
    GROUP BY model HAVING count(cost_usd) = count(*)"""
PROMPTS = "SELECT id, category, language, prompt_group FROM prompts"


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
    asked = [PromptFacts(*row) for row in reader.sql(PROMPTS, MOST_ROWS)["rows"]]
    wanted = [prompt for prompt in asked if belongs(prompt, scope)]
    if not set(models) <= set(facts.judged.models):
        return len(wanted)
    a, b = (facts.judged.models.index(model) for model in models)
    return unused_prompts(facts, [(a, b)], wanted)[0]


def settling(fit: Fit, models: tuple[str, str], least: float, free: int, paid: Prices) -> Row:
    """{"pairings", "prompts_unused", "usd", "reason"}: to find a difference beyond `least` (Elo points) in 80 % of the
    cases, if it is what it seems. `free`: prompts on which the two have not met.
    """
    more = _more(fit, models, least, free)
    usd, unpriced = (None, None) if more.pairings is None else paid.of(more.pairings, models)
    reason = "; ".join(filter(None, [more.reason, unpriced])) or None
    return {"pairings": more.pairings, "prompts_unused": free, "usd": usd, "reason": reason}


def _more(fit: Fit, models: tuple[str, str], least: float, free: int) -> Settling:
    """`to_settle`, against the least effect where there is one."""
    i, j = (fit.models.index(model) for model in models)
    plain, found = to_settle(fit, i, j, free), difference(fit, i, j)
    if least == 0 or plain.worth is None or found.z is None or found.se is None or found.df is None:
        return plain
    beyond = abs(found.z) - least / SCALE / found.se
    if beyond < LEAST_Z:
        return Settling(None, plain.worth, NOT_BEYOND)
    times = ((t_quantile(LEVEL, found.df) + t_quantile(2 * POWER - 1, math.inf)) / beyond) ** 2
    more = max(0, math.ceil(plain.worth * times - plain.worth))
    return Settling(more, plain.worth, NOT_HERE if more > free else None)
