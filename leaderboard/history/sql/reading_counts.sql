-- reading_counts: which position did this judge favour in validation, prompt by prompt? Readings of pairings that were
-- readable in both orders; beside them how many readings were readable at all, and how many samples were asked for.
WITH judged AS (
    SELECT pairing, consistent IS NOT NULL AS swapped, max(asked) OVER () AS asked
    FROM verdict
    WHERE stage = 'validation' AND fingerprint IS NOT DISTINCT FROM $fingerprint
      AND ($fingerprint IS NOT NULL OR judge IS NOT DISTINCT FROM $judge)
),
replies AS (
    SELECT prompt_id, shown_first, outcome, swapped, asked, state = 'unreadable' AS unreadable,
           state = 'read' AND sample <= asked AS readable
    FROM reading JOIN judged USING (pairing)
    WHERE stage = 'validation'
)
SELECT prompt_id,
       count(*) FILTER (readable AND swapped AND outcome = shown_first) AS firsts,
       count(*) FILTER (readable AND swapped AND outcome <> shown_first AND outcome <> 'tie') AS seconds,
       count(*) FILTER (readable AND swapped AND outcome = 'tie') AS ties,
       count(*) FILTER (readable) AS readable, count(*) FILTER (readable OR unreadable) AS readings,
       any_value(asked) AS samples
FROM replies
GROUP BY prompt_id ORDER BY prompt_id
