"""Read a judge's reply into positions, or say why it cannot be read.

A reply goes through small steps: reasoning is dropped, what is left becomes plain lines, the lines that state a verdict
become claims, and `settle` decides which claim is the judge's own. The rule throughout: a wrong reading costs more than
a lost one, so whatever could be a heading, a quotation or half a verdict is unreadable and never a tie or a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from leaderboard.core.reply_lines import Line, plain_lines
from leaderboard.core.types import Parsed, SlotScores, Unreadable, Winner

Reader = Callable[[str | None], Parsed]

EMPTY: Final = Unreadable("the reply is empty")
NO_VERDICT: Final = Unreadable("no verdict on a line of its own")
NO_SCORES: Final = Unreadable("no score lines")
SCORE_MISSING: Final = Unreadable("a score is missing")
NOT_A_SCORE: Final = Unreadable("a score is not one number from 1 to 10")
TWO_VERDICTS: Final = Unreadable("two verdicts on one line")
NOT_A_VERDICT: Final = Unreadable("the verdict line names no winner")
DISAGREE: Final = Unreadable("several verdicts that disagree and none that closes the reply")


@dataclass(frozen=True, slots=True)
class Form:
    """How one language writes its verdicts. Patterns see single spaces and match from the start of a line."""

    score_label: re.Pattern[str]
    number: re.Pattern[str]
    lead: re.Pattern[str]
    candidate: re.Pattern[str]
    between: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One place that states a verdict, from line `start` to line `end`.

    `named`: it says that it is a verdict (a label, "Winner:"), so it cannot be a heading. `quoted`: it may be the
    words of a contestant.
    """

    start: int
    end: int
    said: Parsed
    named: bool
    quoted: bool


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A labelled score; `value` is unreadable where the label is there and a usable number is not."""

    at: int
    position: str
    value: Decimal | Unreadable
    quoted: bool


# ASCII: without it `re.IGNORECASE` takes look-alikes such as the Kelvin sign for letters, and `\d` takes any script.
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.ASCII)


_COUNTED = r"(?:[0-9]{1,2}[.)] )?"

ENGLISH: Final = Form(
    score_label=_pattern(_COUNTED + r"(?:final )?score (?:of|for) (?:the )?assistant[ _]?([12]) ?[:：] ?"),
    number=_pattern(r"((?:10|[1-9])(?:\.[0-9]{1,4})?)(?: ?/ ?10)?\.?"),
    lead=_pattern(r"(?:the |my )?(?:final |overall )?(?:winner|verdict)(?: is)? ?[:：=] ?"),
    candidate=_pattern(r"(?:the )?assistant[ _-]?([0-9]{1,9})|(?:an? )?(?:tie|draw)"),
    between=_pattern(r" ?[,;/&|] ?| and | or "),
)
DUTCH: Final = Form(
    score_label=_pattern(_COUNTED + r"(?:eind)?score (?:(?:van|voor) )?(?:de )?kandidaat[ _]?([12]) ?[:：] ?"),
    number=_pattern(r"((?:10|[1-9])(?:[.,][0-9]{1,4})?)(?: ?/ ?10)?\.?"),
    lead=_pattern(r"(?:de )?(?:winnaar|eindoordeel)(?: is)? ?[:：=] ?"),
    candidate=_pattern(r"(?:de )?kandidaat[ _-]?([0-9]{1,9})|(?:een )?gelijkspel"),
    between=_pattern(r" ?[,;/&|] ?| en | of "),
)

_WINNERS: dict[str | None, Winner] = {"1": "1", "2": "2", None: "tie"}


def _value(form: Form, text: str) -> Decimal | Unreadable:
    if not text:
        return SCORE_MISSING
    written = form.number.fullmatch(text)
    if written is None:
        return NOT_A_SCORE
    value = Decimal(written[1].replace(",", "."))
    return value if value <= 10 else NOT_A_SCORE


def _scores(first: Decimal | Unreadable, second: Decimal | Unreadable) -> Parsed:
    if isinstance(first, Unreadable):
        return first
    return second if isinstance(second, Unreadable) else SlotScores(first, second)


def _score_lines(form: Form, lines: Iterable[tuple[int, Line]]) -> Iterator[ScoreLine]:
    for at, line in lines:
        label = form.score_label.match(line.text)
        if label:
            yield ScoreLine(at, label[1], _value(form, line.text[label.end() :]), line.quoted)


def _pair(one: ScoreLine, other: ScoreLine) -> Claim:
    first, second = sorted((one, other), key=lambda line: line.position)
    said = _scores(first.value, second.value)
    return Claim(one.at, other.at, said, named=True, quoted=one.quoted or other.quoted)


def _runs(score_lines: Sequence[ScoreLine]) -> Iterator[list[ScoreLine]]:
    """Score lines that follow one another without other text between."""
    run: list[ScoreLine] = []
    for line in score_lines:
        if run and line.at != run[-1].at + 1:
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _claims_of_run(run: list[ScoreLine]) -> list[Claim]:
    couples = list(zip(run[::2], run[1::2], strict=False))
    if len(run) % 2 or any(one.position == other.position for one, other in couples):
        return [Claim(run[0].at, run[-1].at, SCORE_MISSING, named=True, quoted=run[-1].quoted)]
    return [_pair(one, other) for one, other in couples]


def _labelled(score_lines: Sequence[ScoreLine]) -> list[Claim]:
    # Two labels kept apart by their explanations are a pair only if the reply holds no other: with a third label,
    # planted by a contestant and repeated by the judge, halves of two pairs would be joined.
    if [line.position for line in score_lines] == ["1", "2"]:
        return [_pair(*score_lines)]
    return [claim for run in _runs(score_lines) for claim in _claims_of_run(run)]


def _bare_pair(form: Form, at: int, line: Line) -> Claim | None:
    tokens = line.text.split(" ", 2)
    if len(tokens) != 2 or not all(token[0] in "0123456789" for token in tokens):
        return None
    said = _scores(_value(form, tokens[0].rstrip(",;")), _value(form, tokens[1]))
    return Claim(at, at, said, named=False, quoted=line.quoted)


def _bare_pairs(form: Form, lines: Sequence[Line]) -> list[Claim]:
    """Two numbers alone on the first or the last line; anywhere else they are figures in an argument."""
    edges = sorted({0, len(lines) - 1})
    return [claim for at in edges if (claim := _bare_pair(form, at, lines[at]))]


def _winner(form: Form, text: str) -> Parsed | None:
    """Who a text names that is nothing but names; None if it is anything else."""
    named = [form.candidate.fullmatch(part) for part in form.between.split(text.rstrip(".! "))]
    if not all(named):
        return None
    numbers = {match[1] for match in named if match}
    if len(numbers) > 1:
        return TWO_VERDICTS
    winner = _WINNERS.get(numbers.pop())
    return SlotScores.won_by(winner) if winner else NOT_A_VERDICT


def _verdict_claims(form: Form, lines: Iterable[tuple[int, Line]]) -> Iterator[Claim]:
    for at, line in lines:
        lead = form.lead.match(line.text)
        said = _winner(form, line.text[lead.end() :] if lead else line.text)
        if said or lead:
            yield Claim(at, at, said or NOT_A_VERDICT, named=bool(lead), quoted=line.quoted)


def _own_words(lines: Sequence[Line]) -> list[tuple[int, Line]]:
    """The lines with their places, without quotations; quoted lines that open or close the reply stay.

    A judge may box its own verdict, at the edge of its reply; in the middle a quotation is a contestant's text.
    """
    plain = [at for at, line in enumerate(lines) if not line.quoted]
    if not plain:
        return list(enumerate(lines))
    return [(at, line) for at, line in enumerate(lines) if not (line.quoted and plain[0] < at < plain[-1])]


def settle(claims: Sequence[Claim], line_count: int, none_found: Unreadable) -> Parsed:
    """The last claim counts, unless it may not be the judge's.

    Claims that agree need no choice. Where they differ, the last one stands if it closes the reply, or if it names
    itself a verdict and the reply did not open with another: after an opening verdict it may be a quotation.
    """
    if not claims:
        return none_found
    last = claims[-1]
    stated = [claim for claim in claims if isinstance(claim.said, SlotScores)]
    if isinstance(last.said, Unreadable) or all(claim.said == last.said for claim in stated):
        return last.said
    closes = last.end == line_count - 1
    opened = stated[0].start == 0
    return last.said if not last.quoted and (closes or (last.named and not opened)) else DISAGREE


def _read_scores(form: Form, lines: Sequence[Line]) -> Parsed:
    score_lines = list(_score_lines(form, _own_words(lines)))
    claims = _labelled(score_lines) if score_lines else _bare_pairs(form, lines)
    return settle(claims, len(lines), NO_SCORES)


def _read_winner(form: Form, lines: Sequence[Line]) -> Parsed:
    return settle(list(_verdict_claims(form, _own_words(lines))), len(lines), NO_VERDICT)


_BRACKETS = re.compile(r"\[\[ ?([ABC][^\[\]]{0,8})(\]\])?")
_BRACKET_WINNERS: dict[str, Winner] = {
    "A": "1",
    "A>>B": "1",
    "A>B": "1",
    "B": "2",
    "B>>A": "2",
    "B>A": "2",
    "C": "tie",
    "A=B": "tie",
}


def _bracketed(text: str) -> Parsed | None:
    found = {_BRACKET_WINNERS.get(token.strip()) if closed else None for token, closed in _BRACKETS.findall(text)}
    if not found:
        return None
    if len(found) > 1:
        return TWO_VERDICTS
    winner = found.pop()
    return SlotScores.won_by(winner) if winner else NOT_A_VERDICT


def _read_brackets(lines: Sequence[Line]) -> Parsed:
    said = (_bracketed(line.text) for line in reversed(lines))
    return next((parsed for parsed in said if parsed), NO_VERDICT)


def _reader(read: Callable[[Sequence[Line]], Parsed]) -> Reader:
    def read_reply(text: str | None) -> Parsed:
        lines = plain_lines(text or "")
        return read(lines) if lines else EMPTY

    return read_reply


scores_en = _reader(lambda lines: _read_scores(ENGLISH, lines))
scores_nl = _reader(lambda lines: _read_scores(DUTCH, lines))
winner_en = _reader(lambda lines: _read_winner(ENGLISH, lines))
winner_nl = _reader(lambda lines: _read_winner(DUTCH, lines))
arena_brackets = _reader(_read_brackets)

READERS: dict[str, Reader] = {
    "scoring": scores_en,
    "scoring_nl": scores_nl,
    "scoring_evidence": scores_en,
    "scoring_evidence_nl": scores_nl,
    "comparing": winner_en,
    "comparing_nl": winner_nl,
    "comparing_evidence": winner_en,
    "comparing_evidence_nl": winner_nl,
    "arena_brackets": arena_brackets,
}
