"""Work that writes the history: done here when the writer lock is free, else by the process that holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from leaderboard.cli.screen import talk

if TYPE_CHECKING:
    from leaderboard.home import Home
    from leaderboard.settings import Settings
    from leaderboard.tournament.office import Office

Record = dict[str, Any]


def done_here_or_there(
    home: Home,
    settings: Settings,
    here: Callable[[Office], Record],
    *,
    kind: str,
    flags: Mapping[str, object] | None = None,
    about: Mapping[str, object] | None = None,
) -> Record:
    """The record of the work. `kind`, `flags` and `about` say to another process what `here` does in this one."""
    from leaderboard.errors import Busy
    from leaderboard.home import takes_work
    from leaderboard.tournament.office import open_office

    with ExitStack() as held:
        try:
            office = held.enter_context(open_office(home, settings))
        except Busy:
            if not takes_work(home):
                raise
            return _handed_over(home, kind, flags or {}, about)
        for warning in office.warnings:
            talk(f"warning: {warning}")
        return here(office)


def _handed_over(home: Home, kind: str, flags: Mapping[str, object], about: Mapping[str, object] | None) -> Record:
    from leaderboard.cli.progress import shown_progress
    from leaderboard.tournament.handover import hand_over

    with shown_progress() as progress:
        return hand_over(home, kind, flags, progress, about)


def part_of(record: Record, name: str) -> Any:
    """What desk work brought. Raises LeaderboardError with the reason when it brought nothing."""
    from leaderboard.errors import LeaderboardError

    if name not in record:
        raise LeaderboardError("\n".join(record.get("errors") or [f"it ended as {record['state']}"]))
    return record[name]
