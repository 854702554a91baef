"""Battles of any origin from CSV, Parquet or JSON lines, as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.core.control import log_difference
from leaderboard.core.matrix import Battles
from leaderboard.errors import BadInput
from leaderboard.formats.battle_columns import (
    NUMBERS,
    BadRow,
    Coded,
    Columns,
    Reader,
    Unusual,
    careful_csv,
    careful_jsonl,
    in_order,
    quick_csv,
    quick_jsonl,
    quick_parquet,
    smallest,
    tidy,
)
from leaderboard.ledger.ids import folded, tidy_id

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from leaderboard.core.matrix import Bools, Floats, Indices, Signs

READERS: dict[str, tuple[Reader, Reader]] = {
    ".parquet": (quick_parquet, quick_parquet),
    ".csv": (quick_csv, careful_csv),
    ".jsonl": (quick_jsonl, careful_jsonl),
    ".ndjson": (quick_jsonl, careful_jsonl),
}
"""By the end of the file's name: the quick reader, and the one that is asked when something is wrong."""

NAMES: dict[str, tuple[str, ...]] = {
    "model_a": ("model_a", "left"),
    "model_b": ("model_b", "right"),
    "winner": ("winner",),
}
"""What every battles file has, under the names that the field uses."""

LABELS = ("category", "language")
OTHER_NAMES_OF_PROMPTS = ("question_id", "uid")

TIE = 0.5
SPELLINGS: dict[str, float] = {
    **dict.fromkeys(("model_a", "a", "left", "x", "1", "1.0"), 1.0),
    **dict.fromkeys(("model_b", "b", "right", "y", "2", "2.0"), 0.0),
    **dict.fromkeys(("tie", "-", "draw", "c", "1.5", "tie (bothbad)", "both_bad", "tie (inconsistent)"), TIE),
}
"""A winner in small letters: what it is worth to model a."""

ACCEPTED = (
    "model_a, A, left or 1 (a won); model_b, B, right or 2 (b won);\n"
    "tie, draw, -, C, 1.5, tie (bothbad), both_bad or tie (inconsistent); empty where there is no verdict"
)
SHOWN_FIRST = {word: 1 if share else -1 for word, share in SPELLINGS.items() if share != TIE}
"""The same words for a side: +1 where it is model a's."""

HEAVIEST = 1e6
"""The heaviest row. Beside rows of weight 1 a heavier one drowns them in rounding noise: from some 1e7 on the intervals
of models that light rows alone link to the others are wrong in their second digit, from 1e12 on no solver converges.
"""

ACCEPTED_FIRST = "model_a, A, left or 1; model_b, B, right or 2; empty where nobody knows"

LIKE = 0.75
"""How like a known name, from 0 to 1, an unknown one is that must be a slip."""

KNOWN = (
    *(name for names in NAMES.values() for name in names),
    *("prompt_id", "first", "judge", "weight", "length_a", "length_b", *LABELS),
)
LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BattleFile:
    """`asked`: every row of the file, in its order. `unread`: which of them have no verdict (None: all have one); their
    score says nothing. `notes`: what people should know of the file.
    """

    asked: Battles
    unread: Bools | None
    notes: tuple[str, ...] = ()

    @property
    def battles(self) -> Battles:
        """The rows that have a verdict."""
        return self.asked if self.unread is None else self.asked.where(~self.unread)

    @property
    def rows(self) -> int:
        return len(self.asked)

    @property
    def missing(self) -> int:
        """Rows without a verdict: never a tie."""
        return 0 if self.unread is None else int(self.unread.sum())


def read_battles(
    file: Path, *, scope: str = "overall", prompts: bool = True, ordered: bool = False, lengths: bool = False
) -> BattleFile:
    """The battles of a file, models numbered by name and clusters by prompt id.

    `scope`: `overall`, `category=X` or `language=X`; rows are chosen one by one, so that of a prompt whose rows say
    different categories only some may be here. `prompts=False` leaves prompt ids unread: no clusters. `ordered`: the
    numbers of prompts follow the order of their ids (else that of the rows), which draws of prompts need to be the same
    for any order of rows. `lengths`: with the covariate of `--control length`, log of a's length minus log of b's; NaN
    where one is unknown. Raises BadInput that names the file, the line (Parquet: the row) and what to do.
    """
    label = _label_of(scope)
    quick, careful = _readers(file)
    wanted = {*(other for names in NAMES.values() for other in names), "first", "judge", "weight"}
    wanted |= {"prompt_id"} if prompts else set()
    wanted |= {"length_a", "length_b"} if lengths else set()
    wanted |= {label[0]} if label else set()
    try:
        return _battle_file(file, quick(file, wanted), label, ordered=ordered)
    except (Unusual, BadRow):
        columns = careful(file, wanted)
    try:
        return _battle_file(file, columns, label, ordered=ordered)
    except BadRow as bad:
        place = columns.place(bad.row) if columns.place else f"row {bad.row + 1}"
        raise BadInput(f"{file}, {place}: {bad.text}") from None


def _label_of(scope: str) -> tuple[str, str] | None:
    name, _, value = scope.partition("=")
    if scope != "overall" and (name not in LABELS or not value):
        raise BadInput(f"--scope is overall, {' or '.join(f'{label}=X' for label in LABELS)}, not {scope!r}")
    return None if scope == "overall" else (name, value)


def _readers(file: Path) -> tuple[Reader, Reader]:
    found = READERS.get(file.suffix.lower())
    if found is None:
        raise BadInput(f"{file}: a battles file ends in {', '.join(READERS)}, and its name says which it is")
    try:
        file.open("rb").close()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    return found


def _battle_file(file: Path, columns: Columns, label: tuple[str, str] | None, *, ordered: bool) -> BattleFile:
    winner = _required(file, columns, "winner")
    models, a, b = _models(_required(file, columns, "model_a"), _required(file, columns, "model_b"))
    if not columns.rows:
        raise BadInput(f"{file}: no battles in it")
    score, unread = _scores(winner, models)
    if unread is not None and unread.all():
        raise BadInput(f"{file}: no row has a winner")
    prompts, prompt_note = _prompts(columns, ordered=ordered)
    first = columns.texts.get("first")
    judges, judge = _judges(columns.texts.get("judge"))
    asked = Battles(
        models=models,
        a=a,
        b=b,
        score=score,
        weight=_numbers(columns, "weight"),
        cluster=prompts,
        first=_first(first, models),
        judge=judge,
        judges=judges,
        covariate=_length_difference(file, columns),
    )
    notes = (_ambiguous("winner", winner, models), _ambiguous("first", first, models), _unused(columns), prompt_note)
    found = BattleFile(asked=asked, unread=unread, notes=tuple(note for note in notes if note))
    return _in_scope(file, found, columns, label)


def _required(file: Path, columns: Columns, name: str) -> Coded:
    found = next((columns.texts[other] for other in NAMES[name] if other in columns.texts), None)
    if found is None:
        if not columns.rows and not columns.found:
            raise BadInput(f"{file}: no battles in it")
        if columns.place is None:
            raise Unusual
        raise BadInput(
            f"{file}: no column {' or '.join(NAMES[name])}; a battles file has model_a, model_b and winner\n"
            f"found: {', '.join(columns.found)[:200]}{_other_delimiter(columns.found)}"
        )
    return found


def _other_delimiter(found: Sequence[str]) -> str:
    """A hint where the header is one name that holds what others put between cells."""
    delimiter = next((sign for sign in (";", "\t", "|") if len(found) == 1 and sign in found[0]), None)
    return f"\nthe cells seem to be separated by {delimiter!r}: separate them by commas" if delimiter else ""


def _models(side_a: Coded, side_b: Coded) -> tuple[tuple[str, ...], Indices, Indices]:
    """The names in order, and both sides' numbers. BadRow: an empty name, one like another, a self-battle."""
    import numpy as np

    named_a, named_b = _tidied(side_a, "model_a"), _tidied(side_b, "model_b")
    _refuse_lookalikes({**named_b, **named_a}, side_a, side_b)
    models = tuple(sorted({*named_a.values(), *named_b.values()}))
    a, b = _numbered(side_a, named_a, models), _numbered(side_b, named_b, models)
    alone = np.flatnonzero(a == b)
    if alone.size:
        raise BadRow(int(alone[0]), f"{models[int(a[alone[0]])]!r} cannot meet itself")
    return models, a, b


def _tidied(side: Coded, name: str) -> dict[str, str]:
    """Every spelling that is in use and the id that it stands for."""
    import numpy as np

    if (side.codes < 0).any():
        raise BadRow(int((side.codes < 0).argmax()), f"{name} is empty")
    used = np.zeros(len(side.values), dtype=bool)
    used[side.codes] = True
    tidied = {}
    for code in np.flatnonzero(used).tolist():
        try:
            tidied[side.values[code]] = tidy_id(side.values[code])
        except BadInput as error:
            raise BadRow(_first_row(side, code), f"{name}: {error}") from None
    return tidied


def _first_row(column: Coded, code: int) -> int:
    return int((column.codes == code).argmax())


def _refuse_lookalikes(tidied: Mapping[str, str], *sides: Coded) -> None:
    """Of two ids that look alike the one that comes later is named, and the earlier one beside it."""
    twins: dict[str, str] = {}
    for name in tidied.values():
        twin = twins.setdefault(folded(name), name)
        if twin != name:
            rows = {each: _first_row_of(each, tidied, sides) for each in (twin, name)}
            later, earlier = sorted(rows, key=lambda each: rows[each], reverse=True)
            raise BadRow(rows[later], f"the id {later!r} looks like {earlier!r}; if they are one model, write one name")


def _first_row_of(name: str, tidied: Mapping[str, str], sides: Sequence[Coded]) -> int:
    spelled = [(side, code) for side in sides for code, text in enumerate(side.values) if tidied.get(text) == name]
    return min(_first_row(side, code) for side, code in spelled if (side.codes == code).any())


def _numbered(side: Coded, tidied: Mapping[str, str], models: Sequence[str]) -> Indices:
    number = {name: index for index, name in enumerate(models)}
    by_value = [number.get(tidied.get(text, ""), 0) for text in side.values]
    numbers: Indices = _looked_up(side, by_value, 0, smallest(len(models)))
    return numbers


def _looked_up(column: Coded, by_value: Sequence[float], empty: float, dtype: Any) -> Any:
    """What each row's text stands for. The code of an empty cell, -1, finds the last entry."""
    import numpy as np

    return np.array([*by_value, empty], dtype=dtype)[column.codes]


def _scores(winner: Coded, models: Collection[str]) -> tuple[Floats, Bools | None]:
    """Model a's shares, and which rows have none. BadRow: a spelling that nobody knows, a model's name among them."""
    import numpy as np

    worth = [SPELLINGS.get(text.strip().casefold()) for text in winner.values]
    _refuse_names("winner", winner, worth, models)
    _refuse_unknown(winner, worth, f"the winner may be spelled {ACCEPTED}")
    score = _looked_up(winner, [TIE if share is None else share for share in worth], TIE, np.float32)
    unread = winner.codes < 0
    return score, unread if unread.any() else None


def _refuse_unknown(column: Coded, meaning: Sequence[float | None], said: str) -> None:
    unknown = _looked_up(column, [worth is None for worth in meaning], False, bool)
    if unknown.any():
        row = int(unknown.argmax())
        raise BadRow(row, f"{column.values[column.codes[row]][:80]!r} is not understood;\n{said}")


def _refuse_names(name: str, column: Coded, meaning: Sequence[float | None], models: Collection[str]) -> None:
    """The first thing that is not understood may be a model's name: then it is clear what to write."""
    unknown = _looked_up(column, [worth is None for worth in meaning], False, bool)
    row = int(unknown.argmax())
    if unknown[row] and tidy(column.values[column.codes[row]]) in models:
        model = column.values[column.codes[row]][:80]
        raise BadRow(row, f"the {name} {model!r} is a model's name; write the model's column: model_a or model_b")


def _ambiguous(name: str, column: Coded | None, models: Collection[str]) -> str | None:
    """A model may be called A: the winner A is still the model in column model_a, and people must know."""
    texts = () if column is None else column.values
    named = sorted(text for text in texts if text in models and text.strip().casefold() in SHOWN_FIRST)
    if not named:
        return None
    return f"the {name} {named[0]!r} is read as a column (model_a or model_b), though a model is called {named[0]!r}"


def _unused(columns: Columns) -> str | None:
    """The columns that nobody knows: one of them may be a known one with a slip in its name. Those first."""
    missing = [name for name in KNOWN if name not in columns.found]
    told = {} if "prompt_id" in columns.found else dict.fromkeys(OTHER_NAMES_OF_PROMPTS)
    unknown = [name for name in columns.found if name.strip() and name not in KNOWN and name not in told]
    meant = {name: next(iter(get_close_matches(name.casefold(), missing, 1, LIKE)), None) for name in unknown}
    said = [f"{name} (did you mean {known}?)" for name, known in meant.items() if known]
    said += [name for name, known in meant.items() if not known]
    listed = ", ".join(said)
    cut = listed if len(listed) <= LONGEST_NOTE else f"{listed[:LONGEST_NOTE]}…"
    return f"columns not used: {cut}" if said else None


def _first(column: Coded | None, models: Collection[str]) -> Signs | None:
    """+1, -1 or 0 a row; None where no row says who was shown first."""
    import numpy as np

    if column is None or not column.values:
        return None
    signs = [SHOWN_FIRST.get(text.strip().casefold()) for text in column.values]
    _refuse_names("first", column, signs, models)
    _refuse_unknown(column, signs, f"`first` says which was shown first: {ACCEPTED_FIRST}")
    first: Signs = _looked_up(column, [sign or 0 for sign in signs], 0, np.int8)
    return first


def _prompts(columns: Columns, *, ordered: bool) -> tuple[Indices | None, str | None]:
    """Clusters, or why there are none."""
    found = columns.texts.get("prompt_id")
    if found is None:
        other = next((name for name in OTHER_NAMES_OF_PROMPTS if name in columns.found), None)
        return (
            None,
            f"no prompt_id; if {other} names the prompts, call it prompt_id to get intervals" if other else None,
        )
    empty = int((found.codes < 0).sum())
    if empty:
        return None, f"{empty} of {columns.rows} rows have no prompt_id: no row is clustered, so there are no intervals"
    return in_order(found) if ordered else found.codes, None


def _judges(column: Coded | None) -> tuple[tuple[str | None, ...], Indices | None]:
    """The judges by name, one that is not named first; and each row's."""
    import numpy as np

    if column is None:
        return (None,), None
    used = np.zeros(len(column.values) + 1, dtype=bool)
    used[column.codes] = True
    names = sorted(name for name, met in zip(column.values, used[:-1], strict=True) if met)
    judges: tuple[str | None, ...] = (*([None] if used[-1] else []), *names)
    if len(judges) == 1:
        return judges, None
    number: dict[str | None, int] = {name: index for index, name in enumerate(judges)}
    by_value = [number.get(text, 0) for text in column.values]
    return judges, _looked_up(column, by_value, 0, smallest(len(judges)))


def _numbers(columns: Columns, name: str) -> Floats | None:
    """A column of finite numbers, 0 or more; weights of at most HEAVIEST. BadRow otherwise."""
    import numpy as np

    found = columns.numbers.get(name)
    if found is None:
        return None
    if isinstance(found, Coded):
        found = _looked_up(found, [_number(text) for text in found.values], NUMBERS[name], np.float64)
    good = (found >= 0) & ((found <= HEAVIEST) if name == "weight" else (found < np.inf))
    if not good.all():
        most = f", and at most {HEAVIEST:,.0f}; divide heavier ones by one number" if name == "weight" else ""
        raise BadRow(int((~good).argmax()), f"{name} must be a finite number, 0 or more{most}")
    return found


def _number(text: str) -> float:
    """NaN where the text is no number: the row is then refused as if it said so."""
    try:
        return float("nan" if "_" in text else text)
    except ValueError:
        return float("nan")


def _length_difference(file: Path, columns: Columns) -> Floats | None:
    if not {"length_a", "length_b"} & set(columns.numbers):
        return None
    a, b = _numbers(columns, "length_a"), _numbers(columns, "length_b")
    if a is None or b is None:
        raise BadInput(f"{file}: length_a and length_b go together, and one of them is missing")
    return log_difference(a, b)


def _in_scope(file: Path, found: BattleFile, columns: Columns, label: tuple[str, str] | None) -> BattleFile:
    if label is None:
        return found
    name, value = label[0], tidy(label[1])
    column = columns.texts.get(name)
    if column is None:
        raise BadInput(f"{file}: no column {name}, so there is no scope {name}={value}")
    here: NDArray[np.bool_] = _looked_up(column, [text == value for text in column.values], False, bool)
    if not here.any():
        known = ", ".join(sorted(column.values))[:200]
        raise BadInput(f"{file}: no row of {name} {value!r}; there are: {known}")
    unread = None if found.unread is None else found.unread[here]
    return replace(found, asked=found.asked.where(here), unread=unread)
