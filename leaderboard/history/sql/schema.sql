-- The history: facts, appended and never rewritten. No primary keys and no indexes: the writer keeps rows apart.
-- All times are UTC. `verdict` alone is derived and can be rebuilt from the rest.

CREATE TABLE IF NOT EXISTS batch (
    id VARCHAR, newest_at TIMESTAMP, requests INTEGER, attempts INTEGER
);

CREATE TABLE IF NOT EXISTS call (
    key VARCHAR, batch VARCHAR, kind VARCHAR, run VARCHAR, stage VARCHAR, model VARCHAR, judge VARCHAR,
    fingerprint VARCHAR, prompt_id VARCHAR, turn INTEGER, model_a VARCHAR, model_b VARCHAR, pairing VARCHAR,
    shown_first VARCHAR, sample_from INTEGER, sample_to INTEGER, protocol VARCHAR, template VARCHAR, mark VARCHAR,
    sent_sha256 VARCHAR, params VARCHAR, price VARCHAR, state VARCHAR, served_model VARCHAR,
    system_fingerprint VARCHAR, prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DECIMAL(18, 9),
    simulated BOOLEAN, finished_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS answer (
    call VARCHAR, batch VARCHAR, run VARCHAR, prompt_id VARCHAR, model VARCHAR, turn INTEGER, text VARCHAR,
    finish_reason VARCHAR, note VARCHAR, served_model VARCHAR, prompt_tokens BIGINT, completion_tokens BIGINT,
    cost_usd DECIMAL(18, 9), source VARCHAR, simulated BOOLEAN, answered_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS reading (
    call VARCHAR, batch VARCHAR, run VARCHAR, pairing VARCHAR, prompt_id VARCHAR, turn INTEGER, model_a VARCHAR,
    model_b VARCHAR, judge VARCHAR, fingerprint VARCHAR, protocol VARCHAR, shown_first VARCHAR, sample INTEGER,
    stage VARCHAR, state VARCHAR, reason VARCHAR, score_a DECIMAL(8, 4), score_b DECIMAL(8, 4), scored BOOLEAN,
    outcome VARCHAR, text VARCHAR, served_model VARCHAR, finish_reason VARCHAR, cost_usd DECIMAL(18, 9),
    source VARCHAR, simulated BOOLEAN, read_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS identical (
    call VARCHAR, batch VARCHAR, run VARCHAR, pairing VARCHAR, prompt_id VARCHAR, turn INTEGER, model_a VARCHAR,
    model_b VARCHAR, judge VARCHAR, fingerprint VARCHAR, protocol VARCHAR, stage VARCHAR, source VARCHAR,
    simulated BOOLEAN, found_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS attempt (
    id VARCHAR, batch VARCHAR, call VARCHAR, run VARCHAR, kind VARCHAR, stage VARCHAR, model VARCHAR, judge VARCHAR,
    number INTEGER, n INTEGER, max_tokens BIGINT, reserved_usd DECIMAL(18, 9), started_at TIMESTAMP,
    ended_at TIMESTAMP, state VARCHAR, http_status INTEGER, error_kind VARCHAR, error_text VARCHAR,
    cost_usd DECIMAL(18, 9)
);

CREATE TABLE IF NOT EXISTS label (
    prompt_id VARCHAR, model_a VARCHAR, model_b VARCHAR, annotator VARCHAR, winner VARCHAR, source VARCHAR,
    labelled_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS model_row (
    id VARCHAR, version INTEGER, content VARCHAR, family VARCHAR, state VARCHAR, reason VARCHAR, seat INTEGER,
    system VARCHAR, imported BOOLEAN, litellm VARCHAR, api_base VARCHAR, api_key_env VARCHAR, api_version VARCHAR,
    region VARCHAR, wanted VARCHAR, sent VARCHAR, not_sent VARCHAR, strict BOOLEAN, takes_n BOOLEAN,
    input_price DECIMAL(18, 9), output_price DECIMAL(18, 9), price_source VARCHAR, price_as VARCHAR,
    simulated BOOLEAN, created_at VARCHAR
);

CREATE TABLE IF NOT EXISTS judge_row (
    id VARCHAR, version INTEGER, content VARCHAR, fingerprint VARCHAR, template VARCHAR, protocol VARCHAR,
    samples INTEGER, rubric VARCHAR, family VARCHAR, state VARCHAR, reason VARCHAR, system VARCHAR, imported BOOLEAN,
    litellm VARCHAR, api_base VARCHAR, api_key_env VARCHAR, api_version VARCHAR, region VARCHAR, wanted VARCHAR,
    sent VARCHAR, not_sent VARCHAR, strict BOOLEAN, takes_n BOOLEAN, input_price DECIMAL(18, 9),
    output_price DECIMAL(18, 9), price_source VARCHAR, price_as VARCHAR, simulated BOOLEAN, created_at VARCHAR
);

CREATE TABLE IF NOT EXISTS prompt_row (
    id VARCHAR, version INTEGER, content VARCHAR, turns VARCHAR[], system VARCHAR, category VARCHAR,
    prompt_group VARCHAR, language VARCHAR, reference VARCHAR, visibility VARCHAR, position INTEGER
);

CREATE TABLE IF NOT EXISTS run_row (
    id VARCHAR, version INTEGER, content VARCHAR, kind VARCHAR, judge VARCHAR, state VARCHAR, started_by VARCHAR,
    config VARCHAR, record VARCHAR, error VARCHAR, created_at TIMESTAMP, started_at TIMESTAMP, ended_at TIMESTAMP
);

CREATE TABLE IF NOT EXISTS verdict (
    id VARCHAR, decided_at TIMESTAMP, run VARCHAR, stage VARCHAR, pairing VARCHAR, prompt_id VARCHAR, turn INTEGER,
    model_a VARCHAR, model_b VARCHAR, judge VARCHAR, fingerprint VARCHAR, protocol VARCHAR, asked INTEGER,
    samples INTEGER, thin BOOLEAN, identical BOOLEAN, state VARCHAR, outcome VARCHAR, outcome_score VARCHAR,
    score_soft DOUBLE, consistent BOOLEAN, outcome_ab VARCHAR, outcome_ba VARCHAR, gap DOUBLE, bpde DOUBLE,
    cost_usd DECIMAL(18, 9), source VARCHAR, simulated BOOLEAN
);

CREATE TABLE IF NOT EXISTS fit (
    id VARCHAR, fitted_at TIMESTAMP, run VARCHAR, judge VARCHAR, fingerprint VARCHAR, scope VARCHAR, board VARCHAR,
    method VARCHAR, policy VARCHAR, prior DOUBLE, anchor VARCHAR, n_battles BIGINT, n_prompts BIGINT,
    components INTEGER, simulated BOOLEAN, gate VARCHAR, head VARCHAR
);

CREATE TABLE IF NOT EXISTS standing (
    fit VARCHAR, model VARCHAR, rating DOUBLE, lower DOUBLE, upper DOUBLE, interval_reason VARCHAR, rank INTEGER,
    rank_lower INTEGER, rank_upper INTEGER, rank_reason VARCHAR, n BIGINT, component INTEGER, flags VARCHAR[],
    wins BIGINT, losses BIGINT, ties BIGINT, usd_per_verdict DECIMAL(18, 9), simulated BOOLEAN
);

-- Columns that came later: files that were made without them get them too.
ALTER TABLE fit ADD COLUMN IF NOT EXISTS control VARCHAR;
ALTER TABLE fit ADD COLUMN IF NOT EXISTS failure VARCHAR;
ALTER TABLE fit ADD COLUMN IF NOT EXISTS content VARCHAR;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS tier INTEGER;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS p_top1 DOUBLE;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS p_topk DOUBLE;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS expected_next DOUBLE;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS more_pairings BIGINT;
ALTER TABLE standing ADD COLUMN IF NOT EXISTS more_reason VARCHAR;
