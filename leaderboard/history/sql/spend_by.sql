-- spend_by: where did the money go, and how many tries have no price?
SELECT run, stage, kind, model, judge, state, count(*) AS attempts, count(*) FILTER (cost_usd IS NULL) AS unpriced,
       coalesce(sum(cost_usd), 0) AS cost_usd
FROM attempt
GROUP BY run, stage, kind, model, judge, state
ORDER BY run, stage, kind, model, judge, state
