-- newest_answers: what is each model's newest text for each turn? The one that was stored last, whatever the clock says.
SELECT prompt_id, model, turn, text, call FROM answer
QUALIFY row_number() OVER (PARTITION BY prompt_id, model, turn ORDER BY rowid DESC) = 1
ORDER BY prompt_id, model, turn
