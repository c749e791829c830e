# SPDX-License-Identifier: Apache-2.0
"""First schema: run, implementation, trial, sample, failure."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_WORD = sa.String(255)


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "run",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("study_digest", _WORD, nullable=False),
        sa.Column("study", sa.JSON, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("environment", sa.JSON, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("joulemark_version", _WORD, nullable=False),
        sa.Column("loop", sa.JSON, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_run_study_digest", "run", ["study_digest"])
    op.create_table(
        "implementation",
        _run_id(),
        sa.Column("id", _WORD, nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        _belongs_to_run("implementation"),
        sa.PrimaryKeyConstraint("run_id", "id", name="pk_implementation"),
    )
    op.create_table(
        "trial",
        sa.Column("id", sa.Integer, nullable=False),
        _run_id(),
        *(sa.Column(name, _WORD, nullable=False) for name in ("implementation", "target")),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        *(sa.Column(name, _WORD, nullable=False) for name in ("mode", "cache", "key_setup")),
        sa.Column("batch", sa.Integer, nullable=False),
        _belongs_to_run("trial"),
        sa.PrimaryKeyConstraint("id", name="pk_trial"),
        sa.UniqueConstraint(
            "run_id",
            "implementation",
            "target",
            "size_bytes",
            "mode",
            "cache",
            "key_setup",
            "batch",
            name="uq_trial_run_id",
        ),
    )
    _create_sample()
    op.create_table(
        "failure",
        sa.Column("id", sa.Integer, nullable=False),
        _run_id(),
        *(sa.Column(name, _WORD, nullable=False) for name in ("implementation", "kind")),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=True),
        _belongs_to_run("failure"),
        sa.PrimaryKeyConstraint("id", name="pk_failure"),
    )
    op.create_index("ix_failure_run_id", "failure", ["run_id"])


def _create_sample() -> None:
    op.create_table(
        "sample",
        sa.Column("trial_id", sa.Integer, nullable=False),
        sa.Column("round_index", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        _counter("messages"),
        _counter("wall_start_ns"),
        _counter("wall_ns"),
        _counter("thread_cpu_ns"),
        _counter("tsc_ticks", nullable=True),
        _counter("perf_core_cycles", nullable=True),
        _counter("voluntary_switches"),
        _counter("involuntary_switches"),
        _counter("run_queue_wait_ns", nullable=True),
        _counter("machine_busy_ns", nullable=True),
        _counter("machine_steal_ns", nullable=True),
        _counter("chain_adds"),
        _counter("chain_ticks_before", nullable=True),
        _counter("chain_ticks_after", nullable=True),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name="fk_sample_trial_id_trial", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "round_index", name="pk_sample"),
    )


def _counter(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _run_id() -> sa.Column[int]:
    return sa.Column("run_id", sa.Integer, nullable=False)


def _belongs_to_run(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["run_id"], ["run.id"], name=f"fk_{table}_run_id_run", ondelete="CASCADE"
    )
