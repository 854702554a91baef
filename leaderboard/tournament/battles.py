"""From verdicts to the battles that a fit of some key takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from leaderboard.core.control import log_difference, standardised
from leaderboard.core.judged import MISSING, Judged, by_order, under_policy
from leaderboard.core.matrix import Battles
from leaderboard.history.records import FitKey, RatingFacts
from leaderboard.tournament.scopes import with_rows

LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Taken:
    """The battles of a fit, out of so many `pairings`: two a pairing where each order counts.

    `left_out`: how many more battles there were, whose covariate nobody knows (None: no covariate).
    """

    battles: Battles
    pairings: int
    left_out: int | None = None

    @property
    def a_pairing(self) -> float:
        """Battles that a pairing makes, on average; 1 where there is none."""
        return len(self.battles) / self.pairings if self.pairings else 1.0


def battles_for(facts: RatingFacts, key: FitKey) -> Taken:
    """Decided pairings under the key's policy; order outcomes as they are where it has none (`joint`)."""
    if key.control == LENGTH:
        return _with_lengths(facts)
    if key.policy is None:
        return Taken(by_order(facts.judged), pairings=_read(facts.judged))
    battles = under_policy(facts.judged, key.policy)
    return Taken(battles, pairings=len(battles))


def _with_lengths(facts: RatingFacts) -> Taken:
    """The order outcomes of pairings of known lengths; see `core.control` for the covariate."""
    import numpy as np

    if facts.length_a is None or facts.length_b is None:
        raise ValueError("the lengths of the answers were not read")
    difference = log_difference(facts.length_a, facts.length_b)
    known = np.isfinite(difference)
    measured = replace(facts.judged.where(known), covariate=standardised(difference[known]))
    battles = by_order(measured)
    left_out = _order_outcomes(facts.judged) - len(battles)
    return Taken(battles, pairings=_read(measured), left_out=left_out)


def _read(judged: Judged) -> int:
    """How many pairings have an outcome in some order."""
    return int(((judged.ab != MISSING) | (judged.ba != MISSING)).sum())


def _order_outcomes(judged: Judged) -> int:
    return int((judged.ab != MISSING).sum() + (judged.ba != MISSING).sum())


def fielded(facts: RatingFacts, models: Iterable[str]) -> RatingFacts:
    """The verdicts in a field of exactly these models, whether they have met or not; those of others drop out."""
    import numpy as np

    names = tuple(sorted(models))
    place = {name: i for i, name in enumerate(names)}
    moved = np.array([place.get(name, -1) for name in facts.judged.models], dtype=np.intp)
    a, b = moved[facts.judged.a], moved[facts.judged.b]
    inside = (a >= 0) & (b >= 0)
    found = replace(facts, judged=replace(facts.judged, models=names, a=a, b=b))
    return found if inside.all() else with_rows(found, inside)


def decided_models(facts: RatingFacts) -> set[str]:
    """Who has a verdict: an incomplete pairing is none."""
    import numpy as np

    judged = facts.judged
    decided = judged.outcome != MISSING
    seats = np.bincount(judged.a[decided], minlength=len(judged.models))
    seats += np.bincount(judged.b[decided], minlength=len(judged.models))
    return {name for name, n in zip(judged.models, seats.tolist(), strict=True) if n}
