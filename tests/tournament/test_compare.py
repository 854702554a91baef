"""`compare`: figures that are those of the core on known verdicts, decisions, and what would settle what is open."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leaderboard.core.fits import SCALE, How
from leaderboard.core.intervals import t_quantile
from leaderboard.core.matrix import Battles, battles_from_rows
from leaderboard.core.ratings import rate
from leaderboard.core.separation import Difference, difference, to_settle
from leaderboard.core.types import Endpoint, Judge, Model, Prompt
from leaderboard.errors import BadInput, NotFound
from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.records import StandingRow
from leaderboard.history.writer import History
from leaderboard.ledger.requests import Finished
from leaderboard.tournament.compare import DISAGREE, GATE_FAILED, HELD_BACK, compare
from leaderboard.tournament.screened_only import enough
from tests.history.history_facts import FINGERPRINT, answer, batch, both_orders, fit, judgement

PROMPTS = [
    Prompt(id=f"p{i:02}", turns=("?",), category=("facts", "style")[i % 2], language="en", group=("x", None)[i % 2])
    for i in range(45)
]
USED = PROMPTS[:40]
PAIRS = [("alpha", "beta"), ("alpha", "gamma"), ("beta", "gamma")]
STRENGTH = {"alpha": 0.9, "beta": 0.0, "gamma": -0.3}
SCORES = {"a": ("8", "6"), "b": ("6", "8"), "tie": ("7", "7")}
VERDICT_USD, ANSWER_USD = 600e-9, 50e-9
Outcomes = tuple[str, str, str, str, str]  # prompt, model a, model b, outcome when a was shown first, when b was


def drawn() -> list[Outcomes]:
    """Every pair on every used prompt, judged by somebody who prefers the first answer a little."""
    dice = random.Random(1)
    rows = []
    for prompt in USED:
        for a, b in PAIRS:
            ab, ba = (_outcome(dice, STRENGTH[a] - STRENGTH[b] + lean) for lean in (0.4, -0.4))
            rows.append((prompt.id, a, b, ab, ba))
    return rows


def _outcome(dice: random.Random, logit: float) -> str:
    if dice.random() < 0.2:
        return "tie"
    return "a" if dice.random() < 1 / (1 + math.exp(-logit)) else "b"


ROWS = drawn()


def judged(rows: Sequence[Outcomes], **more: Any) -> list[Finished]:
    return [
        request
        for prompt, a, b, ab, ba in rows
        for request in both_orders(prompt, [SCORES[ab]], [SCORES[ba][::-1]], a=a, b=b, **more)
    ]


def singles(rows: Sequence[Outcomes]) -> list[Finished]:
    """One pass a row; the orders take turns."""
    shown = [("ab", SCORES[ab]) if turn % 2 else ("ba", SCORES[ba][::-1]) for turn, (*_, ab, ba) in enumerate(rows)]
    return [
        judgement(prompt, order, [(0, *scores)], a=a, b=b, stage="screening", protocol="random")
        for (prompt, a, b, *_), (order, scores) in zip(rows, shown, strict=True)
    ]


def answers(*models: str) -> list[Finished]:
    return [answer(prompt.id, model, "text") for prompt in USED for model in models]


@contextmanager
def published(
    folder: Path,
    requests: Sequence[Finished],
    models: str = "alpha beta gamma newcomer",
    standings: Sequence[StandingRow] = (StandingRow(model="alpha", rating=1000),),
    screened: Sequence[StandingRow] = (),
    **of_fit: Any,
) -> Iterator[SnapshotReader]:
    """A history of these requests with a fit of judge judy, as a snapshot."""
    history = History.open(folder / "live.duckdb")
    judge = Judge(id="judy", endpoint=Endpoint(litellm="sim/judge"), fingerprint=FINGERPRINT)
    field = [Model(id=name, endpoint=Endpoint(litellm="sim/contestant")) for name in models.split()]
    history.copy_registry(field, [judge], PROMPTS, [])
    history.derive(history.insert_batch(batch("b1", requests)))
    history.append_fit(fit("fit-1", "validated", standings, **of_fit))
    if screened:
        history.append_fit(fit("fit-2", "screened", screened, method="joint", policy=None))
    with open_snapshot(history.publish(folder / "snapshots").path) as reader:
        yield reader
    history.close()


@pytest.fixture
def tournament(tmp_path: Path) -> Iterator[Callable[..., SnapshotReader]]:
    """Publishes a history of these requests and opens it."""
    with ExitStack() as stack:
        yield lambda requests, **of_fit: stack.enter_context(published(tmp_path, requests, **of_fit))


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotReader]:
    """The known verdicts, published once; nobody can change them."""
    gate = {"c": 0.8, "lower": 0.7, "upper": 0.9, "state": "unclear", "n": 120, "threshold": 0.85}
    requests = [*judged(ROWS), *answers("alpha", "beta", "gamma")]
    with published(tmp_path_factory.mktemp("usual"), requests, gate=gate) as reader:
        yield reader


# -- the core's own figures, from the rows as drawn --------------------------------------------------------------------

SHARES = {"a": 1.0, "tie": 0.5, "b": 0.0}


def by_policy(rows: Sequence[Outcomes], policy: str) -> Battles:
    """What each policy makes of two orders, written out again; scores differ by 2 or 0, so their sum is the sign."""
    battles = []
    for prompt, a, b, ab, ba in rows:
        first, second = SHARES[ab], SHARES[ba]
        share: float | None = {
            "tie": first if ab == ba else 0.5,
            "score": 0.5 + 0.5 * np.sign(first + second - 1),
            "soft": (first + second) / 2,
            "drop": first if ab == ba else None,
        }[policy]
        if share is not None:
            battles.append((prompt, a, b, share))
    return battles_from_rows(battles)


def in_both_orders(rows: Sequence[Outcomes]) -> Battles:
    outcomes = [(prompt, a, b, SHARES[ab]) for prompt, a, b, ab, _ in rows]
    outcomes += [(prompt, a, b, SHARES[ba]) for prompt, a, b, _, ba in rows]
    signs = np.repeat(np.array([1, -1], dtype=np.int8), len(rows))
    return replace(battles_from_rows(outcomes), first=signs)


def of_core(battles: Battles, a: str, b: str, method: str = "bt") -> Difference:
    found = rate(battles, How(method=method))
    return difference(found, found.models.index(a), found.models.index(b))


def elo(found: Difference) -> dict[str, Any]:
    ends = {"difference": found.logit, "lower": found.lower, "upper": found.upper}
    points = {name: None if value is None else pytest.approx(SCALE * value, abs=1e-6) for name, value in ends.items()}
    return {**points, "p_value": found.p_value and pytest.approx(found.p_value, rel=1e-6)}


def picked(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("difference", "lower", "upper", "p_value")}


# -- figures -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [*PAIRS, ("gamma", "alpha")])
def test_the_decision_rests_on_bradley_terry_under_policy_tie(usual: SnapshotReader, a: str, b: str) -> None:
    found, core = compare(usual, a, b), of_core(by_policy(ROWS, "tie"), a, b)
    assert (found["list"], found["method"], found["policy"]) == ("validated", "bt", "tie")
    assert picked(found) == elo(core)
    assert core.se is not None
    assert found["se"] == pytest.approx(SCALE * core.se)
    assert (found["df"], found["min_effect"], found["scope"], found["judge"]) == (39, 0.0, "overall", "judy")
    assert found["expected_score"] == pytest.approx(1 / (1 + 10 ** (-found["difference"] / 400)))
    assert found["c"] == {"value": 0.8, "lower": 0.7, "upper": 0.9, "state": "unclear"}


def test_every_policy_and_the_joint_model_stand_beside_it(usual: SnapshotReader) -> None:
    found = compare(usual, "alpha", "beta")["fits"]
    assert [(row["method"], row["policy"]) for row in found] == [
        *(("bt", policy) for policy in ("tie", "score", "soft", "drop")),
        ("joint", None),
    ]
    for row in found[:4]:
        assert picked(row) == elo(of_core(by_policy(ROWS, row["policy"]), "alpha", "beta"))
    assert picked(found[4]) == elo(of_core(in_both_orders(ROWS), "alpha", "beta", "joint"))


@pytest.mark.parametrize(("kind", "name"), [("category", "facts"), ("category", "style"), ("group", "x")])
def test_a_category_is_a_fit_of_its_verdicts_alone(usual: SnapshotReader, kind: str, name: str) -> None:
    prompts = {prompt.id for prompt in PROMPTS if getattr(prompt, kind) == name}
    rows = [row for row in ROWS if row[0] in prompts]
    core = elo(of_core(by_policy(rows, "tie"), "alpha", "beta"))
    listed = {row["name"]: row for row in compare(usual, "alpha", "beta")["by"][kind]}
    assert picked(listed[name]) == core
    assert listed[name]["n"] == len(rows) == 60
    assert picked(compare(usual, "alpha", "beta", scope=f"{kind}={name}")) == core


def test_parts_are_those_that_occur_and_say_that_they_are_many_looks(usual: SnapshotReader) -> None:
    found = compare(usual, "alpha", "beta")
    names = {kind: [row["name"] for row in rows] for kind, rows in found["by"].items()}
    assert names == {"category": ["facts", "style"], "language": ["en"], "group": ["x"]}
    assert any(note.startswith("The 4 figures") for note in found["notes"])


def test_the_record_of_the_two_is_as_a_has_it(usual: SnapshotReader) -> None:
    shares = [SHARES[ab] if ab == ba else 0.5 for _, a, b, ab, ba in ROWS if (a, b) == ("alpha", "beta")]
    counted = {"n": 40, "wins": shares.count(1.0), "losses": shares.count(0.0), "ties": shares.count(0.5)}
    assert compare(usual, "alpha", "beta")["direct"] == counted
    turned = {**counted, "wins": counted["losses"], "losses": counted["wins"]}
    assert compare(usual, "beta", "alpha")["direct"] == turned


def test_it_is_strict_json(usual: SnapshotReader) -> None:
    found = compare(usual, "alpha", "newcomer")
    assert json.loads(json.dumps(found, allow_nan=False)) == found


# -- decisions ---------------------------------------------------------------------------------------------------------


def test_the_interval_decides_against_the_least_effect(usual: SnapshotReader) -> None:
    lower = compare(usual, "alpha", "gamma")["lower"]
    assert lower > 1
    cases = [
        ("alpha", "gamma", 0.0, "a"),
        ("gamma", "alpha", 0.0, "b"),
        ("alpha", "gamma", lower - 0.01, "a"),
        ("alpha", "gamma", lower + 0.01, "not_settled"),
        ("gamma", "alpha", lower - 0.01, "b"),
        ("gamma", "alpha", lower + 0.01, "not_settled"),
        ("beta", "gamma", 0.0, "not_settled"),
    ]
    for a, b, least, decision in cases:
        found = compare(usual, a, b, min_effect=least)
        assert (found["decision"], found["reason"] is None) == (decision, decision != "not_settled"), (a, b, least)


def test_under_ten_prompts_nothing_is_decided(tournament: Callable[..., SnapshotReader]) -> None:
    few = [(f"p{i:02}", "alpha", "beta", "a", "a") for i in range(9)]
    found = compare(tournament(judged(few)), "alpha", "beta")
    assert found["difference"] > 0
    assert (found["lower"], found["p_value"], found["se"]) == (None, None, None)
    assert (found["decision"], found["reason"]) == ("not_settled", "needs 10 prompts, has 9")


def test_models_that_no_chain_links_have_no_difference(tournament: Callable[..., SnapshotReader]) -> None:
    apart = [(prompt.id, *pair, "a", "b") for prompt in USED for pair in (("alpha", "beta"), ("gamma", "zeta"))]
    found = compare(tournament(judged(apart)), "alpha", "zeta")
    assert (found["difference"], found["decision"]) == (None, "not_settled")
    assert "no chain of battles" in found["reason"]
    assert found["settle"]["pairings"] is None


def test_a_model_without_a_verdict_has_no_difference(usual: SnapshotReader) -> None:
    found = compare(usual, "alpha", "newcomer")
    assert (found["difference"], found["expected_score"], found["decision"]) == (None, None, "not_settled")
    assert "no matches" in found["reason"]


def test_single_passes_never_decide(tournament: Callable[..., SnapshotReader]) -> None:
    """However clear they are, and even where one of the two is validated."""
    said = ["b" if number % 8 == 0 else "a" for number in range(len(USED))]
    rows = [
        (prompt.id, a, "omega", won, won) for a in ("alpha", "beta") for prompt, won in zip(USED, said, strict=True)
    ]
    rows += [(prompt.id, "alpha", "beta", "tie", "tie") for prompt in USED]
    reader = tournament([*judged(ROWS), *singles(rows)])
    found = compare(reader, "alpha", "omega")
    assert (found["list"], found["method"], found["policy"]) == ("screened", "joint", None)
    outcomes = replace(battles_from_rows([(p, a, b, SHARES[ab]) for p, a, b, ab, _ in rows]))
    signed = replace(outcomes, first=np.resize(np.array([-1, 1], dtype=np.int8), len(rows)))
    assert picked(found) == elo(of_core(signed, "alpha", "omega", "joint"))
    assert found["lower"] > 0
    assert (found["decision"], found["reason"]) == ("not_settled", found["settle"]["reason"])
    assert "omega is screened only" in found["reason"]
    assert [(row["method"], row["decision"]) for row in found["fits"]] == [("joint", "not_settled")]
    assert (found["settle"]["pairings"], found["settle"]["usd"]) == (None, None)
    assert found["direct"] == {"n": 40, "wins": 35, "losses": 5, "ties": 0}
    assert compare(reader, "alpha", "beta")["list"] == "validated"


def passes(*strongest_first: str) -> list[Outcomes]:
    """Single passes in which who comes earlier wins, with some ties."""
    pairs = [(a, b) for i, a in enumerate(strongest_first) for b in strongest_first[i + 1 :]]
    return [(prompt.id, a, b, "tie" if i % 3 == 0 else "a", "a") for i, prompt in enumerate(USED) for a, b in pairs]


def screened_rows(*models: str) -> list[StandingRow]:
    return [StandingRow(model=model, rating=1000.0 - rank, rank=rank) for rank, model in enumerate(models, 1)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("alpha", "psi"),
            "psi (place 1 of 2 in the screened list) is screened only; "
            "`leaderboard run validation --judge judy --top-k 3` plays it",
        ),
        (
            ("omega", "psi"),
            "omega (place 2 of 2 in the screened list) and psi (place 1 of 2 in the screened list) are screened only; "
            "`leaderboard run validation --judge judy --top-k 4` plays both",
        ),
        (("alpha", "idle"), "idle is screened only; idle takes no part in runs now"),
    ],
)
def test_a_screened_model_has_a_place_and_a_run_that_plays_it(
    tournament: Callable[..., SnapshotReader], asked: tuple[str, str], said: str
) -> None:
    """`--top-k` counts from the best of all single passes, the validated ones among them."""
    rows = passes("alpha", "beta", "psi", "omega", "idle")
    reader = tournament(
        [*judged(ROWS), *singles(rows)],
        models="alpha beta gamma psi omega",
        screened=screened_rows("psi", "omega"),
    )
    found = compare(reader, *asked)
    assert found["reason"] == found["settle"]["reason"] == f"screening does not settle: {said}"
    assert (found["decision"], found["list"]) == ("not_settled", "screened")


def test_equal_ratings_are_all_taken_in() -> None:
    """The keep rule breaks ties by name, so the last of the equals counts."""
    rows = [(prompt.id, a, b, 0.5) for prompt in USED for a, b in PAIRS]
    level = rate(battles_from_rows(rows), How())
    assert set(level.ranks) == {1}
    assert enough(level, ("alpha", "beta")) == 3
    assert enough(None, ("alpha", "beta")) == 2


FAILED_GATE = {"c": 0.6, "lower": 0.5, "upper": 0.7, "state": "fail", "n": 120, "threshold": 0.85}


def test_a_judge_whose_list_is_held_back_decides_nothing(tournament: Callable[..., SnapshotReader]) -> None:
    found = compare(tournament(judged(ROWS), gate=FAILED_GATE, standings=()), "alpha", "gamma")
    assert found["lower"] > 0
    assert (found["decision"], found["reason"]) == ("not_settled", HELD_BACK)
    assert {(row["decision"], row["reason"]) for row in found["fits"]} == {("not_settled", HELD_BACK)}
    assert (found["settle"]["pairings"], found["settle"]["usd"], found["settle"]["reason"]) == (None, None, HELD_BACK)


def test_without_a_fit_of_the_judge_the_cause_is_named(tournament: Callable[..., SnapshotReader]) -> None:
    reader = tournament(judged(ROWS), standings=(), failure="no solver converged")
    found = compare(reader, "alpha", "gamma")
    assert (found["difference"], found["decision"]) == (None, "not_settled")
    assert found["reason"] == "the ratings could not be made: no solver converged"
    assert found["settle"]["reason"] == found["reason"]


def test_policies_that_disagree_are_told(tournament: Callable[..., SnapshotReader]) -> None:
    """Consistent pairings say a, narrowly; where the orders disagree, the scores say b by far."""
    torn = [
        request
        for prompt in USED[:30]
        for request in both_orders(prompt.id, [("7", "6")], [("9", "2")], a="alpha", b="beta")
    ]
    sure = judged([(prompt.id, "alpha", "beta", "a", "a") for prompt in USED[30:34]])
    found = compare(tournament([*torn, *sure]), "alpha", "beta")
    ways = {row["policy"]: row for row in found["fits"]}
    assert ways["tie"]["difference"] > 0 > ways["score"]["upper"]
    assert DISAGREE in found["notes"]


def test_a_judge_that_fails_its_gate_is_told(usual: SnapshotReader, tournament: Callable[..., SnapshotReader]) -> None:
    told = compare(tournament(judged(ROWS), gate=FAILED_GATE), "alpha", "gamma")
    assert (GATE_FAILED in told["notes"], told["decision"]) == (True, "a")
    assert not {GATE_FAILED, DISAGREE} & set(compare(usual, "alpha", "beta")["notes"])


# -- what would settle it ----------------------------------------------------------------------------------------------


def test_more_pairings_are_those_of_the_core_at_the_prices_paid(usual: SnapshotReader) -> None:
    core = rate(by_policy(ROWS, "tie"), How())
    wanted = to_settle(core, 1, 2).pairings
    found = compare(usual, "beta", "gamma")["settle"]
    assert wanted is not None
    assert wanted > 5
    assert (found["pairings"], found["prompts_unused"]) == (wanted, 5)
    assert found["usd"] == pytest.approx(wanted * (VERDICT_USD + 2 * ANSWER_USD))
    assert found["reason"] == "not with these prompts"


def test_what_is_settled_costs_nothing_more(usual: SnapshotReader) -> None:
    found = compare(usual, "alpha", "gamma")["settle"]
    assert (found["pairings"], found["usd"], found["reason"]) == (0, 0.0, None)


def test_a_decision_that_is_made_takes_nothing_more(usual: SnapshotReader) -> None:
    """Also where a repetition would find it in fewer than 80 % of the cases: it is there."""
    least = compare(usual, "alpha", "gamma")["lower"] - 0.01
    found = compare(usual, "alpha", "gamma", min_effect=least)
    assert found["decision"] == "a"
    assert found["settle"] == {"pairings": 0, "usd": 0.0, "reason": None, "prompts_unused": 5}


def test_a_least_effect_takes_more_pairings(usual: SnapshotReader) -> None:
    """N ((t(.975) + z(.8)) / z)^2 - N with z = (|difference| - least) / s.e.: half the distance, four times as many."""
    plain = compare(usual, "beta", "gamma")
    core = rate(by_policy(ROWS, "tie"), How())
    worth = to_settle(core, 1, 2).worth
    assert worth is not None
    least = plain["difference"] / 2
    z = (plain["difference"] - least) / plain["se"]
    times = ((t_quantile(0.95, 39) + t_quantile(0.6, math.inf)) / z) ** 2
    found = compare(usual, "beta", "gamma", min_effect=least)["settle"]
    assert found["pairings"] == math.ceil(worth * times - worth) > plain["settle"]["pairings"]


def test_a_difference_below_the_least_effect_is_not_planned_for(usual: SnapshotReader) -> None:
    least = 2 * compare(usual, "beta", "gamma")["difference"]
    found = compare(usual, "beta", "gamma", min_effect=least)["settle"]
    assert (found["pairings"], found["usd"]) == (None, None)
    assert "least effect" in found["reason"]


@pytest.mark.parametrize(
    ("answered", "cost", "said"),
    [(("alpha", "beta", "gamma"), None, "the judge's verdicts"), (("alpha", "beta"), 300, "the answers of gamma")],
)
def test_an_unknown_price_is_said(
    tournament: Callable[..., SnapshotReader], answered: tuple[str, ...], cost: int | None, said: str
) -> None:
    reader = tournament([*judged(ROWS, cost_nano=cost), *answers(*answered)])
    found = compare(reader, "beta", "gamma")["settle"]
    assert found["pairings"] > 0
    assert found["usd"] is None
    assert f"price unknown: {said}" in found["reason"]


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"a": "alpha", "b": "alpha"}, BadInput, "itself"),
        ({"a": "alpha", "b": "beat"}, NotFound, "close: beta"),
        ({"a": "nobody-at-all", "b": "beta"}, NotFound, "known: alpha, beta, gamma, newcomer"),
        ({"a": "alpha", "b": "beta", "judge": "jury"}, NotFound, "judy"),
        ({"a": "alpha", "b": "beta", "min_effect": -1.0}, BadInput, "min_effect -1"),
        ({"a": "alpha", "b": "beta", "min_effect": math.nan}, BadInput, "min_effect nan"),
        ({"a": "alpha", "b": "beta", "min_effect": math.inf}, BadInput, "min_effect inf"),
        ({"a": "alpha", "b": "beta", "scope": "category=maths"}, NotFound, "category=facts"),
    ],
)
def test_a_bad_question_is_refused(
    usual: SnapshotReader, asked: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        compare(usual, **asked)
