-- answer_list: which answers match, newest first, after a given place in the list?
SELECT * FROM answers
WHERE ($model IS NULL OR model = $model)
  AND ($prompt IS NULL OR prompt_id = $prompt)
  AND ($moment IS NULL OR answered_at < $moment::TIMESTAMP OR (answered_at = $moment::TIMESTAMP AND call > $id))
ORDER BY answered_at DESC, call
LIMIT $count
