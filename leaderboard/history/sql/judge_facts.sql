-- judge_facts: what has each judge fingerprint done so far?
SELECT r.judge, r.fingerprint, r.stage, count(*) AS readings, count(*) FILTER (r.state = 'unreadable') AS unreadable,
       count(DISTINCT r.pairing) AS pairings, arg_max(r.read_at, r.rowid) AS last_read_at,
       bool_or(r.simulated) AS simulated
FROM reading r
GROUP BY r.judge, r.fingerprint, r.stage
ORDER BY r.judge, max(r.rowid) DESC, r.fingerprint, r.stage
