"""Taking prompts and answers from files: all of a file, or nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file
from pathlib import Path

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Model, Prompt
from leaderboard.errors import BadInput, NotFound
from leaderboard.formats.answer_files import read_answers
from leaderboard.formats.prompt_files import NumberedPrompt, read_prompts
from leaderboard.ledger import models, prompts, requests
from leaderboard.ledger.groups import carry_out, noting
from leaderboard.ledger.ids import storable
from leaderboard.ledger.registry import chunks
from leaderboard.ledger.requests import Finished, Request
from leaderboard.ledger.store import Ledger, Transaction
from leaderboard.tournament.defaults import default_file

IMPORT = "import"


def import_prompts(ledger: Ledger, file: Path) -> dict[str, object]:
    """Add the file's prompts. An id that is there with the same content is counted, with other content refused."""
    found = read_prompts(file)
    wanted = found.prompts
    with ledger.write() as tx:
        known = {prompt.id: prompt for prompt in prompts.all(tx)}
        fresh = [item for item in wanted if not _is_known(file, item, known)]
        _refuse_lookalike(tx, file, fresh)
        prompts.add_many(tx, [item.prompt for item in fresh])
    unused = [f"the field {name!r} means nothing here and was left out" for name in found.unused]
    return {
        "imported": len(fresh),
        "known": len(wanted) - len(fresh),
        "repeated": found.repeated,
        "warnings": unused + _same_text(known.values(), [item.prompt for item in fresh]),
    }


def _refuse_lookalike(tx: Transaction, file: Path, fresh: Sequence[NumberedPrompt]) -> None:
    clash = prompts.first_clash(tx, [item.prompt.id for item in fresh])
    if clash is not None:
        place, twin = clash
        item = fresh[place]
        raise BadInput(f"{file}, line {item.line}: the id {item.prompt.id!r} looks like the prompt {twin!r}")


def _is_known(file: Path, item: NumberedPrompt, known: dict[str, Prompt]) -> bool:
    stored = known.get(item.prompt.id)
    if stored is None:
        return False
    if replace(stored, position=0) != replace(item.prompt, position=0):
        raise BadInput(f"{file}, line {item.line}: the prompt {item.prompt.id!r} exists with another content")
    return True


def _same_text(known: Iterable[Prompt], fresh: Iterable[Prompt]) -> list[str]:
    """A new id for a text that has one is accepted, and said."""
    first = {prompt.turns: prompt.id for prompt in known}
    twins = [(prompt.id, first.setdefault(prompt.turns, prompt.id)) for prompt in fresh]
    return [f"{name!r} has the same text as {twin!r}" for name, twin in twins if twin != name]


def import_answers(ledger: Ledger, model_id: str, file: Path, now: str) -> dict[str, object]:
    """Store a model's answers as facts that cost nothing. An unknown model is made, without an endpoint."""
    with ledger.write() as tx:
        known_prompts = {prompt.id: prompt for prompt in prompts.all(tx)}
        answers = read_answers(file, known_prompts)
        model = _model(tx, model_id, now)
        facts = [
            _fact(model, prompt_id, turn, text, now)
            for prompt_id, texts in answers.items()
            for turn, text in enumerate(texts)
        ]
        there = requests.answered(tx, model.id)
        fresh = [fact for fact in facts if _is_new(file, fact.request, there)]
        for part in chunks(fresh):
            carry_out(tx, [noting(fact) for fact in part])
    return {
        "model": model.id,
        "imported": len({fact.request.prompt_id for fact in fresh}),
        "known": len(answers) - len({fact.request.prompt_id for fact in fresh}),
        "missing": sorted(set(known_prompts) - set(answers)),
    }


def _is_new(file: Path, request: Request, there: Mapping[tuple[str, int], str]) -> bool:
    """Whether there is no text for that turn yet. Another text is refused: verdicts may rest on the first one."""
    stored = there.get((str(request.prompt_id), int(request.turn or 0)))
    if stored not in {None, request.key}:
        raise BadInput(f"{file}: {request.model} has another answer to {request.prompt_id!r} already")
    return stored is None


def _model(tx: Transaction, model_id: str, now: str) -> Model:
    try:
        model = models.get(tx, model_id)
    except NotFound:
        return models.add(tx, Model(id=model_id, endpoint=None, created_at=now))
    if model.endpoint is not None:
        raise BadInput(f"{model.id} has an endpoint and writes its own answers: choose another id for imported ones")
    return model


def _fact(model: Model, prompt_id: str, turn: int, text: str, now: str) -> Finished:
    kept, replaced = storable(text)
    request = Request(
        key=content_hash([IMPORT, model.id, prompt_id, turn, kept]),
        kind="answer",
        run=IMPORT,
        model=model.id,
        prompt_id=prompt_id,
        turn=turn,
    )
    note = "characters that no text can hold were replaced" if replaced else None
    payload = {"text": kept, "finish_reason": None, "note": note}
    return Finished(request=request, state="done", payload=payload, finished_at=now)


def default_prompts() -> list[Prompt]:
    """The prompts that come with the program."""
    with as_file(default_file("prompts.jsonl")) as file:
        return [item.prompt for item in read_prompts(file).prompts]
