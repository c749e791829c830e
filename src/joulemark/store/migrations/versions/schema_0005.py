# SPDX-License-Identifier: Apache-2.0
"""Fifth schema: several windows of a trial in one round, and the conditions of a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_COUNTER = sa.BigInteger()
_VISIT = ("visit_wall_ns", "visit_thread_cpu_ns")
_WIDTH = ("width_ticks_before", "width_ticks_after")


def upgrade() -> None:
    """Add `run.conditions`, and `sample.window_index` with counters of visit and core.

    The window's index is part of the key of a sample. SQLite cannot change a key in place, so there
    the table is built again; what was stored had one window in each round.
    """
    op.add_column("run", sa.Column("conditions", sa.JSON(none_as_null=True), nullable=True))
    if op.get_bind().dialect.name != "sqlite":
        for name, kind in (("window_index", sa.Integer()), ("width_adds", _COUNTER)):
            op.add_column("sample", sa.Column(name, kind, nullable=False, server_default="0"))
            op.alter_column("sample", name, server_default=None)
        for name in (*_VISIT, *_WIDTH):
            op.add_column("sample", sa.Column(name, _COUNTER, nullable=True))
        op.drop_constraint("pk_sample", "sample", type_="primary")
        op.create_primary_key("pk_sample", "sample", ["trial_id", "round_index", "window_index"])
        return
    op.rename_table("sample", "old_sample")
    _create_sample()
    old = [column["name"] for column in sa.inspect(op.get_bind()).get_columns("old_sample")]
    names = ", ".join(old)
    new = f"{names}, window_index, width_adds"
    op.execute(f"INSERT INTO sample ({new}) SELECT {names}, 0, 0 FROM old_sample")  # noqa: S608 - our own names
    op.drop_table("old_sample")


def _create_sample() -> None:
    op.create_table(
        "sample",
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("trial_id", "round_index", "window_index", "position", "generation")
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
        *(sa.Column(name, _COUNTER, nullable=True) for name in _VISIT),
        sa.Column("width_adds", _COUNTER, nullable=False),
        *(sa.Column(name, _COUNTER, nullable=True) for name in _WIDTH),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name="fk_sample_trial_id_trial", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "round_index", "window_index", name="pk_sample"),
    )
