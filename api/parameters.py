"""The parameters of a query: none that the route does not know, each once. A misspelt one would change the answer."""

from __future__ import annotations

from collections import Counter

from fastapi import Request
from fastapi.dependencies.models import Dependant

from api.problems import Misplaced, pointer_to

SHOWN = 40


async def only_known(request: Request) -> None:
    """HTTP 422 for a parameter that this route does not take, and for one that is given twice."""
    if not request.url.query:
        return
    known = sorted(_taken(request.scope["route"].dependant))
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            raise _misplaced(name, f"not a parameter here; known: {', '.join(known) or 'none'}")
        if times > 1:
            raise _misplaced(name, f"given {times} times: once is enough")


def _taken(dependant: Dependant) -> set[str]:
    """The names that a route and what it depends on take from the query."""
    own = {field.alias for field in dependant.query_params}
    return own.union(*map(_taken, dependant.dependencies))


def _misplaced(name: str, trouble: str) -> Misplaced:
    return Misplaced(pointer_to([name[:SHOWN]]), f"query parameter {name[:SHOWN]!r}: {trouble}", "query")
