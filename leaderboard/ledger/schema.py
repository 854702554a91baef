"""The ledger's tables. Money is integer nano-dollars, time is ISO-8601 UTC text, documents are JSON kept as text.

JSON is text and not a JSON type because a NUL inside it must survive as an escape on every database.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
)

from leaderboard.ledger.ids import storable

REVISION = "0001"


class Words(TypeDecorator[str]):
    """Text from outside (an error, a served model's name) that must never make a write fail."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        text, _ = storable(value)
        return text if dialect.name == "sqlite" else text.replace("\0", "\ufffd")


metadata = MetaData()

models = Table(
    "models",
    metadata,
    Column("id", Text, primary_key=True),
    Column("folded", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("seat", Integer),
    Column("body", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("ux_models_folded", "folded", unique=True),
    Index("ux_models_seat", "seat", unique=True),
)

judges = Table(
    "judges",
    metadata,
    Column("id", Text, primary_key=True),
    Column("folded", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("ux_judges_folded", "folded", unique=True),
)

prompts = Table(
    "prompts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("folded", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Index("ux_prompts_folded", "folded", unique=True),
    Index("ux_prompts_position", "position", unique=True),
)

runs = Table(
    "runs",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("judge", Text),
    Column("state", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("started_at", Text),
    Column("ended_at", Text),
    Column("pid", Integer),
    Column("trigger", Text, nullable=False),
    Column("error", Words),
    Index("ux_runs_id", "id", unique=True),
    Index("ix_runs_state", "state"),
)

batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("ix_batches_state", "state"),
)

requests = Table(
    "requests",
    metadata,
    Column("key", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("run", Text, nullable=False),
    Column("stage", Text),
    Column("model", Text),
    Column("judge", Text),
    Column("fingerprint", Text),
    Column("prompt_id", Text),
    Column("turn", Integer),
    Column("model_a", Text),
    Column("model_b", Text),
    Column("pairing", Text),
    Column("order", String(2)),
    Column("sample_from", Integer),
    Column("sample_to", Integer),
    Column("protocol", Text),
    Column("template", Text),
    Column("mark", Text),
    Column("sent_sha256", Text),
    Column("params", Text, nullable=False),
    Column("price", Text),
    Column("simulated", Boolean, nullable=False),
    Column("state", Text, nullable=False),
    Column("payload", Text),
    Column("served_model", Words),
    Column("system_fingerprint", Words),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cost_nano", BigInteger),
    Column("unreadable", Integer, nullable=False),
    Column("finished_at", Text),
    Column("batch_id", Text, ForeignKey("batches.id")),
    Index("ix_requests_state", "state", "run"),
    Index("ix_requests_batch", "batch_id", "state"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("call", Text, ForeignKey("requests.key"), nullable=False),
    Column("run", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("stage", Text),
    Column("model", Text),
    Column("judge", Text),
    Column("number", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("max_tokens", Integer),
    Column("reserved_nano", BigInteger),
    Column("started_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("state", Text, nullable=False),
    Column("http_status", Integer),
    Column("error_kind", Text),
    Column("error_text", Words),
    Column("cost_nano", BigInteger),
    Column("batch_id", Text, ForeignKey("batches.id")),
    Index("ix_attempts_call", "call", "state"),
    Index("ix_attempts_batch", "batch_id", "state"),
    Index("ix_attempts_state", "state", "run"),
)

samples = Table(
    "samples",
    metadata,
    Column("pairing", Text, primary_key=True),
    Column("order", String(2), primary_key=True),
    Column("sample", Integer, primary_key=True, autoincrement=False),
    Column("call", Text, ForeignKey("requests.key"), nullable=False),
    Column("stage", Text),
)

budgets = Table(
    "budgets",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("cap_nano", BigInteger),
    Column("reserved_nano", BigInteger, nullable=False),
    Column("spent_nano", BigInteger, nullable=False),
    Column("unknown_nano", BigInteger, nullable=False),
)

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# Alembic's own table, defined here so that a fresh ledger is made without importing Alembic.
bookkeeping = MetaData()
revisions = Table(
    "alembic_version",
    bookkeeping,
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
