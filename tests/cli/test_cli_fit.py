"""`leaderboard fit`: a file of battles of any origin, on the command line."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.terminal import ROOT, files_under, started, typed

CASES = ROOT.parent / "shared" / "cases"
SCALE = 400 / math.log(10)
WINNERS = {"A": "model_a", "B": "model_b", "C": "tie"}
STANDING = {
    *("model", "rating", "lower", "upper", "interval_reason", "rank", "rank_lower", "rank_upper", "n", "component"),
    *("flags", "rank_reason", "tier", "p_top1", "wins", "losses", "ties"),
}
HEAD = {
    *("method", "policy", "prior", "anchor", "n_battles", "components", "standings", "judges", "rows", "folded"),
    *("incomplete", "missing", "n_prompts", "scope", "convergence", "versions", "control", "intervals", "notes"),
}
Row = dict[str, Any]


def battle(a: str, b: str, winner: str | None, **more: Any) -> Row:
    return {"model_a": a, "model_b": b, "winner": winner, **more}


def saved(rows: Sequence[Row], name: str = "battles.csv") -> Path:
    """The rows as a file in the working folder, which is a test's own."""
    frame, file = pl.DataFrame(rows, infer_schema_length=None), Path(name)
    {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson}[file.suffix](file)
    return file


def fitted(file: Path, *options: str | Path) -> Row:
    found: Row = typed("fit", file, *options, "--json").json
    return found


def rating(found: Row, model: str) -> Row:
    return next(row for row in found["standings"] if row["model"] == model)


def ratings(found: Row) -> dict[str, float]:
    return {row["model"]: row["rating"] for row in found["standings"]}


LADDER = [
    *[battle("ant", "bee", "model_a")] * 3,
    battle("ant", "bee", "model_b"),
    *[battle("cat", "bee", "right")] * 2,
    battle("bee", "cat", "tie"),
    battle("cat", "bee", "A"),
]


# -- what it answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["b.csv", "b.parquet", "b.jsonl"])
def test_the_same_battles_give_the_same_ratings_in_any_format(name: str) -> None:
    found = fitted(saved(LADDER, name), "--no-prior")
    assert set(found) == HEAD
    assert all(set(row) == STANDING for row in found["standings"])
    assert [row["model"] for row in found["standings"]] == ["ant", "bee", "cat"]
    assert [row["rank"] for row in found["standings"]] == [1, 2, 3]
    gaps = ratings(found)
    assert gaps["ant"] - gaps["bee"] == pytest.approx(SCALE * math.log(3))
    assert gaps["bee"] - gaps["cat"] == pytest.approx(SCALE * math.log(2.5 / 1.5))
    assert sum(gaps.values()) == pytest.approx(3000)


def test_how_it_was_made_stands_beside_the_ratings() -> None:
    found = fitted(saved([*LADDER, battle("ant", "cat", None)]), "--anchor", "bee")
    said = {name: found[name] for name in ("method", "policy", "prior", "anchor", "rows", "missing", "folded")}
    assert said == {
        "method": "bt",
        "policy": "tie",
        "prior": 0.5,
        "anchor": "bee",
        "rows": 9,
        "missing": 1,
        "folded": 0,
    }
    assert (found["n_battles"], found["n_prompts"], found["components"]) == (8, None, 1)
    assert rating(found, "bee")["rating"] == 1000
    assert rating(found, "ant")["interval_reason"] == "no prompt ids"
    assert rating(found, "ant")["lower"] is None
    assert {"numpy", "choix"} < set(found["versions"])
    assert found["notes"] == ["rows without a verdict, left out and not counted as ties: 1 of 9"]


def test_nothing_is_compared_across_components() -> None:
    found = fitted(saved([*LADDER, battle("dog", "eel", "A"), battle("fox", "dog", "")]))
    assert (found["components"], rating(found, "dog")["rank"], rating(found, "dog")["component"]) == (2, 1, 1)
    assert (rating(found, "fox")["rating"], rating(found, "fox")["rank"]) == (None, None)
    assert found["standings"][-1]["model"] == "fox"


def test_a_weight_multiplies_its_row() -> None:
    once = [battle("ant", "bee", "A", weight=3), battle("ant", "bee", "B", weight=1)]
    found = ratings(fitted(saved(once), "--no-prior"))
    assert found["ant"] - found["bee"] == pytest.approx(SCALE * math.log(3))


@pytest.fixture
def citations() -> Path:
    if not (CASES / "bt-textbook").exists():
        pytest.skip("the public counts are not beside this checkout")
    counts = csv.DictReader((CASES / "bt-textbook" / "citations.csv").open(encoding="utf-8"))
    return saved(
        [
            battle(row["player1"], row["player2"], winner, weight=int(row[column]))
            for row in counts
            for winner, column in (("model_a", "wins1"), ("model_b", "wins2"))
        ]
    )


def test_the_textbook_s_citations(citations: Path) -> None:
    found = fitted(citations, "--no-prior", "--anchor", "Biometrika")
    logits = {model: (height - 1000) / SCALE for model, height in ratings(found).items()}
    expected = {"Biometrika": 0, "Comm Statist": -2.94907, "JASA": -0.47957, "JRSS-B": 0.26895}
    assert logits == pytest.approx(expected, abs=5e-6)
    assert rating(found, "Biometrika")["rating"] == 1000


def test_a_cycle_is_even_in_any_order_of_rows() -> None:
    cycle = [battle("ant", "bee", "A"), battle("bee", "cat", "A"), battle("cat", "ant", "A")]
    for rows in (cycle, cycle[::-1], [cycle[1], cycle[0], cycle[2]]):
        assert set(ratings(fitted(saved(rows))).values()) == {1000}


# -- both orders ------------------------------------------------------------------------------------------------------

SWAPPED = [
    # p0: a wins in both orders. p1: the first position wins twice. p2: a tie and a win of a. p3: one order alone.
    battle("ant", "bee", "A", first="model_a", prompt_id="p0"),
    battle("bee", "ant", "B", first="model_a", prompt_id="p0"),
    battle("ant", "bee", "A", first="model_a", prompt_id="p1"),
    battle("ant", "bee", "B", first="model_b", prompt_id="p1"),
    battle("ant", "bee", "tie", first="model_a", prompt_id="p2"),
    battle("ant", "bee", "A", first="model_b", prompt_id="p2"),
    battle("ant", "bee", "B", first="model_a", prompt_id="p3"),
]


@pytest.mark.parametrize(
    ("policy", "won", "n"), [("tie", 2, 4), ("score", 2.5, 4), ("soft", 2.25, 4), ("drop", 1, 2), (None, 2, 4)]
)
def test_two_orders_of_one_comparison_are_one_battle(policy: str | None, won: float, n: int) -> None:
    found = fitted(saved(SWAPPED), "--no-prior", *(["--policy", policy] if policy else []))
    assert (found["policy"], found["rows"], found["folded"], found["n_battles"]) == (policy or "tie", 7, 3, n)
    gaps = ratings(found)
    assert gaps["ant"] - gaps["bee"] == pytest.approx(SCALE * math.log(won / (n - won)))


def test_an_order_without_a_verdict_leaves_the_comparison_out() -> None:
    rows = [*SWAPPED, battle("ant", "bee", None, first="model_b", prompt_id="p3")]
    found = fitted(saved(rows))
    assert (found["folded"], found["incomplete"], found["missing"], found["n_battles"]) == (3, 1, 1, 3)
    assert "pairings with an order that has no verdict, left out: 1" in found["notes"]


def test_the_joint_model_takes_every_row_as_it_is() -> None:
    found = fitted(saved(SWAPPED), "--method", "joint")
    assert (found["policy"], found["folded"], found["n_battles"]) == (None, 0, 7)
    (judge,) = found["judges"]
    assert judge["judge"] is None
    assert set(judge["first_position"]) == {
        *("logit", "se", "se_model", "lower", "upper", "elo", "p_value", "reason"),
    }
    assert judge["first_position"]["elo"] == pytest.approx(SCALE * judge["first_position"]["logit"])
    assert judge["tie"]["nu"] > 0


def test_without_positions_there_is_no_position_effect_and_a_reason() -> None:
    (judge,) = fitted(saved([{**row, "judge": "j"} for row in LADDER]), "--method", "joint")["judges"]
    assert (judge["judge"], judge["first_position"]["logit"]) == ("j", None)
    assert judge["first_position"]["reason"]


def test_elo_is_replayed_in_file_order_and_says_that_it_depends_on_it() -> None:
    """Worked by hand: K = 32, everybody starts at 1000; evalica gives the same."""
    games = [("m0", "m1", "A"), ("m1", "m2", "tie"), ("m0", "m2", "A"), ("m2", "m1", "B"), ("m1", "m0", "A")]
    rows = [battle(*game) for game in games]
    forth, back = fitted(saved(rows), "--method", "elo"), fitted(saved(rows[::-1]), "--method", "elo")
    expected = {"m0": 1013.82769652, "m1": 1018.10612039, "m2": 968.06618309}
    assert ratings(forth) == pytest.approx(expected, abs=1e-8)
    assert ratings(back) == pytest.approx({"m0": 1017.33793216, "m1": 1011.10935464, "m2": 971.5527132}, abs=1e-8)
    assert (forth["prior"], forth["k"], forth["start"]) == (None, 32, 1000)
    assert any("order" in note for note in forth["notes"])
    assert all("order" in row["interval_reason"] for row in forth["standings"])
    other = fitted(saved(rows[:1]), "--method", "elo", "--k", "10", "--start", "1500")
    assert ratings(other) == {"m0": 1505, "m1": 1495}


def test_a_scope_rates_the_rows_of_one_kind() -> None:
    rows = [{**row, "category": "maths" if i < 4 else "prose"} for i, row in enumerate(LADDER)]
    found = fitted(saved(rows), "--scope", "category=maths")
    assert (found["scope"], found["rows"], found["n_battles"]) == ("category=maths", 4, 4)
    assert rating(found, "cat")["flags"] == ["no_matches"]


def long_winded() -> list[Row]:
    """The longer answer wins three times of four, whoever wrote it; ant is longer more often."""
    rows = []
    for i in range(80):
        a, b = (300, 100) if i % 5 else (100, 300)
        longer = "model_a" if a > b else "model_b"
        shorter = "model_b" if a > b else "model_a"
        winner = shorter if i % 4 == 0 else longer
        rows.append(battle("ant", "bee", winner, prompt_id=f"p{i % 20}", length_a=a, length_b=b))
    return rows


def test_ratings_at_equal_length_stand_beside_the_plain_ones() -> None:
    file = saved([*long_winded(), battle("ant", "bee", "A", prompt_id="p1", length_a=0, length_b=5)])
    plain, found = fitted(file, "--method", "joint"), fitted(file, "--control", "length")
    assert ratings(found) == ratings(plain)
    control = found["control"]
    assert (control["name"], control["rows"], control["left_out"]) == ("length", 80, 1)
    assert control["effect"]["logit"] > 0
    gap = ratings(found)["ant"] - ratings(found)["bee"]
    beside = rating(found, "ant")["controlled"]["rating"] - rating(found, "bee")["controlled"]["rating"]
    assert abs(beside) < abs(gap) / 2
    assert "controlled" not in rating(plain, "ant")


def test_the_bootstrap_is_repeatable_and_agrees_roughly() -> None:
    file = saved([{**row, "prompt_id": f"p{i}"} for i, row in enumerate(LADDER * 6)])
    one, same, other = (fitted(file, "--bootstrap", "400", "--seed", seed) for seed in ("1", "1", "2"))
    assert one == same
    assert ratings(one) == ratings(other)
    ant, ant_of_other = rating(one, "ant"), rating(other, "ant")
    assert ant["bootstrap_lower"] != ant_of_other["bootstrap_lower"]
    assert ant["bootstrap_upper"] - ant["bootstrap_lower"] == pytest.approx(ant["upper"] - ant["lower"], rel=0.25)


def test_the_bootstrap_does_not_depend_on_the_order_of_rows() -> None:
    rows = [{**row, "prompt_id": f"p{i}"} for i, row in enumerate(LADDER * 6)]
    one, other = (fitted(saved(turned), "--bootstrap", "50") for turned in (rows, rows[::-1]))
    for model in ("ant", "bee", "cat"):
        for end in ("bootstrap_lower", "bootstrap_upper"):
            assert rating(one, model)[end] == pytest.approx(rating(other, model)[end], abs=1e-6)


@pytest.mark.parametrize("method", ["bt", "joint", "elo"])
def test_rows_of_weight_0_are_no_evidence(method: str) -> None:
    rows = [{**row, "prompt_id": f"p{i % 12}", "first": "A", "weight": 1} for i, row in enumerate(LADDER * 3)]
    dead = [{**battle("ant", "bee", "B", first="B"), "prompt_id": f"p{i}", "weight": 0} for i in range(40)]
    plain, found = (fitted(saved(part), "--method", method) for part in (rows, rows + dead))
    assert [{**row, "rating": None, "p_top1": None} for row in found["standings"]] == [
        {**row, "rating": None, "p_top1": None} for row in plain["standings"]
    ]
    assert ratings(found) == ratings(plain)
    assert (found["n_battles"], found["n_prompts"], found["folded"]) == (24, 12, 0)
    assert "rows of weight 0, left out: 40 of 64" in found["notes"]
    refusal = typed("fit", saved(dead), "--method", method).refusal
    assert "no battle is left to rate: all 40 rows weigh 0" in refusal


def test_what_may_be_a_slip_is_said_before_the_ratings() -> None:
    file = saved([battle("A", "B", "A", firts="A"), battle("B", "A", "tie", firts="B")])
    notes = fitted(file)["notes"]
    page = " ".join(typed("fit", file).out.split())
    assert ["winner 'A'" in notes[0], "firts (did you mean first?)" in notes[1]] == [True, True]
    assert page.index(notes[0]) < page.index(notes[1]) < page.index("W/L/T")


@pytest.mark.parametrize("method", ["bt", "elo"])
def test_where_there_are_no_intervals_none_are_explained(method: str) -> None:
    page = typed("fit", saved(LADDER), "--method", method).out
    assert "clustered" not in page
    assert "Bonferroni" not in page


def test_components_are_called_groups_and_no_ranking_holds_across_them() -> None:
    page = typed("fit", saved([*LADDER, battle("dog", "eel", "A")])).out
    assert "group 2 of 2" in page
    assert "No ranking holds across groups" in page


def test_without_json_it_is_a_page_for_people() -> None:
    file = saved([{**row, "prompt_id": f"p{i}"} for i, row in enumerate(LADDER * 6)])
    page = typed("fit", file, "--anchor", "bee", "--bootstrap", "50")
    assert (page.code, page.err) == (0, "")
    for words in (
        "battles.csv",
        "bt, policy tie, 48 battles on 48 prompts",
        "bee at 1000",
        "W/L/T",
        "bootstrap over prompts (50 draws, seed 0)",
        "●",
    ):
        assert words in page.out
    joint = typed("fit", saved(SWAPPED), "--method", "joint").out
    assert all(words in joint for words in ("joint, 7 battles on 4 prompts", "first place", "nu "))
    assert "depends on the order" in typed("fit", file, "--method", "elo").out
    assert "3 pairings folded" in typed("fit", saved(SWAPPED)).out


def test_a_process_of_its_own_answers_the_same() -> None:
    file = saved(LADDER)
    assert started("fit", file, "--json", cwd=Path.cwd()).json == fitted(file)


# -- what it refuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--anchor", "nobody"], ["'nobody'"]),
        (["--method", "glicko"], ["--method", "'glicko'", "bt, joint or elo"]),
        (["--policy", "best"], ["--policy", "'best'", "tie, score, soft or drop"]),
        (["--method", "joint", "--policy", "tie"], ["--policy tie", "leave it out"]),
        (["--method", "elo", "--no-prior"], ["--no-prior", "leave it out"]),
        (["--k", "16"], ["--k", "--method elo"]),
        (["--method", "elo", "--k", "nan"], ["--k nan"]),
        (["--method", "elo", "--k", "-1"], ["--k -1"]),
        (["--method", "elo", "--start", "inf"], ["--start inf"]),
        (["--method", "joint", "--bootstrap", "10"], ["--bootstrap", "bt"]),
        (["--bootstrap", "10"], ["--bootstrap", "prompt_id"]),
        (["--control", "length"], ["length_a", "length_b"]),
        (["--control", "style"], ["'style'"]),
        (["--scope", "group=x"], ["category=X or language=X"]),
        (["--scope", "category=x"], ["no column category"]),
    ],
)
def test_options_that_cannot_be(options: list[str], said: list[str]) -> None:
    refusal = typed("fit", saved(LADDER), *options, "--json").refusal
    assert all(part in refusal for part in said)


@pytest.mark.parametrize("method", ["bt", "joint"])
def test_without_a_prior_a_model_that_never_lost_is_named(method: str) -> None:
    file = saved([*LADDER, battle("dog", "ant", "A"), battle("dog", "bee", "A")])
    refusal = typed("fit", file, "--no-prior", "--method", method).refusal
    assert "'dog' never lost" in refusal
    assert "--no-prior" in refusal
    flags = rating(fitted(file, "--method", method), "dog")["flags"]
    assert "unbeaten" in flags


def test_where_all_that_weighs_something_has_no_verdict_there_is_no_board() -> None:
    file = saved([battle("ant", "bee", "A", weight=0), battle("ant", "bee", None, weight=1)])
    assert "none of the 1 rows that weigh more than 0 has a verdict" in typed("fit", file, "--method", "joint").refusal


def test_where_a_policy_leaves_nothing_there_is_no_board() -> None:
    refusal = typed("fit", saved(SWAPPED[2:6]), "--policy", "drop").refusal
    assert "policy drop counts none of the 4 rows" in refusal


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("ant,bee,modle_a,1", "'modle_a'"),
        ("ant,ant,tie,1", "'ant' cannot meet itself"),
        ("ant,bee,tie,-1", "weight"),
        ("ant,bee,tie,NaN", "weight"),
        ("ant,bee,tie,1e300", "at most 1,000,000;"),
        ("ant,bee,ant,1", "'ant' is a model's name"),
        ("ant,Bee,tie,1", "'Bee' looks like 'bee'"),
        ("ant,bee", "2 fields"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"], ["--method", "joint"]])
def test_a_bad_row_is_refused_by_file_and_line(tmp_path: Path, row: str, said: str, options: list[str]) -> None:
    (tmp_path / "b.csv").write_text(f"model_a,model_b,winner,weight\nant,bee,tie,1\n{row}\n")
    before = files_under(tmp_path)
    refusal = typed("fit", "b.csv", *options).refusal
    assert refusal.startswith("error: b.csv, line 3: ")
    assert said in refusal
    assert files_under(tmp_path) == before


def test_a_usage_error_ends_with_2() -> None:
    for words in (
        ["fit"],
        ["fit", "b.csv", "--bootstrap", "1"],
        ["fit", "b.csv", "--seed", "x"],
        ["fit", "b.csv", "--seed", "-1"],
    ):
        assert (typed(*words).code, typed(*words).out) == (2, "")


# -- public judgements ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def star_rows() -> list[Row]:
    """4,800 readings of 31 models; as in its source a text's first bracket is its verdict."""
    file = CASES / "position-bias" / "mtbench" / "gpt-4-0613.jsonl"
    if not file.exists():
        pytest.skip("the public judgements are not beside this checkout")
    rows = []
    for line in file.open(encoding="utf-8"):
        row = json.loads(line)
        verdict = re.search(r"\[\[([ABC])]]", row["text"])
        assert verdict is not None
        names = {name: row[name] for name in ("model_a", "model_b", "judge")}
        rows.append({**names, "winner": WINNERS[verdict[1]], "first": "model_a", "prompt_id": row["question_id"]})
    return rows


@pytest.fixture
def star(star_rows: list[Row]) -> Callable[..., Row]:
    file = saved(star_rows, "star.parquet")
    return lambda *options: fitted(file, "--anchor", "vicuna-13b-v1.3", *options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--no-prior"], {"gpt-4": 1394.11, "claude-v1": 1301.33, "llama-13b": 641.19, "vicuna-13b-v1.3": 1000}),
        ([], {"gpt-4": 1388.52, "claude-v1": 1297.88, "llama-13b": 644.58, "vicuna-13b-v1.3": 1000}),
        (["--policy", "tie"], {"gpt-4": 1388.52}),
        (["--method", "joint", "--no-prior"], {"gpt-4": 1511.03, "llama-13b": 547.00}),
    ],
)
def test_the_ratings_of_the_star(star: Callable[..., Row], options: list[str], expected: dict[str, float]) -> None:
    found = ratings(star(*options))
    assert {model: round(found[model], 2) for model in expected} == expected


def test_the_interval_of_the_star_s_best(star: Callable[..., Row]) -> None:
    found = star("--no-prior")
    best = rating(found, "gpt-4")
    assert (round(best["lower"], 2), round(best["upper"], 2)) == (1297.70, 1490.52)
    assert (found["rows"], found["folded"], found["n_battles"], found["n_prompts"]) == (4800, 2400, 2400, 80)


def test_the_judge_of_the_star_by_the_joint_model(star: Callable[..., Row]) -> None:
    (judge,) = star("--method", "joint", "--no-prior")["judges"]
    effect = judge["first_position"]
    found = [round(effect[name], 4) for name in ("logit", "se", "se_model")]
    assert (judge["judge"], found, round(judge["tie"]["nu"], 4)) == ("gpt-4-0613", [-0.0548, 0.0506, 0.0380], 0.3769)


@pytest.mark.parametrize("typed_anchor", [" bee ", "bee"])
def test_an_anchor_is_tidied_as_ids_are(typed_anchor: str) -> None:
    assert ratings(fitted(saved(LADDER), "--anchor", typed_anchor))["bee"] == 1000
