"""What the words on the page mean, in plain language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.history.records import FitKey

FLAGS: dict[str, str] = {
    "unbeaten": "Took every point: the size of the rating rests on the prior",
    "winless": "Took no point: the size of the rating rests on the prior",
    "no_matches": "No verdicts yet",
    "thin": "Few verdicts",
    "thin_prompts": "Judged on few prompts",
    "provisional": "Single passes only: who stood first was not balanced out",
    "self_judged": "The judge is of the same family",
    "simulated": "A simulated model or judge, not a real one",
}
GATES: dict[str, str] = {
    "pass": "passes the gate: its whole interval lies above the bar",
    "fail": "fails the gate: its whole interval lies below the bar",
    "unclear": "unclear: the bar lies inside the interval",
}
POLICIES: dict[str, str] = {
    "tie": "a pairing whose two orders disagree counts as a tie",
    "score": "a pairing whose two orders disagree goes to the higher total score",
    "soft": "a pairing whose two orders disagree is shared between the models",
    "drop": "a pairing whose two orders disagree is left out",
}
NO_POLICY = "every order outcome enters as it is"
METHODS: dict[str, str] = {
    "bt": "Bradley-Terry: one strength a model",
    "joint": "Bradley-Terry with ties and with one pull of the judge to the first answer",
    "elo": "Elo: depends on the order in which the verdicts came",
}
CONTROLS: dict[str, str] = {"length": "as if both answers had the same length"}
SCOPE_KINDS: dict[str, str] = {"overall": "Scope", "language": "Language", "group": "Group", "category": "Category"}


def flag_title(flag: str) -> str:
    return FLAGS.get(flag, flag.replace("_", " "))


def gate_title(gate: Mapping[str, Any]) -> str:
    """What the state of the gate means; a gate that says why itself is quoted."""
    state = str(gate["state"])
    reason = gate.get("reason")
    return f"{state}: {reason}" if reason else GATES.get(state, state)


def policy_title(policy: str | None) -> str:
    return NO_POLICY if policy is None else POLICIES.get(policy, policy)


def method_title(method: str) -> str:
    return METHODS.get(method, method)


def fit_name(key: FitKey) -> str:
    """A fit in a word or two: `bt, tie`; `joint`; `joint, length`."""
    return ", ".join(part for part in (key.method, key.policy, key.control) if part is not None)


def fit_title(key: FitKey) -> str:
    """The same in a sentence."""
    held = f"; {CONTROLS.get(key.control, key.control)}" if key.control else ""
    return f"{method_title(key.method)}; {policy_title(key.policy)}{held}"


def scope_kind(scope: str) -> str:
    """What kind of scope it is: `language` of `language=nl`."""
    return scope.partition("=")[0]


def scope_name(scope: str) -> str:
    """A scope among others of its kind: `nl` of `language=nl`."""
    kind, _, value = scope.partition("=")
    return value or kind


def scope_title(scope: str) -> str:
    kind, _, value = scope.partition("=")
    return f"verdicts on prompts with {kind} {value} alone" if value else "verdicts on all prompts"


def parameters(sent: Mapping[str, Any] | None) -> str:
    """A judge's parameters in words; one that its provider refuses says so."""
    if not sent:
        return "nothing is known yet"
    return ", ".join(f"{name} {value}" for name, value in sent.items())
