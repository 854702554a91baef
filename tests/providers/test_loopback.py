"""The loopback server itself: it counts, outlives its clients, and judges by content."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from leaderboard.core.templates import FAMILIES, JudgeTemplate, Shown, render
from leaderboard.core.types import Prompt, SlotScores, Unreadable
from tests.loopback import Loopback

MARK = "0123456789abcdef"
TEMPLATES = [template for family in FAMILIES.values() for template in family.values()]


def post(url: str, model: str, content: str, **more: object) -> dict[str, Any]:
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": content}], **more}).encode()
    request = urllib.request.Request(f"{url}/v1/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as response:
        found: dict[str, Any] = json.load(response)
    return found


def get(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(url, timeout=20) as response:
        found: dict[str, Any] = json.load(response)
    return found


def judged(server: Loopback, model: str, template: JudgeTemplate, first: str, second: str) -> str:
    shown = Shown(prompt=Prompt(id="p", turns=("Q?",)), first=(first,), second=(second,), rubric=None, mark=MARK)
    content = render(template, shown)[-1].content
    said = template.read(post(server.url, model, content)["choices"][0]["message"]["content"])
    return said.winner if isinstance(said, SlotScores) else type(said).__name__


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
@pytest.mark.parametrize(
    ("model", "first", "second", "verdict"),
    [
        ("judge-first", "a", "b", "1"),
        ("judge-first", "b", "a", "1"),
        ("judge-prefers-plum", "a plum", "a fig", "1"),
        ("judge-prefers-plum", "a fig", "a plum", "2"),
        ("judge-prefers-plum", "a fig", "a pear", "tie"),
        ("judge-length", "longer", "short", "1"),
        ("judge-length", "five", "six!", "tie"),
        ("judge-mute", "a", "b", Unreadable.__name__),
    ],
)
def test_judges_by_content(
    server: Loopback, template: JudgeTemplate, model: str, first: str, second: str, verdict: str
) -> None:
    assert judged(server, model, template, first, second) == verdict


def test_counts_by_mark_and_by_prompt() -> None:
    with Loopback() as server:
        post(server.url, "m", "What?")
        post(server.url, "m", "What?")
        judged(server, "judge-first", TEMPLATES[0], "a", "b")
        counts = get(f"{server.url}/_counts")
        prompts = get(f"{server.url}/_prompts")
    assert counts["total"] == 3
    assert counts["answers"] == {"m|What?": 2}
    assert counts["marks"] == {MARK: 1}
    assert counts["models"] == {"m": 2, "judge-first": 1}
    assert prompts[MARK].index("<<answer_1") < prompts[MARK].index("<<answer_2")


def test_plans_are_used_up_and_faults_in_names_stay() -> None:
    with Loopback(plans={"m": ["500"]}) as server:
        for model, fine in [("m", False), ("m", True), ("m~503", False), ("m~503", False)]:
            if fine:
                assert post(server.url, model, "x")["choices"]
            else:
                with pytest.raises(urllib.error.HTTPError):
                    post(server.url, model, "x")


def test_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "tests.loopback", "--plan", "m=500", "--ignore-n"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with pytest.raises(urllib.error.HTTPError):
            post(url, "m", "x")
        assert len(post(url, "m", "x", n=3)["choices"]) == 1
        assert get(f"{url}/_counts")["total"] == 2
        process.terminate()
