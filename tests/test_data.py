"""The shipped defaults: prompts with their right answers, models, judges, settings."""

from __future__ import annotations

import io
import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import date, datetime, timedelta
from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.protocol import PROTOCOLS
from leaderboard.core.templates import FAMILIES
from leaderboard.providers.routes import PROVIDERS, check_route, key_variable
from leaderboard.settings import Settings

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
PROMPTS: list[dict[str, Any]] = [json.loads(line) for line in (DATA / "prompts.jsonl").read_text("utf-8").splitlines()]
BY_ID = {prompt["id"]: prompt for prompt in PROMPTS}
MODELS: list[dict[str, Any]] = tomllib.loads((DATA / "models.toml").read_text("utf-8"))["model"]
JUDGES: list[dict[str, Any]] = tomllib.loads((DATA / "judges.toml").read_text("utf-8"))["judge"]
ENDPOINTS = [pytest.param(entry, id=entry["id"]) for entry in MODELS + JUDGES]
SETTINGS_TEXT = (DATA / "tournament.toml").read_text("utf-8")
NAMES_CHECKED_ON = date(2026, 11, 30)


# -- prompts -----------------------------------------------------------------------------------------------------------


def test_the_prompts_are_spread_evenly_over_languages_and_categories() -> None:
    spread = Counter((prompt["category"], prompt["language"]) for prompt in PROMPTS)
    categories = {category for category, _ in spread}
    assert len(categories) == 8
    assert spread == {(category, language): n for category in categories for language, n in (("en", 2), ("nl", 1))}


@pytest.mark.parametrize("first", range(3, 25))
def test_the_first_prompts_are_as_mixed_as_all_of_them(first: int) -> None:
    """Whoever plays only the first N plays both languages, and no category more than once more than another."""
    some = PROMPTS[:first]
    categories = Counter(prompt["category"] for prompt in some)
    assert len(categories) == min(first, 8)
    assert max(categories.values()) - min(categories.values()) <= 1
    assert abs(sum(prompt["language"] == "nl" for prompt in some) - first / 3) < 1


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt["id"])
def test_a_prompt_is_complete(prompt: dict[str, Any]) -> None:
    turns = prompt.get("turns", [prompt.get("text")])
    assert re.fullmatch(rf"{prompt['language']}-{prompt['category']}-[12]", prompt["id"])
    assert ("text" in prompt) != ("turns" in prompt)
    assert all(isinstance(turn, str) and len(turn) > 20 for turn in turns)
    assert (prompt["group"] == "one-answer") == ("reference" in prompt)
    assert json.dumps(prompt, ensure_ascii=False) == unicodedata.normalize(
        "NFC", json.dumps(prompt, ensure_ascii=False)
    )
    assert prompt.keys() <= {"id", "text", "turns", "category", "language", "group", "system", "reference"}


def test_the_prompts_differ_and_some_have_more_than_one_part() -> None:
    assert len(BY_ID) == len({json.dumps(prompt.get("turns") or prompt["text"]) for prompt in PROMPTS}) == 24
    assert sum(len(prompt.get("turns", [])) == 2 for prompt in PROMPTS) >= 2
    assert {prompt["language"] for prompt in PROMPTS if "system" in prompt} == {"en", "nl"}


# -- right answers, worked out here ------------------------------------------------------------------------------------


def shelf() -> str:
    def fits(at: dict[str, int]) -> bool:
        q_next_to_t = at["Q"] == at["T"] + 1
        apart = abs(at["P"] - at["R"]) > 1
        return q_next_to_t and at["R"] not in (0, 4) and at["P"] < at["T"] and at["S"] > at["R"] and apart

    (only,) = [row for row in permutations("PQRST") if fits({parcel: place for place, parcel in enumerate(row)})]
    return ", ".join(only)


def cooks() -> str:
    days = ("Maandag", "dinsdag", "woensdag", "donderdag")

    def fits(day: dict[str, int]) -> bool:
        daan_before_joris = day["Daan"] < day["Joris"] and day["Joris"] - day["Daan"] != 1
        return day["Fleur"] == day["Sanne"] + 1 and day["Daan"] != 3 and daan_before_joris

    everybody = ("Sanne", "Joris", "Fleur", "Daan")
    (only,) = [row for row in permutations(everybody) if fits({name: day for day, name in enumerate(row)})]
    return ", ".join(f"{day} {name}" for day, name in zip(days, only, strict=True))


def tank() -> str:
    taps, drain = Fraction(1, 6) + Fraction(1, 4), Fraction(1, 3)
    at_eleven = taps + 2 * (taps - drain)
    hours = 11 + (1 - at_eleven) / taps
    return f"{int(hours)}:{int(hours % 1 * 60):02}"


def marbles() -> str:
    draws = list(combinations("RRRRRBBBGG", 3))
    return str(Fraction(sum(len(set(draw)) == 2 for draw in draws), len(draws)))


def bicycle() -> str:
    old = Fraction(1190) / (1 - Fraction(15, 100))
    share = (1190 + 35) / old * 100
    return f"De fiets kostte € {dutch(old)}; fiets en slot samen zijn € {dutch(1190 + 35)}, dat is {dutch(share)}%"


def dutch(number: Fraction | int) -> str:
    return f"{float(number):,.10g}".translate(str.maketrans(",.", ".,"))


def printed() -> str:
    (program,) = re.findall(r"```python\n(.*?)```", BY_ID["en-coding-2"]["text"], re.DOTALL)
    with redirect_stdout(io.StringIO()) as output:
        exec(program, {})
    return output.getvalue().strip()


def meeting() -> str:
    written = date(2026, 3, 12)
    assert written.strftime("%A") == "Thursday"
    day = written - timedelta(days=written.weekday()) + timedelta(days=7 + 2)
    start = datetime(day.year, day.month, day.day, 13, 30)
    end = start + timedelta(hours=1, minutes=45)
    found = {"room": "Attic", "date": f"{day}", "start": f"{start:%H:%M}", "end": f"{end:%H:%M}", "people_in_room": 9}
    return json.dumps(found)


def unpaid() -> str:
    open_orders: dict[str, str] = {}
    for order, what, _, reason in re.findall(
        r"order (\d+) (payment failed|paid)( \((.*?)\))?", BY_ID["en-extraction-2"]["text"]
    ):
        if what == "paid":
            open_orders.pop(order, None)
        else:
            open_orders[order] = reason
    return "\n".join(f"{order}: {reason}" for order, reason in open_orders.items())


@pytest.mark.parametrize(
    ("prompt_id", "work_out"),
    [
        ("en-reasoning-1", shelf),
        ("nl-reasoning-1", cooks),
        ("en-math-1", tank),
        ("en-math-2", marbles),
        ("nl-math-1", bicycle),
        ("en-coding-2", printed),
        ("en-extraction-1", meeting),
        ("en-extraction-2", unpaid),
    ],
)
def test_a_reference_is_right(prompt_id: str, work_out: Callable[[], str]) -> None:
    """A wrong reference would teach the judge to punish the right answer."""
    assert BY_ID[prompt_id]["reference"].startswith(work_out())


# -- models and judges -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def price_table() -> dict[str, Any]:
    """litellm's own table, read without importing litellm."""
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin).with_name("model_prices_and_context_window_backup.json")
    table: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return table


@pytest.mark.parametrize("entry", ENDPOINTS)
def test_a_model_is_known_priced_and_not_withdrawn(entry: dict[str, Any], price_table: dict[str, Any]) -> None:
    provider, _, name = entry["litellm"].partition("/")
    known = price_table.get(entry["litellm"]) or price_table[name]
    assert known["litellm_provider"] == provider
    assert known["mode"] == "chat"
    assert known["input_cost_per_token"] > 0
    assert known["output_cost_per_token"] > 0
    assert date.fromisoformat(known.get("deprecation_date", "9999-12-31")) > NAMES_CHECKED_ON
    assert entry["max_tokens"] <= known["max_output_tokens"]


@pytest.mark.parametrize("entry", ENDPOINTS)
def test_a_model_names_the_variable_that_holds_its_key(entry: dict[str, Any]) -> None:
    check_route(entry["litellm"])
    assert entry["key"] == key_variable(entry["litellm"])


def test_there_are_enough_providers_to_choose_from() -> None:
    models, judges = ({entry["litellm"].split("/")[0] for entry in entries} for entries in (MODELS, JUDGES))
    assert len(models) >= 8
    assert len(judges) >= 3
    assert models | judges <= PROVIDERS


@pytest.mark.parametrize("entries", [MODELS, JUDGES])
def test_ids_are_unlike_each_other(entries: list[dict[str, Any]]) -> None:
    ids = [entry["id"] for entry in entries]
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in ids}) == len(ids)
    assert all(entry["family"] for entry in entries)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge["id"])
def test_a_judge_reads_in_both_orders_evidence_first(judge: dict[str, Any]) -> None:
    assert judge["template"] in FAMILIES
    assert judge["protocol"] in PROTOCOLS
    assert (judge["template"], judge["protocol"], judge["samples"]) == ("scoring_evidence", "mec_bpc", 3)


@pytest.mark.parametrize(("file", "entries"), [("models", MODELS), ("judges", JUDGES)])
def test_the_files_say_when_the_names_were_checked(file: str, entries: list[dict[str, Any]]) -> None:
    text = (DATA / f"{file}.toml").read_text("utf-8")
    assert f"checked on {NAMES_CHECKED_ON}" in text
    assert len(entries) == text.count(f"[[{file.removesuffix('s')}]]")


# -- settings ----------------------------------------------------------------------------------------------------------


def uncommented() -> dict[str, Any]:
    return tomllib.loads(re.sub(r"(?m)^# (?=\w+ = |\[\[)", "", SETTINGS_TEXT))


def test_the_settings_that_are_on_are_the_defaults() -> None:
    assert Settings(**tomllib.loads(SETTINGS_TEXT)) == Settings()


def test_every_setting_stands_in_the_file_and_its_example_is_valid() -> None:
    assert uncommented().keys() == Settings.model_fields.keys()
    settings = Settings(**uncommented())
    assert {schedule.job for schedule in settings.schedule} == {"tournament", "screening"}
    assert settings.judge in {judge["id"] for judge in JUDGES}


def test_every_setting_is_explained() -> None:
    """Each line that sets something has a comment above it or stands below one that has."""
    blocks = SETTINGS_TEXT.strip().split("\n\n")
    assert all(block.startswith("# ") for block in blocks)
