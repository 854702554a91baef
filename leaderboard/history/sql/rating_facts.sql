-- rating_facts: what does every verdict of this judge and stage say, in numbers? Models and prompts count from 0.
WITH model AS (SELECT unnest($models::VARCHAR[]) AS name, generate_subscripts($models::VARCHAR[], 1) - 1 AS number),
prompt AS (SELECT unnest($prompts::VARCHAR[]) AS name, generate_subscripts($prompts::VARCHAR[], 1) - 1 AS number)
SELECT ('0x' || v.id)::UBIGINT AS id, a.number::SMALLINT AS a, b.number::SMALLINT AS b,
       prompt.number::INTEGER AS prompt,
       CASE outcome WHEN 'a' THEN 2 WHEN 'tie' THEN 1 WHEN 'b' THEN 0 ELSE -1 END::TINYINT AS outcome,
       CASE outcome_score WHEN 'a' THEN 2 WHEN 'tie' THEN 1 WHEN 'b' THEN 0 ELSE -1 END::TINYINT AS outcome_score,
       coalesce(score_soft * 4, -1)::TINYINT AS soft,
       coalesce(consistent::TINYINT, -1)::TINYINT AS consistent,
       CASE outcome_ab WHEN 'a' THEN 2 WHEN 'tie' THEN 1 WHEN 'b' THEN 0 ELSE -1 END::TINYINT AS ab,
       CASE outcome_ba WHEN 'a' THEN 2 WHEN 'tie' THEN 1 WHEN 'b' THEN 0 ELSE -1 END::TINYINT AS ba,
       coalesce((cost_usd * 1000000000)::BIGINT, -1) AS nano_usd, coalesce(simulated, FALSE) AS simulated
FROM verdict v
JOIN model a ON a.name = v.model_a
JOIN model b ON b.name = v.model_b
JOIN prompt ON prompt.name = v.prompt_id
WHERE stage = $stage AND fingerprint IS NOT DISTINCT FROM $fingerprint
  AND ($fingerprint IS NOT NULL OR judge IS NOT DISTINCT FROM $judge)
