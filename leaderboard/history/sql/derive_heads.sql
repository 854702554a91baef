-- derive_heads: for each touched pairing and stage, whose is it, by which protocol, and how many samples were asked for?
WITH facts AS (
    SELECT pairing, stage, prompt_id, turn, model_a, model_b, judge, fingerprint, run, protocol, source, simulated,
           shown_first, sample, cost_usd, FALSE AS identical, read_at AS happened, rowid AS place
    FROM reading SEMI JOIN touched USING (pairing, stage)
    UNION ALL
    SELECT pairing, stage, prompt_id, turn, model_a, model_b, judge, fingerprint, run, protocol, source, simulated,
           NULL, NULL, 0, TRUE, found_at, rowid
    FROM identical SEMI JOIN touched USING (pairing, stage)
),
asked AS (
    SELECT pairing, stage, arg_max(protocol, rowid) AS protocol, max(sample_to) AS sample_to,
           arg_max(shown_first, rowid) AS shown_first
    FROM call SEMI JOIN touched USING (pairing, stage) WHERE kind = 'judgement' GROUP BY pairing, stage
)
SELECT pairing, stage, any_value(prompt_id) AS prompt_id, any_value(turn) AS turn, any_value(model_a) AS model_a,
       any_value(model_b) AS model_b, arg_max(judge, place) AS judge, any_value(fingerprint) AS fingerprint,
       arg_max(run, place) AS run, coalesce(any_value(asked.protocol), arg_max(facts.protocol, place)) AS protocol,
       coalesce(any_value(asked.shown_first), arg_max(facts.shown_first, place)) AS shown_first,
       greatest(max(sample), any_value(sample_to), 1) AS asked, bool_or(identical) AS identical,
       any_value(source) AS source, bool_or(simulated) AS simulated, max(happened) AS decided_at,
       CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd
FROM facts LEFT JOIN asked USING (pairing, stage)
GROUP BY pairing, stage
ORDER BY pairing, stage
