"""Adding models, judges, prompts and answers, as it reads at the keyboard and in the ledger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.ledger import outbox
from leaderboard.ledger.store import open_ledger
from tests.cli.terminal import ledger_rows, started, typed


@pytest.mark.parametrize("noun", ["models", "judges"])
def test_adding_says_what_is_sent_what_is_not_and_the_price(bare: Path, noun: str) -> None:
    shown = typed(noun, "add", "x", "--litellm", "openai/gpt-5", "--temperature", "0", "--home", bare).out
    lines = {line[:20].strip(): line[20:].strip() for line in shown.splitlines()}
    assert shown.startswith(f"added {noun[:-1]} x\n")
    assert lines["sent"].startswith("max_tokens = ")
    assert lines["not sent"].startswith("temperature: ")
    assert "per million tokens (litellm" in lines["price"]


def test_adding_says_when_the_price_is_unknown_and_what_to_do(bare: Path) -> None:
    shown = typed(
        "models", "add", "x", "--litellm", "openai/my-own", "--api-base", "http://127.0.0.1:9", "--home", bare
    )
    assert "price unknown; give it with --input-price and --output-price" in shown.out


@pytest.mark.parametrize("noun", ["models", "judges"])
def test_a_price_can_be_given_later(bare: Path, noun: str) -> None:
    add = ("add", "x", "--litellm", "openai/my-own", "--api-base", "http://127.0.0.1:9", "--home", bare)
    assert typed(noun, *add).code == 0
    prices = ("--input-price", "0.25", "--output-price", "1")
    assert typed(noun, "price", "x", *prices, "--home", bare).code == 0
    shown = typed(noun, "show", "x", "--json", "--home", bare).json
    assert (shown["input_price"], shown["output_price"], shown["price_source"]) == (0.25, 1.0, "operator")
    assert (
        "input_price" in typed(noun, "price", "x", "--input-price", "-1", "--output-price", "1", "--home", bare).refusal
    )
    assert f"no {noun[:-1]} 'y'" in typed(noun, "price", "y", *prices, "--home", bare).refusal


def test_adding_says_what_the_model_waits_for(bare: Path) -> None:
    add = ("models", "add", "x", "--litellm", "openai/gpt-5", "--api-key-env", "SOME_KEY", "--home", bare)
    assert "asleep: SOME_KEY is not set" in typed(*add).out


def test_strict_refuses_instead_of_leaving_out(bare: Path) -> None:
    before = ledger_rows(bare)
    add = ("models", "add", "x", "--litellm", "openai/gpt-5", "--temperature", "0", "--strict", "--home", bare)
    assert "temperature" in typed(*add).refusal
    assert ledger_rows(bare) == before


def test_a_judge_takes_what_a_model_takes_and_its_own(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "rubric.txt").write_text("Prefer the shorter answer.")
    shared = [
        "--litellm",
        "openai/own",
        "--api-base",
        "http://127.0.0.1:9/v1",
        "--api-key-env",
        "K",
        "--api-version",
        "2",
    ]
    shared += ["--region", "eu", "--temperature", "0.5", "--max-tokens", "77", "--system", "Be brief.", "--family", "f"]
    shared += ["--param", "top_p=0.9", "--input-price", "1.5", "--output-price", "2", "--json", "--home", str(bare)]
    own = ["--template", "comparing", "--protocol", "swap", "--samples", "1", "--rubric", "rubric.txt"]
    model = typed("models", "add", "m", *shared).json
    judge = typed("judges", "add", "j", *shared, *own).json
    apart = {"id", "state", "reason", "imported", "created_at", "resolved_at"}
    assert {name: value for name, value in model.items() if name not in apart}.items() <= judge.items()
    assert (judge["template"], judge["protocol"], judge["samples"]) == ("comparing", "swap", 1)
    assert judge["rubric"] == "Prefer the shorter answer."
    assert model["wanted"] == {"top_p": 0.9, "max_tokens": 77, "temperature": 0.5}
    assert typed("judges", "show", "j", "--json", "--home", bare).json == judge


def test_states_move_only_where_it_makes_sense(demo_home: Path) -> None:
    def at(verb: str) -> str:
        ran = typed("models", verb, "sim-elm", "--home", demo_home)
        return ran.out or ran.refusal

    assert [at("pause"), at("resume")] == ["sim-elm is paused\n", "sim-elm is active\n"]
    assert "it is active" in at("resume")
    assert at("retire") == "sim-elm is retired\n"
    assert "it is retired" in at("resume")


AWKWARD = {
    "nul": "a\x00b",
    "zwj": "\U0001f469\u200d\U0001f4bb",
    "separators": "one\u2028two\u2029three\x85four\x1cfive",
    "surrogate": "half \ud83d of it",
    "pair": "\ud83d\ude00",
    "empty": "",
    "lines": "first\r\nsecond\n",
}
STORED = {**AWKWARD, "surrogate": "half \ufffd of it", "pair": "\U0001f600"}


def test_awkward_answers_are_stored_whole(bare: Path, tmp_path: Path) -> None:
    """One record a line feed, whatever else looks like the end of a line; a lone surrogate is replaced and noted."""
    (tmp_path / "p.jsonl").write_text("\n".join(f'{{"id": "{name}", "text": "say it"}}' for name in AWKWARD))
    typed("prompts", "import", "p.jsonl", "--home", bare)
    lines = [json.dumps({"prompt_id": name, "text": text}) for name, text in AWKWARD.items()]
    raw = json.dumps({"prompt_id": "separators", "text": AWKWARD["separators"].replace("\x1c", "")}, ensure_ascii=False)
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "raw.jsonl").write_text(raw, encoding="utf-8")
    take = ("models", "import-answers", "m", "--home", bare, "--json")
    assert typed(*take, "a.jsonl").json == {"model": "m", "imported": len(AWKWARD), "known": 0, "missing": []}
    assert typed(*take, "a.jsonl").json["known"] == len(AWKWARD)
    assert typed("models", "import-answers", "raw", "raw.jsonl", "--home", bare, "--json").json["imported"] == 1
    texts, notes = stored_answers(bare, "m")
    assert texts == STORED
    assert notes == {"surrogate"}
    assert stored_answers(bare, "raw")[0] == {"separators": AWKWARD["separators"].replace("\x1c", "")}


def stored_answers(home: Path, model: str) -> tuple[dict[str | None, str], set[str | None]]:
    """The texts by prompt as the history will get them, and the prompts whose text has a note."""
    ledger = open_ledger(f"sqlite:///{home / 'ledger.sqlite'}")
    try:
        with ledger.write() as tx:
            outbox.assign(tx, f"batch-{model}", 1000, "2026-01-01T00:00:00.000000Z")
            facts = [fact for batch in outbox.unpublished(tx) for fact in batch.requests if fact.request.model == model]
    finally:
        ledger.close()
    payloads = {fact.request.prompt_id: fact.payload or {} for fact in facts}
    return {name: each["text"] for name, each in payloads.items()}, {n for n, each in payloads.items() if each["note"]}


def test_missing_answers_are_named(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text("\n".join(f'{{"id": "p{i}", "text": "say {i}"}}' for i in range(20)))
    typed("prompts", "import", "p.jsonl", "--home", bare)
    (tmp_path / "a.jsonl").write_text('{"prompt_id": "p0", "text": ""}')
    ran = typed("models", "import-answers", "m", "a.jsonl", "--home", bare)
    assert ran.out == "1 answer of m imported, 0 there already\n"
    assert "p1, p10, " in ran.err
    assert "and 9 more" in ran.err
    assert len(typed("models", "import-answers", "m", "a.jsonl", "--home", bare, "--json").json["missing"]) == 19


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"prompt_id": "nope", "text": "a"}', "line 1: there is no prompt 'nope'"),
        ('{"text": "a"}', "line 1: prompt_id is missing"),
        ('{"prompt_id": "one"}', "line 1: give either text or turns"),
        ('{"prompt_id": "one", "text": "a", "turns": ["a"]}', "line 1: give either text or turns"),
        ('{"prompt_id": "one", "text": 3}', "line 1: text must be a text"),
        ('{"prompt_id": "two", "turns": ["a"]}', "line 1: 'two' has 2 turns, its answer 1"),
        ('{"prompt_id": "one", "text": "a"}\n{"prompt_id": "one", "text": "b"}', "line 2: a second answer to 'one'"),
        ('{"prompt_id": "one", "text": "a"}\n{"prompt_id": "one", "te', "line 2: not a JSON object"),
    ],
)
def test_bad_answers_are_refused_as_a_whole(bare: Path, tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "one", "text": "a"}\n{"id": "two", "turns": ["a", "b"]}')
    typed("prompts", "import", "p.jsonl", "--home", bare)
    (tmp_path / "a.jsonl").write_text(content)
    before = ledger_rows(bare)
    assert f"a.jsonl, {said}" in typed("models", "import-answers", "m", "a.jsonl", "--home", bare).refusal
    assert ledger_rows(bare) == before


def test_a_model_with_an_endpoint_takes_no_answers(demo_home: Path, tmp_path: Path) -> None:
    prompt = typed("prompts", "list", "--json", "--home", demo_home).json["items"][0]
    (tmp_path / "a.jsonl").write_text(json.dumps({"prompt_id": prompt["id"], "turns": ["x"] * len(prompt["turns"])}))
    before = ledger_rows(demo_home)
    assert "endpoint" in typed("models", "import-answers", "sim-elm", "a.jsonl", "--home", demo_home).refusal
    assert ledger_rows(demo_home) == before


def test_importing_prompts_says_what_it_did(bare: Path, tmp_path: Path) -> None:
    rows = [{"id": "x", "text": "one"}, {"id": "x", "text": "one"}, {"id": "y", "text": "one", "langauge": "nl"}]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ran = typed("prompts", "import", "p.jsonl", "--home", bare)
    assert ran.out.splitlines() == [
        "2 prompts imported, 0 there already, 1 line repeated an earlier one",
        "note: the field 'langauge' means nothing here and was left out",
        "note: 'y' has the same text as 'x'",
    ]
    again = typed("prompts", "import", "p.jsonl", "--home", bare, "--json").json
    assert (again["imported"], again["known"], again["repeated"]) == (0, 2, 1)
    assert len(again["warnings"]) == 1


def test_formulas_are_texts_like_any_other(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(
        '\ufeffid,text\n=1+1,"=HYPERLINK(""http://x"";""y"")"\n-12.5,@SUM(A1)\n', encoding="utf-8"
    )
    assert typed("prompts", "import", "p.csv", "--home", bare).code == 0
    items = typed("prompts", "list", "--json", "--home", bare).json["items"]
    assert {each["id"]: each["turns"][0] for each in items} == {
        "=1+1": '=HYPERLINK("http://x";"y")',
        "-12.5": "@SUM(A1)",
    }


def test_an_id_that_begins_with_a_dash_is_given_after_two(bare: Path) -> None:
    assert typed("models", "add", "--litellm", "sim/contestant", "--home", bare, "--", "-x").code == 0
    assert typed("models", "show", "--json", "--home", bare, "--", "-x").json["id"] == "-x"


def test_bytes_that_are_no_text_are_refused_in_a_real_process(bare: Path, tmp_path: Path) -> None:
    ran = started("models", "show", "\udcff", "--home", bare, cwd=tmp_path)
    assert "U+DCFF" in ran.refusal
