"""The addresses that a model added over HTTP may name, so that nobody sends the tournament's keys elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from leaderboard.errors import BadInput, StoreDamaged
from leaderboard.settings import load_settings

Stamp = tuple[int, int, int] | None


class AllowedBases:
    """`allowed_api_bases` as it is now: the given list until tournament.toml changes, from then on the file's."""

    def __init__(self, file: Path, given: Iterable[str]) -> None:
        self._file = file
        self._known = (_stamp(file), _plain(given))

    def require(self, url: str | None) -> None:
        """Raise BadInput unless the address is on the list; a slash at its end makes no difference."""
        if url is not None and url.rstrip("/") not in self._current():
            raise BadInput(
                f"api_base {url!r} is not allowed over HTTP: the operator adds it to allowed_api_bases in "
                f"{self._file.name}, or adds the model on the command line"
            )

    def _current(self) -> frozenset[str]:
        stamp, allowed = self._known
        now = _stamp(self._file)
        if now != stamp:
            allowed = self._read()
            self._known = (now, allowed)
        return allowed

    def _read(self) -> frozenset[str]:
        try:
            return _plain(load_settings(self._file).allowed_api_bases)
        except BadInput as error:
            raise StoreDamaged(f"{self._file.name} cannot be read, so no api_base can be allowed now") from error


def _plain(urls: Iterable[str]) -> frozenset[str]:
    return frozenset(url.rstrip("/") for url in urls)


def _stamp(file: Path) -> Stamp:
    """Changes whenever the file does."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
