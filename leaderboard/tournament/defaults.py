"""The defaults that come with the program: prompts, models, judges, settings, the demo's simulated field."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def default_file(name: str) -> Traversable:
    """A shipped file: inside the installed package, or beside it in a checkout."""
    installed = files("leaderboard").joinpath("data", name)
    if installed.is_file():
        return installed
    return Path(__file__).resolve().parents[2] / "data" / name


def default_text(name: str) -> str:
    return default_file(name).read_text(encoding="utf-8")
