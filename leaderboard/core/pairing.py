"""Who meets whom, on which prompt, and who is shown first: drawn from the seed alone, never from run, time or home.

Every draw is a hash of the seed and the ids, so it is the same on every machine and whatever order the input has.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Order, Pairing, Prompt

GOLDEN_RATIO = 0.6180339887498949

Draw = tuple[str, str, str, Order]
"""(prompt id, model a, model b, order), with model a before model b by code point."""

Stratum = tuple[str, str]


def screening_draw(seed: int, seats: Mapping[str, int], prompt_ids: Sequence[str], per_pair: int) -> list[Draw]:
    """`per_pair` single passes for every pair of seated models (at most one a prompt), in dispatch order.

    On which prompts two models meet depends on the seed, their two seats and the prompts only; who is shown first also
    on their places among all that are seated. So a newcomer on the next seat adds its own pairings and leaves the
    others', and a smaller `per_pair` takes the first of each pair. First and second differ by at most 1 per pair and
    per model, and every prefix of the result is balanced over the pairs.
    Raises ValueError for doubled seats or prompts, or a negative `per_pair`.
    """
    _check(seats, prompt_ids, per_pair)
    shuffled = sorted(prompt_ids, key=lambda prompt: content_hash(["prompt", seed, prompt]))
    seated = sorted(seats, key=seats.__getitem__)
    place = {model: number for number, model in enumerate(seated)}
    pairs = list(combinations(seated, 2))
    start, coin = _uniform(seed, "offset"), _uniform(seed, "order") < 0.5
    draws: list[Draw] = []
    for turn in range(min(per_pair, len(shuffled))):
        for pair in _dispatched(seed, turn, pairs):
            one, other = pair
            prompt = shuffled[(_offset(start, seats[one], seats[other], len(shuffled)) + turn) % len(shuffled)]
            draws.append(_draw(prompt, pair, _shown_first(coin, place[other] - place[one], turn)))
    return draws


def _check(seats: Mapping[str, int], prompt_ids: Sequence[str], per_pair: int) -> None:
    if len(set(seats.values())) < len(seats):
        raise ValueError("two models have the same seat")
    if len(set(prompt_ids)) < len(prompt_ids):
        raise ValueError("a prompt is listed twice")
    if per_pair < 0 or min(seats.values(), default=0) < 0:
        raise ValueError("seats and pairings a pair cannot be negative")


def _dispatched(seed: int, turn: int, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pairs, key=lambda pair: content_hash(["dispatch", seed, turn, *pair]))


def _draw(prompt: str, pair: tuple[str, str], shown_first: int) -> Draw:
    pairing = Pairing.of(prompt, *pair)
    order = Order.AB if pair[shown_first] == pairing.model_a else Order.BA
    return prompt, pairing.model_a, pairing.model_b, order


def _offset(start: float, lower: int, upper: int, prompts: int) -> int:
    """Where a pair of seats starts among the prompts: golden-ratio steps cover them evenly, whoever joins later."""
    number = upper * (upper - 1) // 2 + lower
    return math.floor((number * GOLDEN_RATIO + start) % 1.0 * prompts)


def _shown_first(coin: bool, distance: int, turn: int) -> int:
    """0 if the lower seat's model is shown first, else 1.

    Odd distances between the two places start with the lower one and even ones with the upper: each model's surplus of
    first places then cancels to at most one. Every further pairing of the pair turns the order round.
    """
    return (distance + 1 + turn + coin) % 2


def _uniform(seed: int, purpose: str) -> float:
    """A number in [0, 1) that belongs to the seed and the purpose; 52 bits, so that it is exact as a float."""
    return int(content_hash([purpose, seed])[:13], 16) / 16**13


def drawn_order(seed: int, pairing: Pairing) -> Order:
    """The one order of a pairing under protocol `random`: a fair coin that belongs to the seed and the pairing."""
    ids = [pairing.prompt_id, pairing.model_a, pairing.model_b]
    return Order.AB if int(content_hash(["one order", seed, *ids])[:2], 16) % 2 == 0 else Order.BA


def stratified(prompts: Sequence[Prompt], seed: int, limit: int | None = None) -> list[Prompt]:
    """The first `limit` prompts (all without limit) of an order whose every prefix mirrors the strata.

    Strata are (language, category). At every length each stratum has its proportional share, rounded down or up:
    the quota method of Balinski and Young. Inside a stratum the order is drawn from the seed.
    """
    queues: dict[Stratum, list[Prompt]] = defaultdict(list)
    for prompt in sorted(prompts, key=lambda prompt: content_hash(["stratum", seed, prompt.id]), reverse=True):
        queues[prompt.language, prompt.category].append(prompt)
    turns = _quota_turns({stratum: len(queue) for stratum, queue in queues.items()}, seed)
    return [queues[stratum].pop() for stratum in turns[:limit]]


def _quota_turns(sizes: Mapping[Stratum, int], seed: int) -> list[Stratum]:
    """Which stratum supplies the next prompt, until all are taken; equal claims go by a hash of the seed."""
    tie_break = {stratum: content_hash(["turn", seed, *stratum]) for stratum in sizes}
    total = sum(sizes.values())
    taken = dict.fromkeys(sizes, 0)
    turns: list[Stratum] = []
    for length in range(1, total + 1):
        below_quota = [stratum for stratum, size in sizes.items() if taken[stratum] * total < size * length]
        chosen = max(below_quota, key=lambda s: (Fraction(sizes[s], taken[s] + 1), tie_break[s]))
        taken[chosen] += 1
        turns.append(chosen)
    return turns


def validation_pairs(models: Sequence[str], prompts: Sequence[Prompt]) -> list[Pairing]:
    """Every pair of the models on every prompt, all of a prompt's pairs before the next prompt."""
    pairs = list(combinations(sorted(models), 2))
    return [Pairing.of(prompt.id, *pair) for prompt in prompts for pair in pairs]
