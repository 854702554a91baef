"""Traits of answers that a judge may prefer, as covariates of the joint model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Floats, Indices


def standardised_log_difference(length_a: Indices, length_b: Indices) -> tuple[Floats, Bools]:
    """log(length a) - log(length b) by row, over its root mean square; and which rows are known.

    An effect is thus in logits per typical difference. Nothing is centred: the sign must change with the two names. A
    length of 0 or less is unknown; such rows are 0 and the caller leaves them out. Source: length control in "Length-
    Controlled AlpacaEval" (Dubois et al., 2024) standardises a difference of lengths; logs here make it a ratio.
    """
    import numpy as np

    known: Bools = (length_a > 0) & (length_b > 0)
    difference = np.zeros(len(length_a))
    difference[known] = np.log(length_a[known]) - np.log(length_b[known])
    typical = np.sqrt(np.mean(difference[known] ** 2)) if known.any() else 0.0
    return (difference / typical if typical > 0 else difference), known
