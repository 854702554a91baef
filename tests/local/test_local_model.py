"""A small tournament with a real language model (SmolLM2, 135M) on this machine: `make demo-local` prepares it.

The model is hopeless as a judge, which is the point: everything it cannot do must show as unreadable or inconsistent,
never as a tie or a number.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
PROMPTS = ("Name three uses for a paperclip.", "Why does the moon have phases?", "Write a sentence about bread.")

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if not WEIGHTS.exists():
        pytest.fail(f"{WEIGHTS} is missing: `make demo-local` fetches it")
    pytest.importorskip("xllamacpp")
    script = [sys.executable, str(ROOT / "tests" / "local" / "serve_model.py"), str(WEIGHTS)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        yield child.stdout.readline().strip()
        child.terminate()


def leaderboard(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "leaderboard", *arguments, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def home(server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three contestants and a judge, all the same small model, reached through two litellm routes."""
    folder = tmp_path_factory.mktemp("local")
    place = folder / "home"
    leaderboard(place, "init", "--bare")
    file = folder / "prompts.jsonl"
    lines = [json.dumps({"id": f"p{i}", "text": text}) for i, text in enumerate(PROMPTS)]
    file.write_text("\n".join(lines), encoding="utf-8")
    leaderboard(place, "prompts", "import", str(file))
    free = ("--input-price", "0", "--output-price", "0")
    reach = ("--api-base", f"{server}/v1", *free)
    for name, temperature in (("smol-cold", "0"), ("smol-warm", "0.7"), ("smol-hot", "1.5")):
        leaderboard(
            place, "models", "add", name, "--litellm", "openai/smol", "--temperature", temperature,
            "--max-tokens", "80", *reach,
        )  # fmt: skip
    leaderboard(
        place, "judges", "add", "smol-judge", "--litellm", "hosted_vllm/smol", "--template", "comparing",
        "--samples", "2", "--max-tokens", "48", *reach,
    )  # fmt: skip
    return place


def test_a_real_model_plays_a_whole_tournament(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(leaderboard(home, "run", "-y", "--concurrency", "4", "--json"))
    shown = leaderboard(home, "board") + leaderboard(home, "bias")
    with capsys.disabled():
        print(f"\n{json.dumps(record, indent=1)}\n{shown}")  # noqa: T201 - what the person came to see
    assert record["state"] == "done"
    assert record["calls"]["failed"] == 0
    again = json.loads(leaderboard(home, "run", "-y", "--json"))
    assert again["calls"]["made"] == 0


def test_what_it_cannot_say_is_unreadable_and_never_a_tie(home: Path) -> None:
    rows: Any = json.loads(
        leaderboard(
            home, "sql", "--json",
            "select state, count(*), count(outcome), count(score_a) from readings group by state order by state",
        )
    )["rows"]  # fmt: skip
    by_state = {row[0]: row[1:] for row in rows}
    assert sum(row[0] for row in by_state.values()) == 3 * 3 * (1 + 2 * 2)
    if "unreadable" in by_state:
        assert by_state["unreadable"][1:] == [0, 0]
    report = json.loads(leaderboard(home, "bias", "--json"))["judges"][0]
    table = report["swap_table"]
    assert sum(table.values()) == report["pairings"] == 9
    assert report["readable"] <= report["readings"]
