-- rated_prompts: on which prompts do verdicts of this judge and stage rest, by id, and what are they about?
WITH mine AS (
    SELECT DISTINCT prompt_id FROM verdict
    WHERE stage = $stage AND fingerprint IS NOT DISTINCT FROM $fingerprint
      AND ($fingerprint IS NOT NULL OR judge IS NOT DISTINCT FROM $judge)
)
SELECT prompt_id, category, language, prompt_group FROM mine LEFT JOIN prompts ON prompts.id = prompt_id ORDER BY prompt_id
