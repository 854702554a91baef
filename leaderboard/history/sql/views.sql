-- models: which contestants are there, and what is really sent to them, as of now?
CREATE OR REPLACE VIEW models AS
SELECT * EXCLUDE (version, content), version FROM model_row
QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1;

-- judges: who judges, by which template, rubric and parameters, as of now?
CREATE OR REPLACE VIEW judges AS
SELECT * EXCLUDE (version, content), version FROM judge_row
QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1;

-- prompts: what were the models asked?
CREATE OR REPLACE VIEW prompts AS
SELECT * EXCLUDE (version, content), version FROM prompt_row
QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1;

-- runs: which pieces of tournament were played, and how did they end?
CREATE OR REPLACE VIEW runs AS
SELECT * EXCLUDE (version, content), version FROM run_row
QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1;

-- answers: what did each model reply, with which model really serving it and at what cost?
CREATE OR REPLACE VIEW answers AS
SELECT prompt_id, model, turn, text, finish_reason, note, served_model, prompt_tokens, completion_tokens, cost_usd,
       source, simulated, answered_at, call, run
FROM answer;

-- readings: what did the judge say, each sample of each order, in its own words and in model coordinates?
CREATE OR REPLACE VIEW readings AS
SELECT call, prompt_id, turn, model_a, model_b, judge, shown_first, sample, stage, state, score_a, score_b, outcome,
       text, served_model, finish_reason, cost_usd, source, reason, scored, pairing, fingerprint, run, read_at,
       simulated
FROM reading;

-- verdicts: who won each pairing once both orders are weighed, and did the outcome survive the swap?
CREATE OR REPLACE VIEW verdicts AS
SELECT v.id, v.decided_at, v.run, v.stage, v.prompt_id, v.turn, p.category, p.language, v.model_a, v.model_b, v.judge,
       v.protocol, v.samples, v.state, v.outcome, v.outcome_score, v.score_soft, v.consistent, v.outcome_ab,
       v.outcome_ba, v.gap, v.bpde, v.source, v.simulated, v.pairing, v.fingerprint, v.asked, v.thin, v.identical,
       v.cost_usd, p.prompt_group
FROM verdict v LEFT JOIN prompts p ON p.id = v.prompt_id;

-- attempts: how did every try at a provider go, and what did it cost?
CREATE OR REPLACE VIEW attempts AS
SELECT call, started_at, ended_at, http_status, error_kind, cost_usd, state, error_text, run, kind, stage, model,
       judge, number, n, max_tokens, reserved_usd, id
FROM attempt;

-- spend: where did the money go, one row a charge?
CREATE OR REPLACE VIEW spend AS
SELECT run, stage, model, judge, state, cost_usd, kind, call, ended_at
FROM attempt WHERE cost_usd IS NOT NULL;

-- labels: whom did people prefer?
CREATE OR REPLACE VIEW labels AS
SELECT prompt_id, model_a, model_b, annotator, winner, source, labelled_at FROM label;

-- leaderboard: how do the models stand now, by the fit of each judge, list, scope and method that was stored last? A
-- screened list has one method; a fit by another one is of an earlier version.
CREATE OR REPLACE VIEW leaderboard AS
WITH made AS (SELECT *, rowid AS place FROM fit WHERE failure IS NULL),
newest AS (
    SELECT * FROM made
    QUALIFY fingerprint IS NOT DISTINCT FROM
            first_value(fingerprint) OVER (PARTITION BY judge ORDER BY place DESC)
        AND row_number() OVER (
            PARTITION BY judge, fingerprint, board, scope, control,
                         CASE WHEN board = 'validated' THEN method END, CASE WHEN board = 'validated' THEN policy END
            ORDER BY board = 'screened' AND method = 'joint' DESC, place DESC
        ) = 1
)
SELECT f.scope, f.method, f.policy, s.model, s.rating, s.lower, s.upper, s.rank, s.rank_lower, s.rank_upper, s.n,
       s.flags, f.fitted_at, f.board, f.judge, f.fingerprint, s.component, s.wins, s.losses, s.ties,
       s.usd_per_verdict, s.interval_reason, s.rank_reason, s.simulated, f.id AS fit, s.tier, s.p_top1, s.p_topk,
       s.expected_next, s.more_pairings, f.control
FROM newest f JOIN standing s ON s.fit = f.id;

-- fits: when were which ratings made, from how much, and why could some not be made?
CREATE OR REPLACE VIEW fits AS
SELECT id, fitted_at, run, judge, fingerprint, scope, board, method, policy, control, prior, anchor, n_battles,
       n_prompts, components, simulated, failure
FROM fit;

-- standings: how did each model stand in every fit that was made, then and now?
CREATE OR REPLACE VIEW standings AS
SELECT s.fit, f.fitted_at, f.judge, f.scope, f.method, f.policy, f.control, f.board, s.model, s.rating, s.lower,
       s.upper, s.rank, s.rank_lower, s.rank_upper, s.n, s.flags, s.component, s.wins, s.losses, s.ties,
       s.usd_per_verdict, s.interval_reason, s.rank_reason, s.simulated, s.tier, s.p_top1, s.p_topk, s.expected_next,
       s.more_pairings, s.more_reason, f.fingerprint
FROM standing s JOIN fit f ON f.id = s.fit;
