"""Bad input: a few lines that name the place, exit 1, and nothing half-done."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import Ran, files_under, ledger_rows, started, typed

SIM = ("--litellm", "sim/contestant")


def refused(home: Path, *words: str | Path) -> str:
    """The refusal of a command that must leave the ledger as it is."""
    before = ledger_rows(home)
    said = typed(*words, "--home", home).refusal
    assert ledger_rows(home) == before
    return said


@pytest.mark.parametrize(
    ("route", "said"),
    [
        ("my-own-model", ["litellm", "openai/my-own-model"]),
        ("claude-opus-5", ["litellm", "anthropic/claude-opus-5"]),
        ("anthorpic/claude-opus-5", ["litellm", "'anthorpic'", "anthropic/claude-opus-5"]),
        ("OpenAI/gpt-5", ["litellm", "openai/gpt-5"]),
        ("openai/", ["litellm", "names no model"]),
        ("", ["litellm", "provider/name"]),
        ("openai/gpt 5", ["litellm", "space"]),
        ("sim/oracle", ["litellm", "contestant, judge"]),
    ],
)
@pytest.mark.parametrize("noun", ["models", "judges"])
def test_a_route_without_a_known_provider_is_refused_with_an_example(
    bare: Path, noun: str, route: str, said: list[str]
) -> None:
    refusal = refused(bare, noun, "add", "x", "--litellm", route)
    assert all(part in refusal for part in said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--temperature", "nan"], "temperature"),
        (["--temperature", "inf"], "temperature"),
        (["--temperature", "1e400"], "temperature"),
        (["--temperature", "3"], "temperature 3"),
        (["--temperature", "-0.1"], "temperature -0.1"),
        (["--max-tokens", "0"], "max_tokens 0"),
        (["--max-tokens", "2000000"], "max_tokens 2000000"),
        (["--param", "max_tokens=1.5"], "max_tokens 1.5"),
        (["--param", "temperature=true"], "temperature True"),
        (["--param", "temperature=1", "--temperature", "1"], "temperature: given twice"),
        (["--param", "top_p=NaN"], "param top_p"),
        (["--param", "top_p=1e400"], "param top_p"),
        (["--param", 'logit_bias={"50": [-Infinity]}'], "param logit_bias"),
        (["--param", "top_p"], "'top_p'"),
        (["--param", "messages=[]"], "params: messages"),
        (["--param", "colour=red"], "colour"),
        (["--input-price", "1"], "output_price"),
        (["--output-price", "1"], "input_price"),
        (["--input-price", "-1", "--output-price", "1"], "input_price -1"),
        (["--input-price", "1", "--output-price", "nan"], "output_price nan"),
        (["--input-price", "1e400", "--output-price", "1"], "input_price 1e400"),
        (["--input-price", "cheap", "--output-price", "1"], "input_price 'cheap'"),
        (["--input-price", "1", "--output-price", "1", "--price-as", "gpt-5"], "price_as"),
        (["--price-as", "no-such-model"], "no-such-model"),
        (["--api-base", "localhost:8080"], "api_base 'localhost:8080'"),
        (["--api-base", "http://[::1"], "api_base"),
        (["--api-key-env", "sk-live-0123456789"], "api_key_env"),
        (["--region", "eu\nwest"], "region"),
        (["--api-version", " "], "api_version"),
    ],
)
@pytest.mark.parametrize("noun", ["models", "judges"])
def test_a_bad_option_of_an_endpoint_is_refused_by_name(bare: Path, noun: str, options: list[str], said: str) -> None:
    route = "sim/contestant" if noun == "models" else "sim/judge"
    assert said in refused(bare, noun, "add", "x", "--litellm", route, *options)


@pytest.mark.parametrize("secret", ["http://user:hunter2@example.com/v1", "https://hunter2@example.com"])
def test_a_password_in_an_address_is_not_repeated(bare: Path, secret: str) -> None:
    assert "hunter2" not in refused(bare, "models", "add", "x", *SIM, "--api-base", secret)
    assert "sk-live" not in refused(bare, "models", "add", "x", *SIM, "--api-key-env", "sk-live-1")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--samples", "0"], "samples 0"),
        (["--samples", "101"], "samples 101"),
        (["--template", "scorng"], "scoring_evidence"),
        (["--protocol", "mec_bcp"], "mec_bpc"),
        (["--rubric", "nowhere.txt"], "nowhere.txt: No such file"),
        (["--rubric", "."], "Is a directory"),
    ],
)
def test_a_bad_judge_is_refused_by_name(bare: Path, options: list[str], said: str) -> None:
    assert said in refused(bare, "judges", "add", "x", "--litellm", "sim/judge", *options)


@pytest.mark.parametrize(
    "name", ["meta llama/3 70b: free", "openrouter/meta-llama/llama-3:free", "ë" * 200, "=1+1", "模型"]
)
def test_an_id_with_slashes_spaces_or_any_letters_is_fine(bare: Path, name: str) -> None:
    assert typed("models", "add", name, *SIM, "--home", bare).code == 0
    assert typed("models", "show", name, "--json", "--home", bare).json["id"] == name


@pytest.mark.parametrize(
    "name",
    ["a\x00b", "a\nb", "a\u200bb", "a\u202eb", "\u2066a", "a\u2028b", "a\ufe0f", "\udc80", "", "   ", "x" * 201],
    ids=ascii,
)
def test_an_id_that_cannot_be_seen_or_kept_is_refused(bare: Path, name: str) -> None:
    assert "id" in refused(bare, "models", "add", name, *SIM)
    assert "id" in refused(bare, "judges", "add", name, "--litellm", "sim/judge")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("gpt-x", "gpt-x"),
        ("gpt-x", " gpt-x "),
        ("gpt-x", "GPT-X"),
        ("café", "cafe\u0301"),
        ("Å", "\u212b"),
        ("ﬁne", "fine"),
        ("gpt-x", "ｇpt-x"),
        ("gpt-x", "gpt-\u0445"),
        ("straße", "STRASSE"),
    ],
)
def test_a_second_id_that_looks_like_the_first_is_refused(bare: Path, first: str, second: str) -> None:
    assert typed("models", "add", first, *SIM, "--home", bare).code == 0
    assert first in refused(bare, "models", "add", second, *SIM) or "exists already" in refused(
        bare, "models", "add", second, *SIM
    )


def test_two_routes_that_end_alike_are_two_models(bare: Path) -> None:
    for name in ("openai/gpt-x", "azure/gpt-x"):
        assert typed("models", "add", name, *SIM, "--home", bare).code == 0
    assert "exists already" in refused(bare, "models", "add", "openai/gpt-x", *SIM)
    listed = typed("models", "list", "--json", "--home", bare).json["items"]
    assert {item["id"] for item in listed} == {"openai/gpt-x", "azure/gpt-x"}


def test_an_unknown_name_is_answered_with_close_ones(demo_home: Path) -> None:
    assert "sim-hazel" in refused(demo_home, "models", "show", "sim-hazle")
    assert "sim-judge-fair" in refused(demo_home, "judges", "show", "sim-judge-fare")
    assert "sim-judge-fair" in refused(demo_home, "run", "--judge", "nobody", "-y")
    assert "sim-judge-biased" in refused(demo_home, "board", "--judge", "nobody")
    assert "sim-judge-biased" in refused(demo_home, "bias", "--judge", "nobody")
    assert "sim-elm" in refused(demo_home, "compare", "sim-hazel", "sim-elmm")
    assert "sim-elm" in refused(demo_home, "ratings", "sim-elmm")
    for command in (["compare", "sim-hazel", "sim-elm"], ["ratings"], ["changes"]):
        assert "sim-judge-biased" in refused(demo_home, *command, "--judge", "nobody")
    assert "sim-elm" in refused(demo_home, "models", "pause", "sim-elmm")
    assert "screening" in refused(demo_home, "run", "sceening")


@pytest.mark.parametrize(
    "words",
    [
        *(["board"], ["models", "list"], ["run"], ["status"], ["snapshot"], ["sql", "select 1"]),
        *(["compare", "a", "b"], ["ratings"], ["changes"]),
    ],
)
@pytest.mark.parametrize("place", ["missing", "a-file", "a-file/below", "empty"])
def test_a_home_that_is_none_is_refused_and_stays_none(tmp_path: Path, place: str, words: list[str]) -> None:
    (tmp_path / "a-file").write_text("not a folder")
    (tmp_path / "empty").mkdir()
    before = files_under(tmp_path)
    refusal = typed(*words, "--home", place).refusal
    assert place in refusal
    assert "leaderboard init" in refusal
    assert files_under(tmp_path) == before


@pytest.mark.parametrize("words", [["init"], ["init", "--bare"], ["demo", "--quick"]])
@pytest.mark.parametrize("place", ["a-file", "a-file/below"])
def test_a_home_cannot_be_made_of_a_file(tmp_path: Path, place: str, words: list[str]) -> None:
    (tmp_path / "a-file").write_text("not a folder")
    assert "a-file" in typed(*words, "--home", place).refusal
    assert (tmp_path / "a-file").read_text() == "not a folder"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user of the machine can enter."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.fixture
def as_somebody_else() -> Iterator[None]:
    """Root may write everywhere, so for a while the test is nobody; other users stay who they are."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    yield
    os.seteuid(me)


def test_a_folder_that_may_not_be_written_is_refused(open_folder: Path, request: pytest.FixtureRequest) -> None:
    (open_folder / "locked").mkdir(mode=0o555)
    assert typed("init", "--home", open_folder / "made").code == 0  # everything that it needs is loaded now
    os.chdir(open_folder)
    request.getfixturevalue("as_somebody_else")
    assert "Permission denied" in typed("init", "--home", open_folder / "locked" / "home").refusal
    assert list((open_folder / "locked").iterdir()) == []


def test_a_file_that_may_not_be_read_is_refused(open_folder: Path, request: pytest.FixtureRequest) -> None:
    home, file = open_folder / "home", open_folder / "prompts.jsonl"
    assert typed("init", "--bare", "--home", home).code == 0
    home.chmod(0o777)
    for path in home.iterdir():
        path.chmod(0o777 if path.is_dir() else 0o666)
    file.write_text('{"text": "hello"}')
    file.chmod(0)
    os.chdir(open_folder)
    request.getfixturevalue("as_somebody_else")
    assert f"{file}: Permission denied" in typed("prompts", "import", file, "--home", home).refusal


@pytest.mark.parametrize("words", [["prompts", "import"], ["models", "import-answers", "m"]])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.jsonl", None, "absent.jsonl: No such file"),
        (".", None, "Is a directory"),
        ("empty.jsonl", b"", "empty.jsonl: no "),
        ("binary.jsonl", b"{}\n\xff\xfe", "binary.jsonl, line "),
        ("list.jsonl", b"[1]", "list.jsonl, line 1"),
        ("nan.jsonl", b'{"prompt_id": NaN, "text": "a"}', "nan.jsonl, line 1"),
        ("deep.jsonl", b"[" * 200_000, "deep.jsonl, line 1"),
    ],
)
def test_a_file_of_no_use_is_refused(
    bare: Path, tmp_path: Path, words: list[str], name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert said in refused(bare, *words, name)


def test_a_prompts_file_cut_in_line_41_is_refused_as_a_whole(bare: Path, tmp_path: Path) -> None:
    lines = "\n".join(f'{{"id": "p{i}", "text": "prompt number {i}"}}' for i in range(1, 51))
    cut = lines[: lines.index('"prompt number 41"') + 9]
    (tmp_path / "prompts.jsonl").write_text(cut)
    assert "prompts.jsonl, line 41: " in refused(bare, "prompts", "import", "prompts.jsonl")
    (tmp_path / "prompts.jsonl").write_text(lines)
    assert typed("prompts", "import", "prompts.jsonl", "--json", "--home", bare).json["imported"] == 50


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ('{"id": "x", "text": "another"}', "line 2: the id 'x' stands on line 1"),
        ('{"id": "X", "text": "hello"}', "line 2: the id 'X' looks like 'x' on line 1"),
        ('{"id": "\\u0445", "text": "hello"}', "line 2: the id"),
        ('{"id": "y\\u0000", "text": "hello"}', "line 2: the id"),
    ],
)
def test_a_doubled_prompt_is_refused_by_its_line(bare: Path, tmp_path: Path, second: str, said: str) -> None:
    (tmp_path / "both.jsonl").write_text(f'{{"id": "x", "text": "hello"}}\n{second}\n')
    assert said in refused(bare, "prompts", "import", "both.jsonl")
    (tmp_path / "one.jsonl").write_text('{"id": "x", "text": "hello"}\n')
    (tmp_path / "two.jsonl").write_text(f'{{"id": "z", "text": "other"}}\n{second}\n')
    assert typed("prompts", "import", "one.jsonl", "--home", bare).code == 0
    assert "two.jsonl, line 2: the " in refused(bare, "prompts", "import", "two.jsonl")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("seed = ", ["tournament.toml", "TOML"]),
        ("seed = 1\ntop_k == 2", ["tournament.toml", "line 2"]),
        ("topk = 3", ["tournament.toml", "'topk'", "'top_k'"]),
        ("top_k = 0", ["tournament.toml: top_k"]),
        ("budget = nan", ["tournament.toml: budget", "finite"]),
        ("call_timeout = inf", ["tournament.toml: call_timeout"]),
        ("concurrency = 'many'", ["tournament.toml: concurrency", "integer"]),
        ("[[schedule]]\nname = 'n'\njob = 'screening'\ncron = '0 3 * * 0'", ["schedule 1 cron", "weekday '0'"]),
        ("[[schedule]]\nname = 'n'\njob = 'screning'\nevery = '3s'", ["schedule 1 job", "'screening'"]),
        ("[[schedule]]\nname = 'n'\njob = 'screening'", ["schedule 1", "either cron or every"]),
    ],
)
def test_bad_settings_are_refused_by_file_and_field(bare: Path, content: str, said: list[str]) -> None:
    (bare / "tournament.toml").write_text(content)
    for words in (["run"], ["run", "--dry-run"], ["snapshot"], ["bias"]):
        refusal = refused(bare, *words)
        assert all(part in refusal for part in said)


def test_settings_that_are_not_text_are_refused(bare: Path) -> None:
    (bare / "tournament.toml").write_bytes(b"judge = '\xff'")
    assert "tournament.toml" in refused(bare, "run")
    (bare / "tournament.toml").unlink()
    (bare / "tournament.toml").mkdir()
    assert "tournament.toml: Is a directory" in refused(bare, "run")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("budget", value) for value in ("nan", "-1", "1e400", "ten")),
        *(("call-timeout", value) for value in ("inf", "0", "nan")),
        *((name, "0") for name in ("top-k", "samples", "prompts", "concurrency", "max-attempts")),
    ],
)
def test_a_bad_flag_is_refused_by_its_name(bare: Path, option: str, value: str) -> None:
    assert f"--{option}: " in refused(bare, "run", f"--{option}", value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("LEADERBOARD_TOP_K", "x"), ("LEADERBOARD_SCHEDULE", "["), ("LEADERBOARD_LEDGER_URL", "nonsense")],
)
def test_a_bad_variable_is_refused_by_its_name(
    bare: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    refusal = typed("run", "--home", bare).refusal
    assert name in refusal or "ledger's URL" in refusal or "schedule" in refusal


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"OPENAI_API_KEY=sk-live\nthis is no assignment\n", ".env, line 2: "),
        (b"A='never closed\n", ".env, line 1: "),
        (b"A=1\nB=\xff\n", ".env, line 2: not UTF-8"),
        (b"A=x\0y\n", ".env, line 1: "),
    ],
)
def test_a_broken_env_file_is_refused_without_repeating_it(tmp_path: Path, content: bytes, said: str) -> None:
    """A key that is silently not read shows itself much later, as a model that sleeps."""
    (tmp_path / ".env").write_bytes(content)
    refusal = typed("status").refusal
    assert said in refusal
    assert "sk-live" not in refusal
    assert typed("--help").code == 0


def test_an_env_file_is_read_and_the_shell_wins(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# keys\nLEADERBOARD_HOME=from-file\nexport OPENAI_API_KEY='x'\nEMPTY\n")
    made = started("init", "--json", cwd=tmp_path)
    assert made.json["home"] == "from-file"
    awake = {each["id"] for each in made.json["models"] if each["state"] == "active"}
    assert awake
    assert all(name.startswith("gpt") for name in awake)
    other = started("init", "--bare", "--json", cwd=tmp_path, LEADERBOARD_HOME="from-shell")
    assert other.json["home"] == "from-shell"


@pytest.mark.parametrize(
    ("text", "said"),
    [("select nonsense from verdicts", "nonsense"), ("drop table verdicts", ""), ("", ""), ("select 1; select 2", "")],
)
def test_a_bad_query_is_refused(demo_home: Path, text: str, said: str) -> None:
    before = files_under(demo_home / "snapshots")
    assert said in refused(demo_home, "sql", text)
    assert files_under(demo_home / "snapshots") == before


def test_before_the_first_publication_there_is_no_board(bare: Path) -> None:
    for words in (["board"], ["bias"], ["sql", "select 1"], ["compare", "a", "b"], ["ratings"], ["changes"]):
        assert "leaderboard run" in refused(bare, *words)


def test_a_store_that_is_something_else_is_refused(bare: Path) -> None:
    (bare / "ledger.sqlite").write_bytes(b"not a database, but long enough to look like one" * 100)
    for words in (["models", "list"], ["run"], ["status"]):
        assert "ledger" in typed(*words, "--home", bare).refusal


def test_a_pipe_that_closes_early_ends_quietly(played_demo: Path, tmp_path: Path) -> None:
    code = f"{sys.executable} -m leaderboard prompts list --home {played_demo} | head -1"
    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout.split()[0], done.stderr) == ("prompt", "")


def test_the_helper_sees_a_traceback() -> None:
    """Else the tests above would pass whatever is printed."""
    with pytest.raises(AssertionError):
        _ = Ran(1, "", "Traceback (most recent call last):\nValueError\n").refusal
    with pytest.raises(AssertionError):
        _ = Ran(0, "NaN", "").json
