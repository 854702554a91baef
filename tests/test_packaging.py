"""What is around the code: versions, make targets, the wheel's contents, the container."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from leaderboard.core.calibration import POLICIES

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
HEALTH = "http://127.0.0.1:8000/healthz"


def dockerfile() -> list[tuple[str, str]]:
    """(instruction, arguments) in order, with continued lines joined and comments left out."""
    text = re.sub(r"(?m)^\s*#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def last_stage() -> dict[str, str]:
    """Instruction -> its last arguments, in the stage that is shipped."""
    instructions = dockerfile()
    start = max(number for number, (word, _) in enumerate(instructions) if word == "FROM")
    return dict(instructions[start:])


# -- versions ----------------------------------------------------------------------------------------------------------


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_constraints_are_exact_and_name_no_address() -> None:
    """Whoever installs uses the package index of their own; a hash or an address would bind them to ours."""
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line), line
        assert "://" not in line


@pytest.mark.parametrize(
    "requirement", [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
)
def test_each_dependency_has_a_pin_that_it_allows(requirement: str) -> None:
    wanted = Requirement(requirement)
    pinned = {canonicalize_name(name): version for name, version in pins().items()}
    assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)])


def test_the_stores_stay_on_the_versions_they_were_tried_with() -> None:
    """Another minor of DuckDB may write files that this one cannot read; APScheduler 4 is another program."""
    specifiers = {wanted.name: str(wanted.specifier) for wanted in map(Requirement, PROJECT["project"]["dependencies"])}
    assert specifiers["duckdb"] == "<2.1,>=2.0.1"
    assert specifiers["apscheduler"] == "<4,>=3.11"


# -- the wheel and the commands around it ------------------------------------------------------------------------------


def test_the_wheel_holds_all_packages_and_the_defaults() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["packages"]) == {"leaderboard", "jobs", "api"}
    assert wheel["force-include"] == {"data": "leaderboard/data"}
    assert {path.name for path in (ROOT / "data").iterdir()} >= {
        "prompts.jsonl",
        "models.toml",
        "judges.toml",
        "tournament.toml",
        "demo.toml",
    }


@pytest.mark.parametrize("target", ["demo", "test", "lint", "bench", "serve", "soak", "demo-local", "clean"])
def test_make_knows_the_target_and_lists_it(target: str) -> None:
    """`--question` asks whether there is anything to do: 1 is yes, 2 is a target that make does not know."""
    asked = subprocess.run(["make", "--question", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert asked.returncode == 1, asked.stderr
    listed = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"(?m)^  make {target} ", listed)


def test_an_old_python_is_told_so(tmp_path: Path) -> None:
    """Else the first thing that a person sees is pip's complaint about some package."""
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    command = ["make", "demo", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "needs Python 3.11 or newer" in run.stdout
    assert not (tmp_path / "venv").exists()


def test_long_and_local_tests_wait_to_be_asked_for() -> None:
    """`make test` must stay quick and must not need a language model; `-m soak` and `-m local` ask for the others."""
    options = PROJECT["tool"]["pytest"]["ini_options"]
    assert '-m "not soak and not local"' in options["addopts"]
    assert {marker.split(":")[0] for marker in options["markers"]} >= {"soak", "local"}


def test_the_ci_script_is_sound_bash_and_stops_at_the_first_failure() -> None:
    script = ROOT / ".ci" / "run"
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert "set -euo pipefail" in script.read_text("utf-8")
    assert script.stat().st_mode & 0o100


def test_the_readme_begins_with_the_two_commands() -> None:
    """A person who opens it copies the first block, so nothing else may stand in it."""
    first_block = re.search(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert first_block is not None
    assert first_block[1].split("\n") == ["make demo", "make test", ""]


def test_the_example_environment_names_every_key_that_the_defaults_use() -> None:
    entries = [
        entry
        for file, kind in (("models", "model"), ("judges", "judge"))
        for entry in tomllib.loads((ROOT / "data" / f"{file}.toml").read_text("utf-8"))[kind]
    ]
    example = (ROOT / ".env.example").read_text("utf-8")
    offered = set(re.findall(r"(?m)^#(\w+)=", example))
    assert {entry["key"] for entry in entries} == {name for name in offered if name.endswith("_KEY")}
    assert not re.search(r"(?m)^\w+_KEY=.", example)


# -- the container -----------------------------------------------------------------------------------------------------


def test_the_image_is_built_from_files_that_exist() -> None:
    copied = [rest.split()[:-1] for word, rest in dockerfile() if word == "COPY" and not rest.startswith("--from")]
    sources = {source for sources in copied for source in sources}
    assert all((ROOT / source).exists() for source in sources)
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert sources == allowed


def test_no_key_or_store_is_sent_to_the_builder() -> None:
    """Everything is left out but what the wheel is made of."""
    ignored = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] not in {"", "#"}]
    assert ignored[0] == "*"
    assert not {"!.env", "!.git", "!.leaderboard", "!models"} & set(ignored)


def test_the_image_runs_the_service_without_root() -> None:
    shipped = last_stage()
    assert shipped["FROM"] == "python:3.11-slim"
    assert shipped["USER"] not in {"root", "0"}
    assert json.loads(shipped["VOLUME"]) == ["/data"]
    assert "LEADERBOARD_HOME=/data" in shipped["ENV"]
    assert json.loads(shipped["CMD"]) == ["leaderboard", "serve", "--host", "0.0.0.0", "--port", "8000"]


def test_image_and_compose_ask_the_same_health_question() -> None:
    command = json.loads(last_stage()["HEALTHCHECK"].partition("CMD ")[2])
    (service,) = COMPOSE["services"].values()
    assert service["healthcheck"]["test"] == ["CMD", *command]
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    assert HEALTH in command[2]


def test_compose_is_one_careful_service_with_one_volume() -> None:
    """The stores are embedded: a second service on the volume would be a second writer."""
    (service,) = COMPOSE["services"].values()
    (volume,) = COMPOSE["volumes"]
    assert service["volumes"] == [f"{volume}:/data"]
    assert service["ports"] == ["127.0.0.1:8000:8000"]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["restart"] == "unless-stopped"
    assert service["env_file"] == [{"path": ".env", "required": False}]
    assert not {"privileged", "user", "environment"} & service.keys()


# -- the documentation -------------------------------------------------------------------------------------------------

GUIDE = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs" / "guide").glob("*.md"))}
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
SQL_FILES = ROOT / "leaderboard" / "history" / "sql"


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", GUIDE["sql.md"], re.DOTALL))
def test_a_query_of_the_guide_runs(query: str) -> None:
    """On an empty history of the real engine: every view and column that it names exists."""
    import duckdb

    with duckdb.connect() as history:
        for file in ("schema.sql", "views.sql"):
            history.execute((SQL_FILES / file).read_text("utf-8"))
        assert history.execute(query).description


def test_the_guide_lists_every_view() -> None:
    views = re.findall(r"(?im)^create or replace view (\w+)", (SQL_FILES / "views.sql").read_text("utf-8"))
    assert len(views) >= 11
    assert [view for view in views if f"`{view}`" not in GUIDE["sql.md"]] == []


@pytest.mark.parametrize("policy", POLICIES)
def test_the_guide_explains_every_policy(policy: str) -> None:
    assert f"| `{policy}`" in GUIDE["method.md"]


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_says_why_and_what_was_not_chosen(path: Path) -> None:
    text = path.read_text("utf-8")
    assert re.findall(r"(?m)^## (.*)$", text) == ["Context", "Decision", "Consequences", "Not chosen"]
    assert text.startswith(f"# {path.name[:4]}: ")
    assert len(text.splitlines()) <= 70


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## {PROJECT['project']['version']}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")
