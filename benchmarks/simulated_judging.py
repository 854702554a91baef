"""A judge with a known position bias, drawn by the thousand: what the coverage benchmark and its tests rate.

A call goes to model a when theta_a - theta_b + delta * (+1 if a stands first, else -1) + the prompt's luck + a logistic
draw exceeds TIE_ZONE, to b below -TIE_ZONE, else it is a tie. So the truth is a Rao-Kupper judge, and Davidson's tie
model, which the product fits, is wrong on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leaderboard.core.judged import MISSING, Judged
from leaderboard.core.matrix import Battles

TIE_ZONE = 0.3
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A field and how it is judged. `theta` (n,): true strengths in logits. `delta`: pull to the first position, one a
    judge; pairings are dealt to the judges in turn.

    `prompts`: how many; each has `pairs_a_prompt` drawn pairs, or every pair (None: a full round robin).
    `prompt_noise`: s.d. of a model's luck on a prompt. `unbalanced`: who stands first in a single pass depends on the
    models, by up to one half either way. `own_prompts`: every pairing has a prompt of its own.
    """

    theta: tuple[float, ...]
    prompts: int
    pairs_a_prompt: int | None
    delta: tuple[float, ...] = (0.0,)
    prompt_noise: float = 0.0
    unbalanced: bool = False

    def larger(self, pairings: int) -> Design:
        """The same design with about so many pairings, by more prompts."""
        n = len(self.theta)
        a_prompt = self.pairs_a_prompt or n * (n - 1) // 2
        return replace(self, prompts=max(1, pairings // a_prompt))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Pairings with what both orders said; `shown` is +1 where a single pass would have had a first, else -1."""

    judged: Judged
    shown: NDArray[np.int8]


def drawn(design: Design, rng: np.random.Generator) -> Drawn:
    """One data set: every pairing judged in both orders, and the order that a single pass would have shown."""
    theta = np.array(design.theta)
    a, b, prompt = _pairings(design, rng)
    luck = design.prompt_noise * rng.standard_normal((design.prompts, len(theta)))
    gap = theta[a] - theta[b] + luck[prompt, a] - luck[prompt, b]
    judge = np.arange(len(a)) % len(design.delta)
    pull = np.array(design.delta)[judge]
    ab, ba = _called(gap + pull, rng), _called(gap - pull, rng)
    judged = Judged(
        models=tuple(f"m{i:02d}" for i in range(len(theta))),
        a=a,
        b=b,
        prompt=prompt,
        outcome=np.where(ab == ba, ab, np.int8(1)),
        outcome_score=(1 + np.sign(ab + ba - 2)).astype(np.int8),
        soft=ab + ba,
        consistent=(ab == ba).astype(np.int8),
        ab=ab,
        ba=ba,
        judge=judge,
        judges=tuple(f"j{i}" for i in range(len(design.delta))),
    )
    return Drawn(judged, _shown(design, a, b, rng))


def single_passes(found: Drawn) -> Judged:
    """The same pairings as a screening would have seen them: one order each."""
    judged, first = found.judged, found.shown == 1
    outcome = np.where(first, judged.ab, judged.ba)
    none = np.full(len(judged), MISSING, dtype=np.int8)
    return replace(
        judged,
        outcome=outcome,
        outcome_score=outcome,
        soft=(2 * outcome).astype(np.int8),
        consistent=none,
        ab=np.where(first, judged.ab, none),
        ba=np.where(first, none, judged.ba),
    )


def mixed(found: Drawn) -> Judged:
    """Half of the pairings in both orders, half as single passes."""
    single, swapped = single_passes(found), np.arange(len(found.judged)) % 2 == 0
    names = ("outcome", "outcome_score", "soft", "consistent", "ab", "ba")
    columns = {name: np.where(swapped, getattr(found.judged, name), getattr(single, name)) for name in names}
    return replace(found.judged, **columns)


def unclustered(battles: Battles) -> Battles:
    """Every battle its own cluster: what an interval says that does not know about shared prompts."""
    return replace(battles, cluster=np.arange(len(battles)))


def _pairings(design: Design, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    n = len(design.theta)
    one, other = np.triu_indices(n, 1)
    if design.pairs_a_prompt is None:
        return (
            np.tile(one, design.prompts),
            np.tile(other, design.prompts),
            np.repeat(np.arange(design.prompts), len(one)),
        )
    size = design.prompts * design.pairs_a_prompt
    pair = rng.integers(0, len(one), size)
    return one[pair], other[pair], np.repeat(np.arange(design.prompts), design.pairs_a_prompt)


def _called(gap: Floats, rng: np.random.Generator) -> NDArray[np.int8]:
    heard = gap + rng.logistic(size=len(gap))
    return (1 + (heard > TIE_ZONE).astype(np.int8) - (heard < -TIE_ZONE)).astype(np.int8)


def _shown(design: Design, a: Ints, b: Ints, rng: np.random.Generator) -> NDArray[np.int8]:
    """+1 where a stands first. Unbalanced: each model has a habit of standing first, unrelated to its strength."""
    chance = np.full(len(a), 0.5)
    if design.unbalanced:
        habit = rng.permutation(np.linspace(-0.5, 0.5, len(design.theta)))
        chance = np.clip(0.5 + habit[a] - habit[b], 0, 1)
    return np.where(rng.random(len(a)) < chance, 1, -1).astype(np.int8)
