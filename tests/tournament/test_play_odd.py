"""Providers that refuse, break or bill out of all measure: whom the dispatcher stops, and for whom it goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from leaderboard.providers.errors import ErrorKind
from leaderboard.providers.port import ChatReply, ChatRequest, Usage
from leaderboard.tournament.play import Player
from tests.tournament.stage import Actors, Line, Part, failure, in_character, name_of, said
from tests.tournament.troupe import answering, troupe

RESERVED = 300_000_000


def always(line: Line) -> Part:
    return lambda request: line


REFUSED_KEYS: list[ErrorKind] = ["auth", "payment", "quota"]


@pytest.mark.parametrize("kind", REFUSED_KEYS)
def test_on_a_lane_that_has_served_a_refusal_stops_one_model(tmp_path: Path, kind: ErrorKind) -> None:
    """The key is good, whatever the provider says about this model."""
    with troupe(tmp_path, Actors({"alpha": always(failure(kind))}), concurrency=1) as players:
        player = players.play([*answering(1, "beta"), *answering(5), *answering(4, "gamma")])
        assert players.actors.by_name() == {"beta": 1, "alpha": 1, "gamma": 4}
        assert player.dead == player.errors == {"model alpha": f"{kind}: made up: {kind}"}


def test_a_lane_that_serves_after_a_refusal_goes_on_without_the_refused(tmp_path: Path) -> None:
    """The refusal of alpha arrives while the request of beta is on its way."""
    tasks = [*answering(1), *answering(1, "beta")]
    later = [*answering(3), *answering(3, "beta")]

    class Slow(Actors):
        async def __call__(self, request: ChatRequest) -> ChatReply:
            if name_of(request) == "beta":
                await asyncio.sleep(0.1)
            return await super().__call__(request)

    async def go_on(player: Player) -> None:
        while len(players.settled) < 2:
            await asyncio.sleep(0.01)
        await player.play(later[1:3] + later[4:])

    with troupe(tmp_path, Slow({"alpha": always(failure("auth"))}), concurrency=2) as players:
        player = players.play(tasks, beside=go_on)
        assert players.actors.by_name() == {"alpha": 1, "beta": 3}
        assert player.dead == {"model alpha": "auth: made up: auth"}


def test_a_refusal_does_not_lift_a_long_wait(tmp_path: Path) -> None:
    """A lane that asks for a day's rest is left, though it serves somebody who was already on the way."""

    class Slow(Actors):
        async def __call__(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep({"alpha": 0.0, "beta": 0.05, "gamma": 0.1}[name_of(request)])
            return await super().__call__(request)

    parts = {"alpha": always(failure("rate_limit", retry_after=86_400)), "beta": always(failure("auth"))}
    with troupe(tmp_path, Slow(parts), concurrency=3) as players:
        player = players.play([*answering(1), *answering(1, "beta"), *answering(1, "gamma")])
        lane = "openai|-|OPENAI_API_KEY"
        assert player.dead == {lane: "rate_limit: made up: rate_limit", "model beta": "auth: made up: auth"}


BREAKAGES: list[Exception] = [OverflowError("date value out of range"), KeyError("choices"), RecursionError("too deep")]


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_what_breaks_on_one_reply_fails_that_request_and_no_other(tmp_path: Path, breakage: Exception) -> None:
    def part(request: ChatRequest) -> Line:
        raise breakage

    with troupe(tmp_path, Actors({"alpha": part})) as players:
        player = players.play([*answering(1), *answering(5, "beta")])
        assert players.actors.by_name() == {"alpha": 2, "beta": 5}
        assert sorted(players.states()) == ["done"] * 5 + ["failed"]
        text = f"{type(breakage).__name__}: {breakage}"
        assert player.errors == {"model alpha": f"garbage: {text}"}
        stored = players.rows("SELECT state, error_kind, error_text, cost_nano FROM attempts WHERE model = 'alpha'")
        assert stored == [("unknown", "garbage", text, RESERVED)] * 2
        assert players.spent().reserved_nano == 0


def test_trouble_with_the_ledger_stops_everything(tmp_path: Path) -> None:
    def part(request: ChatRequest) -> Line:
        with players.ledger.write() as tx:
            tx.exec_driver_sql("ALTER TABLE attempts RENAME TO moved_away")
        return in_character(request)

    with troupe(tmp_path, Actors({"alpha": part}), concurrency=1) as players:
        with pytest.raises(ExceptionGroup) as caught:
            players.play(answering(5))
        assert caught.group_contains(Exception, match="no such table: attempts")
        assert len(players.actors.asked) == 1


@pytest.mark.parametrize(
    ("usage", "cost", "text"),
    [
        (Usage(0, 200), RESERVED, None),
        (Usage(0, 201), RESERVED + 1_500_000, "usage above the reservation"),
        (Usage(0, 10**9), 10**15, "usage above the reservation"),
        (Usage(10**12, 10**12), 10**15, "usage above the reservation"),
    ],
)
def test_more_usage_than_was_reserved_is_booked_and_noted(
    tmp_path: Path, usage: Usage, cost: int, text: str | None
) -> None:
    """At most a million dollars a request: beyond that no report is meant, and sums have to fit into 64 bits."""
    with troupe(tmp_path, Actors({"alpha": always(said("text", usage=usage))})) as players:
        players.play(answering(4))
        stored = players.rows("SELECT state, cost_nano, error_kind, error_text FROM attempts")
        assert stored == [("settled", cost, None, text)] * 4
        assert players.rows("SELECT completion_tokens FROM requests") == [(usage.completion_tokens,)] * 4
        assert players.spent().spent_nano == 4 * cost
        assert players.states() == ["done"] * 4
