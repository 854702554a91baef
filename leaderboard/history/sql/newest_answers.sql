-- newest_answers: what is each model's newest text for each turn?
SELECT prompt_id, model, turn, text, call FROM answer
QUALIFY row_number() OVER (PARTITION BY prompt_id, model, turn ORDER BY answered_at DESC, call) = 1
ORDER BY prompt_id, model, turn
