-- rated_models: which models have verdicts of this judge and stage, by name?
WITH mine AS (
    SELECT model_a, model_b FROM verdict
    WHERE stage = $stage AND fingerprint IS NOT DISTINCT FROM $fingerprint
      AND ($fingerprint IS NOT NULL OR judge IS NOT DISTINCT FROM $judge)
)
SELECT model_a AS model FROM mine UNION SELECT model_b FROM mine ORDER BY model
