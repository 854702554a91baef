"""CPU of one refit of a large board: every policy, the joint model, length control and twelve scopes, from the file.

The history is filled by SQL: models of known strength, every pair on every prompt in both orders, by a judge that
leans to the first answer. The bare figure is choix's point fit of the same counts.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from leaderboard.core.judged import under_policy
from leaderboard.core.matrix import win_matrix
from leaderboard.core.types import Endpoint, Judge, Model, Prompt, Stage
from leaderboard.history.writer import History
from leaderboard.home import Home
from leaderboard.ledger import judges, models, prompts
from leaderboard.ledger.store import open_ledger
from leaderboard.settings import load_settings
from leaderboard.tournament.fit import refit
from leaderboard.tournament.office import open_office

MODELS, PROMPTS = 130, 203
JUDGE, FINGERPRINT, RUN = "bench-judge", "f" * 64, "bench"
TRAITS = 4
"""Languages, groups and categories, so many of each: twelve scopes."""

ENDPOINT = Endpoint(litellm="openai/none", sent={})


def measure() -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        prepare(home)
        with open_office(home, load_settings(home.settings_file)) as office:
            judge = office.judge(JUDGE)
            before = time.process_time()
            refit(office, judge, RUN)
            whole = time.process_time() - before
            bare, verdicts = _bare(office.history)
    return [
        {
            "what": f"a refit of {MODELS} models, {verdicts} verdicts: policies, joint, length control, 12 scopes",
            "cpu_s": whole,
            "bare_cpu_s": bare,
            "ratio": whole / bare,
        }
    ]


def _bare(history: History) -> tuple[float, int]:
    """choix's point fit of the same counts, from the file: CPU seconds, and how many verdicts there are."""
    import choix

    before = time.process_time()
    judged = history.rating_facts(Stage.VALIDATION, JUDGE, FINGERPRINT).judged
    choix.ilsr_pairwise_dense(win_matrix(under_policy(judged, "tie")), alpha=0.01, max_iter=1000)
    return time.process_time() - before, len(judged)


def prepare(home: Home) -> None:
    """A home whose ledger knows everybody and whose history holds the verdicts."""
    home.create()
    home.settings_file.write_text("top_k = 5\n", encoding="utf-8")
    _register(home)
    History.open(home.history_file).close()
    _fill(home.history_file)


def _register(home: Home) -> None:
    ledger = open_ledger(home.ledger_url)
    with ledger.write() as tx:
        for number in range(MODELS):
            models.add(tx, Model(id=f"m{number:03}", endpoint=ENDPOINT))
        judges.add(tx, Judge(id=JUDGE, endpoint=ENDPOINT, protocol="swap", samples=1, fingerprint=FINGERPRINT))
        prompts.add_many(tx, [_prompt(number) for number in range(PROMPTS)])
    ledger.close()


def _prompt(number: int) -> Prompt:
    return Prompt(
        id=f"p{number:04}",
        turns=(f"Question {number}?",),
        category=f"c{number % TRAITS}",
        language=f"l{number // TRAITS % TRAITS}",
        group=f"g{number // TRAITS**2 % TRAITS}",
    )


def _fill(file: Path) -> None:
    import duckdb

    with duckdb.connect(str(file)) as con:
        con.execute("SELECT setseed(0.5)")
        for statement in FILL.split(";"):
            con.execute(statement)


# Strengths rise by 0.03 logits from model to model; of the answers that are shown first, 0.3 logits more win.
FILL = f"""
CREATE TEMP TABLE drawn AS
SELECT format('p{{:04}}', p.range) AS prompt_id, format('m{{:03}}', a.range) AS model_a,
       format('m{{:03}}', b.range) AS model_b, (a.range - b.range) * 0.03 AS gap,
       random() AS u, random() AS v, random() AS w
FROM range({PROMPTS}) p, range({MODELS}) a, range({MODELS}) b WHERE a.range < b.range;

CREATE TEMP TABLE judged AS
SELECT *, md5(prompt_id || model_a || model_b) AS pairing,
       CASE WHEN w < 0.1 THEN 'tie' WHEN u < 1 / (1 + exp(-gap - 0.3)) THEN 'a' ELSE 'b' END AS ab,
       CASE WHEN w > 0.9 THEN 'tie' WHEN v < 1 / (1 + exp(-gap + 0.3)) THEN 'a' ELSE 'b' END AS ba
FROM drawn;

INSERT INTO verdict BY NAME
SELECT pairing[:16] AS id, TIMESTAMP '2030-01-01' AS decided_at, '{RUN}' AS run, 'validation' AS stage, pairing,
       prompt_id, 0 AS turn, model_a, model_b, '{JUDGE}' AS judge, '{FINGERPRINT}' AS fingerprint, 'swap' AS protocol,
       1 AS asked, 1 AS samples, FALSE AS thin, FALSE AS identical, 'decided' AS state,
       CASE WHEN ab = ba THEN ab ELSE 'tie' END AS outcome,
       CASE WHEN ab = ba THEN ab WHEN 'tie' NOT IN (ab, ba) THEN 'tie' WHEN ab = 'tie' THEN ba ELSE ab END
       AS outcome_score,
       ((ab = 'a')::INT + (ba = 'a')::INT) / 2 + ((ab = 'tie')::INT + (ba = 'tie')::INT) / 4 AS score_soft,
       ab = ba AS consistent, ab AS outcome_ab, ba AS outcome_ba, 0.001 AS cost_usd, FALSE AS simulated
FROM judged;

INSERT INTO verdict BY NAME
SELECT md5(pairing)[:16] AS id, TIMESTAMP '2030-01-01' AS decided_at, '{RUN}' AS run, 'screening' AS stage, pairing,
       prompt_id, 0 AS turn, model_a, model_b, '{JUDGE}' AS judge, '{FINGERPRINT}' AS fingerprint,
       'random' AS protocol, 1 AS asked, 1 AS samples, FALSE AS thin, FALSE AS identical, 'decided' AS state,
       ab AS outcome, ab AS outcome_score, ab AS outcome_ab, 0.001 AS cost_usd, FALSE AS simulated
FROM judged WHERE prompt_id = 'p0000';

INSERT INTO reading BY NAME
SELECT pairing AS call, '{RUN}' AS run, pairing, prompt_id, 0 AS turn, model_a, model_b, '{JUDGE}' AS judge,
       '{FINGERPRINT}' AS fingerprint, 'swap' AS protocol, shown_first, 1 AS sample, 'validation' AS stage,
       'read' AS state, (said <> 'b')::INT AS score_a, (said <> 'a')::INT AS score_b, TRUE AS scored,
       said AS outcome, 0.0005 AS cost_usd, FALSE AS simulated
FROM (SELECT *, 'a' AS shown_first, ab AS said FROM judged UNION ALL SELECT *, 'b', ba FROM judged);

INSERT INTO answer BY NAME
SELECT DISTINCT md5(model_a || prompt_id) AS call, '{RUN}' AS run, prompt_id, model_a AS model, 0 AS turn,
       repeat('word ', 20 + (hash(model_a || prompt_id) % 80)::INT) AS text
FROM (SELECT prompt_id, model_a FROM judged UNION SELECT prompt_id, model_b FROM judged)
"""
