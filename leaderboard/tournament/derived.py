"""A board that no refit stores (`elo`, a policy within a category), made on the spot from a snapshot and not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leaderboard.core.judged import SHARES
from leaderboard.core.ratings import METHODS
from leaderboard.core.types import Stage
from leaderboard.errors import BadInput
from leaderboard.history.boards import instead
from leaderboard.history.records import FitKey, Row
from leaderboard.settings import Settings
from leaderboard.tournament.battles import LENGTH
from leaderboard.tournament.lists import Bench, Ground, Trial, prepared, records_for
from leaderboard.tournament.registered import models_of, prompts_of
from leaderboard.tournament.scopes import known_scope, scopes_of

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

TRIAL = ("p_first", "protocol", "samples", "readable_share")


def derived_board(reader: SnapshotReader, settings: Settings, judge: str | None, key: FitKey) -> Row:
    """The board of a key in the shape of every other, from the verdicts of the snapshot.

    The judge (None: that of the newest fit) keeps the fingerprint, the gate and the k of its stored board, and a list
    that is held back there is held back here too: `settings` are of now. BadInput for a key that means nothing,
    NotFound for an unknown judge or a scope without a verdict; before anybody is rated the board is the stored one,
    which is empty.
    """
    check(key)
    stored = reader.board(judge)
    if stored["fitted_at"] is None:
        return stored
    return instead(reader.board_of(records_for(_ground(reader, settings, stored, key), key)), key)


def check(key: FitKey) -> None:
    """Raises BadInput that names the part of the key which cannot be."""
    if key.method not in METHODS:
        raise BadInput(f"method: must be one of {', '.join(METHODS)}, got {key.method!r}")
    if key.control is not None and (key.control != LENGTH or key.method != "joint"):
        raise BadInput(f"control: only {LENGTH!r}, with method joint, got {key.control!r} with {key.method}")
    if key.method == "joint" and key.policy is not None:
        raise BadInput(f"policy: method joint takes every order outcome as it is and no policy, got {key.policy!r}")
    if key.method != "joint" and key.policy not in SHARES:
        raise BadInput(f"policy: must be one of {', '.join(SHARES)}, got {key.policy!r}")


def _ground(reader: SnapshotReader, settings: Settings, stored: Row, key: FitKey) -> Ground:
    judge, fingerprint = stored["judge"], stored["fingerprint"]
    lengths = key.control is not None
    validation = reader.rating_facts(Stage.VALIDATION, judge, fingerprint, lengths=lengths)
    screening = reader.rating_facts(Stage.SCREENING, judge, fingerprint)
    known_scope(key.scope, scopes_of(validation, screening))
    return prepared(
        _bench(reader, stored),
        validation,
        screening,
        models=models_of(reader),
        prompts=prompts_of(reader),
        k=stored["k"] or settings.top_k,
        at=stored["fitted_at"],
        trial=lambda _: _trial(stored),
        snapshot=reader.id,
    )


def _bench(reader: SnapshotReader, stored: Row) -> Bench:
    rows = [row for row in reader.judges() if row["id"] == stored["judge"]]
    about: Row = rows[0] if rows else {}
    return Bench(
        id=stored["judge"],
        fingerprint=stored["fingerprint"],
        family=about.get("family"),
        simulated=bool(about.get("simulated")),
        parameters=stored["head"].get("judge_parameters"),
    )


def _trial(stored: Row) -> Trial:
    head = {name: stored["head"][name] for name in TRIAL if name in stored["head"]}
    return Trial(gate=stored["gate"], head=head, blocks=stored["held_back"])
