"""Tasks: what is to be asked of whom. A task holds the ledger's request and renders its messages only when sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from leaderboard.core.keys import answer_key, content_hash, judgement_key, mark_of, pairing_key
from leaderboard.core.messages import Message
from leaderboard.core.templates import Reader, Shown, render, template_for
from leaderboard.core.types import Answer, Endpoint, Judge, Model, Order, Pairing, Prompt, Stage
from leaderboard.ledger.requests import Request, RequestKind

CHECK_TEXT = "Reply with the single word: ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One request to make. `samples` is empty for answers and checks; `read` turns a judge's reply into scores.

    `narrowed` gives the task for some of the samples: a provider may return fewer than it was asked for.
    """

    request: Request
    endpoint: Endpoint
    messages: Callable[[], tuple[Message, ...]]
    samples: tuple[int, ...] = ()
    read: Reader | None = None
    narrowed: Callable[[tuple[int, ...]], Task] | None = None

    @property
    def n(self) -> int:
        return max(1, len(self.samples))

    @property
    def who(self) -> str:
        """Who is asked, as messages name them: `model X` or `judge Y`."""
        return f"judge {self.request.judge}" if self.request.judge else f"model {self.request.model}"

    @property
    def params(self) -> dict[str, object]:
        return dict(self.endpoint.sent or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A pairing with everything that is needed to ask for one of its orders."""

    pairing: Pairing
    key: str
    prompt: Prompt
    texts_a: tuple[str, ...]
    texts_b: tuple[str, ...]
    stage: Stage
    orders: tuple[Order, ...]
    samples: tuple[int, ...]

    @property
    def identical(self) -> bool:
        return self.texts_a == self.texts_b


def _recorded(endpoint: Endpoint, n: int) -> dict[str, object]:
    """The parameters as the request's record keeps them: what was sent, and what was wished for but not sent."""
    return {**(endpoint.sent or {}), "n": n, "not_sent": dict(endpoint.not_sent)}


def _price_record(endpoint: Endpoint) -> dict[str, object] | None:
    if endpoint.price is None:
        return None
    return {
        "input": str(endpoint.price.input),
        "output": str(endpoint.price.output),
        "source": endpoint.price_source,
    }


def _request(endpoint: Endpoint, n: int, *, key: str, kind: RequestKind, run: str) -> Request:
    return Request(
        key=key,
        kind=kind,
        run=run,
        params=_recorded(endpoint, n),
        price=_price_record(endpoint),
        simulated=endpoint.simulated,
    )


def answer_task(model: Model, prompt: Prompt, earlier: Sequence[str], run: str) -> Task:
    """The next turn of a model's answer, after the turns in `earlier`."""
    if model.endpoint is None:
        raise ValueError(f"{model.id} has no endpoint to ask")
    turn = len(earlier)
    key = answer_key(model.id, model.endpoint, model.system, prompt, turn)
    request = replace(
        _request(model.endpoint, 1, key=key, kind="answer", run=run), model=model.id, prompt_id=prompt.id, turn=turn
    )
    return Task(request=request, endpoint=model.endpoint, messages=lambda: dialogue(model, prompt, earlier))


def dialogue(model: Model, prompt: Prompt, earlier: Sequence[str]) -> tuple[Message, ...]:
    """The conversation up to the next user turn: the prompt's system text wins over the model's own."""
    system = prompt.system or model.system
    messages = [Message("system", system)] if system else []
    for turn, reply in zip(prompt.turns, earlier, strict=False):
        messages += [Message("user", turn), Message("assistant", reply)]
    return (*messages, Message("user", prompt.turns[len(earlier)]))


def check_task(who: Model | Judge, run: str, nonce: str) -> Task:
    """A tiny priced request that shows whether key, model, parameters and region are right."""
    if who.endpoint is None:
        raise ValueError(f"{who.id} has no endpoint to check")
    judge, model = (who.id, None) if isinstance(who, Judge) else (None, who.id)
    key = content_hash(["check", judge, model, nonce])
    request = replace(_request(who.endpoint, 1, key=key, kind="check", run=run), judge=judge, model=model)
    return Task(request=request, endpoint=who.endpoint, messages=lambda: (Message("user", CHECK_TEXT),))


def comparison(
    judge: Judge,
    prompt: Prompt,
    pairing: Pairing,
    answers: Mapping[tuple[str, str], Answer],
    *,
    stage: Stage,
    orders: Iterable[Order],
    samples: Iterable[int],
) -> Comparison | None:
    """The pairing ready to be judged, None while one of its answers is missing."""
    a = answers.get((prompt.id, pairing.model_a))
    b = answers.get((prompt.id, pairing.model_b))
    if a is None or b is None:
        return None
    if judge.fingerprint is None:
        raise ValueError(f"judge {judge.id} has no fingerprint yet")
    return Comparison(
        pairing=pairing,
        key=pairing_key(judge.fingerprint, prompt, pairing, a.texts, b.texts),
        prompt=prompt,
        texts_a=a.texts,
        texts_b=b.texts,
        stage=stage,
        orders=tuple(orders),
        samples=tuple(samples),
    )


def judgement_tasks(
    judge: Judge,
    item: Comparison,
    present: Mapping[tuple[str, str], set[int]],
    *,
    run: str,
    secret: bytes,
    protocol: str,
) -> list[Task]:
    """The requests that are still missing for a comparison, given the samples that exist.

    A single pass that exists stands, also in the other order: the draw of the orders depends on who takes part.
    """
    tasks: list[Task] = []
    for order in item.orders:
        taken = [order, order.flipped] if item.stage is Stage.SCREENING else [order]
        found = set().union(*(present.get((item.key, str(each)), set()) for each in taken))
        missing = [sample for sample in item.samples if sample not in found]
        groups = sample_groups(missing, whole=judge.endpoint.takes_n and len(missing) == len(item.samples))
        tasks += [
            judgement_task(judge, item, order, group, run=run, secret=secret, protocol=protocol) for group in groups
        ]
    return tasks


def sample_groups(missing: Sequence[int], *, whole: bool) -> list[tuple[int, ...]]:
    """All samples in one request where the provider takes `n` and none exists yet; else one request a sample."""
    if not missing:
        return []
    return [tuple(missing)] if whole else [(sample,) for sample in missing]


def judgement_task(
    judge: Judge,
    item: Comparison,
    order: Order,
    samples: tuple[int, ...],
    *,
    run: str,
    secret: bytes,
    protocol: str,
) -> Task:
    """One request to the judge for some samples of one order of a comparison."""
    template = template_for(judge.template, item.prompt.language)
    key = judgement_key(item.key, order, samples[0], samples[-1])
    mark = mark_of(secret, key)
    request = replace(
        _about(judge, item, key=key, kind="judgement", n=len(samples), run=run, protocol=protocol),
        order=str(order),
        sample_from=samples[0],
        sample_to=samples[-1],
        template=template.name,
        mark=mark,
    )

    def messages() -> tuple[Message, ...]:
        shown = shown_to_judge(item.prompt, item.texts_a, item.texts_b, order, rubric=judge.rubric, mark=mark)
        return judge_messages(judge.system, render(template, shown))

    def narrowed(some: tuple[int, ...]) -> Task:
        return judgement_task(judge, item, order, some, run=run, secret=secret, protocol=protocol)

    return Task(
        request=request,
        endpoint=judge.endpoint,
        messages=messages,
        samples=samples,
        read=template.read,
        narrowed=narrowed,
    )


def shown_to_judge(
    prompt: Prompt,
    texts_a: tuple[str, ...],
    texts_b: tuple[str, ...],
    order: Order,
    *,
    rubric: str | None,
    mark: str,
) -> Shown:
    """What stands where in a judge's prompt: under `ba` answer b is shown first."""
    first, second = (texts_a, texts_b) if order is Order.AB else (texts_b, texts_a)
    return Shown(prompt=prompt, first=first, second=second, rubric=rubric, mark=mark)


def judge_messages(system: str | None, rendered: tuple[Message, ...]) -> tuple[Message, ...]:
    """An operator's system text for the judge goes before the template's own, in one message."""
    if not system:
        return rendered
    first, *rest = rendered
    if first.role != "system":
        return (Message("system", system), *rendered)
    return (Message("system", f"{system}\n\n{first.content}"), *rest)


def identical_request(judge: Judge, item: Comparison, *, run: str, protocol: str) -> Request:
    """The fact that two answers are the same text: a tie that nobody is asked about."""
    key = content_hash(["identical", item.key, str(item.stage)])
    return _about(judge, item, key=key, kind="identical", n=0, run=run, protocol=protocol)


def _about(judge: Judge, item: Comparison, *, key: str, kind: RequestKind, n: int, run: str, protocol: str) -> Request:
    return replace(
        _request(judge.endpoint, n, key=key, kind=kind, run=run),
        stage=str(item.stage),
        judge=judge.id,
        fingerprint=judge.fingerprint,
        prompt_id=item.prompt.id,
        model_a=item.pairing.model_a,
        model_b=item.pairing.model_b,
        pairing=item.key,
        protocol=protocol,
    )
