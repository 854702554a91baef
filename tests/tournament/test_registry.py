"""What an operator gives becomes a checked value, or is refused by the name of its field."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.types import Endpoint, Judge, Model, Price
from leaderboard.errors import BadInput, Conflict
from leaderboard.ledger import judges, models
from leaderboard.ledger.store import open_ledger
from leaderboard.tournament.enrol import enrol_judge, enrol_model, move_model
from leaderboard.tournament.registry import (
    JUDGE_TEMPERATURE,
    Wish,
    fingerprinted,
    missing_key,
    new_endpoint,
    new_judge,
    new_model,
    parse_params,
    roused,
)

NOW = "2026-01-01T00:00:00.000000Z"


def model_of(model_id: str = "m", environ: dict[str, str] | None = None, **wish: Any) -> Model:
    wished = Wish(**{"litellm": "openai/gpt-x", **wish})
    return new_model(model_id, wished, system=None, family=None, environ=environ or {}, now=NOW)


def judge_of(**changes: Any) -> Judge:
    given = {"template": "scoring_evidence", "protocol": "mec_bpc", "samples": 3, "rubric": None, "system": None}
    wish = changes.pop("wish", Wish(litellm="sim/judge"))
    return new_judge("j", wish, **{**given, "family": None, "now": NOW, **changes})


def test_an_endpoint_keeps_what_was_wished() -> None:
    wish = Wish(
        litellm=" openai/gpt-x ".strip(), api_base=" http://127.0.0.1:8080/v1 ", api_key_env="MY_KEY", api_version="2",
        region="eu", temperature=0.5, max_tokens=77, params={"top_p": 0.9}, input_price="0.1", output_price="2e1",
    )  # fmt: skip
    assert new_endpoint(wish) == Endpoint(
        litellm="openai/gpt-x", api_base="http://127.0.0.1:8080/v1", api_key_env="MY_KEY", api_version="2", region="eu",
        wanted={"top_p": 0.9, "max_tokens": 77, "temperature": 0.5}, price=Price(Decimal("0.1"), Decimal("20")),
        price_source="operator",
    )  # fmt: skip


def test_defaults_differ_for_judges() -> None:
    """Samples of one order are worth having only above 0, so a judge has a temperature; a contestant has its own."""
    assert model_of().endpoint == new_endpoint(Wish(litellm="openai/gpt-x"))
    assert "temperature" not in new_endpoint(Wish(litellm="openai/gpt-x")).wanted
    assert judge_of().endpoint.wanted == {"max_tokens": 2048, "temperature": JUDGE_TEMPERATURE}
    assert judge_of(wish=Wish(litellm="sim/judge", temperature=0)).endpoint.wanted["temperature"] == 0
    assert judge_of(wish=Wish(litellm="sim/judge", params={"temperature": 0})).endpoint.wanted["temperature"] == 0


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"litellm": "gpt-x"}, "litellm"),
        ({"litellm": "opnai/gpt-x"}, "openai/gpt-x"),
        ({"temperature": 2.01}, "temperature 2.01"),
        ({"temperature": math.nan}, "temperature"),
        ({"max_tokens": 0}, "max_tokens 0"),
        ({"params": {"max_tokens": 2.5}}, "max_tokens 2.5"),
        ({"params": {"max_tokens": True}}, "max_tokens True"),
        ({"params": {"temperature": "1"}}, "temperature '1'"),
        ({"params": {"temperature": 1}, "temperature": 1}, "temperature: given twice"),
        ({"params": {"x": math.inf}}, "param x"),
        ({"params": {"x": {"y": [1, -math.inf]}}}, "param x"),
        ({"params": {"n": 3}}, "params: n"),
        ({"params": {"api_key": "k"}}, "params: api_key"),
        ({"input_price": "1"}, "output_price"),
        ({"input_price": "1", "output_price": "-0.1"}, "output_price -0.1"),
        ({"input_price": "1", "output_price": "NaN"}, "output_price NaN"),
        ({"input_price": "1", "output_price": "1e7"}, "output_price 1e7"),
        ({"input_price": "", "output_price": "1"}, "input_price ''"),
        ({"input_price": "1e-9999999", "output_price": "1"}, "input_price 1e-9999999: it lies between 0 and 1000000"),
        ({"input_price": "1", "output_price": "0e9999999"}, "output_price 0e9999999"),
        ({"input_price": "1e9999999", "output_price": "1"}, "input_price 1e9999999"),
        ({"input_price": "0.0000000000001", "output_price": "1"}, "at most 12 decimals"),
        ({"input_price": "1" + "0" * 5000, "output_price": "1"}, "input_price 1000"),
        ({"input_price": "sNaN", "output_price": "1"}, "input_price sNaN"),
        ({"input_price": "1", "output_price": "1", "price_as": "x"}, "price_as"),
        ({"api_base": "file:///etc/passwd"}, "api_base 'file:///etc/passwd'"),
        ({"api_base": "http://"}, "api_base"),
        ({"api_key_env": "two words"}, "api_key_env"),
        ({"api_key_env": "K" * 101}, "api_key_env"),
        ({"region": "a\tb"}, "region"),
        ({"api_version": ""}, "api_version"),
    ],
)
def test_a_bad_wish_is_refused_by_its_field(wish: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        model_of(**wish)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["", "k=", "-x=1", "two words=1"])
def test_a_parameter_is_a_name_and_a_value(name: str) -> None:
    if name == "k=":
        assert parse_params([name]) == {"k": ""}
        return
    with pytest.raises(BadInput, match="name=value"):
        parse_params([name])


def test_a_parameter_that_is_json_is_taken_as_such() -> None:
    items = ["a=1", "b=1.5", "c=true", "d=null", "e=[1, 2]", 'f={"g": "h"}', "i=word", 'j="1"', " k =x=y", "l=01"]
    assert parse_params(items) == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": None,
        "e": [1, 2],
        "f": {"g": "h"},
        "i": "word",
        "j": "1",
        "k": "x=y",
        "l": "01",
    }


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_temperature_is_kept_or_refused_never_changed(temperature: float) -> None:
    wish = Wish(litellm="sim/contestant", temperature=temperature)
    if 0 <= temperature <= 2:
        assert new_endpoint(wish).wanted["temperature"] == temperature
    else:
        with pytest.raises(BadInput, match="temperature"):
            new_endpoint(wish)


AMOUNTS = st.decimals(allow_nan=True, allow_infinity=True) | st.decimals(0, 1_000_000, places=12)


@given(AMOUNTS)
def test_a_price_is_kept_to_the_last_digit_or_refused(amount: Decimal) -> None:
    wish = Wish(litellm="sim/contestant", input_price=str(amount), output_price="0")
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and 0 <= amount <= 1_000_000 and -12 <= exponent <= 6:
        assert new_endpoint(wish).price == Price(amount, Decimal(0))
    else:
        with pytest.raises(BadInput, match="input_price"):
            new_endpoint(wish)


@pytest.mark.parametrize(
    ("wish", "environ", "missing"),
    [
        ({}, {}, "OPENAI_API_KEY"),
        ({}, {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        ({}, {"OPENAI_API_KEY": "k"}, None),
        ({"api_key_env": "MINE"}, {"OPENAI_API_KEY": "k"}, "MINE"),
        ({"api_key_env": "MINE"}, {"MINE": "k"}, None),
        ({"api_base": "http://127.0.0.1/v1"}, {}, None),
        ({"api_base": "http://127.0.0.1/v1", "api_key_env": "MINE"}, {}, "MINE"),
        ({"litellm": "sim/contestant"}, {}, None),
        ({"litellm": "ollama/x", "api_base": "http://127.0.0.1:11434"}, {}, None),
    ],
)
def test_a_model_sleeps_until_its_key_is_there(
    wish: dict[str, Any], environ: dict[str, str], missing: str | None
) -> None:
    model = model_of(environ=environ, **wish)
    assert model.endpoint is not None
    assert missing_key(model.endpoint, environ) == missing
    asleep = ("asleep", f"{missing} is not set")
    assert (model.state, model.reason) == (asleep if missing else ("active", None))
    assert roused(replace(model, state="paused"), environ).state == "paused"
    assert roused(replace(model, state="asleep", reason="x"), {**environ, str(missing): "k"}).state == "active"


def test_imported_models_never_sleep() -> None:
    imported = Model(id="m", endpoint=None)
    assert roused(imported, {}) == imported


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"samples": 0}, "samples 0"),
        ({"samples": 101}, "samples 101"),
        ({"template": "x"}, "comparing"),
        ({"protocol": "x"}, "swap"),
    ],
)
def test_a_bad_judge_is_refused_by_its_field(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        judge_of(**change)


def test_the_fingerprint_is_about_everything_that_is_sent() -> None:
    """Protocol and number of samples say how often a judge is asked, not what it is asked."""
    judge = judge_of()
    same = [
        replace(judge, protocol="swap"),
        replace(judge, samples=9),
        replace(judge, id="other"),
        replace(judge, family="f"),
    ]
    others = [
        replace(judge, rubric="Be kind."),
        replace(judge, system="Be brief."),
        replace(judge, template="scoring"),
        replace(judge, endpoint=replace(judge.endpoint, litellm="sim/other")),
        replace(judge, endpoint=replace(judge.endpoint, sent={"temperature": 0})),
    ]
    wanted = fingerprinted(judge).fingerprint
    assert {fingerprinted(each).fingerprint for each in same} == {wanted}
    assert len({fingerprinted(each).fingerprint for each in [judge, *others]}) == 1 + len(others)


def resolved(endpoint: Endpoint, now: str) -> Endpoint:
    return replace(endpoint, sent=dict(endpoint.wanted), resolved_at=now)


def refusing(endpoint: Endpoint, now: str) -> Endpoint:
    raise BadInput(f"{endpoint.litellm} cannot be resolved at {now}")


def test_enrolling_resolves_and_refuses_what_is_taken(tmp_path: Path) -> None:
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    sim = Wish(litellm="sim/contestant")
    try:
        added = enrol_model(ledger, model_of(" m ", litellm="sim/contestant"), resolved, NOW)
        assert (added.id, added.endpoint.sent if added.endpoint else None) == ("m", {"max_tokens": 2048})
        unchecked = enrol_model(ledger, model_of("later", litellm="sim/contestant"), None, NOW)
        assert unchecked.endpoint == new_endpoint(sim)
        for taken in ("m", " m", "M", "ｍ"):
            with pytest.raises(Conflict):
                enrol_model(ledger, model_of(taken, litellm="sim/contestant"), resolved, NOW)
        with pytest.raises(Conflict):  # said before the slow part, whose trouble would hide it
            enrol_model(ledger, model_of("m", litellm="sim/contestant"), refusing, NOW)
        with pytest.raises(BadInput, match="cannot be resolved"):
            enrol_model(ledger, model_of("n", litellm="sim/contestant"), refusing, NOW)
        judge = enrol_judge(ledger, judge_of(), resolved, NOW)
        with pytest.raises(BadInput, match="cannot be resolved"):
            enrol_judge(ledger, replace(judge_of(), id="k"), refusing, NOW)
        with ledger.read() as tx:
            assert [model.id for model in models.all(tx)] == ["later", "m"]
            assert [each.fingerprint for each in judges.all(tx)] == [judge.fingerprint]
            assert judge.fingerprint is not None
    finally:
        ledger.close()


@pytest.mark.parametrize(
    ("state", "verb", "after"),
    [
        ("active", "pause", "paused"),
        ("asleep", "pause", "paused"),
        ("paused", "pause", None),
        ("retired", "pause", None),
        ("paused", "resume", "active"),
        ("active", "resume", None),
        ("asleep", "resume", None),
        ("retired", "resume", None),
        ("active", "retire", "retired"),
        ("paused", "retire", "retired"),
        ("retired", "retire", None),
    ],
)
def test_states_move_in_one_direction(tmp_path: Path, state: Any, verb: str, after: str | None) -> None:
    ledger = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    try:
        with ledger.write() as tx:
            models.add(tx, Model(id="m", endpoint=None, state=state, reason="why"))
        if after is None:
            with pytest.raises(BadInput, match=f"it is {state}"):
                move_model(ledger, "m", verb)
        else:
            assert move_model(ledger, "m", verb).state == after
        with ledger.read() as tx:
            assert models.get(tx, "m").state == (after or state)
    finally:
        ledger.close()
