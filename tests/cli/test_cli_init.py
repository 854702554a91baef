"""`leaderboard init`: what it makes, keeps, wakes and says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from leaderboard.cli.init import next_steps
from leaderboard.cli.options import DEFAULT_HOME
from tests.cli.terminal import files_under, ledger_rows, typed

MODELS = """\
[[model]]
id = "mine"
litellm = "openai/mine"
api_base = "http://127.0.0.1:9/v1"
input_price = 0
output_price = 0

[[model]]
id = "theirs"
litellm = "openai/theirs"
key = "THEIR_API_KEY"
"""
JUDGES = '[[judge]]\nid = "fair"\nlitellm = "openai/fair"\nkey = "THEIR_API_KEY"\nsamples = 2\n'


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A folder with lists of its own."""
    home = tmp_path / "listed"
    home.mkdir()
    (home / "models.toml").write_text(MODELS)
    (home / "judges.toml").write_text(JUDGES)
    return home


def test_it_writes_settings_lists_and_prompts_and_says_why_models_sleep(tmp_path: Path) -> None:
    ran = typed("init", "--home", "new")
    assert ran.code == 0
    files = {path.name for path in (tmp_path / "new").iterdir()}
    assert {"tournament.toml", "models.toml", "judges.toml", "ledger.sqlite", "secret", "admin.key"} <= files
    assert "OPENAI_API_KEY is not set" in ran.out
    assert ran.out.splitlines()[0] == "new: 24 prompts"
    assert "leaderboard init --home new" in ran.out
    for name in ("tournament.toml", "models.toml", "judges.toml"):
        text = (tmp_path / "new" / name).read_text()
        assert text.startswith("#")
        tomllib.loads(text)


def test_secrets_are_for_their_owner_alone(bare: Path) -> None:
    modes = {name: (bare / name).stat().st_mode & 0o777 for name in ("secret", "admin.key")}
    assert modes == {"secret": 0o600, "admin.key": 0o600}


def test_again_keeps_everything(listed: Path) -> None:
    first = typed("init", "--home", listed, "--json").json
    (listed / "tournament.toml").write_text("top_k = 2\n")
    before = ledger_rows(listed), {name: text for name, text in files_under(listed).items() if "sqlite" not in name}
    assert typed("init", "--home", listed, "--json").json == first
    after = ledger_rows(listed), {name: text for name, text in files_under(listed).items() if "sqlite" not in name}
    assert after == before


def test_a_key_that_appears_wakes_who_waited_for_it(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = typed("init", "--home", listed, "--json").json
    states = {each["id"]: (each["state"], each["reason"]) for each in [*made["models"], *made["judges"]]}
    asleep = ("asleep", "THEIR_API_KEY is not set")
    assert states == {"mine": ("active", None), "theirs": asleep, "fair": asleep}
    monkeypatch.setenv("THEIR_API_KEY", "a-key")
    woken = typed("init", "--home", listed, "--json").json
    assert {each["state"] for each in [*woken["models"], *woken["judges"]]} == {"active"}
    assert not any(b"a-key" in content for content in files_under(listed).values())


def test_a_paused_model_stays_paused_when_its_key_appears(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed("init", "--home", listed)
    assert typed("models", "pause", "theirs", "--home", listed).code == 0
    monkeypatch.setenv("THEIR_API_KEY", "a-key")
    states = {each["id"]: each["state"] for each in typed("init", "--home", listed, "--json").json["models"]}
    assert states["theirs"] == "paused"


def test_a_new_entry_of_the_list_is_taken_up(listed: Path) -> None:
    typed("init", "--home", listed)
    with (listed / "models.toml").open("a") as file:
        file.write('[[model]]\nid = "newcomer"\nlitellm = "sim/contestant"\n')
    assert "newcomer" in [each["id"] for each in typed("init", "--home", listed, "--json").json["models"]]


def test_bare_is_empty(bare: Path) -> None:
    found = typed("init", "--bare", "--home", bare, "--json").json
    assert (found["prompts"], found["models"], found["judges"]) == (0, [], [])
    assert not (bare / "models.toml").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[[{0}]\n", ["not valid TOML", "line 1"]),
        ("{0} = 3", ["[[{0}]]"]),
        ("[[modle]]\nid = 'a'", ["'modle'"]),
        ("[[{0}]]\nlitellm = 'sim/{1}'", ["number 1", "id is missing"]),
        ("[[{0}]]\nid = 'a'", ["number 1", "litellm is missing"]),
        ("[[{0}]]\nid = 5\nlitellm = 'sim/{1}'", ["number 1", "id must be a text"]),
        ("[[{0}]]\nid = \"a\\u0000\"\nlitellm = 'sim/{1}'", ["control character"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'anthorpic/x'", ["{0} a", "anthropic/x"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ntemprature = 1", ["(a)", "'temprature'", "'temperature'"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ntemperature = 3", ["{0} a", "temperature 3"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ntemperature = 'hot'", ["(a)", "temperature must be a number"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ntemperature = nan", ["{0} a", "temperature"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\napi_base = 3", ["(a)", "api_base must be a text"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\nparams = 3", ["(a)", "params must be a table"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\nparams = {{ x = [inf] }}", ["{0} a", "param x"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\nstrict = 'yes'", ["(a)", "strict must be true or false"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ninput_price = nan\noutput_price = 1", ["{0} a", "input_price nan"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ninput_price = true", ["(a)", "input_price must be a number"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\ninput_price = 1", ["{0} a", "output_price"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\n[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'", ["number 2", "'a'"]),
        ("[[{0}]]\nid = 'a'\nlitellm = 'sim/{1}'\n[[{0}]]\nid = 'A'\nlitellm = 'sim/{1}'", ["number 2", "'A'"]),
    ],
)
@pytest.mark.parametrize(("noun", "route"), [("model", "contestant"), ("judge", "judge")])
def test_a_bad_list_is_refused_by_file_and_entry_and_nothing_is_made(
    tmp_path: Path, noun: str, route: str, content: str, said: list[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    file = home / f"{noun}s.toml"
    file.write_text(content.format(noun, route))
    refusal = typed("init", "--home", "home").refusal
    assert f"{noun}s.toml" in refusal
    assert all(part.format(noun) in refusal for part in said)
    assert list(home.iterdir()) == [file]


@pytest.mark.parametrize("samples", ["0", "2.5", "true", "'3'"])
def test_bad_samples_of_a_listed_judge_are_refused(tmp_path: Path, samples: str) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "judges.toml").write_text(f"[[judge]]\nid = 'a'\nlitellm = 'sim/judge'\nsamples = {samples}")
    assert "samples" in typed("init", "--home", "home").refusal


def test_bad_settings_stop_it_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "tournament.toml").write_text("top_k = ")
    assert "tournament.toml" in typed("init", "--home", "home").refusal
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["tournament.toml"]


@pytest.mark.parametrize(
    ("models", "judges", "first"),
    [
        (["active", "active", "asleep"], ["active"], "leaderboard models check"),
        (["active", "asleep"], ["active"], "leaderboard init"),
        (["active", "active"], ["asleep"], "leaderboard init"),
        ([], [], "leaderboard models add"),
        (["active"], ["active"], "leaderboard models add"),
    ],
)
def test_the_last_lines_say_what_to_type_next(models: list[str], judges: list[str], first: str) -> None:
    assert first in next_steps(Path("there"), models, judges)[0]
    assert all("--home there" in line or "own" in line for line in next_steps(Path("there"), models, judges))
    assert not any("--home" in line for line in next_steps(DEFAULT_HOME, models, judges))
