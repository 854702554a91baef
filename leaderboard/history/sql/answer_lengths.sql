-- answer_lengths: how many characters long is each model's newest answer to a prompt, all turns of it?
WITH model AS (SELECT unnest($models::VARCHAR[]) AS name, generate_subscripts($models::VARCHAR[], 1) - 1 AS number),
prompt AS (SELECT unnest($prompts::VARCHAR[]) AS name, generate_subscripts($prompts::VARCHAR[], 1) - 1 AS number),
newest AS (
    SELECT model, prompt_id, arg_max(length(text), rowid) AS characters FROM answer GROUP BY model, prompt_id, turn
)
SELECT model.number AS model, prompt.number AS prompt, sum(characters)::BIGINT AS characters
FROM newest
JOIN model ON model.name = newest.model
JOIN prompt ON prompt.name = newest.prompt_id
GROUP BY ALL
