"""From a fit to the rows of a list: who is shown, in what order, and what is said about each.

A list may show some models of its fit alone. Ranks, rank intervals, tiers and chances are then those inside the list,
over the pairs of the shown, with the fit's own covariance; ratings and their intervals stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from leaderboard.core.fits import Fit, ranks
from leaderboard.core.judged import MISSING
from leaderboard.core.money import NANO
from leaderboard.core.separation import Settling, chances_of_tops, nobody, separation, to_settle
from leaderboard.history.records import PromptFacts, RatingFacts, StandingRow
from leaderboard.tournament.scopes import prompt_numbers

if TYPE_CHECKING:
    from leaderboard.core.matrix import Indices

LAST = "nobody is ranked below"
BY_MODEL = ("models", "ratings", "lower", "upper", "interval_reason", "component", "prompts", "records", "flags")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """What a list says about a model besides its ratings. `active`: it takes part now."""

    family: str | None = None
    simulated: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What the rows of a list need besides its fit.

    `facts`: the verdicts behind the fit, in its scope and its field. `prompts`: the tournament's own in that scope.
    `k`: how many are the top. `battles_a_pairing`: 2 where each order counts in the fit.
    """

    board: Literal["validated", "screened"]
    facts: RatingFacts
    prompts: Sequence[PromptFacts]
    models: Mapping[str, Contestant]
    k: int
    battles_a_pairing: float = 1.0
    judge_family: str | None = None
    judge_simulated: bool = False


def shown_only(fit: Fit, shown: Iterable[str]) -> Fit:
    """The fit as seen by a list of these models alone."""
    import numpy as np

    wanted = set(shown)
    at = [i for i, model in enumerate(fit.models) if model in wanted]
    if len(at) == len(fit.models):
        return fit
    kept: dict[str, Any] = {name: tuple(getattr(fit, name)[i] for i in at) for name in BY_MODEL}
    block = np.ix_(at, at)
    covariance = None if fit.covariance is None else fit.covariance[block]
    played = [rating is not None for rating in kept["ratings"]]
    sure = [reason is None for reason in kept["interval_reason"]]
    placed = ranks(kept["ratings"], kept["component"])
    apart = nobody(played)
    if covariance is not None:
        apart = separation(fit.theta[at], covariance, kept["component"], kept["prompts"], played, sure, placed)
    return replace(
        fit,
        **kept,
        theta=fit.theta[at],
        covariance=covariance,
        met=fit.met[block],
        ranks=placed,
        separation=apart,
        rank_reason=tuple(fit.rank_reason[i] for i in at),
    )


def standings(fit: Fit, listed: Fit, listing: Listing) -> tuple[StandingRow, ...]:
    """The rows of a list, best first, each with how it stands to the one below. `listed`: the fit as the list sees it.

    What it takes to separate two models is asked of the whole fit: it knows of them through everybody.
    """
    order = sorted(range(len(listed.models)), key=lambda i: _place(listed, i))
    below = {i: j for i, j in pairwise(order) if _comparable(listed, i, j)}
    rows = _rows(listed, listing)
    more = _settling(fit, listed, below, listing)
    return tuple(replace(rows[i], **_next(listed, i, below.get(i), more.get(i))) for i in order)


def _place(fit: Fit, i: int) -> tuple[bool, int, int, str]:
    rank = fit.ranks[i]
    return rank is None, fit.component[i], rank or 0, fit.models[i]


def _comparable(fit: Fit, i: int, j: int) -> bool:
    return fit.ranks[i] is not None and fit.ranks[j] is not None and fit.component[i] == fit.component[j]


def _rows(fit: Fit, listing: Listing) -> list[StandingRow]:
    top, top_k = chances_of_tops(fit, (1, listing.k))
    costs = usd_per_verdict(listing.facts)
    contestants = [listing.models.get(model, Contestant()) for model in fit.models]
    return [
        StandingRow(
            **figures(fit, i),
            flags=_flags(fit.flags[i], contestant, listing),
            p_top1=top[i],
            p_topk=top_k[i],
            usd_per_verdict=costs.get(fit.models[i]),
            simulated=contestant.simulated or listing.judge_simulated,
        )
        for i, contestant in enumerate(contestants)
    ]


def figures(fit: Fit, i: int) -> dict[str, Any]:
    """What a fit itself says of a model, by the names of `StandingRow`."""
    apart = fit.separation
    return {
        "model": fit.models[i],
        "rating": fit.ratings[i],
        "lower": fit.lower[i],
        "upper": fit.upper[i],
        "interval_reason": fit.interval_reason[i],
        "rank": fit.ranks[i],
        "rank_lower": apart.rank_lower[i],
        "rank_upper": apart.rank_upper[i],
        "rank_reason": fit.rank_reason[i],
        "tier": apart.tiers[i],
        **asdict(fit.records[i]),
        "component": fit.component[i],
    }


def _flags(found: Sequence[str], contestant: Contestant, listing: Listing) -> tuple[str, ...]:
    added = {
        "provisional": listing.board == "screened",
        "self_judged": contestant.family is not None and contestant.family == listing.judge_family,
        "simulated": contestant.simulated or listing.judge_simulated,
    }
    return (*found, *(name for name, holds in added.items() if holds))


def _next(fit: Fit, i: int, below: int | None, more: Settling | None) -> dict[str, Any]:
    """How a model stands to the one ranked next below: expected share, and the pairings that would separate them."""
    from scipy.special import expit

    if fit.ranks[i] is None:
        return {"more_reason": fit.rank_reason[i]}
    if below is None or more is None:
        return {"more_reason": LAST}
    expected = float(expit(fit.theta[i] - fit.theta[below]))
    return {"expected_next": expected, "more_pairings": more.pairings, "more_reason": more.reason}


def _settling(fit: Fit, listed: Fit, below: Mapping[int, int], listing: Listing) -> dict[int, Settling]:
    place = {model: i for i, model in enumerate(fit.models)}
    pairs = [(place[listed.models[i]], place[listed.models[j]]) for i, j in below.items()]
    unused = unused_prompts(listing.facts, pairs, listing.prompts)
    return {
        i: to_settle(fit, *pair, left, battles_a_pairing=listing.battles_a_pairing)
        for i, pair, left in zip(below, pairs, unused, strict=True)
    }


def unused_prompts(
    facts: RatingFacts, pairs: Sequence[tuple[int, int]], prompts: Sequence[PromptFacts]
) -> tuple[int, ...]:
    """For each pair of models (numbers in the field): how many of these prompts have no pairing of the two yet."""
    import numpy as np

    judged, numbers, n = facts.judged, prompt_numbers(facts), len(facts.judged.models)
    pair_of = np.full((n, n), MISSING, dtype=np.int32)
    for number, (i, j) in enumerate(pairs):
        pair_of[i, j] = pair_of[j, i] = number
    wanted = {prompt.id for prompt in prompts}
    counts = np.array([prompt.id in wanted for prompt in facts.prompts], dtype=bool)
    pair = pair_of[judged.a, judged.b]
    rows = (pair != MISSING) & counts[numbers]
    played = np.unique(pair[rows].astype(np.int64) * len(counts) + numbers[rows]) // max(len(counts), 1)
    used: Indices = np.bincount(played, minlength=len(pairs))
    return tuple(int(left) for left in len(wanted) - used)


def usd_per_verdict(facts: RatingFacts) -> dict[str, Decimal | None]:
    """What the readings behind each model's verdicts cost, a verdict; None where a price is unknown.

    Models without a verdict are left out.
    """
    import numpy as np

    judged, n = facts.judged, len(facts.judged.models)
    decided = judged.outcome != MISSING
    seats = np.concatenate([judged.a[decided], judged.b[decided]])
    nano = np.tile(facts.nano_usd[decided], 2)
    played = np.bincount(seats, minlength=n).tolist()
    unknown = np.bincount(seats[nano < 0], minlength=n).tolist()
    # Sums of whole nano-dollars are exact in floats up to nine million dollars a model.
    spent = np.bincount(seats, np.where(nano < 0, 0, nano), minlength=n).tolist()
    return {
        model: None if unknown[i] else Decimal(int(spent[i])) / NANO / played[i]
        for i, model in enumerate(judged.models)
        if played[i]
    }
