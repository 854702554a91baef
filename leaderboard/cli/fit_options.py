"""Which fit a command is about: the options that say so, and what they mean together."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from leaderboard.history.records import FitKey

ScopeOption = Annotated[
    str, typer.Option("--scope", help="overall, category=X, language=X or group=X: prompts of this kind alone.")
]
MethodOption = Annotated[
    str | None, typer.Option("--method", help="bt (default), joint (every order with a position effect) or elo.")
]
PolicyOption = Annotated[
    str | None,
    typer.Option("--policy", help="What a pairing is worth whose orders disagree: tie (default), score, soft or drop."),
]
ControlOption = Annotated[
    str | None, typer.Option("--control", help="length: ratings at equal length of the answers, beside the plain ones.")
]

OVERALL = "overall"


def fit_key(scope: str, method: str | None, policy: str | None, control: str | None = None) -> FitKey:
    """The fit that the options mean. BadInput for a word that is none, or for words that exclude each other."""
    from leaderboard.core.judged import SHARES
    from leaderboard.core.ratings import METHODS
    from leaderboard.errors import BadInput
    from leaderboard.history.records import FitKey
    from leaderboard.tournament.battles import LENGTH

    checked_scope(scope)
    _one_of("method", method, METHODS)
    _one_of("policy", policy, SHARES)
    _one_of("control", control, [LENGTH])
    if control is not None and method not in {None, "joint"}:
        raise BadInput(f"--control {control} is part of method joint: leave --method {method} out")
    if control is None and method != "joint":
        return FitKey(scope, method or "bt", policy or "tie")
    if policy is not None:
        why = "method joint takes every order as it is" if control is None else "--control goes with method joint"
        raise BadInput(f"--policy {policy}: {why}, so no policy applies; leave it out")
    return FitKey(scope, "joint", None, control)


def checked_scope(scope: str) -> str:
    """The scope itself. BadInput names the choices."""
    from leaderboard.errors import BadInput
    from leaderboard.tournament.scopes import TRAITS

    kind, _, name = scope.partition("=")
    if scope != OVERALL and (kind not in TRAITS or not name):
        raise BadInput(f"--scope {scope!r}: must be {_choices([OVERALL, *(f'{trait}=X' for trait in TRAITS)])}")
    return scope


def _one_of(name: str, word: str | None, known: Collection[str]) -> None:
    from leaderboard.errors import BadInput

    if word is not None and word not in known:
        raise BadInput(f"--{name} {word!r}: must be {_choices(known)}")


def _choices(known: Collection[str]) -> str:
    *others, last = known
    return " or ".join(filter(None, [", ".join(others), last]))


def fit_words(method: str, policy: str | None, control: str | None = None) -> str:
    """`bt, policy tie`; `joint`; `joint, length held equal`."""
    parts = [method, policy and f"policy {policy}", control and f"{control} held equal"]
    return ", ".join(part for part in parts if part)


@contextmanager
def named_as_typed(*fields: str) -> Iterator[None]:
    """A refusal that begins with one of these fields names the option instead: `--min-effect` for `min_effect`."""
    from leaderboard.errors import LeaderboardError

    try:
        yield
    except LeaderboardError as error:
        text = str(error)
        field = next((name for name in fields if text.startswith((f"{name} ", f"{name}:"))), None)
        if field is None:
            raise
        raise type(error)(f"--{field.replace('_', '-')}{text.removeprefix(field)}") from error
