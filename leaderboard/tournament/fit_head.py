"""What a fit says besides its standings, as JSON: how it was made, and the effects it found. For boards and files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from importlib.metadata import version

from leaderboard.core.fits import Effect, Fit, JudgeEffect

Json = dict[str, object]

CLUSTERED = "sandwich clustered by prompt, G / (G - 1), t(G - 1)"
INTERVALS = {
    "bt": f"95 %, Bradley-Terry; s.e.: {CLUSTERED}",
    "joint": f"95 %, Bradley-Terry with ties and a position effect a judge; s.e.: {CLUSTERED}",
    "elo": "none: Elo's sequential ratings have no standard error",
}
LIBRARIES = ("leaderboard", "numpy", "scipy", "choix")


@cache
def versions() -> dict[str, str]:
    """Of what makes the figures, by library."""
    return {name: version(name) for name in LIBRARIES}


def judges_json(found: Iterable[JudgeEffect]) -> list[Json]:
    """Each judge's pull to the first position, and its tie parameter."""
    return [
        {
            "judge": each.judge,
            "first_position": _effect(each.first_position),
            "tie": {"nu": each.nu, "reason": each.tie_reason},
        }
        for each in found
    ]


def control_json(fit: Fit, left_out: int | None) -> Json | None:
    """The controlled effect, and how many rows it rests on; `left_out` others lack the covariate."""
    if fit.control is None:
        return None
    return {
        "name": fit.how.control,
        "effect": _effect(fit.control),
        "rows": fit.n_battles,
        "left_out": left_out,
    }


def _effect(effect: Effect) -> Json:
    return {**asdict(effect), "elo": effect.elo}
