-- newest_contents: what did the newest fit of each list and key say, of whichever judge?
SELECT board, scope, method, policy, control, arg_max_null(content, rowid) AS content FROM fit GROUP BY ALL
