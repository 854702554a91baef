-- verdict_rows: which decided verdicts go into a fit of this judge and stage?
SELECT prompt_id, model_a, model_b, outcome, coalesce(simulated, FALSE) AS simulated, cost_usd
FROM verdict
WHERE state = 'decided' AND stage = $stage AND fingerprint IS NOT DISTINCT FROM $fingerprint
  AND ($fingerprint IS NOT NULL OR judge IS NOT DISTINCT FROM $judge)
ORDER BY prompt_id, model_a, model_b, id
