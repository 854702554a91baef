"""The dispatcher: what it sends again, what it stops for, what it books."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from leaderboard.providers.errors import KINDS, MAYBE_BILLED, ErrorKind, ProviderError
from leaderboard.providers.port import ChatReply, ChatRequest, Usage
from leaderboard.providers.retry import pause_before
from leaderboard.tournament.play import Player
from tests.loopback_replies import verdict_text
from tests.tournament.stage import Actors, Line, Part, failure, in_character, name_of, said, user_of
from tests.tournament.troupe import answering, judging, troupe

ATTEMPTS: dict[ErrorKind, int] = {
    "timeout": 5, "rate_limit": 5, "server": 5, "connection": 5, "cut": 3, "garbage": 2, "empty": 2,
    "quota": 1, "auth": 1, "forbidden": 1, "payment": 1, "not_found": 1, "bad_request": 1, "too_long": 1,
    "content_filter": 1,
}  # fmt: skip
RESERVED = 300_000_000


def in_turn(*lines: Line) -> Part:
    """One line after the other, then in character."""
    left = list(lines)
    return lambda request: left.pop(0) if left else in_character(request)


def always(line: Line) -> Part:
    return lambda request: line


def samples_of(rows: list[tuple[Any, ...]]) -> dict[int, tuple[str, str | None]]:
    """(state, reason) by sample over all stored judgements."""
    found = [sample for (payload,) in rows if payload for sample in json.loads(payload)["samples"]]
    by_number = {each["sample"]: (each["state"], each["reason"]) for each in found}
    assert len(by_number) == len(found), "a sample is stored twice"
    return by_number


def test_every_kind_of_error_has_its_rule() -> None:
    assert set(ATTEMPTS) == set(KINDS)


@pytest.mark.parametrize(("kind", "attempts"), ATTEMPTS.items())
def test_retries_by_kind(tmp_path: Path, kind: ErrorKind, attempts: int) -> None:
    with troupe(tmp_path, Actors({"alpha": always(failure(kind))})) as players:
        player = players.play(answering(1))
        state = "unknown" if kind in MAYBE_BILLED else "settled"
        assert players.attempts() == [(number, state, kind) for number in range(1, attempts + 1)]
        assert players.states() == ["failed"]
        assert player.errors == {"model alpha": f"{kind}: made up: {kind}"}
        unknown = attempts * RESERVED if kind in MAYBE_BILLED else 0
        money = players.spent()
        assert (money.spent_nano, money.unknown_nano, money.reserved_nano) == (unknown, unknown, 0)
        assert [(settled.ok, settled.cost) for settled in players.settled] == [(False, unknown)]


def test_pauses_are_asked_for_by_attempt_and_grow(tmp_path: Path) -> None:
    asked: list[tuple[int, float | None]] = []

    def pause(attempt: int, retry_after: float | None, rng: random.Random) -> float:
        asked.append((attempt, retry_after))
        return 0.0

    part = in_turn(failure("server"), failure("rate_limit", retry_after=2), failure("timeout"), failure("server"))
    with troupe(tmp_path, Actors({"alpha": part}), pause=pause) as players:
        players.play(answering(1))
        assert players.states() == ["done"]
    assert asked == [(2, None), (3, 2), (4, None), (5, None)]
    rng = random.Random(0)
    drawn = [pause_before(attempt, None, rng) for attempt, _ in asked]
    assert all(earlier < later for earlier, later in pairwise(drawn))


def test_the_pause_is_sat_out(tmp_path: Path) -> None:
    sent: list[float] = []

    def part(request: ChatRequest) -> Line:
        sent.append(time.monotonic())
        return failure("server") if len(sent) == 1 else said("at last")

    with troupe(tmp_path, Actors({"alpha": part}), pause=lambda *_: 0.15) as players:
        players.play(answering(1))
    assert sent[1] - sent[0] >= 0.15


def test_a_rate_limit_holds_its_lane_and_no_other(tmp_path: Path) -> None:
    """Eight workers, 429 with Retry-After .8 and then 1.0: nobody of that lane comes before each wait is over."""
    sent: dict[str, list[float]] = {"alpha": [], "other": []}
    told = [0.8, 1.0]
    waits: list[tuple[float, float]] = []

    def part(request: ChatRequest) -> Line:
        now = time.monotonic()
        sent[name_of(request)].append(now)
        if name_of(request) == "alpha" and told and (not waits or now >= waits[-1][1]):
            seconds = told.pop(0)
            waits.append((now, now + seconds))
            return failure("rate_limit", retry_after=seconds)
        return in_character(request)

    actors = Actors({"alpha": part, "other": part})
    with troupe(tmp_path, actors, concurrency=8) as players:
        players.play([*answering(8), *answering(8, "other", key="OTHER_KEY")])
        assert players.states() == ["done"] * 16
    in_flight_then = 8
    for began, over in waits:
        early = [moment for moment in sent["alpha"] if began < moment < over]
        assert len(early) < in_flight_then
        assert all(moment < began + 0.4 for moment in early), "sent while the lane was on hold"
    assert max(sent["other"]) < waits[0][1], "the other lane waited too"


@pytest.mark.parametrize(
    "error", [failure("rate_limit", retry_after=86_400), failure("auth"), failure("quota"), failure("payment")]
)
def test_a_lane_that_will_not_serve_is_left(tmp_path: Path, error: ProviderError) -> None:
    """What was not sent stays pending: no row, no charge; other lanes play on."""
    with troupe(tmp_path, Actors({"alpha": always(error)}), concurrency=2) as players:
        began = time.monotonic()
        player = players.play([*answering(9), *answering(3, "beta"), *answering(3, "other", key="OTHER_KEY")])
        assert time.monotonic() - began < 5
        asked = players.actors.by_name()
        assert asked["alpha"] <= 2
        assert asked["beta"] == 0, "same lane"
        assert asked["other"] == 3
        assert player.dead == {"openai|-|OPENAI_API_KEY": f"{error.kind}: {error}"}
        assert sorted(players.states()) == ["done"] * 3 + ["failed"] * asked["alpha"]


@pytest.mark.parametrize("kind", ["not_found", "forbidden"])
def test_a_model_that_one_may_not_have_is_left_alone(tmp_path: Path, kind: ErrorKind) -> None:
    with troupe(tmp_path, Actors({"alpha": always(failure(kind))}), concurrency=1) as players:
        player = players.play([*answering(5), *answering(5, "beta")])
        assert players.actors.by_name() == {"alpha": 1, "beta": 5}
        assert player.dead == player.errors == {"model alpha": f"{kind}: made up: {kind}"}


def test_a_refused_n_becomes_single_requests(tmp_path: Path) -> None:
    def part(request: ChatRequest) -> Line:
        return failure("bad_request") if request.n > 1 else in_character(request)

    with troupe(tmp_path, Actors({"judge-first": part}), concurrency=1) as players:
        player = players.play(judging(3))
        assert [request.n for request in players.actors.asked] == [3, *[1] * 9], "the refusal is learnt once"
        assert player.errors == {}
        rows = players.rows('SELECT pairing, "order", sample FROM samples')
        assert len(rows) == len(set(rows)) == 9
        assert players.rows("SELECT count(*) FROM requests WHERE state = 'lost'") == [(1,)]


def test_what_n_did_not_bring_is_asked_for_singly(tmp_path: Path) -> None:
    """Choices are counted, not promises."""

    def part(request: ChatRequest) -> Line:
        return said(verdict_text(user_of(request), "1"))

    with troupe(tmp_path, Actors({"judge-first": part})) as players:
        players.play(judging(1))
        assert [request.n for request in players.actors.asked] == [3, 1, 1]
        assert samples_of(players.rows("SELECT payload FROM requests")) == {
            1: ("read", None), 2: ("read", None), 3: ("read", None)
        }  # fmt: skip


def test_a_cut_reply_gets_one_attempt_with_more_room(tmp_path: Path) -> None:
    cut = said("Score of the Assistant 1: 8\nScore of the Assistant 2: 1", finish="length")
    with troupe(tmp_path, Actors({"judge-first": in_turn(cut)})) as players:
        players.play(judging(1, samples=(1,)))
        assert [request.params["max_tokens"] for request in players.actors.asked] == [200, 400]
        assert players.attempts() == [(1, "settled", "cut"), (2, "settled", None)]
        assert players.rows("SELECT max_tokens, reserved_nano FROM attempts ORDER BY number") == [
            (200, RESERVED), (400, 2 * RESERVED)
        ]  # fmt: skip
        assert samples_of(players.rows("SELECT payload FROM requests")) == {1: ("read", None)}


def test_a_reply_that_is_cut_twice_is_unreadable(tmp_path: Path) -> None:
    """It parses, and still the last score may have been another."""
    cut = said("Score of the Assistant 1: 8\nScore of the Assistant 2: 1", finish="length")
    with troupe(tmp_path, Actors({"judge-first": always(cut)})) as players:
        players.play(judging(1, samples=(1,)))
        assert len(players.actors.asked) == 2
        assert samples_of(players.rows("SELECT payload FROM requests")) == {
            1: ("unreadable", "cut off by the token limit")
        }


REFUSALS: list[Line] = [failure("bad_request"), failure("too_long"), failure("auth")]


@pytest.mark.parametrize("refusal", REFUSALS)
def test_samples_that_came_survive_the_failure_of_the_larger_attempt(tmp_path: Path, refusal: Line) -> None:
    """Two of three are cut, and the provider refuses a larger limit: the whole one is kept, the cut ones unreadable."""

    def first(request: ChatRequest) -> Line:
        whole = in_character(request).choices
        cut = said("Score of", finish="length").choices
        return ChatReply(choices=(cut[0], whole[1], cut[0]), usage=Usage(10, 5), served_model="served")

    lines = [first]

    def part(request: ChatRequest) -> Line:
        return lines.pop()(request) if lines else refusal

    with troupe(tmp_path, Actors({"judge-first": part})) as players:
        player = players.play(judging(1))
        assert [request.n for request in players.actors.asked] == [3, 2]
        found = samples_of(players.rows("SELECT payload FROM requests"))
        assert {number: state for number, (state, _) in found.items()} == {1: "unreadable", 2: "read", 3: "unreadable"}
        assert players.rows("SELECT state, served_model, prompt_tokens FROM requests") == [("done", "served", 10)]
        assert player.errors == {}
        assert [settled.ok for settled in players.settled] == [True]


@pytest.mark.parametrize(("text", "asked", "state"), [(None, 2, "failed"), ("", 1, "done"), (" ", 1, "done")])
def test_an_answer_without_text_is_a_failure_and_an_empty_one_an_answer(
    tmp_path: Path, text: str | None, asked: int, state: str
) -> None:
    with troupe(tmp_path, Actors({"alpha": always(said(text))})) as players:
        players.play(answering(1))
        assert len(players.actors.asked) == asked
        assert players.states() == [state]
        used = players.rows("SELECT state, cost_nano FROM attempts")
        assert used == [("settled", 5 * 1_500_000)] * asked, "it was paid for all the same"


def test_a_judge_without_text_is_unreadable(tmp_path: Path) -> None:
    with troupe(tmp_path, Actors({"judge-first": always(said(None))})) as players:
        players.play(judging(1, samples=(1,)))
        assert len(players.actors.asked) == 1
        assert samples_of(players.rows("SELECT payload FROM requests"))[1][0] == "unreadable"


def test_without_a_usage_report_the_reservation_is_booked_as_unknown(tmp_path: Path) -> None:
    with troupe(tmp_path, Actors({"alpha": always(said("text", usage=None))})) as players:
        players.play(answering(2))
        assert (
            players.rows("SELECT state, cost_nano, reserved_nano FROM attempts")
            == [("unknown", RESERVED, RESERVED)] * 2
        )
        assert players.rows("SELECT state, prompt_tokens FROM requests") == [("done", None)] * 2, "unknown, not 0"
        money = players.spent()
        assert (money.spent_nano, money.unknown_nano, money.reserved_nano) == (2 * RESERVED, 2 * RESERVED, 0)


def test_a_timeout_that_is_followed_by_a_reply_stays_in_the_books(tmp_path: Path) -> None:
    with troupe(tmp_path, Actors({"alpha": in_turn(failure("timeout"), said("text", usage=Usage(1, 2)))})) as players:
        players.play(answering(1))
        assert players.rows("SELECT state, cost_nano FROM attempts ORDER BY number") == [
            ("unknown", RESERVED), ("settled", 3_000_000)
        ]  # fmt: skip
        assert players.rows("SELECT state, cost_nano FROM requests") == [("done", RESERVED + 3_000_000)]


@pytest.mark.parametrize(
    ("tokens_used", "sent"),
    [(200, 3), (60, 8)],
    ids=["as dear as reserved", "cheaper: .09 each, until .73 + .30 is too much"],
)
def test_a_budget_is_never_overshot(tmp_path: Path, tokens_used: int, sent: int) -> None:
    """Limit 1.00, reservations of .30, ten workers."""
    actors = Actors({"alpha": always(said("text", usage=Usage(0, tokens_used)))}, latency=0.01)
    with troupe(tmp_path, actors, concurrency=10) as players:
        players.cap("1.00")
        player = players.play(answering(10))
        assert len(actors.asked) == sent
        assert actors.most_in_flight <= 3
        assert player.stopping == "limit_reached"
        money = players.spent()
        assert money.reserved_nano == 0
        assert money.spent_nano == sent * tokens_used * 1_500_000 <= 1_000_000_000
        assert players.states() == ["done"] * sent


def test_a_raised_budget_lets_the_rest_play(tmp_path: Path) -> None:
    actors = Actors({"alpha": always(said("text", usage=Usage(0, 200)))})
    with troupe(tmp_path, actors, concurrency=10) as players:
        players.cap("1.00")
        tasks = answering(10)
        players.play(tasks)
        done = {key for (key,) in players.rows("SELECT key FROM requests")}
        players.cap("3.00")
        player = players.play([task for task in tasks if task.request.key not in done])
        assert player.stopping is None
        assert len(actors.asked) == 10
        assert players.spent().spent_nano == 3_000_000_000


def test_unknown_prices_fit_under_no_budget(tmp_path: Path) -> None:
    with troupe(tmp_path, Actors()) as players:
        players.cap("1.00")
        player = players.play(answering(2, price=None))
        assert players.actors.asked == []
        assert player.stopping == "limit_reached"


def test_cancelling_settles_what_is_in_flight_and_sends_nothing_more(tmp_path: Path) -> None:
    actors = Actors(latency=0.1)

    async def cancel(player: Player) -> None:
        while actors.in_flight < 4:
            await asyncio.sleep(0.005)
        player.stop("cancelled")

    with troupe(tmp_path, actors, concurrency=4) as players:
        player = players.play(answering(40), beside=cancel)
        assert player.stopping == "cancelled"
        assert len(actors.asked) == 4
        assert players.rows("SELECT state, count(*) FROM attempts GROUP BY 1") == [("settled", 4)]
        assert players.states() == ["done"] * 4


def test_cancelling_ends_the_wait_before_a_retry(tmp_path: Path) -> None:
    actors = Actors({"alpha": always(failure("connection"))})

    async def cancel(player: Player) -> None:
        while not players.attempts() or players.attempts()[0][1] == "open":
            await asyncio.sleep(0.01)
        player.stop("cancelled")

    with troupe(tmp_path, actors, pause=lambda *_: 3600.0) as players:
        began = time.monotonic()
        players.play(answering(1), beside=cancel)
        assert time.monotonic() - began < 5
        assert players.attempts() == [(1, "unknown", "connection")]


@dataclass
class Sticky(Actors):
    """The model called stuck does not answer until it is let go."""

    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: ChatRequest) -> ChatReply:
        if name_of(request) == "stuck":
            await self.let_go.wait()
        return await super().__call__(request)


def test_one_stuck_request_holds_up_nobody(tmp_path: Path) -> None:
    """It takes one place of the limit, no more."""
    actors = Sticky()

    async def release(player: Player) -> None:
        while len(players.settled) < 20:
            await asyncio.sleep(0.01)
        actors.let_go.set()

    with troupe(tmp_path, actors, concurrency=2) as players:
        players.play([*answering(1, "stuck", key="STUCK"), *answering(20, "quick", key="QUICK")], beside=release)
        assert [settled.task.who for settled in players.settled] == ["model quick"] * 20 + ["model stuck"]
