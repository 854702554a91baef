"""Which board a request asks for, as its query says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import Depends, Query

from api.problems import Misplaced, at
from leaderboard.history.moments import until
from leaderboard.history.records import OVERALL, FitKey

JOINT = "joint"
SCOPES = r"^(overall|(category|language|group)=.+)$"

Judge = Annotated[
    str | None, Query(max_length=400, description="Id of a judge; without it that of the newest ratings.")
]
Scope = Annotated[
    str, Query(max_length=400, pattern=SCOPES, description="`overall`, `category=X`, `language=X` or `group=X`.")
]
Method = Annotated[
    Literal["bt", "joint", "elo"] | None, Query(description="Rating method: `bt`, or `joint` with `control`.")
]
Policy = Annotated[
    Literal["tie", "score", "soft", "drop"] | None,
    Query(description="How two orders that disagree are counted: `tie`. Method `joint` takes every order as it is."),
]
Control = Annotated[
    Literal["length"] | None,
    Query(description="Ratings with this held equal, beside the plain ones of method `joint`."),
]
AsOf = Annotated[str | None, Query(max_length=40, description="A time, or a day (its end): the board as known then.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """A board: whose (None: the judge of the newest fit), which fit, and when (None: now)."""

    judge: str | None = None
    key: FitKey = OVERALL
    as_of: str | None = None

    @property
    def query(self) -> str:
        """The query that asks for it, with its question mark; what goes without saying is left out."""
        key = self.key
        said = {
            "judge": self.judge,
            "scope": None if key.scope == OVERALL.scope else key.scope,
            "method": None if key.method == OVERALL.method or key.control else key.method,
            "policy": None if key.policy == OVERALL.policy else key.policy,
            "control": key.control,
            "as_of": self.as_of,
        }
        parts = {name: value for name, value in said.items() if value is not None}
        return "?" + urlencode(parts, quote_via=quote, safe="") if parts else ""


async def fit_key(
    scope: Scope = "overall", method: Method = None, policy: Policy = None, control: Control = None
) -> FitKey:
    """The fit that the words mean. HTTP 422 for words that exclude each other."""
    if control is not None and method not in {None, JOINT}:
        raise Misplaced("/control", f"control={control} goes with method=joint, not with method={method}", "query")
    if control is None and method != JOINT:
        return FitKey(scope, method or OVERALL.method, policy or OVERALL.policy)
    if policy is not None:
        raise Misplaced("/policy", "method joint takes every order as it is: leave the policy out", "query")
    return FitKey(scope, JOINT, None, control)


Key = Annotated[FitKey, Depends(fit_key)]


async def asked_for(key: Key, judge: Judge = None, as_of: AsOf = None) -> Asked:
    """HTTP 422 for a time that is none."""
    if as_of is not None:
        with at("/as_of", "query"):
            until(as_of)
    return Asked(judge, key, as_of)


AskedFor = Annotated[Asked, Depends(asked_for)]
