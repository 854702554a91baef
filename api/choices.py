"""The links to other boards. Each keeps what else was chosen as far as such a fit is stored, so none leads nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.asked import Asked
from api.snapshots import Around
from api.words import SCOPE_KINDS, fit_name, fit_title, scope_kind, scope_name, scope_title
from leaderboard.history.records import FitKey


@dataclass(frozen=True, slots=True)
class Choice:
    """A link, or the place where one is."""

    text: str
    title: str
    query: str
    current: bool


def choosable(board: Mapping[str, Any], around: Around) -> list[FitKey]:
    """The fits that have a board, one at least for every scope.

    What is stored at another time is known of the scope that is shown; of the others the default fit always is, and
    where nobody is validated it stands for the screened list.
    """
    here = [FitKey(board["scope"], **fit) for fit in board["fits"] if board["board"] == "validated"]
    elsewhere = [] if around.asked.as_of else [k for k in around.stored(board["judge"]) if k.scope != board["scope"]]
    listed = {key.scope for key in (*here, *elsewhere)}
    defaults = [FitKey(scope) for scope in board["scopes"] if scope not in listed]
    return sorted([*here, *elsewhere, *defaults], key=lambda key: key != FitKey(key.scope))


def scope_choices(asked: Asked, stored: Sequence[FitKey]) -> dict[str, list[Choice]]:
    """By the name of their kind. Empty where there is nothing to choose."""
    scopes = list(dict.fromkeys(key.scope for key in stored))
    if len(scopes) < 2:
        return {}
    kinds = {said: sorted(s for s in scopes if scope_kind(s) == kind) for kind, said in SCOPE_KINDS.items()}
    return {said: [_scope_choice(asked, scope, stored) for scope in found] for said, found in kinds.items() if found}


def _scope_choice(asked: Asked, scope: str, stored: Sequence[FitKey]) -> Choice:
    there = replace(asked, key=nearest(asked.key, scope, stored))
    return Choice(scope_name(scope), scope_title(scope), there.query, scope == asked.key.scope)


def nearest(wanted: FitKey, scope: str, stored: Sequence[FitKey]) -> FitKey:
    """The same kind of fit in another scope; where it is not stored the default one, or whatever there is."""
    here = [key for key in stored if key.scope == scope]
    liked = (replace(wanted, scope=scope), FitKey(scope))
    return next((key for key in liked if key in here), here[0])


def fit_choices(asked: Asked, stored: Sequence[FitKey]) -> list[Choice]:
    """The fits of the scope. Empty where there is nothing to choose."""
    keys = [key for key in stored if key.scope == asked.key.scope]
    if len(keys) < 2:
        return []
    return [Choice(fit_name(key), fit_title(key), replace(asked, key=key).query, key == asked.key) for key in keys]


def judge_choices(asked: Asked, judges: Sequence[str], shown: str | None) -> list[Choice]:
    """The default board of each judge: another one's fits need not be the same."""
    if len(judges) < 2:
        return []
    return [Choice(judge, f"judged by {judge}", Asked(judge).query, judge == shown) for judge in judges]
