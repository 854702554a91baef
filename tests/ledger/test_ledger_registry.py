from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_facts import ENDPOINT, judge, model

from leaderboard.core.types import Endpoint, Price, Prompt
from leaderboard.errors import BadInput, Conflict, NotFound
from leaderboard.ledger import judges, models, prompts
from leaderboard.ledger.codec import endpoint_document, endpoint_from, from_json, to_json
from leaderboard.ledger.store import Ledger

WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
PARAMS = st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.booleans(), st.none(), st.lists(WORDS)), max_size=3)
PRICES = st.decimals(min_value=0, max_value=1000, allow_nan=False, allow_infinity=False, places=6)


@given(
    wanted=PARAMS,
    sent=st.none() | PARAMS,
    price=st.none() | st.builds(Price, PRICES, PRICES),
    base=st.none() | WORDS,
    takes_n=st.booleans(),
)
def test_an_endpoint_survives_as_text(
    wanted: dict[str, object], sent: dict[str, object] | None, price: Price | None, base: str | None, takes_n: bool
) -> None:
    endpoint = Endpoint(litellm="x/y", api_base=base, wanted=wanted, sent=sent, price=price, takes_n=takes_n)
    assert endpoint_from(from_json(to_json(endpoint_document(endpoint)))) == endpoint


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [-float("inf")]}])
def test_figures_that_json_does_not_know_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json(value)


def test_nul_is_an_escape_and_a_lone_surrogate_is_replaced() -> None:
    text = to_json({"text": "a\0b\ud83dc\u2028"})
    assert "\0" not in text
    assert from_json(text) == {"text": "a\0b\ufffdc\u2028"}


def test_models_and_judges_come_back_as_they_were(ledger: Ledger) -> None:
    contestants = [
        model("one/a:b c", system="Be brief.\0", family="x", state="asleep", reason="no key"),
        model("imported", endpoint=None, seat=7),
    ]
    critics = [judge("strict", rubric="r", protocol="swap", samples=1, fingerprint="f", system="s"), judge("plain")]
    with ledger.write() as tx:
        for contestant in contestants:
            assert models.add(tx, contestant) == contestant
        for critic in critics:
            assert judges.add(tx, critic) == critic
    with ledger.read() as tx:
        assert [models.get(tx, each.id) for each in contestants] == contestants
        assert [judges.get(tx, each.id) for each in critics] == critics
        assert models.get(tx, "one/a:b c").endpoint == ENDPOINT


def test_states_choose_and_creation_orders(ledger: Ledger) -> None:
    with ledger.write() as tx:
        for name, created, state in (("c", "1", "active"), ("a", "2", "paused"), ("b", "1", "active")):
            models.add(tx, model(name, created_at=created, state=state))
            judges.add(tx, judge(name, created_at=created, state=state))
    with ledger.read() as tx:
        assert [each.id for each in models.all(tx)] == ["b", "c", "a"]
        assert [each.id for each in judges.all(tx)] == ["b", "c", "a"]
        assert [each.id for each in models.all(tx, ["paused", "retired"])] == ["a"]
        assert [each.id for each in judges.all(tx, ["active"])] == ["b", "c"]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("GPT-4o", "model 'GPT-4o' exists already"),
        (" GPT-4o ", "model 'GPT-4o' exists already"),
        ("gpt-4o", "looks like the model 'GPT-4o'"),
        ("GРT-4o", "looks like the model 'GPT-4o'"),
    ],
)
def test_twins_are_refused_by_name(ledger: Ledger, second: str, told: str) -> None:
    with ledger.write() as tx:
        models.add(tx, model("GPT-4o"))
        with pytest.raises(Conflict, match=told):
            models.add(tx, model(second))
        judges.add(tx, judge(second))
        assert [each.id for each in models.all(tx)] == ["GPT-4o"]


def test_an_id_is_tidied_when_it_enters_and_when_it_is_asked_for(ledger: Ledger) -> None:
    with ledger.write() as tx:
        assert models.add(tx, model(" cafe\u0301 ")).id == "café"
        assert models.get(tx, "cafe\u0301").id == "café"
        with pytest.raises(BadInput, match="position 2"):
            models.add(tx, model("a\0"))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("gpt-4", "no model 'gpt-4'; close: gpt-4o"),
        ("GPT-4O", "no model 'GPT-4O'; close: gpt-4o"),
        ("zzz", "no model 'zzz'; known: claude, gpt-4o"),
    ],
)
def test_a_missing_name_lists_close_ones(ledger: Ledger, asked: str, told: str) -> None:
    with ledger.write() as tx:
        models.add(tx, model("gpt-4o"))
        models.add(tx, model("claude"))
        with pytest.raises(NotFound, match=told):
            models.get(tx, asked)
        with pytest.raises(NotFound, match=told):
            models.replace(tx, model(asked))
        with pytest.raises(NotFound, match="no judge 'gpt-4o': there is none yet"):
            judges.get(tx, "gpt-4o")


def test_replacing_counts_the_version_up_and_keeps_the_seat(ledger: Ledger) -> None:
    with ledger.write() as tx:
        models.add(tx, model("a"))
        models.add(tx, model("b"))
        models.seat(tx, ["a"])
        models.replace(tx, model("a", state="retired", reason="old"))
        judges.add(tx, judge("j"))
        judges.replace(tx, judge("j", rubric="new"))
        judges.replace(tx, judge("j", rubric="newer"))
    with ledger.read() as tx:
        assert models.get(tx, "a") == model("a", state="retired", reason="old", seat=0)
        assert (models.version(tx, "a"), models.version(tx, "b"), judges.version(tx, "j")) == (2, 1, 3)
        assert judges.get(tx, "j").rubric == "newer"


def test_seats_are_given_once_in_the_order_asked(ledger: Ledger) -> None:
    with ledger.write() as tx:
        for name in "abcd":
            models.add(tx, model(name))
        assert models.seat(tx, ["c", "a", "c"]) == {"c": 0, "a": 1}
        assert models.seat(tx, ["d", "a", "b"]) == {"d": 2, "a": 1, "b": 3}
        assert {each.id: each.seat for each in models.all(tx)} == {"a": 1, "b": 3, "c": 0, "d": 2}


def prompt(name: str, **values: object) -> Prompt:
    return Prompt(**{"id": name, "turns": ("Why?",), **values})  # type: ignore[arg-type]


def test_prompts_keep_the_order_of_their_import(ledger: Ledger) -> None:
    first = prompt("z", turns=("a\0\u2028", "b"), system="s", category="math", group="g", reference="42")
    with ledger.write() as tx:
        assert prompts.add_many(tx, []) == []
        added = prompts.add_many(tx, [first, prompt(" y ", language="nl", visibility="private")])
        added += prompts.add_many(tx, [prompt("a")])
    assert [(each.id, each.position) for each in added] == [("z", 0), ("y", 1), ("a", 2)]
    with ledger.read() as tx:
        assert prompts.all(tx) == added
        assert added[0] == first
        assert (prompts.count(tx), prompts.get(tx, "y")) == (3, added[1])


@pytest.mark.parametrize(
    ("ids", "told", "clash"),
    [
        (["b", "B"], "'B' looks like the prompt 'b'", (1, "b")),
        (["b", "c", "b"], "prompt 'b' exists already", (2, "b")),
        (["b", "THERE"], "'THERE' looks like the prompt 'there'", (1, "there")),
    ],
)
def test_prompts_are_added_all_or_none(ledger: Ledger, ids: list[str], told: str, clash: tuple[int, str]) -> None:
    with ledger.write() as tx:
        prompts.add_many(tx, [prompt("there")])
        assert prompts.first_clash(tx, ids) == clash
        with pytest.raises(Conflict, match=told):
            prompts.add_many(tx, [prompt(each) for each in ids])
        assert prompts.count(tx) == 1
        assert prompts.first_clash(tx, ["new", "newer"]) is None


def test_many_prompts_are_looked_up_in_pieces(ledger: Ledger) -> None:
    ids = [f"p{number}" for number in range(1300)]
    with ledger.write() as tx:
        prompts.add_many(tx, [prompt(each) for each in ids])
        assert prompts.first_clash(tx, ["new", *reversed(ids)]) == (1, "p1299")
        assert prompts.count(tx) == 1300


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(turns=st.lists(st.text(st.characters(exclude_categories=())), min_size=1, max_size=3))
def test_any_prompt_text_can_be_stored(ledger: Ledger, turns: list[str]) -> None:
    with ledger.write() as tx:
        added = prompts.add_many(tx, [prompt(f"p{prompts.count(tx)}", turns=tuple(turns))])
    with ledger.read() as tx:
        assert prompts.get(tx, added[0].id) == added[0]


def test_a_price_keeps_its_digits(ledger: Ledger) -> None:
    price = Price(Decimal("0.10"), Decimal("1E-7"))
    with ledger.write() as tx:
        models.add(tx, model("a", endpoint=Endpoint(litellm="x/y", price=price)))
        endpoint = models.get(tx, "a").endpoint
    assert endpoint is not None
    assert str(endpoint.price) == str(price)
