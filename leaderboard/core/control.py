"""Traits of answers that a judge may prefer, as covariates of the joint model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats, Indices


def log_difference(length_a: Indices | Floats, length_b: Indices | Floats) -> Floats:
    """log(length a) - log(length b) by row; NaN where one is 0 or less, which is unknown.

    Source: length control in "Length-Controlled AlpacaEval" (Dubois et al., 2024) takes a difference of lengths; logs
    make it a ratio. Nothing is centred: the sign must change with the two names.
    """
    import numpy as np

    known = (length_a > 0) & (length_b > 0)
    difference: Floats = np.log(np.where(known, length_a, 1)) - np.log(np.where(known, length_b, 1))
    return np.where(known, difference, np.nan)


def standardised(difference: Floats) -> Floats:
    """Known differences over their root mean square, so that an effect is in logits per typical difference."""
    import numpy as np

    typical = float(np.sqrt(np.mean(difference**2))) if len(difference) else 0.0
    return difference / typical if typical > 0 else difference
