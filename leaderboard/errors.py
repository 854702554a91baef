"""The errors raised on purpose.

LeaderboardError            a refusal: the message names the place and says what to do
├── BadInput                a file, field or argument cannot be used
├── Conflict                the id exists already, or looks like one that does
├── NotFound                no such model, judge, prompt, run
├── Busy                    another process holds what is needed
├── StoreDamaged            the ledger and the history disagree, or a file cannot be read
├── LedgerFailed            (ledger.store) the ledger cannot be read or written now
├── HistoryFailed           (history.trouble) nor the history
├── ProviderError           (providers.errors) a request that brought no usable reply
└── JudgeUnusable           (tournament.run) the judge cannot be asked
"""

from collections.abc import Iterator


class LeaderboardError(Exception):
    """Base of every refusal. Its text is shown to a person: one to four short lines, no traceback."""


class BadInput(LeaderboardError):
    """A file, field or argument cannot be used; the text names it."""


class Conflict(LeaderboardError):
    """The id is taken, or differs from an existing one only by case or Unicode form."""


class NotFound(LeaderboardError):
    """Nothing has that name."""


class Busy(LeaderboardError):
    """Another process holds the writer lock."""


class StoreDamaged(LeaderboardError):
    """Stored facts are missing or unreadable."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error itself, or all that a group of errors holds."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for inner in error.exceptions:
        yield from causes(inner)
