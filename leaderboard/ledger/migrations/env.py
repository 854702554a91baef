"""Runs the revisions on the connection, and in the transaction, of whoever asked for the upgrade."""

from alembic import context

from leaderboard.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
