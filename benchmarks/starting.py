"""How much CPU a command costs before it does anything, against importing the two libraries it is made with."""

from __future__ import annotations

from benchmarks.measuring import cpu_of_command


def measure() -> list[dict[str, object]]:
    bare = cpu_of_command(["-c", "import typer, rich"])
    asked = cpu_of_command(["-m", "leaderboard", "--help"])
    return [
        {
            "what": "leaderboard --help, against `import typer, rich`",
            "cpu_s": asked,
            "bare_cpu_s": bare,
            "ratio": asked / bare,
        }
    ]
