"""The HTTP door to one tournament. It reads published snapshots and the ledger, and talks to no provider."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.staticfiles import StaticFiles

from api import problems
from api.addresses import AllowedBases
from api.deps import Desk
from api.headers import HeadAsGet, SecurityHeaders
from api.pages import board_page
from api.parameters import only_known
from api.problems import SCHEMA_PLACE, problem_response
from api.routes import health, leaderboard, models, ratings, verdicts
from api.schemas import NewModel, ProblemBody
from api.snapshots import Shelf
from leaderboard import __version__
from leaderboard.home import Home
from leaderboard.ledger import judges
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.settings import Settings

STATIC = Path(__file__).parent / "static"
DESCRIPTION = "The board, the models and every verdict of a tournament, with the evidence behind each."


class Api(FastAPI):
    """FastAPI, with the schemas that routes name by reference in its OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            schemas = super().openapi().setdefault("components", {}).setdefault("schemas", {})
            for model in (ProblemBody, NewModel):
                schema = model.model_json_schema(ref_template=SCHEMA_PLACE)
                schemas |= schema.pop("$defs", {}) | {model.__name__: schema}
        return super().openapi()


def create_app(home: Home, settings: Settings) -> FastAPI:
    """The app over an existing home. Raises NotFound where there is none, LeaderboardError for a bad ledger."""
    home.require()
    desk = _open(home, settings)
    app = Api(
        title="Leaderboard",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_closing(desk),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_operation_id,
        responses=_problems_of_all(),
    )
    app.state.desk = desk
    problems.install(app)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    for noun in (leaderboard, ratings, models, verdicts):
        app.include_router(noun.router, dependencies=[Depends(only_known)])
    app.include_router(health.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


def _open(home: Home, settings: Settings) -> Desk:
    ledger = open_ledger(home.ledger_url)
    renderings = {"json": leaderboard.board_json, "page": board_page}
    return Desk(
        home=home,
        ledger=ledger,
        shelf=Shelf(home.snapshots, renderings, lambda: _judges(ledger)),
        bases=AllowedBases(home.settings_file, settings.allowed_api_bases),
    )


def _judges(ledger: Ledger) -> list[str]:
    with ledger.read() as tx:
        return sorted(judge.id for judge in judges.all(tx))


def _closing(desk: Desk) -> Any:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    return lifespan


def _operation_id(route: APIRoute) -> str:
    return route.name


def _problems_of_all() -> dict[int | str, dict[str, Any]]:
    said = {404: "There is no such thing.", 422: "A part of the request cannot be used.", 503: "Try again later."}
    return {status: problem_response(text) for status, text in said.items()}
