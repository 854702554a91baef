"""Alembic's scripts, one revision a file under `versions`."""
