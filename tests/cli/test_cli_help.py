"""The help pages, usage errors, and what it costs to show a help page."""

from __future__ import annotations

import os
import pkgutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import leaderboard.cli
from leaderboard import __version__
from tests.cli.terminal import ROOT, started, typed, usual_environment

HEAVY = {
    *("litellm", "choix", "numpy", "scipy", "polars", "duckdb", "sqlalchemy", "alembic", "pydantic", "fastapi"),
    *("uvicorn", "apscheduler", "jinja2", "pyarrow", "openai"),
}
COMMANDS = {
    "": [
        *("demo", "init", "run", "runs", "board", "compare", "ratings", "changes", "bias", "fit", "plan", "parse"),
        *("sql", "snapshot", "status", "serve", "api"),
    ],
    "models": ["add", "list", "show", "check", "pause", "resume", "retire", "import-answers"],
    "judges": ["add", "list", "show", "check"],
    "prompts": ["import", "list", "stats"],
    "jobs": ["run"],
}
PAGES = [f"{group} {verb}".split() for group, verbs in COMMANDS.items() for verb in verbs]


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_every_command_explains_itself(command: list[str]) -> None:
    """Each option says what it does, each page says where the tournament is, if there has to be one."""
    page = typed(*command, "--help")
    assert page.code == 0
    assert page.out.startswith(f"Usage: leaderboard {' '.join(command)} [OPTIONS]")
    options = page.out.split("Options:\n")[1].split("\n  -")
    assert all(len(option.split("  ", 1)) == 2 and option.split("  ", 1)[1].strip() for option in options)
    assert ("--home" in page.out) == (command not in (["parse"], ["fit"]))


@pytest.mark.parametrize("group", COMMANDS)
def test_a_group_lists_its_commands_in_whole_sentences(group: str) -> None:
    page = typed(*group.split(), "--help").out
    listed = page.split("Commands:\n")[1]
    assert all(f"  {verb} " in listed for verb in COMMANDS[group])
    assert "..." not in listed


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["board", "--nope"], "--nope"),
        (["models", "list", "--jsn"], "--json"),
        (["bord"], "bord"),
        (["models", "ad"], "ad"),
        (["models", "add", "x"], "--litellm"),
        (["runs", "--limit", "0"], "--limit"),
        (["run", "--top-k", "many"], "--top-k"),
        (["sql"], "text"),
        (["compare", "a"], "b"),
        (["compare", "a", "b", "--min-effect", "much"], "--min-effect"),
        (["ratings", "--limit", "0"], "--limit"),
    ],
)
def test_a_usage_error_ends_with_2_and_names_the_word(words: list[str], named: str) -> None:
    ran = typed(*words)
    assert (ran.code, ran.out) == (2, "")
    assert named.lower() in ran.err.lower()
    assert len(ran.err.splitlines()) <= 4


def test_the_version() -> None:
    assert typed("--version").out == f"leaderboard {__version__}\n"


def test_a_program_without_words_shows_its_help() -> None:
    ran = typed()
    assert "Commands:" in ran.out + ran.err


def loaded_by(code: str, cwd: Path) -> set[str]:
    """The heavy packages that a new process has loaded after this code."""
    code += "\nimport sys; print('loaded', *sorted({name.split('.')[0] for name in sys.modules}))"
    environment = usual_environment()
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("loaded ")[1].split()) & HEAVY


TYPED = (
    "from leaderboard.cli import main\ntry:\n    main({words!r})\nexcept SystemExit as end:\n    assert not end.code"
)


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"]])
def test_help_loads_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    """A page of help is asked for often, and a second of waiting for it is a second too much."""
    assert loaded_by(TYPED.format(words=words), tmp_path) == set()


@pytest.mark.parametrize("words", [["models", "--help"], ["models", "add", "--help"], ["run", "--help"]])
def test_the_page_of_a_command_loads_at_most_what_checks_its_options(words: list[str], tmp_path: Path) -> None:
    """typer checks some kinds of options with pydantic; the rest of the program adds nothing."""
    assert loaded_by(TYPED.format(words=words), tmp_path) <= {"pydantic"}


def test_no_module_of_the_command_line_loads_anything_heavy_by_itself(tmp_path: Path) -> None:
    names = [module.name for module in pkgutil.iter_modules(leaderboard.cli.__path__, "leaderboard.cli.")]
    assert len(names) > 15
    assert loaded_by("\n".join(f"import {name}" for name in names), tmp_path) == set()


STORED = [
    *(["board"], ["board", "--policy", "drop"], ["board", "--method", "joint"], ["board", "--control", "length"]),
    *(["board", "--scope", "language=nl"], ["board", "--as-of", "2100-01-01"], ["ratings"], ["ratings", "sim-elm"]),
]


@pytest.mark.parametrize("words", STORED, ids=" ".join)
def test_what_is_stored_needs_duckdb(played_demo: Path, tmp_path: Path, words: list[str]) -> None:
    """Neither the providers' library nor the statistics: the board is ready in the snapshot."""
    for form in (["--json"], []):
        code = TYPED.format(words=[*words, *form, "--home", str(played_demo)])
        assert loaded_by(code, tmp_path) - {"pydantic"} == {"duckdb"}


def test_the_search_for_heavy_modules_finds_one(tmp_path: Path) -> None:
    """Else the tests above would pass because they look at nothing."""
    assert loaded_by("import sqlalchemy", tmp_path) == {"sqlalchemy"}


def cpu_seconds(*arguments: str) -> float:
    child = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return usage.ru_utime + usage.ru_stime


def test_help_costs_at_most_two_and_a_half_times_its_libraries() -> None:
    """A ratio of medians of runs that take turns, so that a busy machine slows both alike."""
    rounds = [(cpu_seconds("-m", "leaderboard", "--help"), cpu_seconds("-c", "import typer, rich")) for _ in range(7)]
    ours, libraries = (statistics.median(column) for column in zip(*rounds, strict=True))
    assert ours <= 2.5 * libraries


def test_a_process_of_its_own_answers_the_same(tmp_path: Path) -> None:
    assert started("--help", cwd=tmp_path).out == typed("--help").out
