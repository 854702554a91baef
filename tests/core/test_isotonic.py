"""The rising curve through labelled scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.isotonic import isotonic


def test_a_worked_example():
    """Equal scores pooled, violators pooled; the same from two independent libraries."""
    knots, curve = isotonic(np.array([1, 2, 2, 3, 4, 5]), np.array([0, 1, 0, 0, 1, 1]))
    assert knots.tolist() == [1, 2, 3, 4, 5]
    assert curve == pytest.approx([0, 1 / 3, 1 / 3, 1, 1])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=40))
def test_it_rises_and_keeps_the_mean(rows):
    scores, labels = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    knots, curve = isotonic(scores, labels)
    assert (np.diff(curve) >= -1e-12).all()
    assert np.interp(scores, knots, curve).mean() == pytest.approx(labels.mean())


@pytest.mark.parametrize(("scores", "labels"), [([], []), ([1.0], [])])
def test_nothing_to_fit_is_refused(scores, labels):
    with pytest.raises(ValueError, match="equally many"):
        isotonic(np.array(scores), np.array(labels))
