-- answer_costs: what did each model's answers cost, unknown if one of them is?
SELECT model, CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd FROM answer GROUP BY model
