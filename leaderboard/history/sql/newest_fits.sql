-- newest_fits: of each key, which fit of a judge (the one of the newest fit unless named) was made last, and have newer
-- ones failed since? Newest is stored last. The first part gives files of earlier versions the columns they lack.
WITH every_fit AS (
    FROM (SELECT NULL::VARCHAR AS control, NULL::VARCHAR AS failure WHERE FALSE)
    UNION ALL BY NAME SELECT *, rowid AS place FROM fit
),
known AS (
    SELECT judge, fingerprint, board, scope, method, policy, control, failure, fitted_at, place FROM every_fit
    WHERE ($judge IS NULL OR judge = $judge) AND ($until IS NULL OR fitted_at <= $until)
),
whose AS (SELECT judge, fingerprint, place FROM known ORDER BY failure IS NOT NULL, place DESC LIMIT 1),
ours AS (
    SELECT known.*, known.fingerprint IS NOT DISTINCT FROM whose.fingerprint AS same,
           max(known.place) FILTER (failure IS NULL AND same) OVER (
               PARTITION BY board, scope, method, policy, control
           ) AS good
    FROM known JOIN whose ON known.judge IS NOT DISTINCT FROM whose.judge
    WHERE same OR known.place > whose.place
),
keys AS (
    SELECT board, scope, method, policy, control, good,
           arg_min(fitted_at, place) FILTER (failure IS NOT NULL AND place > coalesce(good, -1)) AS old_since,
           arg_max(failure, place) FILTER (failure IS NOT NULL AND place > coalesce(good, -1)) AS old_reason
    FROM ours GROUP BY ALL
)
SELECT keys.*, made.* EXCLUDE (board, scope, method, policy, control, place),
       (SELECT max(newest_at) FROM batch WHERE newest_at <= made.fitted_at) AS as_of
FROM keys LEFT JOIN every_fit made ON made.place = keys.good
ORDER BY keys.scope <> 'overall', keys.scope, keys.board DESC, keys.policy IS DISTINCT FROM 'tie', keys.method, keys.policy,
         keys.control NULLS FIRST
