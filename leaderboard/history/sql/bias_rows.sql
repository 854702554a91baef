-- bias_rows: what did the judge's newest fingerprint say in validation, reading by reading?
WITH newest AS (
    SELECT coalesce(
        (SELECT arg_max_null(fingerprint, rowid) FROM reading WHERE judge = $judge AND stage = 'validation'),
        (SELECT fingerprint FROM judges WHERE id = $judge)) AS fingerprint
)
SELECT r.pairing, r.prompt_id, v.category, v.language, r.model_a, r.model_b, r.shown_first, r.sample, r.state,
       r.score_a, r.score_b, v.protocol, v.asked
FROM newest
JOIN reading r ON r.fingerprint IS NOT DISTINCT FROM newest.fingerprint
    AND (r.fingerprint IS NOT NULL OR r.judge = $judge)
JOIN verdicts v ON v.pairing = r.pairing AND v.stage = r.stage
WHERE r.stage = 'validation'
ORDER BY r.prompt_id, r.pairing, r.shown_first, r.sample
