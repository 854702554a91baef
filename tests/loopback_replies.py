"""What the loopback server says: verdicts by content, texts by model and prompt, and both wire formats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

SECTION = re.compile(r"^<<\w+ ([0-9a-f]{16})>>$", re.MULTILINE)
WORDS = ("tide", "harbour", "lantern", "orchard", "copper", "meadow", "signal", "ledger", "bridge", "winter", "thread")
OPENAI_ERRORS = {
    "quota": (429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
    "too_long": (400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
    "filter": (400, "Your request was rejected by our safety system.", "content_policy_violation"),
    "400": (400, "Unsupported value: 'temperature' does not support 0.", "unsupported_value"),
    "401": (401, "Incorrect API key provided: sk-loopback-0123456789.", "invalid_api_key"),
}


def section(text: str, name: str, mark: str) -> str:
    """The text between `<<name mark>>` and `<</name mark>>`."""
    inside = text.split(f"<<{name} {mark}>>\n", 1)[1]
    return inside.split(f"<</{name} {mark}>>", 1)[0].rstrip("\n")


def winner(model: str, first: str, second: str) -> str:
    """'1', '2' or 'tie' by the rule that the model's name states."""
    if "judge-first" in model:
        return "1"
    if "judge-prefers-" in model:
        word = model.split("judge-prefers-", 1)[1].split("~")[0]
        has = (word in first, word in second)
        return "tie" if has[0] == has[1] else ("1" if has[0] else "2")
    return "tie" if len(first) == len(second) else ("1" if len(first) > len(second) else "2")


def verdict_text(prompt: str, won: str) -> str:
    """The verdict in the form that the judge prompt asks for."""
    scores = {"1": ("8", "6"), "2": ("6", "8"), "tie": ("7", "7")}[won]
    if "Score of the Assistant 1" in prompt:
        return f"Evidence.\nScore of the Assistant 1: {scores[0]}\nScore of the Assistant 2: {scores[1]}"
    if "Score van Kandidaat 1" in prompt:
        return f"Onderbouwing.\nScore van Kandidaat 1: {scores[0]}\nScore van Kandidaat 2: {scores[1]}"
    if "WINNAAR:" in prompt:
        return "WINNAAR: " + {"1": "KANDIDAAT_1", "2": "KANDIDAAT_2", "tie": "GELIJKSPEL"}[won]
    return {"1": "Assistant 1", "2": "Assistant 2", "tie": "Tie"}[won]


def reply_text(model: str, prompt: str, mark: str | None, index: int) -> str:
    """What the model answers: a verdict, or words drawn from (model, prompt)."""
    if mark is None:
        digest = hashlib.sha256(f"{model}|{prompt}".encode()).digest()
        words = [WORDS[byte % len(WORDS)] for byte in digest[: 6 + digest[0] % 20]]
        return f"{model.split('~')[0]} says: {' '.join(words)}."
    if "judge-mute" in model:
        return f"I would rather not say ({index})."
    return verdict_text(prompt, winner(model, section(prompt, "answer_1", mark), section(prompt, "answer_2", mark)))


def user_text(messages: Sequence[dict[str, Any]]) -> str:
    return "\n".join(str(message["content"]) for message in messages if message["role"] == "user")


def flat(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Anthropic sends a content of blocks; OpenAI a text."""

    def text(content: Any) -> str:
        return content if isinstance(content, str) else "".join(block["text"] for block in content)

    return [{"role": message["role"], "content": text(message["content"])} for message in messages]


class Wire:
    """One wire format: how a reply, its usage and an error look."""

    def __init__(self, name: str) -> None:
        self.openai = name == "openai"

    def usage(self, prompt: str, texts: Sequence[str]) -> dict[str, int]:
        asked, said = len(prompt) // 4 + 1, sum(len(text) // 4 + 1 for text in texts)
        if self.openai:
            return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        return {"input_tokens": asked, "output_tokens": said}

    def reply(self, model: str, prompt: str, texts: Sequence[str | None], fault: str) -> dict[str, Any]:
        if fault == "empty":
            texts = []
        if fault == "null":
            texts = [None] * len(texts)
        body = self._openai(model, texts, fault) if self.openai else self._anthropic(model, texts, fault)
        if fault != "no_usage":
            body["usage"] = self.usage(prompt, [text or "" for text in texts])
        return body

    def _openai(self, model: str, texts: Sequence[str | None], fault: str) -> dict[str, Any]:
        finish = "length" if fault == "length" else "stop"
        choices = [
            {"index": i, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
            for i, text in enumerate(texts)
        ]
        return {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 1,
            "model": f"{model}-0613",
            "system_fingerprint": "fp_loopback",
            "choices": choices,
        }

    def _anthropic(self, model: str, texts: Sequence[str | None], fault: str) -> dict[str, Any]:
        return {
            "id": "msg_loopback",
            "type": "message",
            "role": "assistant",
            "model": f"{model}-0613",
            "content": [{"type": "text", "text": text} for text in texts if text is not None],
            "stop_reason": "max_tokens" if fault == "length" else "end_turn",
            "stop_sequence": None,
        }

    def error(self, fault: str) -> tuple[int, dict[str, Any]]:
        status, message, code = OPENAI_ERRORS.get(
            fault, (int(fault) if fault.isdigit() else 500, f"fault {fault}", fault)
        )
        if self.openai:
            return status, {"error": {"message": message, "type": code, "param": None, "code": code}}
        kind = {429: "rate_limit_error", 401: "authentication_error"}.get(status, "api_error")
        text = "prompt is too long: 210000 tokens > 200000 maximum" if fault == "too_long" else message
        return status, {"type": "error", "error": {"type": kind, "message": text}}
