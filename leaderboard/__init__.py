"""A tournament leaderboard for language models, judged in both orders."""

__version__ = "0.1.0"
