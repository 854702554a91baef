"""The two orders of one comparison become one pairing; everything else stays a battle of its own."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.calibration import POLICIES, calibrate
from leaderboard.core.folding import fold, folded_count
from leaderboard.core.judged import MISSING, SHARES, under_policy
from leaderboard.core.matrix import Battles
from leaderboard.core.protocol import BOTH_ORDERS
from leaderboard.core.types import Order, SlotScores, to_reading

MODELS = ("ant", "bee", "cat")
SLOTS = {1.0: "1", 0.5: "tie", 0.0: "2"}


def battles(rows, weight=None):
    """Rows of (prompt, a, b, a's share, shown first: 1 a, -1 b, 0 unknown, judge)."""
    prompt, a, b, score, first, judge = (np.array(column) for column in zip(*rows, strict=True))
    return Battles(
        models=MODELS,
        a=a.astype(np.uint8),
        b=b.astype(np.uint8),
        score=score.astype(np.float32),
        weight=None if weight is None else np.array(weight, dtype=float),
        cluster=prompt.astype(np.int32),
        first=first.astype(np.int8),
        judge=judge.astype(np.uint8),
        judges=("j0", "j1"),
    )


def shares(judged, policy):
    """(a, b, a's share) of what the policy counts, the model that is named first always a."""
    found = under_policy(judged, policy)
    return [
        (int(a), int(b), float(score)) if a < b else (int(b), int(a), 1 - float(score))
        for a, b, score in zip(found.a, found.b, found.score, strict=True)
    ]


@pytest.mark.parametrize(
    ("rows", "folded", "tie", "score", "soft", "drop"),
    [
        # Both orders, however the pair is named: one pairing.
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 1, -1, 0)], 1, [1], [1], [1], [1]),
        ([(0, 0, 1, 1, 1, 0), (0, 1, 0, 0, 1, 0)], 1, [1], [1], [1], [1]),
        ([(0, 1, 0, 1, -1, 0), (0, 1, 0, 1, 1, 0)], 1, [0], [0], [0], [0]),
        # Disagreement.
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0, -1, 0)], 1, [0.5], [0.5], [0.5], []),
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0.5, -1, 0)], 1, [0.5], [1], [0.75], []),
        # The mean gap decides an order, and each order weighs one half: +1/3 against -1/2.
        (
            [(0, 0, 1, s, 1, 0) for s in (1, 1, 0)] + [(0, 0, 1, s, -1, 0) for s in (0, 0.5)],
            1, [0.5], [0], [0.5], [],
        ),
        # Another prompt, another judge, another pair, an unknown position, one order alone: battles as they stand.
        ([(0, 0, 1, 1, 1, 0), (1, 0, 1, 0, -1, 0)], 0, [1, 0], [1, 0], [1, 0], [1, 0]),
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0, -1, 1)], 0, [1, 0], [1, 0], [1, 0], [1, 0]),
        ([(0, 0, 1, 1, 1, 0), (0, 0, 2, 0, -1, 0)], 0, [1, 0], [1, 0], [1, 0], [1, 0]),
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0, 0, 0)], 0, [1, 0], [1, 0], [1, 0], [1, 0]),
        ([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0, 1, 0)], 0, [1, 0], [1, 0], [1, 0], [1, 0]),
    ],
)  # fmt: skip
def test_what_is_folded_and_what_it_is_worth(rows, folded, tie, score, soft, drop):
    judged = fold(battles(rows))
    assert folded_count(judged) == folded
    for policy, expected in {"tie": tie, "score": score, "soft": soft, "drop": drop}.items():
        assert [share for _, _, share in shares(judged, policy)] == expected


def test_a_pairing_stands_where_its_last_row_stands():
    rows = [(0, 0, 1, 1, 1, 0), (1, 0, 2, 1, 1, 0), (0, 1, 0, 0, 1, 0), (1, 1, 2, 1, 0, 0)]
    assert shares(fold(battles(rows)), "tie") == [(0, 2, 1), (0, 1, 1), (1, 2, 1)]


def test_a_pairing_weighs_the_mean_of_its_rows():
    rows = [(0, 0, 1, 1, 1, 0), (0, 0, 1, 1, -1, 0), (0, 0, 1, 1, -1, 0), (1, 0, 1, 1, 1, 0)]
    assert fold(battles(rows, weight=[1, 2, 6, 5])).weight.tolist() == [3, 5]


def test_a_covariate_turns_with_its_pair():
    plain = battles([(0, 0, 1, 1, 1, 0), (0, 1, 0, 0, 1, 0), (1, 1, 0, 1, 1, 0)])
    columns = {name: getattr(plain, name) for name in ("models", "a", "b", "score", "cluster", "first")}
    judged = fold(Battles(**columns, covariate=np.array([0.5, -1.5, 2.0])))
    assert judged.covariate.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("absent", ["cluster", "first"])
def test_without_prompts_or_positions_the_rows_stay_as_they_are(absent):
    plain = battles([(0, 0, 1, 1, 1, 0), (0, 0, 1, 0, -1, 0)])
    columns = {name: getattr(plain, name) for name in ("models", "a", "b", "score", "cluster", "first")}
    judged = fold(Battles(**(columns | {absent: None})))
    assert (folded_count(judged), shares(judged, "drop")) == (0, [(0, 1, 1), (0, 1, 0)])


def test_no_rows_are_no_pairings():
    nothing = battles([(0, 0, 1, 1, 1, 0)]).where(slice(0))
    assert len(fold(nothing)) == 0


def test_an_order_that_nobody_could_read_makes_the_pairing_incomplete():
    """One readable order is not half a verdict; a row without a verdict of a single pass is just left out."""
    rows = [(0, 0, 1, 1, 1, 0), (0, 0, 1, 0.5, -1, 0), (1, 0, 1, 0.5, 1, 0), (2, 0, 1, 0, 1, 0)]
    judged = fold(battles(rows), np.array([False, True, True, False]))
    assert (len(judged), folded_count(judged)) == (2, 0)
    assert (judged.ab.tolist(), judged.ba.tolist()) == ([2, 0], [MISSING, MISSING])
    for policy in POLICIES:
        assert shares(judged, policy) == [(0, 1, 0)]


def test_huge_numbers_of_prompts_and_judges_do_not_run_over():
    """The key of a row is a product of what it consists of."""
    rows = [(0, 0, 1, 1, 1, 0), (0, 1, 0, 0, 1, 0), (1, 0, 1, 1, 1, 1), (1, 1, 0, 0, 1, 0)]
    plain = battles(rows)
    far = np.array([2**62 // 5, 2**62 // 5, 7, 7])
    columns = {name: getattr(plain, name) for name in ("models", "a", "b", "score", "first", "judge", "judges")}
    assert folded_count(fold(Battles(**columns, cluster=far))) == folded_count(fold(plain)) == 1


READING = st.tuples(st.booleans(), st.sampled_from([1.0, 0.5, 0.0]), st.booleans(), st.booleans())


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(READING, min_size=2, max_size=8), min_size=1, max_size=6))
def test_a_folded_pairing_is_judged_as_one_by_one(pairings):
    """Each reading: a shown first, a's share, named the other way round, readable; a list a prompt."""
    rows, unread, readings = [], [], []
    for prompt, asked in enumerate(pairings):
        orders = [*asked, (not asked[0][0], *asked[0][1:])]
        for ab, share, turned, readable in orders:
            one, other, worth = (1, 0, 1 - share) if turned else (0, 1, share)
            rows.append((prompt, one, other, worth, 1 if ab != turned else -1, 0))
            unread.append(not readable)
        readings.append([_reading(ab, share, i) for i, (ab, share, _, readable) in enumerate(orders) if readable])
    judged = fold(battles(rows), np.array(unread))
    verdicts = [calibrate(each, BOTH_ORDERS, 99) for each in readings]
    place = {int(prompt): row for row, prompt in enumerate(judged.prompt)}
    for policy, worth_of in POLICIES.items():
        parts, whole = SHARES[policy](judged)
        for prompt, verdict in enumerate(verdicts):
            found = int(parts[place[prompt]])
            assert worth_of(verdict) == (None if found == MISSING else Fraction(found, whole))


def _reading(ab, share, sample):
    """A reading in which a has this share: under `ba` the first position is b."""
    slot = share if ab else 1 - share
    return to_reading(Order.AB if ab else Order.BA, sample + 1, SlotScores.won_by(SLOTS[slot]))
