"""Why nobody can say how many more pairings would tell two models apart, in words for the person who reads it."""

NOT_HERE = "not with these prompts"
TOO_NEAR = "the difference is too near to nothing to plan for"
