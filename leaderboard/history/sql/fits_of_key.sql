-- fits_of_key: which fits of a judge's key were made, in the order in which they were stored? Where nobody was ever
-- validated, the screened lists of the scope, by the method of the newest one: ratings of two methods do not compare.
WITH every_fit AS (
    FROM (SELECT NULL::VARCHAR AS control, NULL::VARCHAR AS failure WHERE FALSE)
    UNION ALL BY NAME SELECT *, rowid AS place FROM fit
),
made AS (
    SELECT * FROM every_fit WHERE failure IS NULL AND judge IS NOT DISTINCT FROM $judge AND scope = $scope
)
SELECT id, fitted_at, board, method, policy FROM made
WHERE control IS NOT DISTINCT FROM $control
  AND CASE WHEN EXISTS (FROM made WHERE board = 'validated')
           THEN board = 'validated' AND method = $method AND policy IS NOT DISTINCT FROM $policy
           ELSE method = (SELECT arg_max(method, place) FROM made) END
ORDER BY place
