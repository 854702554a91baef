"""What a run needs, and what of it is missing: derived from the draw and from what the stores hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from leaderboard.core.pairing import drawn_order, screening_draw, validation_pairs
from leaderboard.core.protocol import asked
from leaderboard.core.ratings import METHODS
from leaderboard.core.screening import Keep, keep_rule, pairings_per_model, pairings_per_pair
from leaderboard.core.types import Answer, Judge, Model, Order, Pairing, Prompt, Stage
from leaderboard.history.records import StoredAnswer
from leaderboard.ledger import models as model_rows
from leaderboard.ledger import requests
from leaderboard.tournament import fit
from leaderboard.tournament.lists import Methods
from leaderboard.tournament.office import Office
from leaderboard.tournament.work import Comparison, Task, answer_task, comparison, judgement_tasks

SCREENING_PROTOCOL = "random"


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for one judge over some prompts, which stand in the order in which they are played."""

    office: Office
    judge: Judge
    prompts: Sequence[Prompt]

    @property
    def samples(self) -> int:
        return self.office.settings.samples or self.judge.samples

    def stored_answers(self) -> dict[tuple[str, str], list[StoredAnswer]]:
        return self.office.history.answers()

    def answered_turns(self, models: Sequence[Model]) -> int:
        """How many turns of these prompts are answered by those of the models that are asked for answers."""
        stored = self.stored_answers()
        asked_ids = [model.id for model in models if model.endpoint is not None]
        return sum(len(stored.get((prompt.id, model), [])) for prompt in self.prompts for model in asked_ids)

    def missing_answers(self, models: Sequence[Model], run: str) -> list[Task]:
        """The next turn of every answer that is not complete, prompt by prompt."""
        stored = self.stored_answers()
        tasks = []
        for prompt in self.prompts:
            for model in models:
                earlier = [answer.text for answer in stored.get((prompt.id, model.id), [])]
                if model.endpoint is not None and len(earlier) < len(prompt.turns):
                    tasks.append(answer_task(model, prompt, earlier, run))
        return tasks

    def screening(self, models: Sequence[Model]) -> list[Comparison | None]:
        """The drawn single passes; None for one whose answers are not there.

        Places in the draw are fixed: a newcomer takes the next one, so that nobody else's draw changes.
        """
        with self.office.ledger.write() as tx:
            seats = model_rows.seat(tx, [model.id for model in models])
        draws = screening_draw(
            self.office.settings.seed, seats, [prompt.id for prompt in self.prompts], pairings_per_pair(len(seats))
        )
        pairings = [(Pairing(prompt_id, a, b), [order], [0]) for prompt_id, a, b, order in draws]
        return self._comparisons(Stage.SCREENING, pairings)

    def validation(self, kept: Sequence[str]) -> list[Comparison | None]:
        """All pairs of the kept models on all prompts; None for one whose answers are not there."""
        seed = self.office.settings.seed
        pairings = []
        for pairing in validation_pairs(kept, self.prompts):
            orders, samples = asked(self.judge.protocol, self.samples, drawn_order(seed, pairing))
            pairings.append((pairing, sorted(orders), list(range(1, samples + 1))))
        return self._comparisons(Stage.VALIDATION, pairings)

    def _comparisons(
        self, stage: Stage, pairings: Iterable[tuple[Pairing, list[Order], list[int]]]
    ) -> list[Comparison | None]:
        prompts, answers = {prompt.id: prompt for prompt in self.prompts}, self._answers()
        return [
            comparison(
                self.judge,
                prompts[pairing.prompt_id],
                pairing,
                answers,
                stage=stage,
                orders=orders,
                samples=samples,
            )
            for pairing, orders, samples in pairings
        ]

    def _answers(self) -> dict[tuple[str, str], Answer]:
        """Complete answers: a text for every turn."""
        turns = {prompt.id: len(prompt.turns) for prompt in self.prompts}
        return {
            (prompt_id, model): Answer(prompt_id=prompt_id, model=model, texts=tuple(a.text for a in stored))
            for (prompt_id, model), stored in self.stored_answers().items()
            if len(stored) == turns.get(prompt_id)
        }

    def missing_judgements(self, items: Sequence[Comparison], protocol: str, run: str) -> list[Task]:
        """The requests to the judge for samples that are not there."""
        with self.office.ledger.read() as tx:
            present = requests.settled_samples(tx, [item.key for item in items])
        secret = self.office.home.secret()
        return [
            task
            for item in items
            for task in judgement_tasks(self.judge, item, present, run=run, secret=secret, protocol=protocol)
        ]

    def requests_for(self, item: Comparison) -> int:
        """How many requests a comparison takes when nothing of it is there."""
        return len(item.orders) * (1 if self.judge.endpoint.takes_n else len(item.samples))

    def keep(self, models: Sequence[Model], methods: Methods = METHODS) -> Keep:
        """Who goes on to validation, by the keep rule over the screening fit; without a fit everybody up to the cap."""
        settings, ids = self.office.settings, [model.id for model in models]
        found, notes = fit.screening_fit(self.office.history, self.judge, ids, methods)
        if found is None:
            return _unmeasured(ids, settings.cap, notes)
        kept = keep_rule(
            found,
            k=settings.top_k,
            cap=settings.cap,
            eps=settings.keep_eps,
            planned_per_model=pairings_per_model(len(models), len(self.prompts)),
        )
        return replace(kept, notes=(*notes, *kept.notes))


def _unmeasured(models: Sequence[str], cap: int, notes: tuple[str, ...]) -> Keep:
    """Nobody's chance is known."""
    unknown: dict[str, float | None] = dict.fromkeys(models)
    cut: dict[str, float | None] = dict.fromkeys(models[cap:])
    return Keep(tuple(models[:cap]), {}, cut, unknown, everybody=True, notes=notes)
