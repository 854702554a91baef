"""The contestants: who is there, and adding one while the tournament runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response

from api.answers import strict_json
from api.bodies import read_as
from api.cursors import cursor_after, read_cursor
from api.deps import Desk
from api.keys import TheDesk, require_admin
from api.problems import at, problem_response
from api.schemas import ModelPage, NewModel, ShownModel
from leaderboard.core.types import Model
from leaderboard.errors import BadInput
from leaderboard.history.redaction import without_credentials, without_secrets
from leaderboard.ledger import models
from leaderboard.ledger.ids import tidy_id
from leaderboard.providers.routes import check_params, check_route
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.enrol import enrol_model
from leaderboard.tournament.registry import Wish, new_model
from leaderboard.tournament.shown import shown_model

PATH = "/api/v1/models"
LONGEST_PAGE = 200
router = APIRouter(prefix=PATH)

Limit = Annotated[int, Query(ge=1, le=LONGEST_PAGE)]
Cursor = Annotated[str | None, Query(max_length=2000, description="`next_cursor` of the page before.")]
ADDING: dict[int | str, dict[str, Any]] = {
    401: problem_response("The admin key is missing or wrong."),
    409: problem_response("The id is taken, or looks like one that is."),
    413: problem_response("The body is larger than 64 kB."),
}
BODY = {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewModel"}}}}


@router.get("", response_model=ModelPage)
def list_models(desk: TheDesk, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """All models, oldest first. Pages stay as they are while models are added: those come last."""
    with at("/cursor", "query"):
        after = None if cursor is None else read_cursor(cursor)
    with desk.ledger.read() as tx:
        known = models.all(tx)
    rest = [model for model in known if after is None or _place(model) > after]
    following = cursor_after(_place(rest[limit - 1])) if len(rest) > limit else None
    return strict_json({"items": [public(model) for model in rest[:limit]], "next_cursor": following})


@router.get("/{model_id:path}", response_model=ShownModel)
def show_model(desk: TheDesk, model_id: str) -> Response:
    """One model: how it is reached and what is really sent to it."""
    with desk.ledger.read() as tx, at("/model_id", "path"):
        return strict_json(public(models.get(tx, model_id)))


async def _new_model(request: Request) -> NewModel:
    return await read_as(request, NewModel)


@router.post(
    "",
    status_code=201,
    response_model=ShownModel,
    responses=ADDING,
    dependencies=[Depends(require_admin)],
    openapi_extra={"requestBody": BODY},
)
def add_model(desk: TheDesk, body: Annotated[NewModel, Depends(_new_model)]) -> Response:
    """Add a model. It is screened against the field at the next round; until then it is `unchecked`."""
    now = utc_now()
    added = public(enrol_model(desk.ledger, _model(desk, body, now), None, now))
    return strict_json(added, 201, {"Location": f"{PATH}/{quoted(str(added['id']))}"})


def _model(desk: Desk, body: NewModel, now: str) -> Model:
    """The model asked for, refused by field. Which keys are set is for the process that sends requests to say."""
    with at("/id"):
        _refuse_dots(tidy_id(body.id))
    with at("/litellm"):
        check_route(body.litellm)
        _refuse_address(body.litellm)
    with at("/params"):
        check_params(body.params)
    with at("/api_base"):
        desk.bases.require(body.api_base)
    with at("/input_price"):
        model = new_model(body.id, _wish(body), system=body.system, family=body.family, environ={}, now=now)
    return replace(model, state="active", reason=None)


def _refuse_dots(model_id: str) -> None:
    """Every client takes these for a step in a path, so such a model would have no address of its own."""
    if model_id in {".", ".."}:
        raise BadInput(f"the id {model_id!r} means a place in a path: choose another")


def _refuse_address(litellm: str) -> None:
    """Some providers take an address in the model's name, which would pass by the list of allowed ones."""
    if "http:" in litellm.lower() or "https:" in litellm.lower() or "//" in litellm:
        raise BadInput(f"litellm: {litellm!r} contains an address: give it as api_base")


def _wish(body: NewModel) -> Wish:
    given = body.model_dump(exclude={"id", "system", "family", "input_price", "output_price"})
    return Wish(**given, input_price=_amount(body.input_price), output_price=_amount(body.output_price))


def _amount(price: float | str | None) -> str | None:
    return None if price is None else str(price)


def public(model: Model) -> dict[str, object]:
    """The model as anybody may see it: no credentials in its parameters or in its address."""
    shown = shown_model(model)
    hidden = {name: without_secrets(shown[name]) for name in ("wanted", "sent") if name in shown}
    address = {"api_base": without_credentials(model.endpoint.api_base)} if model.endpoint else {}
    return shown | hidden | address


def quoted(model_id: str) -> str:
    """The id in a path. Slashes stay readable unless a client would take a part for `here` or `up`."""
    parts = model_id.split("/")
    return quote(model_id, safe="" if {".", "..", ""} & set(parts) else "/")


def _place(model: Model) -> tuple[str, str]:
    return model.created_at, model.id
