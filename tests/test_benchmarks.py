"""The benchmarks measure what they say: the runner at its small size, and the comparison. No time is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.peers import comparing, running, table
from benchmarks.peers.cases import ARENA_RANK, CASES, EVALICA, OURS, Case
from benchmarks.peers.field import SIZES, exact_ratings

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def never(folder, size, rounds):
    raise AssertionError("a library that is not installed must not be prepared")


ABSENT = Case(name="a library that nobody has", gives="interval", library="nobody_has_this", prepare=never)
MEASURED = [case for case in CASES if case.name in {*OURS.values(), EVALICA}]


@pytest.fixture(scope="module")
def rows():
    """One process a case: this program twice, evalica, and a library that is not installed."""
    return {row["case"]: row for row in running.measure(["small"], lambda text: None, [*MEASURED, ABSENT], runs=1)}


@pytest.mark.parametrize(("case", "error"), [(OURS["point"], 1e-6), (OURS["interval"], 1e-6), (EVALICA, 1e-3)])
def test_a_case_is_measured_in_a_process_of_its_own(rows, case, error):
    """Ratings agree with a maximum that was found by other code."""
    row = rows[case]
    assert row["left_out"] is None
    assert row["error_elo"] < error
    assert row["cpu_s"] > 0
    assert row["peak_mib"] > 20
    assert (row["models"], row["battles"], row["runs"]) == (20, 10_000, 1)


def test_a_library_that_is_absent_is_a_row_with_the_reason(rows):
    row = rows[ABSENT.name]
    assert row["cpu_s"] is None
    assert row["left_out"] == "nobody_has_this is not installed (`make bench` installs it)"
    assert any("left out: nobody_has_this is not installed" in line for line in table.of_rows(_compared([row])))


def test_a_peer_that_fails_is_a_row_with_what_it_said():
    failing = Case(name="no case of this name", gives="point", library="json", prepare=never)
    (row,) = running.measure(["small"], lambda text: None, [failing], runs=1)
    assert row["left_out"] == "failed: KeyError: 'no case of this name'"


def test_this_program_failing_stops_the_run():
    failing = Case(name="no case of this name", gives="point", library="leaderboard", prepare=never)
    with pytest.raises(RuntimeError, match="no case of this name: failed: KeyError"):
        running.measure(["small"], lambda text: None, [failing], runs=1)


def test_what_is_left_out_by_size_says_why():
    left_out = [reason for case in CASES for reason in case.left_out.values()]
    assert left_out
    assert all(len(reason) > 20 for reason in left_out)
    assert {size for case in CASES for size in case.left_out} <= set(SIZES)


# -- ratios and targets ------------------------------------------------------------------------------------------------


def row(size, case, gives, cpu_s, peak_mib=100.0):
    return {"size": size, "case": case, "gives": gives, "cpu_s": cpu_s, "peak_mib": peak_mib}


def _compared(rows):
    return comparing.with_ratios(rows)


def test_ratios_are_against_the_case_of_the_same_kind():
    found = _compared(
        [
            row("arena", OURS["point"], "point", 2.0),
            row("arena", OURS["interval"], "interval", 5.0),
            row("arena", EVALICA, "point", 8.0),
            row("arena", ARENA_RANK, "interval", 50.0),
            row("arena", "left out", "point", None),
        ]
    )
    assert [(row["peer_over_ours"], row["ours_over_peer"]) for row in found] == [
        (1, 1),
        (1, 1),
        (4, 0.25),
        (10, 0.1),
        (None, None),
    ]


def test_a_round_of_a_bootstrap_is_what_it_costs_beyond_the_point_fit():
    resampled = row("arena", "resampled", "interval", 9.0) | {"rounds": 4, "point": EVALICA}
    assert _compared([row("arena", EVALICA, "point", 1.0), resampled])[1]["round_cpu_s"] == 2
    assert _compared([row("small", EVALICA, "point", 1.0), resampled])[1]["round_cpu_s"] is None


@pytest.mark.parametrize(
    ("ours", "peer", "ratio", "met", "said"),
    [
        (2.0, 8.0, 0.25, True, " yes  arena, point fit: CPU at most 0.25 x"),
        (2.1, 8.0, 0.2625, False, "  NO  arena, point fit: CPU at most 0.25 x"),
        (2.0, None, None, None, "  ?   arena, point fit: CPU at most 0.25 x"),
    ],
)
def test_a_target_is_met_missed_or_unknown(ours, peer, ratio, met, said):
    first, *_ = comparing.kept([row("arena", OURS["point"], "point", ours), row("arena", EVALICA, "point", peer)])
    assert (first["ratio"], first["met"]) == (ratio, met)
    assert table.of_targets([first])[0].startswith(said)


def test_sizes_that_did_not_run_have_no_targets():
    assert comparing.kept([row("small", OURS["point"], "point", 1.0)]) == []


def test_memory_has_a_target_at_the_large_size():
    found = comparing.kept(
        [row("large", OURS["point"], "point", 1.0, 500.0), row("large", EVALICA, "point", 4.0, 1000.0)]
    )
    assert [(kept["measure"], kept["ratio"], kept["met"]) for kept in found] == [
        ("cpu_s", 0.25, True),
        ("peak_mib", 0.5, True),
    ]


# -- the reference -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prior", "theta"), [(0.0, [0.81213748, 0, -0.81213748]), (0.5, [0.79533324, 0, -0.79533324])])
def test_the_reference_is_the_maximum(prior, theta):
    """Three models, 28 decided battles and 7 ties; figures by choix, evalica and statsmodels."""
    wins = np.array([[0, 7, 9], [3, 0, 6], [1, 2, 0]]) + np.array([[0, 2, 1], [2, 0, 4], [1, 4, 0]]) / 2
    assert exact_ratings(wins, prior) == pytest.approx(1000 + 400 / np.log(10) * np.array(theta), abs=1e-5)


# -- the command and what it installs ----------------------------------------------------------------------------------


def test_one_part_as_one_json_value():
    command = [sys.executable, "-m", "benchmarks", "--only", "starting", "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [set(item) for item in json.loads(run.stdout)["items"]] == [{"what", "cpu_s", "bare_cpu_s", "ratio"}]


def test_an_unknown_size_is_told_which_there_are():
    command = [sys.executable, "-m", "benchmarks", "--sizes", "huge"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "there are small, arena, large" in run.stderr


@pytest.mark.parametrize("requirement", [*EXTRAS["bench"], "arena-rank"])
def test_each_library_to_compare_with_has_a_pin_that_the_extra_allows(requirement):
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    wanted = Requirement(requirement)
    assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)])


def test_peers_live_in_the_extra_for_benchmarks():
    """The tests compare with evalica and statsmodels and must not install the others."""
    names = {extra: {Requirement(line).name for line in lines} for extra, lines in EXTRAS.items()}
    assert {"evalica", "arenakit", "jax", "scikit-learn"} <= names["bench"]
    assert names["dev"] & names["bench"] == {"evalica"}
