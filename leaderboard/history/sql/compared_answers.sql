-- compared_answers: which texts lay before the judge: the newest there were when the pairing was first judged?
WITH judged AS (
    SELECT coalesce((SELECT min(finished_at) FROM call WHERE pairing = $pairing AND kind = 'judgement'),
                    (SELECT min(found_at) FROM identical WHERE pairing = $pairing)) AS moment
)
SELECT model, turn, text, finish_reason, note, served_model, call
FROM answer, judged
WHERE prompt_id = $prompt_id AND model IN ($model_a, $model_b) AND (moment IS NULL OR answered_at <= moment)
QUALIFY row_number() OVER (PARTITION BY model, turn ORDER BY answered_at DESC, call) = 1
ORDER BY model, turn
