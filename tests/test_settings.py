"""Flags over environment over tournament.toml over defaults, and messages that name where a bad value stands."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.errors import BadInput
from leaderboard.schedules import seconds_of
from leaderboard.settings import Settings, load_settings, read_toml

ROOT = Path(__file__).parents[1]
LOADING = """
import sys
from pathlib import Path
from leaderboard.settings import load_settings
load_settings(Path(sys.argv[1]))
print("apscheduler" in sys.modules)
"""


@pytest.fixture(autouse=True)
def no_settings_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("LEADERBOARD_"):
            monkeypatch.delenv(name)


def file_with(folder: Path, content: str) -> Path:
    file = folder / "tournament.toml"
    file.write_text(content, encoding="utf-8")
    return file


def refusal(file: Path, flags: dict[str, object] | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        load_settings(file, flags)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("toml", "variable", "flag", "expected"),
    [
        ("", None, None, 5),
        ("top_k = 2", None, None, 2),
        ("top_k = 2", "3", None, 3),
        ("", "3", None, 3),
        ("top_k = 2", "3", 4, 4),
        ("top_k = 2", None, 4, 4),
    ],
)
def test_what_stands_nearer_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toml: str, variable: str | None, flag: int | None, expected: int
) -> None:
    if variable is not None:
        monkeypatch.setenv("LEADERBOARD_TOP_K", variable)
    assert load_settings(file_with(tmp_path, toml), {"top_k": flag, "judge": None}).top_k == expected


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "tournament.toml")
    assert settings == Settings()
    assert (settings.seed, settings.budget, settings.judge, settings.cap) == (0, None, None, 10)


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    text = """
    seed = 7
    judge = "openai/gpt x"
    budget = 2.5
    keep_cap = 3
    allowed_api_bases = ["http://127.0.0.1:8080/v1"]
    [[schedule]]
    name = "nightly"
    job = "tournament"
    cron = "0 3 * * sun"
    [[schedule]]
    name = "often"
    job = "publish"
    every = "1.5m"
    """
    settings = load_settings(file_with(tmp_path, text))
    assert (settings.seed, settings.judge, settings.budget, settings.cap) == (7, "openai/gpt x", Decimal("2.5"), 3)
    assert settings.allowed_api_bases == ("http://127.0.0.1:8080/v1",)
    assert [(each.name, each.cron, each.every) for each in settings.schedule] == [
        ("nightly", "0 3 * * sun", None),
        ("often", None, "1.5m"),
    ]
    again = load_settings(file_with(tmp_path, text), {"top_k": 1})
    assert again.schedule == settings.schedule


def test_the_resolved_settings_can_be_kept_with_a_run(tmp_path: Path) -> None:
    settings = load_settings(file_with(tmp_path, "budget = 0.1"), {"top_k": 3})
    assert Settings.model_validate(settings.model_dump(mode="json")) == settings


BAD_VALUES = [
    ("top_k", "0", "must be greater than or equal to 1"),
    ("top_k", "2.5", "must be a valid integer"),
    ("samples", "0", "must be greater"),
    ("samples", "101", "must be less"),
    ("prompts", "0", "must be greater"),
    ("concurrency", "0", "must be greater"),
    ("call_timeout", "0", "must be greater"),
    ("call_timeout", "inf", "must be"),
    ("call_timeout", "nan", "must be"),
    ("max_attempts", "0", "must be greater"),
    ("retry_ceiling", "inf", "must be less"),
    ("budget", "-0.01", "must be greater"),
    ("budget", "nan", "must be a finite number"),
    ("budget", "inf", "must be a finite number"),
    ("budget", "1e12", "must be less"),
    ("keep_eps", "0", "must be greater"),
    ("gate_threshold", "1", "must be less"),
    ("gate", "'maybe'", "must be 'warn' or 'block'"),
    ("seed", "'x'", "must be a valid integer"),
    ("judge", "3", "must be a text"),
    ("allowed_api_bases", "'x'", "must be a list"),
    ("schedule", "3", "must be a list"),
]


@pytest.mark.parametrize(("name", "value", "said"), BAD_VALUES)
def test_a_bad_value_is_named_by_file_and_field(tmp_path: Path, name: str, value: str, said: str) -> None:
    file = file_with(tmp_path, f"{name} = {value}")
    assert refusal(file).startswith(f"{file}: {name}: ")
    assert said in refusal(file)


@pytest.mark.parametrize(
    ("name", "value", "said"), [case for case in BAD_VALUES if "'" not in case[1] and "'" not in case[2]][:12]
)
def test_a_bad_value_is_named_by_its_flag_or_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    file = file_with(tmp_path, "")
    assert refusal(file, {name: value}).startswith(f"--{name.replace('_', '-')}: ")
    assert said in refusal(file, {name: value})
    monkeypatch.setenv(f"LEADERBOARD_{name.upper()}", value)
    assert refusal(file).startswith(f"LEADERBOARD_{name.upper()}: ")


@pytest.mark.parametrize(
    ("lines", "place", "said"),
    [
        ("job = 'screening'\ncron = '0 3 * * 0'", "schedule 1 cron", "weekday '0': write names"),
        ("job = 'screening'\ncron = '* * * * 7'", "schedule 1 cron", "weekday '7'"),
        ("job = 'screening'\ncron = '* * * * mon-'", "schedule 1 cron", "weekday 'mon-'"),
        ("job = 'screening'\ncron = '* * * *'", "schedule 1 cron", "five fields"),
        ("job = 'screening'\nevery = '10'", "schedule 1 every", "a number and a unit"),
        ("job = 'screening'\nevery = '0s'", "schedule 1 every", "a number and a unit"),
        ("job = 'screening'\nevery = '1s'\ncron = '* * * * *'", "schedule 1", "either cron or every"),
        ("job = 'screening'", "schedule 1", "either cron or every"),
        ("job = 'sreening'\nevery = '1s'", "schedule 1 job", "must be 'screening'"),
        ("job = 'screening'\nevery = '1s'\nat = 3", "schedule 1 at", "not permitted"),
        ("every = '1s'", "schedule 1 job", "required"),
        ("job = 'refit'\ncron = '61 * * * *'", "schedule 1 cron", "minute '61': write numbers from 0 to 59"),
        ("job = 'refit'\ncron = '*/0 * * * *'", "schedule 1 cron", "minute '*/0': "),
        ("job = 'refit'\ncron = '* 24 * * *'", "schedule 1 cron", "hour '24': write numbers from 0 to 23"),
        ("job = 'refit'\ncron = '* 5-1 * * *'", "schedule 1 cron", "hour '5-1': "),
        ("job = 'refit'\ncron = '* * 0 * *'", "schedule 1 cron", "day '0': write numbers from 1 to 31"),
        ("job = 'refit'\ncron = '* * * x *'", "schedule 1 cron", "month 'x': write numbers from 1 to 12"),
        ("job = 'refit'\ncron = '* * * * sun-mon'", "schedule 1 cron", "weekday 'sun-mon': "),
        (f"job = 'refit'\ncron = '*/{'9' * 5000} * * * *'", "schedule 1 cron", "minute '*/999"),
        ("job = 'refit'\ncron = '* * 30 2 *'", "schedule 1 cron", "never comes"),
        ("job = 'refit'\ncron = '0 0 31 4,6,9,11 *'", "schedule 1 cron", "never comes"),
        ("job = 'refit'\nevery = '99999999999999d'", "schedule 1 every", "between '0.1s' and '366d'"),
        (f"job = 'refit'\nevery = '{'9' * 400}d'", "schedule 1 every", "between '0.1s' and '366d'"),
        ("job = 'refit'\nevery = '0.0001s'", "schedule 1 every", "between '0.1s' and '366d'"),
        ("job = 'refit'\nevery = '367d'", "schedule 1 every", "between '0.1s' and '366d'"),
    ],
)
def test_a_bad_schedule_is_named_by_its_number(tmp_path: Path, lines: str, place: str, said: str) -> None:
    file = file_with(tmp_path, f"[[schedule]]\nname = 'n'\n{lines}")
    assert refusal(file).startswith(f"{file}: {place}: ")
    assert said in refusal(file)
    assert len(refusal(file)) < len(str(file)) + 200


@pytest.mark.parametrize("cron", ["0 0 29 2 *", "0 0 29 2 mon", "*/15 0-6,22 1,15 jan-mar *", "59 23 31 12 sun"])
def test_what_comes_seldom_is_fine(tmp_path: Path, cron: str) -> None:
    file = file_with(tmp_path, f"[[schedule]]\nname = 'n'\njob = 'publish'\ncron = '{cron}'")
    assert load_settings(file).schedule[0].cron == cron


def test_a_name_is_for_one_schedule(tmp_path: Path) -> None:
    one = "[[schedule]]\nname = 'n'\njob = 'publish'\nevery = '1d'\n"
    file = file_with(tmp_path, one + one)
    assert refusal(file) == f"{file}: schedule: the name 'n' is given to more than one schedule"


@pytest.mark.parametrize(("line", "imported"), [("every = '1d'", False), ("cron = '0 3 * * *'", True)])
def test_the_scheduler_is_imported_only_for_a_cron_line(tmp_path: Path, line: str, imported: bool) -> None:
    """Every command reads settings, and most tournaments have no clock."""
    file = file_with(tmp_path, f"[[schedule]]\nname = 'n'\njob = 'publish'\n{line}")
    code = [sys.executable, "-c", LOADING, str(file)]
    assert subprocess.run(code, capture_output=True, text=True, check=True, cwd=ROOT).stdout == f"{imported}\n"


@pytest.mark.parametrize("days", ["*", "mon", "mon-fri", "sat,sun", "mon-wed,fri"])
def test_weekdays_by_name_are_fine(tmp_path: Path, days: str) -> None:
    file = file_with(tmp_path, f"[[schedule]]\nname = 'n'\njob = 'publish'\ncron = '0 3 * * {days}'")
    assert load_settings(file).schedule[0].cron == f"0 3 * * {days}"


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("topk = 3", "did you mean 'top_k'?"),
        ("zzz = 3", "there are: seed, "),
        ("[shedule]\nx = 1", "did you mean 'schedule'?"),
    ],
)
def test_an_unknown_setting_is_answered_with_known_ones(tmp_path: Path, toml: str, said: str) -> None:
    assert said in refusal(file_with(tmp_path, toml))


@pytest.mark.parametrize("name", ["SCHEDULE", "ALLOWED_API_BASES"])
def test_a_list_in_the_environment_is_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"LEADERBOARD_{name}", "[oops")
    assert name.lower() in refusal(file_with(tmp_path, ""))
    monkeypatch.setenv(f"LEADERBOARD_{name}", "[]")
    assert load_settings(file_with(tmp_path, "")) == Settings()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"seed = 1\ntop_k = = 2", "line 2"),
        (b"a = 1\na = 2", "overwrite"),
        (b"a = '\xff'", "utf-8"),
        (b"\0", ""),
        (b"a = " + b"9" * 5000, "4300"),
        (b"a = " + b"[" * 5000, "recursion"),
    ],
)
def test_what_is_not_toml_is_named_by_file(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "t.toml").write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_toml(tmp_path / "t.toml")
    assert str(caught.value).startswith(f"{tmp_path / 't.toml'}: not valid TOML: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("10s", 10), ("1.5m", 90), ("6h", 21600), ("1d", 86400), (" 2s ", 2)),
        *((text, None) for text in ("0s", "5", "-1s", "s", "1 s", "1e3s", "infs", "10sec", "")),
    ],
)
def test_intervals(text: str, expected: float | None) -> None:
    assert seconds_of(text) == expected


def test_settings_do_not_change_once_they_are_read() -> None:
    settings: Any = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.top_k = 3
