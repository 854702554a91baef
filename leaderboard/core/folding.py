"""Rows of any origin as verdicts: the two orders of one comparison become one pairing, all else stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.judged import BY_ROW, MISSING, Judged
from leaderboard.core.matrix import Battles, taken

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from leaderboard.core.matrix import Bools, Floats, Indices, Signs

    Whole = NDArray[np.int64]

ROOM = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Comparisons with rows in both orders, and which rows those are. The lower number of the two models is `a` here.

    `rows`: their rows; `pairing`: the comparison of each; `gap`: +1 where a won, -1, 0; `ab`: a was shown first;
    `read`: the row has a verdict; `last`: each comparison's last row.
    """

    rows: Indices
    pairing: Indices
    gap: Whole
    ab: Bools
    read: Bools
    last: Indices


def fold(battles: Battles, unread: Bools | None = None) -> Judged:
    """One row a comparison, in the order of the rows; a folded one stands where its last row stands.

    Rows of one prompt, judge and pair of models (named either way round), of which `first` shows both orders, are one
    pairing, judged as `core.calibration` does: the sign of each order's mean gap. Its weight and covariate are the
    means of its rows'. Without prompts nothing is folded. Any other row is a battle of its own: `consistent` MISSING,
    its outcome in its order if that is known.

    `unread` marks rows without a verdict (their score says nothing): where all rows of an order are unread the pairing
    is incomplete, all policies leave it out; the other ones are left out here.
    """
    import numpy as np

    single = np.ones(len(battles), dtype=bool) if unread is None else ~unread
    pairs = _pairs(battles, single)
    if pairs is None or not len(pairs.rows):
        return _as_given(battles if unread is None else battles.where(single))
    single[pairs.rows] = False
    alone = np.flatnonzero(single)
    place = np.argsort(np.concatenate([alone, pairs.last]), kind="stable")
    return _joined(_as_given(battles.where(alone)), _folded(battles, pairs)).where(place)


def folded_count(judged: Judged) -> int:
    """How many pairings were read in both orders."""
    import numpy as np

    return int(np.count_nonzero(judged.consistent != MISSING))


def _pairs(battles: Battles, read: Bools) -> _Pairs | None:
    import numpy as np

    if battles.first is None or battles.cluster is None:
        return None
    shown = np.flatnonzero(battles.first)
    forward = battles.a[shown] < battles.b[shown]
    ab = (battles.first[shown] > 0) == forward
    keys = _keys(battles, battles.cluster[shown], shown)
    ordered = np.argsort(keys, kind="stable")
    key = keys[ordered]
    begins = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else np.empty(0, dtype=np.intp)
    sizes = np.diff(np.append(begins, len(key)))
    in_ab = np.add.reduceat(ab[ordered].astype(np.int64), begins) if len(key) else begins
    both = (in_ab > 0) & (in_ab < sizes)
    kept = ordered[np.repeat(both, sizes)]
    rows = shown[kept]
    return _Pairs(
        rows=rows,
        pairing=np.repeat(np.arange(int(both.sum())), sizes[both]),
        gap=_gaps(battles, rows, forward[kept]),
        ab=ab[kept],
        read=read[rows],
        last=shown[ordered[(begins + sizes - 1)[both]]],
    )


def _keys(battles: Battles, prompt: Indices, rows: Indices) -> Whole:
    """One number for each (judge, prompt, pair of models)."""
    import numpy as np

    n = len(battles.models)
    a, b = battles.a[rows].astype(np.int64), battles.b[rows].astype(np.int64)
    asked = prompt.astype(np.int64)
    if battles.judge is not None:
        asked += battles.judge[rows].astype(np.int64) * (int(asked.max(initial=0)) + 1)
    if int(asked.max(initial=0)) > ROOM // max(n * n, 1):
        asked = np.unique(asked, return_inverse=True)[1]
    keys: Whole = (asked * n + np.minimum(a, b)) * n + np.maximum(a, b)
    return keys


def _gaps(battles: Battles, rows: Indices, forward: Bools) -> Whole:
    import numpy as np

    for_a = np.sign(battles.score[rows] - 0.5).astype(np.int64)
    gaps: Whole = np.where(forward, for_a, -for_a)
    return gaps


def _folded(battles: Battles, pairs: _Pairs) -> Judged:
    """Exact: sums of gaps are whole numbers, and the means of the two orders are compared without dividing."""
    import numpy as np

    (sum_ab, n_ab), (sum_ba, n_ba) = (_sums(pairs, pairs.ab), _sums(pairs, ~pairs.ab))
    ab, ba = _codes(sum_ab, n_ab > 0), _codes(sum_ba, n_ba > 0)
    decided = (n_ab > 0) & (n_ba > 0)
    consistent = np.where(decided, ab == ba, MISSING).astype(np.int8)
    a, b = battles.a[pairs.last], battles.b[pairs.last]
    return Judged(
        models=battles.models,
        a=np.minimum(a, b),
        b=np.maximum(a, b),
        prompt=taken(battles.cluster, pairs.last),
        outcome=np.where(decided, np.where(ab == ba, ab, 1), MISSING).astype(np.int8),
        outcome_score=_codes(sum_ab * n_ba + sum_ba * n_ab, decided),
        soft=np.where(decided, ab + ba, MISSING).astype(np.int8),
        consistent=consistent,
        ab=ab,
        ba=ba,
        weight=_mean(battles.weight, pairs),
        judge=taken(battles.judge, pairs.last),
        judges=battles.judges,
        covariate=_mean_covariate(battles, pairs),
    )


def _sums(pairs: _Pairs, order: Bools) -> tuple[Whole, Whole]:
    """Of each pairing, over the readable rows of one order: the sum of gaps, and how many."""
    import numpy as np

    mine, n = order & pairs.read, len(pairs.last)
    total = np.bincount(pairs.pairing[mine], pairs.gap[mine], n)
    return np.rint(total).astype(np.int64), np.bincount(pairs.pairing[mine], minlength=n)


def _codes(gap: Whole, known: Bools) -> Signs:
    """The sign of a gap as an outcome: twice a's share."""
    import numpy as np

    codes: Signs = np.where(known, np.sign(gap) + 1, MISSING).astype(np.int8)
    return codes


def _mean(column: Floats | None, pairs: _Pairs) -> Floats | None:
    import numpy as np

    if column is None:
        return None
    n = len(pairs.last)
    mean: Floats = np.bincount(pairs.pairing, column[pairs.rows], n) / np.bincount(pairs.pairing, minlength=n)
    return mean


def _mean_covariate(battles: Battles, pairs: _Pairs) -> Floats | None:
    import numpy as np

    if battles.covariate is None:
        return None
    forward = battles.a < battles.b
    return _mean(np.where(forward, battles.covariate, -battles.covariate), pairs)


def _as_given(battles: Battles) -> Judged:
    import numpy as np

    codes = (np.sign(battles.score - np.float32(0.5)) + 1).astype(np.int8)
    missing = np.full(len(battles), MISSING, dtype=np.int8)
    first = np.zeros(len(battles), dtype=np.int8) if battles.first is None else battles.first
    return Judged(
        models=battles.models,
        a=battles.a,
        b=battles.b,
        prompt=battles.cluster,
        outcome=codes,
        outcome_score=codes,
        soft=2 * codes,
        consistent=missing,
        ab=np.where(first > 0, codes, missing),
        ba=np.where(first < 0, codes, missing),
        weight=battles.weight,
        judge=battles.judge,
        judges=battles.judges,
        covariate=battles.covariate,
    )


def _joined(one: Judged, other: Judged) -> Judged:
    """Both after another; they are of the same field."""
    import numpy as np

    def column(name: str) -> Any:
        mine = getattr(one, name)
        return None if mine is None else np.concatenate([mine, getattr(other, name)])

    return replace(one, **{name: column(name) for name in BY_ROW})
