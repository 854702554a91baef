"""Content hashes: asking for the same thing twice has the same key, so it is never paid twice."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping

from leaderboard.core.messages import Message
from leaderboard.core.types import Endpoint, Order, Pairing, Prompt

Jsonable = Mapping[str, object]


def content_hash(value: object) -> str:
    """SHA-256 (hex) of the value's canonical JSON: keys sorted, no spaces, text kept as it is."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def endpoint_identity(endpoint: Endpoint) -> Jsonable:
    """What of an endpoint makes its replies comparable: where it is and what is really sent to it."""
    return {
        "litellm": endpoint.litellm,
        "api_base": endpoint.api_base,
        "api_version": endpoint.api_version,
        "region": endpoint.region,
        "sent": dict(endpoint.sent or {}),
        "not_sent": sorted(endpoint.not_sent),
    }


def judge_fingerprint(
    endpoint: Endpoint, template_digests: Iterable[str], rubric: str | None, system: str | None
) -> str:
    """Hash of the judge's endpoint, parameters as sent, the wording of its family in every language, and the rubric."""
    return content_hash(
        {
            "endpoint": endpoint_identity(endpoint),
            "templates": sorted(template_digests),
            "rubric": rubric,
            "system": system,
        }
    )


def prompt_hash(prompt: Prompt) -> str:
    """Hash of what a model or a judge reads of a prompt; its id, category and position stay outside."""
    return content_hash({"turns": prompt.turns, "system": prompt.system, "reference": prompt.reference})


def answer_key(model: str, endpoint: Endpoint, system: str | None, prompt: Prompt, turn: int) -> str:
    """Key of the request for one turn of a model's answer."""
    asked = {"turns": prompt.turns[: turn + 1], "system": prompt.system}
    return content_hash(
        {
            "answer": model,
            "endpoint": endpoint_identity(endpoint),
            "system": system,
            "prompt": prompt.id,
            "asked": asked,
        }
    )


def pairing_key(
    fingerprint: str, prompt: Prompt, pairing: Pairing, texts_a: tuple[str, ...], texts_b: tuple[str, ...]
) -> str:
    """Key of prompt x (model a, model b) x judge, with the texts that are compared."""
    return content_hash(
        {
            "judge": fingerprint,
            "prompt": [prompt.id, prompt_hash(prompt)],
            "a": [pairing.model_a, texts_a],
            "b": [pairing.model_b, texts_b],
        }
    )


def judgement_key(pairing: str, order: Order, first_sample: int, last_sample: int) -> str:
    """Key of the request for samples first..last of one (pairing, order)."""
    return content_hash({"pairing": pairing, "order": str(order), "samples": [first_sample, last_sample]})


def mark_of(secret: bytes, request_key: str) -> str:
    """The 16 hex digits that guard user text in a judge's prompt: repeatable for us, unknowable to a contestant."""
    return hmac.new(secret, request_key.encode(), hashlib.sha256).hexdigest()[:16]


def messages_hash(messages: Iterable[Message]) -> str:
    """SHA-256 of a prompt as sent."""
    return content_hash([message.as_dict() for message in messages])
