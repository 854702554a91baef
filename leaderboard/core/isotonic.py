"""The best rising curve through labelled scores: what share of people agree at each score."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats


def isotonic(scores: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """The distinct scores (m,), rising, and the least-squares non-decreasing fit of the labels there (m,).

    Equal scores are pooled first, weighted by their number. Between the scores read it by linear interpolation, outside
    by its ends (`numpy.interp`). Source: Barlow et al. (1972), pool adjacent violators. ValueError without data.
    """
    import numpy as np
    from scipy.optimize import isotonic_regression

    if not len(scores) or len(scores) != len(labels):
        raise ValueError(f"need equally many scores and labels, got {len(scores)} and {len(labels)}")
    knots, place = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    number = np.bincount(place)
    means = np.bincount(place, weights=labels) / number
    return knots, np.asarray(isotonic_regression(means, weights=number).x, dtype=float)
