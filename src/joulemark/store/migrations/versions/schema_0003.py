# SPDX-License-Identifier: Apache-2.0
"""Third schema: mixes of message lengths."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_WORD = sa.String(255)
_COUNTER = sa.BigInteger
_NAMES = ("run_id", "implementation", "target", "size_bytes", "mode", "cache", "key_setup", "batch")


def upgrade() -> None:
    """Add the column `mix` to `trial`, and to what names a trial; older trials have none.

    SQLite cannot change a constraint. There the table is made again, and with it those that point
    to it: a dropped table takes along, by its cascades, the rows that point to its rows. So all
    three are put aside, made, filled, and the old ones dropped from the outermost inwards.
    """
    if op.get_bind().dialect.name != "sqlite":
        op.add_column("trial", sa.Column("mix", _WORD, nullable=False, server_default=""))
        op.alter_column("trial", "mix", server_default=None)
        op.drop_constraint("uq_trial_run_id", "trial", type_="unique")
        op.create_unique_constraint("uq_trial_run_id", "trial", [*_NAMES, "mix"])
        return
    for name in ("run_id", "trial_id"):
        op.drop_index(f"ix_energy_window_{name}")
    for name in ("trial", "sample", "energy_window"):
        op.rename_table(name, f"old_{name}")
    _create_trial()
    _create_sample()
    _create_energy_window()
    op.execute("INSERT INTO trial SELECT *, '' FROM old_trial")
    for name in ("sample", "energy_window"):
        op.execute(f"INSERT INTO {name} SELECT * FROM old_{name}")  # noqa: S608 - our own names
    for name in ("energy_window", "sample", "trial"):
        op.drop_table(f"old_{name}")
    for name in ("run_id", "trial_id"):
        op.create_index(f"ix_energy_window_{name}", "energy_window", [name])


def _cascade(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{target}.id"], name=f"fk_{table}_{column}_{target}", ondelete="CASCADE"
    )


def _create_trial() -> None:
    op.create_table(
        "trial",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("implementation", _WORD, nullable=False),
        sa.Column("target", _WORD, nullable=False),
        sa.Column("size_bytes", _COUNTER, nullable=False),
        sa.Column("mode", _WORD, nullable=False),
        sa.Column("cache", _WORD, nullable=False),
        sa.Column("key_setup", _WORD, nullable=False),
        sa.Column("batch", sa.Integer, nullable=False),
        sa.Column("mix", _WORD, nullable=False),
        _cascade("trial", "run_id", "run"),
        sa.PrimaryKeyConstraint("id", name="pk_trial"),
        sa.UniqueConstraint(*_NAMES, "mix", name="uq_trial_run_id"),
    )


def _create_sample() -> None:
    op.create_table(
        "sample",
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("trial_id", "round_index", "position", "generation")
        ),
        sa.Column("messages", _COUNTER, nullable=False),
        sa.Column("wall_start_ns", _COUNTER, nullable=False),
        sa.Column("wall_ns", _COUNTER, nullable=False),
        sa.Column("thread_cpu_ns", _COUNTER, nullable=False),
        sa.Column("tsc_ticks", _COUNTER, nullable=True),
        sa.Column("perf_core_cycles", _COUNTER, nullable=True),
        sa.Column("voluntary_switches", _COUNTER, nullable=False),
        sa.Column("involuntary_switches", _COUNTER, nullable=False),
        sa.Column("run_queue_wait_ns", _COUNTER, nullable=True),
        sa.Column("machine_busy_ns", _COUNTER, nullable=True),
        sa.Column("machine_steal_ns", _COUNTER, nullable=True),
        sa.Column("chain_adds", _COUNTER, nullable=False),
        sa.Column("chain_ticks_before", _COUNTER, nullable=True),
        sa.Column("chain_ticks_after", _COUNTER, nullable=True),
        _cascade("sample", "trial_id", "trial"),
        sa.PrimaryKeyConstraint("trial_id", "round_index", name="pk_sample"),
    )


def _create_energy_window() -> None:
    op.create_table(
        "energy_window",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("trial_id", sa.Integer, nullable=True),
        sa.Column("kind", _WORD, nullable=False),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("round_index", "position", "attempt", "generation")
        ),
        sa.Column("window", sa.JSON, nullable=False),
        sa.Column("void", sa.Text, nullable=True),
        _cascade("energy_window", "run_id", "run"),
        _cascade("energy_window", "trial_id", "trial"),
        sa.PrimaryKeyConstraint("id", name="pk_energy_window"),
        sa.UniqueConstraint(
            "run_id", "round_index", "position", "attempt", name="uq_energy_window_run_id"
        ),
    )
