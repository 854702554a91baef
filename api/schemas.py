"""What goes in and what comes out, as OpenAPI shows it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]
Text = Annotated[str, Field(max_length=20_000)]
HostPart = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
Usd = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | Annotated[str, Field(max_length=40)]


class NewModel(BaseModel):
    """A model to add. Prices are US dollars per million tokens: both, or neither, or `price_as` another model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=400, description="The model's name here; slashes are fine.")]
    litellm: Annotated[str, Field(max_length=300, description="provider/name of the model there.")]
    api_base: Annotated[str, Field(max_length=500, description="Must be one of allowed_api_bases.")] | None = None
    api_key_env: (
        Annotated[
            str,
            Field(
                pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$",
                description="The NAME of the environment variable that holds the key, never the key.",
            ),
        ]
        | None
    ) = None
    # These two become part of host names and query strings of requests that carry a key.
    api_version: HostPart | None = None
    region: HostPart | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    system: Text | None = None
    family: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    params: Json = Field(default_factory=dict, description="Further parameters of the model, sent as they are.")
    input_price: Usd | None = None
    output_price: Usd | None = None
    price_as: Annotated[str, Field(max_length=300)] | None = None
    strict: bool = Field(default=False, description="Refuse parameters that the provider does not take.")


class ShownModel(BaseModel):
    """A model. `state` is unchecked until its parameters are resolved; models of imported answers have no endpoint."""

    model_config = ConfigDict(extra="allow")

    id: str
    state: Literal["unchecked", "active", "asleep", "paused", "retired"]
    reason: str | None
    family: str | None
    system: str | None
    imported: bool
    created_at: str
    litellm: str | None = None
    api_base: str | None = None
    wanted: Json | None = None
    sent: Json | None = None
    not_sent: dict[str, str] | None = None
    input_price: float | None = None
    output_price: float | None = None
    price_reason: str | None = None
    simulated: bool | None = None


class ModelPage(BaseModel):
    """Models, oldest first. `next_cursor` is null on the last page."""

    items: list[ShownModel]
    next_cursor: str | None


class Controlled(BaseModel):
    """The rating with what `control` names held equal. It stands beside the plain one, never instead of it."""

    rating: float | None
    lower: float | None
    upper: float | None
    rank: int | None
    rank_lower: int | None
    rank_upper: int | None


class Standing(BaseModel):
    """A model's row. Null is explained: `interval_reason`, `rank_reason`, `more_reason`, or no verdicts, no price.

    `p_top1` and `p_topk` are approximate. `expected_next`: expected share against the model ranked next below;
    `more_pairings`: how many on new prompts would separate the two. `controlled` comes with a `control` alone.
    """

    model: str
    rating: float | None
    lower: float | None
    upper: float | None
    interval_reason: str | None
    rank: int | None
    rank_lower: int | None
    rank_upper: int | None
    rank_reason: str | None
    n: int
    component: int | None
    flags: list[str]
    wins: int
    losses: int
    ties: int
    usd_per_verdict: float | None
    simulated: bool
    tier: int | None
    p_top1: float | None
    p_topk: float | None
    expected_next: float | None
    more_pairings: int | None
    more_reason: str | None
    controlled: Controlled | None = None


class Gate(BaseModel):
    """The judge's swap consistency C against the bar that the operator set."""

    model_config = ConfigDict(extra="allow")

    state: str
    c: float | None
    lower: float | None
    upper: float | None
    n: int | None = None


class Effect(BaseModel):
    """An effect in logits (`elo`: in points) with its interval and two-sided p; null with a reason."""

    logit: float | None
    se: float | None
    se_model: float | None
    lower: float | None
    upper: float | None
    elo: float | None
    p_value: float | None
    reason: str | None


class JudgeEffect(BaseModel):
    """What the joint model says of a judge: its pull to the answer shown first, and how ready it is to call a tie."""

    model_config = ConfigDict(extra="allow")

    judge: str | None
    first_position: Effect
    tie: Json


class ControlHead(BaseModel):
    """What was held equal, what it is worth, over how many rows, and how many had no value for it."""

    model_config = ConfigDict(extra="allow")

    name: str
    effect: Effect
    rows: int | None
    left_out: int | None


class Reversed(BaseModel):
    """Two models that separate in one of two fits and stand the other way round in the other.

    `here` and `there`: the rating of `a` minus that of `b`, Elo points.
    """

    a: str
    b: str
    here: float
    there: float


class FitBeside(BaseModel):
    """Another fit of the same facts against this one: Kendall tau over the models rated in both, and reversed pairs."""

    model_config = ConfigDict(extra="allow")

    method: str
    policy: str | None
    kendall_tau: float | None
    tau_reason: str | None
    models: int
    reversed: list[Reversed]


class SideBySide(BaseModel):
    """This fit and the others of the same facts."""

    fits: list[FitBeside]


class Old(BaseModel):
    """This list is old: a newer fit was tried at `since` and failed for this reason."""

    since: str
    reason: str


class FitName(BaseModel):
    """A stored fit of this scope, as the query names it."""

    method: str
    policy: str | None
    control: str | None


class FitHead(BaseModel):
    """How a list was estimated, and on what. `fit`: its id, null unless it is stored.

    `k`: of the chance to be among the first k. `judges`, `side_by_side`: as far as they were estimated with it.
    `old`: a newer fit failed.
    """

    method: str | None
    policy: str | None
    prior: float | None
    anchor: str | None
    n_battles: int
    n_prompts: int
    components: int
    scope: str | None
    judge: str | None
    fingerprint: str | None
    simulated: bool
    fitted_at: str | None
    as_of: str | None
    fit: str | None
    judges: list[JudgeEffect]
    side_by_side: SideBySide | None
    convergence: Json | None
    versions: Json
    k: int | None
    control: ControlHead | None
    old: Old | None = None
    head: Json


class Board(FitHead):
    """The board: `standings` is the list that `board` names, `screened` the provisional one below it.

    `scopes`, `fits`: what else is stored for this judge. `held_back`: the gate blocks the list, so it has no rows.
    """

    board: Literal["validated", "screened"]
    snapshot: str | None
    gate: Gate | None
    held_back: bool
    standings: list[Standing]
    scopes: list[str]
    fits: list[FitName]
    screened: list[Standing]
    screened_fit: FitHead | None
    notes: list[str]


class RatingRow(BaseModel):
    """What one fit said of one model."""

    model_config = ConfigDict(extra="allow")

    fitted_at: str
    fit: str
    board: Literal["validated", "screened"]
    judge: str | None
    fingerprint: str | None
    scope: str
    method: str
    policy: str | None
    control: str | None
    model: str
    rating: float | None
    lower: float | None
    upper: float | None
    rank: int | None
    rank_lower: int | None
    rank_upper: int | None
    n: int


class RatingPage(BaseModel):
    """Ratings, newest fit first. `next_cursor` is null on the last page."""

    items: list[RatingRow]
    next_cursor: str | None


class VerdictRow(BaseModel):
    """The outcome of a pairing. `outcome` is under policy tie; `consistent` is null where an order is missing."""

    model_config = ConfigDict(extra="allow")

    id: str
    decided_at: str
    stage: str
    prompt_id: str
    category: str | None
    language: str | None
    model_a: str
    model_b: str
    judge: str | None
    protocol: str | None
    state: Literal["decided", "incomplete"]
    outcome: Literal["a", "b", "tie", "incomplete"]
    outcome_score: Literal["a", "b", "tie", "incomplete"]
    score_soft: float | None
    consistent: bool | None
    outcome_ab: str | None
    outcome_ba: str | None
    simulated: bool


class VerdictPage(BaseModel):
    """Verdicts, newest first. `next_cursor` is null on the last page."""

    items: list[VerdictRow]
    next_cursor: str | None


class SentMessage(BaseModel):
    """One message of a prompt to the judge."""

    role: str
    content: str


class SentPrompt(BaseModel):
    """What one call sent to the judge, for these samples. `verified`: its hash is that of what was sent."""

    model_config = ConfigDict(extra="allow")

    call: str
    shown_first: Literal["a", "b"]
    samples: list[int]
    messages: list[SentMessage] | None
    verified: bool
    reason: str | None


class VerdictDetail(VerdictRow):
    """A verdict with all its evidence. Texts around a private prompt are null without the admin key."""

    private: str | None
    prompt: Json | None
    answers: Json
    readings: list[Json]
    prompts: list[SentPrompt]


class Health(BaseModel):
    """`snapshot` is null before the first publication."""

    status: Literal["ok", "degraded"]
    snapshot: str | None
    ledger: Literal["ok", "unreadable"]


class ProblemError(BaseModel):
    """One thing that is wrong, and where: a JSON pointer into the body, the query or the path."""

    model_config = ConfigDict(populate_by_name=True)

    pointer: str
    place: Literal["body", "query", "path"] = Field(alias="in")
    detail: str


class ProblemBody(BaseModel):
    """A refusal (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemError]
