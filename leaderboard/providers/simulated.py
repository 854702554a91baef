"""The simulated provider's two models: `sim/contestant` writes answers, `sim/judge` judges them.

It is reached through the client library like any provider, so its parameters arrive as loose values. Nothing in its
texts names a skill: a judge sees only what can be counted. Everything is drawn from the request, never from a clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.providers.simulated_judge import Bench, Said, judge
from leaderboard.providers.simulated_writer import STYLES, Contestant, rng_of, write_answer

BYTES_PER_TOKEN = 4
CONTESTANT_PARAMS = frozenset({"skill", "style", "seed"})
JUDGE_PARAMS = frozenset({"bias", "tie_width", "noise", "malformed", "seed"})
USUAL_PARAMS = frozenset({"temperature", "top_p", "max_tokens"})

Chat = Sequence[Mapping[str, object]]


class RefusedParameter(ValueError):
    """The simulated provider does not take this; it answers as with HTTP 400."""


class UnknownSimulation(ValueError):
    """There is no such simulated model; it answers as with HTTP 404."""


@dataclass(frozen=True, slots=True)
class SimulatedReply:
    """`said` has a reply per choice; tokens are a quarter of the UTF-8 bytes, rounded up."""

    said: tuple[Said, ...]
    prompt_tokens: int
    completion_tokens: int


def simulate(model: str, messages: Chat, params: Mapping[str, object], key: str, n: int = 1) -> SimulatedReply:
    """Answer as the provider would; `key` is the request's own, the same for the same request."""
    check_sim_params(model, params)
    answer = MODELS[model][1]
    limit = int(_number(params, "max_tokens", 0)) if "max_tokens" in params else None
    said = tuple(_within(answer(messages, params, key, index), limit) for index in range(n))
    asked = sum(tokens_in(str(message["content"] or "")) for message in messages)
    return SimulatedReply(said, asked, sum(tokens_in(one.text or "") for one in said))


def tokens_in(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def check_sim_params(model: str, params: Mapping[str, object]) -> None:
    """Raise `RefusedParameter` or `UnknownSimulation` for what `simulate` would refuse."""
    if model not in MODELS:
        raise UnknownSimulation(f"no simulated model {model!r}: there are {', '.join(MODELS)}")
    _check(params, MODELS[model][0] | USUAL_PARAMS)


def _check(params: Mapping[str, object], allowed: frozenset[str]) -> None:
    for name, value in params.items():
        if name not in allowed:
            raise RefusedParameter(f"sim does not take {name}; it takes {', '.join(sorted(allowed))}")
        if name == "style":
            if value not in STYLES:
                raise RefusedParameter(f"sim: style must be one of {', '.join(STYLES)}")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise RefusedParameter(f"sim: {name} must be a number")


def _number(params: Mapping[str, object], name: str, usual: float) -> float:
    value = params.get(name, usual)
    return float(value) if isinstance(value, int | float) else usual


def _within(said: Said, limit: int | None) -> Said:
    """A reply cut at `limit` tokens, as a real provider does it."""
    if limit is None or said.text is None or tokens_in(said.text) <= limit:
        return said
    kept = said.text.encode()[: limit * BYTES_PER_TOKEN].decode("utf-8", "ignore")
    return Said(kept, "length")


def _asked(messages: Chat) -> str:
    return "\n\n".join(str(message["content"]) for message in messages if message["role"] == "user")


def _as_contestant(messages: Chat, params: Mapping[str, object], key: str, index: int) -> Said:
    contestant = Contestant(
        skill=_number(params, "skill", 0.0),
        style=str(params.get("style", "plain")),
        seed=int(_number(params, "seed", 0)),
    )
    return Said(write_answer(contestant, _asked(messages), index))


def _as_judge(messages: Chat, params: Mapping[str, object], key: str, index: int) -> Said:
    bench = Bench(
        bias=_number(params, "bias", 0.0),
        tie_width=_number(params, "tie_width", 0.3),
        noise=_number(params, "noise", 1.0),
        malformed=_number(params, "malformed", 0.0),
    )
    return judge(bench, _asked(messages), rng_of("judge", int(_number(params, "seed", 0)), key, index))


Answer = Callable[[Chat, Mapping[str, object], str, int], Said]
MODELS: Mapping[str, tuple[frozenset[str], Answer]] = {
    "contestant": (CONTESTANT_PARAMS, _as_contestant),
    "judge": (JUDGE_PARAMS, _as_judge),
}
