-- derive_readings: which readable samples do the touched pairings have?
SELECT pairing, stage, shown_first, sample, score_a, score_b
FROM reading SEMI JOIN touched USING (pairing, stage)
WHERE state = 'read'
ORDER BY pairing, stage, shown_first, sample
