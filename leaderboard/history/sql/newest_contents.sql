-- newest_contents: what did the newest fit of each judge, list and key say?
SELECT judge, board, scope, method, policy, control, arg_max_null(content, rowid) AS content FROM fit GROUP BY ALL
