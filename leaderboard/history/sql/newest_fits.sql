-- newest_fits: which fits make the board of a judge (the one of the newest fit unless named)? Newest is stored last.
WITH judged AS (
    SELECT *, rowid AS place FROM fit WHERE scope = $scope AND ($judge IS NULL OR judge = $judge)
),
newest AS (SELECT judge, fingerprint FROM judged ORDER BY place DESC LIMIT 1)
SELECT judged.* EXCLUDE (place), (SELECT max(newest_at) FROM batch WHERE newest_at <= judged.fitted_at) AS as_of
FROM judged JOIN newest ON judged.judge IS NOT DISTINCT FROM newest.judge
    AND judged.fingerprint IS NOT DISTINCT FROM newest.fingerprint
QUALIFY row_number() OVER (PARTITION BY board ORDER BY place DESC) = 1
