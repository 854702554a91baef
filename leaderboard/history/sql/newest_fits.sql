-- newest_fits: which fits make the board of a judge (the one of the newest fit unless named)?
WITH judged AS (
    SELECT * FROM fit WHERE scope = $scope AND ($judge IS NULL OR judge = $judge)
),
newest AS (SELECT judge, fingerprint FROM judged ORDER BY fitted_at DESC, id LIMIT 1)
SELECT judged.*, (SELECT max(newest_at) FROM batch WHERE newest_at <= judged.fitted_at) AS as_of
FROM judged JOIN newest ON judged.judge IS NOT DISTINCT FROM newest.judge
    AND judged.fingerprint IS NOT DISTINCT FROM newest.fingerprint
QUALIFY row_number() OVER (PARTITION BY board ORDER BY fitted_at DESC, id) = 1
