"""The board as JSON: the validated list, and the screened one below it or in its place.

It is made of stored fits, or in the same way of fits that were just made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb

from leaderboard.errors import NotFound
from leaderboard.history.lists import (
    Lists,
    as_stored,
    controlled_list,
    document,
    groups,
    head_document,
    held_back,
    lists_of_key,
    newest,
    notes,
    of_key,
    old,
    was_made,
)
from leaderboard.history.plain import plain
from leaderboard.history.records import OVERALL, FitKey, FitRecord, Row

KNOWN_JUDGES = """
    SELECT id FROM judges UNION SELECT judge FROM fit WHERE judge IS NOT NULL ORDER BY id"""
HEAD_FIELDS = (
    "method", "policy", "prior", "anchor", "n_battles", "n_prompts", "components",
    "scope", "judge", "fingerprint", "simulated", "fitted_at", "as_of",
)  # fmt: skip
HOISTED: Row = {
    "judges": [], "side_by_side": None, "convergence": None, "versions": {}, "k": None, "control": None,
}  # fmt: skip
LATER_FIELDS = ("tier", "p_top1", "p_topk", "expected_next", "more_pairings", "more_reason")
CONTROLLED_FIELDS = ("rating", "lower", "upper", "rank", "rank_lower", "rank_upper")
FIRST_FIT = """
    SELECT min(fitted_at) FROM (FROM (SELECT NULL::VARCHAR AS failure WHERE FALSE) UNION ALL BY NAME SELECT * FROM fit)
    WHERE failure IS NULL AND ($judge IS NULL OR judge = $judge)"""
KEY_FIELDS = ("method", "policy", "control")
NO_FIT = "No ratings yet: they appear after the first run."
NONE_VALIDATED = "Nobody is validated yet: this is the screened list, from single passes, and provisional."
INSTEAD = "Asked for {asked}; shown is the screened list, which is rated by {shown} alone."
UNLINKED = (
    "{n} groups of models are not linked by any verdicts: ranks and ratings hold within a group, not across groups."
)
UNLINKED_BELOW = f"Of the screened list: {UNLINKED}"
TOO_EARLY = "nothing was rated by {as_of}: {why}"
NONE_MADE = "The ratings could not be made: {reason}"
OLD = "These ratings are old: since {since} they could not be made anew: {reason}"
OLD_BELOW = "The screened list is old: since {since} it could not be made anew: {reason}"
MOST_NAMED = 12


class NotStored(NotFound):
    """No fit of that key is stored; the text names those that are."""


def board(
    con: duckdb.DuckDBPyConnection, snapshot: str | None, judge: str | None, key: FitKey, as_of: str | None
) -> Row:
    """The fit of the key and the screened list of its scope, as they were at `as_of` (None: now).

    The judge (None: of the newest fit) counts with the fingerprint that was rated last. With nobody validated the
    screened list is the board and `screened` is empty; before the first fit the board is empty. With a control, the
    plain ratings stand beside the controlled ones. NotFound for an unknown judge and for a time before the first fit,
    NotStored when there is no fit of that key, BadInput for a time that is none.
    """
    stored = newest(con, judge, as_of)
    if not any(was_made(fit) for fit in stored):
        if as_of is not None:
            raise _too_early(con, judge, as_of)
        if key == OVERALL:
            return _before_the_first(con, snapshot, judge, stored)
    lists = lists_of_key(con, stored, key)
    if lists.shown is None:
        raise not_stored(con, stored, judge, key)
    made = instead(_board(snapshot, lists, lists.shown, stored), key)
    if key.control is None:
        return made
    controlled = controlled_list(con, stored, made["board"], key)
    if controlled is None:
        raise not_stored(con, stored, judge, key)
    return made | _beside(made, controlled)


def board_of(con: duckdb.DuckDBPyConnection, snapshot: str | None, records: Sequence[FitRecord]) -> Row:
    """The board of fits that were just made: validated, screened or both, and the one with a control if there is one.

    `scopes` and `fits` name what is stored. NotStored with the reason when none of them could be made.
    """
    rows = [as_stored(con, record) for record in records]
    by_list = {row["board"]: row for row in rows if row["control"] is None}
    lists = Lists(by_list.get("validated"), by_list.get("screened"))
    if lists.shown is None:
        raise NotStored("; ".join(record.failure for record in records if record.failure) or "there is no fit to show")
    made = _board(snapshot, lists, lists.shown, newest(con, lists.shown["judge"])) | {"fit": None}
    controlled = next((row for row in rows if row["control"] is not None and was_made(row)), None)
    return made | (_beside(made, controlled) if controlled else {})


def instead(made: Row, key: FitKey) -> Row:
    """The board, with a note where the screened list stands in for a fit that was asked for by name."""
    shown = FitKey(made["scope"], made["method"], made["policy"])
    if made["board"] == "validated" or key in (FitKey(key.scope), shown):
        return made
    note = INSTEAD.format(asked=key_text(key), shown=shown.method)
    return made | {"notes": [*made["notes"], note]}


def stored(con: duckdb.DuckDBPyConnection, judge: str | None) -> list[Row]:
    """The newest fit of each key and list of a judge (None: of the newest fit's), as rows without standings."""
    names = ("judge", "fingerprint", "board", "scope", *KEY_FIELDS, "fitted_at", "n_battles", "n_prompts")
    found = newest(con, judge)
    if not found:
        require_known(judge, known_judges(con))
    made = [fit for fit in found if was_made(fit)]
    return [plain({name: fit[name] for name in names} | {"fit": fit["id"], "old": old(fit)}) for fit in made]


def head_of(fit: Row) -> Row:
    """What stands above a list: how the fit was made, and what its writer says about it."""
    rest = {name: value for name, value in head_document(fit).items() if name != "notes"}
    hoisted = {name: rest.pop(name, default) for name, default in HOISTED.items()}
    return {**plain({name: fit[name] for name in HEAD_FIELDS}), "fit": fit["id"], **hoisted, "head": rest}


def empty_board(
    known: Sequence[str], *, snapshot: str | None = None, judge: str | None = None, scope: str = "overall"
) -> Row:
    """The board before anybody is rated, in the shape of every other. NotFound for a judge that is not `known`."""
    require_known(judge, known)
    fields: Row = dict.fromkeys(HEAD_FIELDS) | HOISTED
    return fields | {
        "n_battles": 0,
        "n_prompts": 0,
        "components": 0,
        "scope": scope,
        "judge": judge,
        "simulated": False,
        "fit": None,
        "board": "screened",
        "snapshot": snapshot,
        "gate": None,
        "held_back": False,
        "head": {},
        "standings": [],
        "screened": [],
        "screened_fit": None,
        "old": None,
        "scopes": [],
        "fits": [],
        "notes": [NO_FIT],
    }


def known_judges(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Those that are registered or have been rated with, by name."""
    return [str(row[0]) for row in con.execute(KNOWN_JUDGES).fetchall()]


def require_known(judge: str | None, known: Sequence[str]) -> None:
    """NotFound for a judge that is not among them."""
    if judge is not None and judge not in known:
        raise NotFound(f"no judge {judge!r}: there {'is' if len(known) == 1 else 'are'} {', '.join(known) or 'none'}")


def key_text(key: FitKey) -> str:
    """`overall, bt, tie`: a key in words."""
    return ", ".join(part for part in (key.scope, key.method, key.policy, key.control) if part)


def _board(snapshot: str | None, lists: Lists, shown: Row, stored: Sequence[Row]) -> Row:
    below, failed = lists.below, lists.failed
    return {
        **head_of(shown),
        "board": shown["board"],
        "snapshot": snapshot,
        "gate": document(shown["gate"]) or (lists.validated and document(lists.validated["gate"])),
        "held_back": held_back(shown),
        "standings": _rows(shown),
        "screened": _rows(below) if below else [],
        "screened_fit": head_of(below) | {"old": old(below)} if below else None,
        "old": old(failed) if failed else None,
        **_choices(stored, shown),
        "notes": [
            *_own_notes(shown, failed),
            *_unlinked(shown, UNLINKED),
            *notes(shown),
            *(_notes_below(below) if below else []),
        ],
    }


def _rows(fit: Row) -> list[Row]:
    """The standings; a snapshot of an earlier version lacks some fields."""
    return [row | {name: row.get(name) for name in LATER_FIELDS} for row in fit["standings"]]


def _choices(stored: Iterable[Row], shown: Row) -> Row:
    """Which other boards of the judge are stored: scopes, and ways to rate this one."""
    made = [fit for fit in stored if was_made(fit)]
    like_this = [fit for fit in made if (fit["scope"], fit["board"]) == (shown["scope"], shown["board"])]
    return {
        "scopes": list(dict.fromkeys(fit["scope"] for fit in made)),
        "fits": [{name: fit[name] for name in KEY_FIELDS} for fit in like_this],
    }


def _own_notes(shown: Row, failed: Row | None) -> list[str]:
    """What the board itself has to say: that it is the screened list, or old."""
    instead = [NONE_VALIDATED] if shown["board"] == "screened" else []
    if failed is None:
        return instead
    return [*instead, _late(failed)] if was_made(failed) else [_late(failed)]


def _notes_below(below: Row) -> list[str]:
    late = old(below) if below["standings"] else None
    return [*_unlinked(below, UNLINKED_BELOW), *notes(below), *([OLD_BELOW.format(**late)] if late else [])]


def _unlinked(fit: Row, text: str) -> list[str]:
    return [text.format(n=n)] if (n := groups(fit)) > 1 else []


def _late(failed: Row) -> str:
    text = OLD if was_made(failed) else NONE_MADE
    return text.format(since=plain(failed["old_since"]), reason=failed["old_reason"])


def _beside(made: Row, controlled: Row) -> Row:
    """The controlled ratings beside the plain ones of the same models."""
    rows = {row["model"]: {name: row[name] for name in CONTROLLED_FIELDS} for row in controlled["standings"]}
    standings = [row | {"controlled": rows.get(row["model"])} for row in made["standings"]]
    return {"control": head_of(controlled)["control"], "standings": standings}


def _before_the_first(
    con: duckdb.DuckDBPyConnection, snapshot: str | None, judge: str | None, failed: Sequence[Row]
) -> Row:
    """The empty board, with the reason where there could have been one."""
    empty = empty_board(known_judges(con), snapshot=snapshot, judge=judge)
    first = next((fit for fit in failed if fit["scope"] == OVERALL.scope), None)
    return empty | ({"judge": first["judge"], "old": old(first), "notes": [_late(first)]} if first else {})


def too_early(as_of: str, first: str | None = None) -> NotFound:
    """Says when the first fit was made."""
    why = "there is no fit yet" if first is None else f"the first fit is of {first}"
    return NotFound(TOO_EARLY.format(as_of=as_of, why=why))


def _too_early(con: duckdb.DuckDBPyConnection, judge: str | None, as_of: str) -> NotFound:
    require_known(judge, known_judges(con))
    return too_early(as_of, plain(con.execute(FIRST_FIT, {"judge": judge}).fetchall()[0][0]))


def not_stored(con: duckdb.DuckDBPyConnection, stored: Sequence[Row], judge: str | None, key: FitKey) -> NotFound:
    """The refusal that names what is `stored`. NotFound instead for a judge that is not known."""
    if not stored:
        require_known(judge, known_judges(con))
    boards_ = dict.fromkeys(
        key_text(FitKey(fit["scope"], fit["method"], fit["policy"], fit["control"]))
        + (" (screened list)" if fit["board"] == "screened" else "")
        for fit in stored
        if was_made(fit) and (fit["scope"] == key.scope or fit["method"] == "bt")
    )
    failed = of_key(stored, "validated", key)
    why = f"\nit could not be made: {failed['old_reason']}" if failed and not was_made(failed) else ""
    names = "; ".join(list(boards_)[:MOST_NAMED]) + ("; …" if len(boards_) > MOST_NAMED else "")
    return NotStored(f"no fit of {key_text(key)} is stored{why}\nstored: {names or 'none yet'}")
