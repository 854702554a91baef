"""The first tables.

Written out, not taken from the program's schema: a revision stays what it was when the schema moves on.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None

TABLES = ("meta", "budgets", "samples", "attempts", "requests", "batches", "runs", "prompts", "judges", "models")


def upgrade() -> None:
    _registry()
    _prompts()
    _runs()
    _batches()
    _requests()
    _attempts()
    _samples()
    _money_and_meta()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)


def _text(name: str, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _id() -> sa.Column[Any]:
    return sa.Column("id", sa.Text(), primary_key=True)


def _whole(name: str, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _money(name: str, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _registry() -> None:
    op.create_table(
        "models",
        _id(),
        _text("folded", False),
        _whole("version", False),
        _text("state", False),
        _whole("seat"),
        _text("body", False),
        _text("created_at", False),
    )
    op.create_index("ux_models_folded", "models", ["folded"], unique=True)
    op.create_index("ux_models_seat", "models", ["seat"], unique=True)
    op.create_table(
        "judges",
        _id(),
        _text("folded", False),
        _whole("version", False),
        _text("state", False),
        _text("body", False),
        _text("created_at", False),
    )
    op.create_index("ux_judges_folded", "judges", ["folded"], unique=True)


def _prompts() -> None:
    op.create_table("prompts", _id(), _text("folded", False), _whole("position", False), _text("body", False))
    op.create_index("ux_prompts_folded", "prompts", ["folded"], unique=True)
    op.create_index("ux_prompts_position", "prompts", ["position"], unique=True)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("number", sa.Integer(), primary_key=True),
        _text("id", False),
        _text("kind", False),
        _text("judge"),
        _text("state", False),
        _text("config", False),
        _text("record", False),
        _text("created_at", False),
        _text("started_at"),
        _text("ended_at"),
        _whole("pid"),
        _text("trigger", False),
        _text("error"),
    )
    op.create_index("ux_runs_id", "runs", ["id"], unique=True)
    op.create_index("ix_runs_state", "runs", ["state"])


def _batches() -> None:
    op.create_table(
        "batches",
        _id(),
        _text("state", False),
        _whole("requests", False),
        _whole("attempts", False),
        _text("created_at", False),
    )
    op.create_index("ix_batches_state", "batches", ["state"])


def _requests() -> None:
    op.create_table("requests", *_asked(), *_came_back())
    op.create_index("ix_requests_state", "requests", ["state", "run"])
    op.create_index("ix_requests_batch", "requests", ["batch_id", "state"])


def _asked() -> list[sa.Column[Any]]:
    return [
        sa.Column("key", sa.Text(), primary_key=True),
        *[_text(name, False) for name in ("kind", "run")],
        *[_text(name) for name in ("stage", "model", "judge", "fingerprint", "prompt_id")],
        _whole("turn"),
        *[_text(name) for name in ("model_a", "model_b", "pairing")],
        sa.Column("order", sa.String(2)),
        *[_whole(name) for name in ("sample_from", "sample_to")],
        *[_text(name) for name in ("protocol", "template", "mark", "sent_sha256")],
        _text("params", False),
        _text("price"),
        sa.Column("simulated", sa.Boolean(), nullable=False),
    ]


def _came_back() -> list[sa.Column[Any]]:
    return [
        _text("state", False),
        *[_text(name) for name in ("payload", "served_model", "system_fingerprint")],
        *[_whole(name) for name in ("prompt_tokens", "completion_tokens")],
        _money("cost_nano"),
        _whole("unreadable", False),
        _text("finished_at"),
        sa.Column("batch_id", sa.Text(), sa.ForeignKey("batches.id")),
    ]


def _attempts() -> None:
    op.create_table(
        "attempts",
        _id(),
        sa.Column("call", sa.Text(), sa.ForeignKey("requests.key"), nullable=False),
        *[_text(name, False) for name in ("run", "kind")],
        *[_text(name) for name in ("stage", "model", "judge")],
        *[_whole(name, False) for name in ("number", "n")],
        _whole("max_tokens"),
        _money("reserved_nano"),
        _text("started_at", False),
        _text("ended_at"),
        _text("state", False),
        _whole("http_status"),
        *[_text(name) for name in ("error_kind", "error_text")],
        _money("cost_nano"),
        sa.Column("batch_id", sa.Text(), sa.ForeignKey("batches.id")),
    )
    op.create_index("ix_attempts_call", "attempts", ["call", "state"])
    op.create_index("ix_attempts_batch", "attempts", ["batch_id", "state"])
    op.create_index("ix_attempts_state", "attempts", ["state", "run"])


def _samples() -> None:
    op.create_table(
        "samples",
        sa.Column("pairing", sa.Text(), primary_key=True),
        sa.Column("order", sa.String(2), primary_key=True),
        sa.Column("sample", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("call", sa.Text(), sa.ForeignKey("requests.key"), nullable=False),
        _text("stage"),
    )


def _money_and_meta() -> None:
    op.create_table(
        "budgets",
        sa.Column("scope", sa.Text(), primary_key=True),
        _money("cap_nano"),
        *[_money(name, False) for name in ("reserved_nano", "spent_nano", "unknown_nano")],
    )
    op.create_table("meta", sa.Column("key", sa.Text(), primary_key=True), _text("value", False))
