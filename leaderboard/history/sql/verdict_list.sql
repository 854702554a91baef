-- verdict_list: which verdicts match, newest first, after a given place in the list?
SELECT * FROM verdicts
WHERE ($model IS NULL OR model_a = $model OR model_b = $model)
  AND ($opponent IS NULL OR model_a = $opponent OR model_b = $opponent)
  AND ($judge IS NULL OR judge = $judge)
  AND ($stage IS NULL OR stage = $stage)
  AND ($outcome IS NULL OR outcome = $outcome)
  AND ($category IS NULL OR category = $category)
  AND ($language IS NULL OR language = $language)
  AND ($prompt IS NULL OR prompt_id = $prompt)
  AND ($moment IS NULL OR decided_at < $moment::TIMESTAMP OR (decided_at = $moment::TIMESTAMP AND id > $id))
ORDER BY decided_at DESC, id
LIMIT $count
