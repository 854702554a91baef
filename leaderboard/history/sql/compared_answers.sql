-- compared_answers: which texts lay before the judge: the newest there were when the pairing was first judged?
-- Batches tell before from after whatever the clock did; the time decides only within one batch.
WITH facts AS (
    SELECT batch, finished_at AS happened FROM call WHERE pairing = $pairing AND kind = 'judgement'
    UNION ALL
    SELECT batch, found_at FROM identical WHERE pairing = $pairing
),
judged AS (
    SELECT arg_min(b.rowid, (b.rowid, facts.happened)) AS place, arg_min(facts.happened, (b.rowid, facts.happened)) AS moment
    FROM facts JOIN batch b ON b.id = facts.batch
),
found AS (
    SELECT a.*, a.rowid AS stored, coalesce(b.rowid = judged.place AND a.answered_at > judged.moment, FALSE) AS later
    FROM answer a JOIN batch b ON b.id = a.batch CROSS JOIN judged
    WHERE a.prompt_id = $prompt_id AND a.model IN ($model_a, $model_b)
      AND (judged.place IS NULL OR b.rowid <= judged.place)
)
SELECT model, turn, text, finish_reason, note, served_model, call FROM found
QUALIFY row_number() OVER (PARTITION BY model, turn ORDER BY later, stored DESC) = 1
ORDER BY model, turn
