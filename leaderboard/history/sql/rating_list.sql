-- rating_list: how was each model rated in every fit of a key, newest first, after a given place in the list? The
-- screened lists of the scope are among them, after the validated one. In a fit: by group and rank.
WITH every_fit AS (
    FROM (SELECT NULL::VARCHAR AS control, NULL::VARCHAR AS failure WHERE FALSE) UNION ALL BY NAME SELECT * FROM fit
),
listed AS (
    SELECT f.fitted_at, f.id AS fit, f.board, f.judge, f.fingerprint, f.scope, f.method, f.policy, f.control, s.model,
           s.rating, s.lower, s.upper, s.rank, s.rank_lower, s.rank_upper, s.n, concat_ws(
               ' ', (f.board = 'screened')::INT, f.id, lpad(coalesce(s.component, 999999999)::VARCHAR, 9, '0'),
               lpad(coalesce(s.rank, 999999999)::VARCHAR, 9, '0'), s.model
           ) AS id
    FROM every_fit f JOIN standing s ON s.fit = f.id
    WHERE f.failure IS NULL AND s.rating IS NOT NULL AND f.judge IS NOT DISTINCT FROM $judge AND f.scope = $scope
      AND f.control IS NOT DISTINCT FROM $control
      AND (f.board = 'screened' OR (f.method = $method AND f.policy IS NOT DISTINCT FROM $policy))
      AND ($model IS NULL OR s.model = $model)
)
SELECT * FROM listed
WHERE $moment IS NULL OR fitted_at < $moment::TIMESTAMP OR (fitted_at = $moment::TIMESTAMP AND id > $id)
ORDER BY fitted_at DESC, id
LIMIT $count
