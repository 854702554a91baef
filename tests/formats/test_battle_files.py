"""Battles from files: the same battles whatever the format, and a refusal that names the line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from leaderboard.errors import BadInput
from leaderboard.formats.battle_columns import careful_csv, careful_jsonl, quick_csv, quick_jsonl
from leaderboard.formats.battle_files import BattleFile, read_battles

Row = dict[str, Any]
ENDINGS = (".csv", ".parquet", ".jsonl")


def written(folder: Path, ending: str, rows: Sequence[Row]) -> Path:
    """The rows in one of the three formats; a name that a row does not have is an empty cell."""
    file = folder / f"battles{ending}"
    names = list(dict.fromkeys(name for row in rows for name in row))
    if ending == ".parquet":
        parquet.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), file)
    elif ending == ".jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, names, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        file.write_text(text.getvalue(), encoding="utf-8", newline="")
    return file


def text_file(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return file


def refusal(file: Path, **options: Any) -> str:
    with pytest.raises(BadInput) as caught:
        read_battles(file, **options)
    assert len(str(caught.value).splitlines()) <= 4
    return str(caught.value)


def rows_of(found: BattleFile) -> list[tuple[str, str, float]]:
    battles = found.battles
    return [
        (battles.models[a], battles.models[b], score)
        for a, b, score in zip(battles.a, battles.b, battles.score.tolist(), strict=True)
    ]


def battle(a: str = "ant", b: str = "bee", winner: Any = "model_a", **more: Any) -> Row:
    return {"model_a": a, "model_b": b, "winner": winner, **more}


# -- what is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "spellings"),
    [
        (1.0, ["model_a", "A", "a", "left", "x", "1", 1, 1.0, "MODEL_A", " model_a "]),
        (0.0, ["model_b", "B", "b", "right", "y", "2", 2, 2.0]),
        (0.5, ["tie", "-", "draw", "C", "1.5", 1.5, "tie (bothbad)", "both_bad", "tie (inconsistent)", "Tie"]),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_spellings_of_a_winner(tmp_path: Path, ending: str, share: float, spellings: list[Any]) -> None:
    for spelling in spellings:
        file = written(tmp_path, ending, [battle(winner=spelling), battle("bee", "ant", spelling)])
        assert rows_of(read_battles(file)) == [("ant", "bee", share), ("bee", "ant", share)]


def test_kinds_of_winners_may_be_mixed(tmp_path: Path) -> None:
    rows = [battle(winner=winner) for winner in (1, 1.5, "tie", None, "2", "")]
    found = read_battles(written(tmp_path, ".jsonl", rows))
    assert ([share for _, _, share in rows_of(found)], found.rows, found.missing) == ([1, 0.5, 0.5, 0], 6, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_winner_is_no_tie(tmp_path: Path, ending: str) -> None:
    found = read_battles(written(tmp_path, ending, [battle(), battle(winner=None), battle("bee", "cat", "tie")]))
    assert rows_of(found) == [("ant", "bee", 1.0), ("bee", "cat", 0.5)]
    assert (found.rows, found.missing, len(found.battles)) == (3, 1, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_model_without_a_verdict_stays_in_the_field(tmp_path: Path, ending: str) -> None:
    found = read_battles(written(tmp_path, ending, [battle(), battle("ant", "cat", None)]))
    assert found.battles.models == ("ant", "bee", "cat")


@pytest.mark.parametrize("ending", ENDINGS)
def test_all_columns(tmp_path: Path, ending: str) -> None:
    rows = [
        battle("bee", "ant", "tie", first="model_a", prompt_id="p1", judge="j2", weight=2.5, conversation="long"),
        battle("ant", "cat", "model_b", first="model_b", prompt_id="p2", judge="j1", weight=None),
        battle("cat", "ant", "model_a", first=None, prompt_id="p1", judge=None, weight=0),
    ]
    found = read_battles(written(tmp_path, ending, rows)).battles
    assert found.models == ("ant", "bee", "cat")
    assert (found.a.tolist(), found.b.tolist(), found.score.tolist()) == ([1, 0, 2], [0, 2, 0], [0.5, 0.0, 1.0])
    assert found.first is not None
    assert found.first.tolist() == [1, -1, 0]
    assert found.cluster is not None
    assert (found.cluster[0] == found.cluster[2], found.cluster[0] == found.cluster[1]) == (True, False)
    assert found.judge is not None
    assert [found.judges[judge] for judge in found.judge] == ["j2", "j1", None]
    assert found.weight is not None
    assert found.weight.tolist() == [2.5, 1.0, 0.0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_absent_is_unknown(tmp_path: Path, ending: str) -> None:
    found = read_battles(written(tmp_path, ending, [battle()]))
    battles = found.battles
    assert (battles.first, battles.cluster, battles.judge, battles.judges) == (None, None, None, (None,))
    assert (battles.weight, battles.covariate, found.missing, found.notes) == (None, None, 0, ())


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_names_that_others_use(tmp_path: Path, ending: str) -> None:
    rows = [{"left": "ant", "right": "bee", "winner": winner} for winner in ("left", "right", "tie")]
    assert [share for _, _, share in rows_of(read_battles(written(tmp_path, ending, rows)))] == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_single_judge_keeps_the_name(tmp_path: Path, ending: str) -> None:
    battles = read_battles(written(tmp_path, ending, [battle(judge="j"), battle(judge="j")])).battles
    assert (battles.judges, battles.judge) == (("j",), None)


def test_a_judge_with_its_prompt_is_one_name(tmp_path: Path) -> None:
    rows = [battle(judge=["gpt-4", "pair-v2"]), battle(judge="human")]
    assert read_battles(written(tmp_path, ".jsonl", rows)).battles.judges == ("gpt-4/pair-v2", "human")


@pytest.mark.parametrize("ids", [[7, 7, 8], ["7", "7", "x"], [7, "7", "x"]])
def test_prompt_ids_may_be_numbers(tmp_path: Path, ids: list[Any]) -> None:
    cluster = read_battles(written(tmp_path, ".jsonl", [battle(prompt_id=name) for name in ids])).battles.cluster
    assert cluster is not None
    assert (cluster[0] == cluster[1], cluster[0] == cluster[2]) == (True, False)


@pytest.mark.parametrize("ending", ENDINGS)
def test_one_row_without_a_prompt_leaves_nobody_clustered(tmp_path: Path, ending: str) -> None:
    found = read_battles(written(tmp_path, ending, [battle(prompt_id="p"), battle(prompt_id=" "), battle()]))
    assert found.battles.cluster is None
    assert found.notes == ("2 of 3 rows have no prompt_id: no row is clustered, so there are no intervals",)


@pytest.mark.parametrize("ending", ENDINGS)
def test_prompt_ids_are_left_alone_on_request(tmp_path: Path, ending: str) -> None:
    assert read_battles(written(tmp_path, ending, [battle(prompt_id="p")]), prompts=False).battles.cluster is None


@pytest.mark.parametrize("ending", ENDINGS)
def test_lengths_become_a_difference_of_logarithms(tmp_path: Path, ending: str) -> None:
    rows = [battle(length_a=100, length_b=50), battle(length_a=50, length_b=0), battle(length_a=9, length_b=None)]
    covariate = read_battles(written(tmp_path, ending, rows), lengths=True).battles.covariate
    assert covariate == pytest.approx([np.log(2), np.nan, np.nan], nan_ok=True)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_scope_is_the_rows_of_one_kind(tmp_path: Path, ending: str) -> None:
    rows = [battle(category="maths", language="nl"), battle(winner=None, category="maths"), battle(category="prose")]
    file = written(tmp_path, ending, rows)
    counted = {
        scope: (found.rows, found.missing)
        for scope in ("overall", "category=maths", "category=prose", "language=nl")
        for found in [read_battles(file, scope=scope)]
    }
    assert counted == {"overall": (3, 1), "category=maths": (2, 1), "category=prose": (1, 0), "language=nl": (1, 0)}
    assert "there are: maths, prose" in refusal(file, scope="category=verse")
    assert "category=X or language=X" in refusal(file, scope="group=x")


def test_a_model_may_be_called_like_a_column_and_people_are_told(tmp_path: Path) -> None:
    found = read_battles(written(tmp_path, ".csv", [battle("B", "A", "A"), battle("B", "A", "tie")]))
    assert rows_of(found) == [("B", "A", 1.0), ("B", "A", 0.5)]
    assert found.notes == ("the winner 'A' is read as a column (model_a or model_b), though a model is called 'A'",)


def test_the_same_is_said_of_who_was_first(tmp_path: Path) -> None:
    found = read_battles(written(tmp_path, ".csv", [battle("B", "A", "tie", first="B")]))
    assert found.battles.first is not None
    assert found.battles.first.tolist() == [-1]
    assert found.notes == ("the first 'B' is read as a column (model_a or model_b), though a model is called 'B'",)


@pytest.mark.parametrize(
    ("sign", "spellings"),
    [(1, ["model_a", "a", "A", "left", "1", 1, " Model_A "]), (-1, ["model_b", "B", "right", "2", 2])],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_who_was_first_is_spelled_as_a_winner(tmp_path: Path, ending: str, sign: int, spellings: list[Any]) -> None:
    for spelling in spellings:
        found = read_battles(written(tmp_path, ending, [battle(first=spelling)])).battles.first
        assert found is not None
        assert found.tolist() == [sign]


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (["turn", "promt_id"], "columns not used: promt_id (did you mean prompt_id?), turn"),
        (["firts", "tstamp"], "columns not used: firts (did you mean first?), tstamp"),
        (["Judge"], "columns not used: Judge (did you mean judge?)"),
        (["weights", "weight"], "columns not used: weights"),
        (["prompt_id", "question_id"], "columns not used: question_id"),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_that_are_not_used_are_named(tmp_path: Path, ending: str, names: list[str], note: str) -> None:
    assert read_battles(written(tmp_path, ending, [battle(**dict.fromkeys(names, "1"))])).notes == (note,)


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_that_another_question_needs_are_no_slip(tmp_path: Path, ending: str) -> None:
    more = {"length_a": 1, "length_b": 2, "category": "maths", "language": "nl"}
    assert read_battles(written(tmp_path, ending, [battle(**more)])).notes == ()


def test_many_unused_columns_are_cut_short_after_the_slips(tmp_path: Path) -> None:
    more = {f"measure_{i}": i for i in range(100)} | {"wieght": 2}
    (note,) = read_battles(written(tmp_path, ".csv", [battle(**more)])).notes
    assert note.startswith("columns not used: wieght (did you mean weight?), measure_0, ")
    assert len(note) < 250


def test_what_changes_the_meaning_is_said_first(tmp_path: Path) -> None:
    row = battle("A", "B", "A", wieght=2, uid=1)
    notes = read_battles(written(tmp_path, ".csv", [row])).notes
    assert [note.split(" ")[0:2] for note in notes] == [["the", "winner"], ["columns", "not"], ["no", "prompt_id;"]]


def test_other_names_of_prompts_are_pointed_out(tmp_path: Path) -> None:
    (note,) = read_battles(written(tmp_path, ".jsonl", [battle(question_id=1)])).notes
    assert "question_id" in note


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_are_tidied_before_they_are_compared(tmp_path: Path, ending: str) -> None:
    rows = [battle("e\u0301tude", "bee"), battle(" \u00e9tude ", "bee")]
    assert rows_of(read_battles(written(tmp_path, ending, rows))) == [("\u00e9tude", "bee", 1.0)] * 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_of_prompts_judges_and_kinds_are_tidied(tmp_path: Path, ending: str) -> None:
    for one, other in ((" p0", "p0 "), ("e\u0301", "\u00e9"), ("\u00a0p0", "p0")):
        rows = [battle(prompt_id=name, judge=name, language=name) for name in (one, other)]
        found = read_battles(written(tmp_path, ending, rows), scope=f"language={other}").battles
        assert (found.n_prompts, len(found.judges), len(found)) == (1, 1, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_prompts_in_order_do_not_depend_on_the_order_of_rows(tmp_path: Path, ending: str) -> None:
    names = ["p10", "p2", " p1", "\u00e9", "e\u0301", "p2", "z"]
    for turned in (names, names[::-1]):
        file = written(tmp_path, ending, [battle(prompt_id=name) for name in turned])
        cluster = read_battles(file, ordered=True).battles.cluster
        assert cluster is not None
        placed = dict(zip(turned, cluster.tolist(), strict=True))
        assert placed == {" p1": 0, "p10": 1, "p2": 2, "z": 3, "\u00e9": 4, "e\u0301": 4}


def test_a_prompt_without_a_name_stays_so_in_order(tmp_path: Path) -> None:
    rows = [battle(prompt_id=name) for name in ("b", None, "a", "  ")]
    for ending in ENDINGS:
        found = read_battles(written(tmp_path, ending, rows), ordered=True)
        assert found.notes == ("2 of 4 rows have no prompt_id: no row is clustered, so there are no intervals",)


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
def test_a_whole_number_is_the_same_name_however_it_is_stored(tmp_path: Path, ending: str) -> None:
    whole = written(tmp_path, ending, [battle(7.0, 8.0, prompt_id=1e20), battle(7.5, 8.0, prompt_id=-0.0)])
    found = read_battles(whole).battles
    assert found.models == ("7", "7.5", "8")
    mixed = [battle(7, "8", prompt_id="1"), battle(7.0, 9, prompt_id=1.0)]
    assert read_battles(written(tmp_path, ".jsonl", mixed)).battles.n_prompts == 1


@pytest.mark.parametrize("name", ["prompt_id", "judge", "language", "model_a", "winner"])
def test_a_number_that_is_none_names_nothing(tmp_path: Path, name: str) -> None:
    kinds: Row = {"model_a": [1.0, 2.0, 1.0], "model_b": [3.0] * 3, "winner": [1.0, 2.0, 1.5], name: [1.0] * 3}
    for value in (float("nan"), float("inf")):
        kinds[name] = [1.0, 2.0, value]
        parquet.write_table(pa.table(kinds), tmp_path / "b.parquet", row_group_size=2)
        message = refusal(tmp_path / "b.parquet", scope="language=1" if name == "language" else "overall")
        assert f"b.parquet, row 3: {name} is {value}, neither a text nor a finite number" in message


@pytest.mark.parametrize("name", ["prompt_id", "judge", "model_a", "winner"])
@pytest.mark.parametrize("binary", [True, False])
def test_bytes_that_are_no_text_are_named_as_such(tmp_path: Path, name: str, binary: bool) -> None:
    cells = pa.array([b"A", b"\xff"], pa.binary())
    texts = cells if binary else pa.StringArray.from_buffers(2, cells.buffers()[1], cells.buffers()[2])
    columns = {"model_a": ["ant", "ant"], "model_b": ["bee", "bee"], "winner": ["A", "A"], name: texts}
    parquet.write_table(pa.table(columns), tmp_path / "b.parquet")
    assert refusal(tmp_path / "b.parquet").endswith(f"b.parquet, row 2: {name} is not UTF-8 text")


def test_a_weight_beyond_what_floats_count_is_too_heavy(tmp_path: Path) -> None:
    assert "row 2: weight must be" in refusal(written(tmp_path, ".parquet", [battle(weight=1), battle(weight=2**62)]))


@pytest.mark.parametrize("note", ["NaN, a word", "Information", "Inf}", "a\u2028b", "{", "}\\n{"])
def test_texts_that_look_like_something_else_are_texts(tmp_path: Path, note: str) -> None:
    found = read_battles(written(tmp_path, ".jsonl", [battle(judge=note), battle(judge=note)]))
    assert (found.rows, found.battles.judges) == (2, (note,))


def test_a_parquet_file_with_categories_and_several_groups_of_rows(tmp_path: Path) -> None:
    names = pa.array(["ant", "unused", "bee", None]).dictionary_encode()
    first, second = (
        pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), names.dictionary) for codes in ([0, 2], [2, 0])
    )
    table = pa.table({"model_a": first, "model_b": second, "winner": ["tie", "A"], "weight": pa.array([1, 2])})
    parquet.write_table(table, tmp_path / "b.parquet", row_group_size=1)
    battles = read_battles(tmp_path / "b.parquet").battles
    assert (battles.models, battles.a.tolist(), battles.b.tolist()) == (("ant", "bee"), [0, 1], [1, 0])
    assert battles.weight is not None
    assert battles.weight.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("count", [40, 40_000])
def test_small_fields_have_small_columns(tmp_path: Path, count: int) -> None:
    """Ten million rows are then tens of megabytes; a large field must not wrap around."""
    rows = [battle(f"m{i}", f"m{i + 1}") for i in range(count)]
    battles = read_battles(written(tmp_path, ".parquet", rows)).battles
    assert battles.a.dtype.itemsize == (2 if count < 2**15 else 4)
    assert {battles.models[a] for a in battles.a} == {f"m{i}" for i in range(count)}


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=8)
PLAIN = st.fixed_dictionaries(
    {"model_a": CELL, "model_b": CELL, "winner": CELL},
    optional={"prompt_id": CELL | st.none(), "judge": CELL | st.none(), "weight": st.floats(0, 9) | st.none()},
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PLAIN, min_size=1, max_size=6))
def test_the_quick_reader_and_the_careful_one_see_the_same(tmp_path: Path, rows: list[Row]) -> None:
    """The quick one may give up, but never read something else. Cells hold quotes, commas, line feeds and U+2028."""
    wanted = {"model_a", "model_b", "winner", "prompt_id", "judge", "weight"}
    for ending, quick, careful in ((".csv", quick_csv, careful_csv), (".jsonl", quick_jsonl, careful_jsonl)):
        file = written(tmp_path, ending, rows)
        hasty, thorough = quick(file, wanted), careful(file, wanted)
        assert hasty.rows == thorough.rows == len(rows)
        for name in ("model_a", "model_b", "winner", "judge"):
            assert _texts(hasty, name) == _texts(thorough, name)
        assert _same_rows(hasty.texts.get("prompt_id"), len(rows)) == _same_rows(
            thorough.texts.get("prompt_id"), len(rows)
        )


def _texts(columns: Any, name: str) -> list[str | None]:
    column = columns.texts.get(name)
    if column is None:
        return [None] * columns.rows
    return [None if code < 0 else column.values[code] for code in column.codes]


def _same_rows(column: Any, rows: int) -> list[int]:
    """For each row the first row with the same text; -1 where there is none."""
    codes = [-1] * rows if column is None else column.codes.tolist()
    return [-1 if code < 0 else codes.index(code) for code in codes]


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (battle(winner="modle_a"), ["'modle_a'", "model_a, A, left", "tie (bothbad)"]),
        (battle(winner="0"), ["'0'"]),
        (battle(winner="nan"), ["'nan'"]),
        (battle(winner="tied"), ["'tied'"]),
        (battle("ant", "ant"), ["'ant' cannot meet itself"]),
        (battle("ant", " ant"), ["'ant' cannot meet itself"]),
        (battle("", "ant"), ["model_a is empty"]),
        (battle("ant", None), ["model_b is empty"]),
        (battle("ant", "  "), ["model_b is empty"]),
        (battle("ant\u200b", "bee"), ["model_a", "invisible"]),
        (battle("Ant", "bee"), ["'Ant' looks like 'ant'"]),
        (battle("cat", "B\u0395e"), ["looks like 'bee'"]),
        (battle(weight=-1), ["weight must be a finite number, 0 or more"]),
        (battle(weight=float("nan")), ["weight must be"]),
        (battle(weight=float("inf")), ["weight must be"]),
        (battle(weight=1.1e6), ["weight must be a finite number, 0 or more, and at most 1,000,000; divide"]),
        (battle(weight=1e300), ["weight must be"]),
        (battle(first="tie"), ["'tie'", "`first`", "model_a, A, left or 1; model_b, B, right or 2; empty"]),
        (battle(first="3"), ["'3'", "`first`"]),
        (battle(first="ant"), ["the first 'ant' is a model's name", "model_a or model_b"]),
        (battle(winner="bee"), ["the winner 'bee' is a model's name", "model_a or model_b"]),
        (battle(winner=" ant "), ["' ant '", "is a model's name"]),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_bad_row_is_named(tmp_path: Path, ending: str, row: Row, said: list[str]) -> None:
    good = battle(weight=1.0, first="model_a", judge="j", prompt_id="p")
    unjson = any(isinstance(value, float) and not np.isfinite(value) for value in row.values())
    place = {".csv": "line 4", ".jsonl": "line 3", ".parquet": "row 3"}[ending]
    message = refusal(written(tmp_path, ending, [good, good, {**good, **row}, {**good, **row}]))
    assert f"battles{ending}, {place}: " in message
    assert all(part in message for part in (["not JSON"] if unjson and ending == ".jsonl" else said))


@pytest.mark.parametrize("weight", ["-0.5", "nan", "inf", "1e400", "heavy", "1_0", "0x10", "0,5"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_weight_that_is_no_finite_number_is_named(tmp_path: Path, ending: str, weight: str) -> None:
    message = refusal(written(tmp_path, ending, [battle(weight="2.5"), battle(weight=weight)]))
    assert {".csv": "line 3: ", ".jsonl": "line 2: ", ".parquet": "row 2: "}[ending] + "weight must be" in message


def test_lines_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    """Quoted line feeds, blank lines, CRLF, a byte order mark, and characters that only look like line ends."""
    head, good = "model_a,model_b,winner,note\n", 'ant,bee,tie,"two\nlines"\n'
    for content, line in (
        (head + good + good + "ant,bee,what,\n", 6),
        (head + "\n\n" + good + "ant,bee,what,\n", 6),
        ((head + good + good + "ant,bee,what,\n").replace("\n", "\r\n"), 6),
        ("\ufeff" + head + "ant,bee,tie,\u2028\u0085\nant,bee,what,\n", 3),
        (head + 'ant,bee,what,"begins\nhere"\n' + good, 2),
    ):
        assert f"b.csv, line {line}: 'what'" in refusal(text_file(tmp_path, "b.csv", content))
    good = json.dumps(battle(note="\u2028"), ensure_ascii=False) + "\n"
    bad = json.dumps(battle(winner="what")) + "\n"
    for content, line in (
        (good + "\n \n" + bad, 4),
        ("\ufeff" + good + bad, 2),
        (good + good.strip() + "\r\n" + bad, 3),
    ):
        assert f"b.jsonl, line {line}: 'what'" in refusal(text_file(tmp_path, "b.jsonl", content))


GOOD_LINE = json.dumps(battle())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.csv", "", "b.csv: no battles"),
        ("b.csv", "model_a,model_b,winner\n", "b.csv: no battles"),
        ("b.csv", "model_a,model_b\nant,bee\n", "b.csv: no column winner"),
        ("b.csv", "model_a;model_b;winner\nant;bee;tie\n", "found: model_a;model_b;winner\nthe cells seem"),
        ("b.csv", "model_a;model_b;winner\nant;bee;tie\n", "separated by ';': separate them by commas"),
        ("b.csv", "model_a\tmodel_b\twinner\nant\tbee\ttie\n", "separated by '\\t': separate them by commas"),
        ("b.csv", "model_a,model_b,winner,winner\nant,bee,tie,tie\n", "line 1: the column 'winner' stands twice"),
        ("b.csv", "model_a,model_b,winner\nant,bee,tie\nant,bee\n", "line 3: 2 fields, the header has 3"),
        ("b.csv", "model_a,model_b,winner\nant,bee,tie\nant,bee,tie,x\n", "line 3: 4 fields, the header has 3"),
        ("b.csv", 'model_a,model_b,winner\nant,bee,tie\nant,bee,"tie\n', "line 3: "),
        ("b.csv", b"model_a,model_b,winner\nant,bee,tie\nant,b\xff,tie\n", "line 3: not UTF-8"),
        ("b.csv", "model_a,model_b,winner\nant,bee,\nant,bee,\n", "no row has a winner"),
        ("b.jsonl", "", "b.jsonl: no battles"),
        ("b.jsonl", "\n \n", "b.jsonl: no battles"),
        ("b.jsonl", f'{GOOD_LINE}\n{{"model_a": "ant"', "line 2: not a JSON object, is the line cut?"),
        ("b.jsonl", f"{GOOD_LINE}\n[1]\n", "line 2: expected an object"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "weight": NaN}}\n', "line 2: not a JSON object"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "note": [NaN]}}\n', "line 2: not a JSON object (NaN is not JSON)"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "note": -Infinity }}\n', "line 2: not a JSON object"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "judge": NaN}}\n', "line 2: not a JSON object (NaN is not JSON)"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "judge": 1e400}}\n', "line 2: judge must be a text or a finite"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "judge": "\\ud83d"}}\n', "line 2: judge '\\ud83d' has half a"),
        (
            "b.jsonl",
            f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "weight": true}}\n',
            "line 2: weight must be a finite number, 0 or",
        ),
        ("b.jsonl", f"{GOOD_LINE}\n{GOOD_LINE}{GOOD_LINE}\n", "line 2: not a JSON object"),
        ("b.jsonl", f"{GOOD_LINE}\n{GOOD_LINE} {GOOD_LINE}", "line 2: not a JSON object"),
        ("b.jsonl", f"{GOOD_LINE}\n" + GOOD_LINE.replace(", ", ",\n", 1), "line 2: not a JSON object"),
        ("b.jsonl", f'{GOOD_LINE}{GOOD_LINE}\n{{"note":\n{GOOD_LINE}}}\n', "line 1: not a JSON object"),
        ("b.jsonl", f'{GOOD_LINE}\n{GOOD_LINE[:-1]}, "winner": "tie"}}\n', "line 2: the key 'winner' stands twice"),
        ("b.jsonl", f'{GOOD_LINE[:-1]}, "winner": null}}\n{GOOD_LINE}\n', "line 1: the key 'winner' stands twice"),
        ("b.jsonl", GOOD_LINE.encode()[:-1] + b', "note": "\xff"}\n', "line 1: not UTF-8"),
        ("b.jsonl", f"{GOOD_LINE}\n" + GOOD_LINE.replace('"bee"', '{"id": 1}'), "line 2: model_b must be a text"),
        ("b.jsonl", f"{GOOD_LINE}\n" + GOOD_LINE.replace('"bee"', "true"), "line 2: model_b must be a text"),
        ("b.jsonl", f"{GOOD_LINE}\n" + GOOD_LINE.replace("model_b", "model"), "line 2: model_b is empty"),
        ("b.jsonl", GOOD_LINE.replace("winner", "won") + "\n", "b.jsonl: no column winner"),
        ("b.jsonl", GOOD_LINE.encode() + b"\n" + GOOD_LINE.encode().replace(b"bee", b"b\xff"), "line 2: not UTF-8"),
        ("b.parquet", "model_a,model_b,winner\n", "b.parquet: not a Parquet file"),
        ("b.parquet", "", "b.parquet: not a Parquet file"),
        ("b.json", "[]", "b.json: a battles file ends in .parquet, .csv, .jsonl"),
        ("battles", "", "battles: a battles file ends in"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, name: str, content: str | bytes, said: str) -> None:
    assert said in refusal(text_file(tmp_path, name, content))


def test_a_parquet_file_that_lacks_something(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"model_a": ["ant"], "model_b": ["bee"]}), tmp_path / "short.parquet")
    assert "no column winner" in refusal(tmp_path / "short.parquet")
    parquet.write_table(pa.table({name: pa.array([], pa.string()) for name in battle()}), tmp_path / "none.parquet")
    assert "no battles in it" in refusal(tmp_path / "none.parquet")
    parquet.write_table(pa.table({name: [[text]] for name, text in battle().items()}), tmp_path / "lists.parquet")
    assert "lists.parquet: the column 'model_a' holds list<" in refusal(tmp_path / "lists.parquet")
    twice = pa.table([pa.array([text]) for text in ("ant", "bee", "cat")], names=["model_a", "model_b", "model_b"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    assert "twice.parquet: the column 'model_b' stands twice" in refusal(tmp_path / "twice.parquet")


@pytest.mark.parametrize("name", ["absent.csv", "absent.parquet", "absent.jsonl"])
def test_an_absent_file_is_refused(tmp_path: Path, name: str) -> None:
    assert f"{name}: No such file" in refusal(tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_one_length_alone_is_refused(tmp_path: Path, ending: str) -> None:
    assert "go together" in refusal(written(tmp_path, ending, [battle(length_a=3)]), lengths=True)
    message = refusal(written(tmp_path, ending, [battle(length_a=3, length_b=-4)]), lengths=True)
    assert "length_b must be a finite number, 0 or more" in message
