# SPDX-License-Identifier: Apache-2.0
"""Second schema: the meter of a run, and its windows of energy."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column to `run`, and the table `energy_window`.

    The column is added in place. A batch that made `run` again would drop the old table, and its
    cascades would delete every sample.
    """
    op.add_column("run", sa.Column("meter", sa.JSON, nullable=True))
    op.create_table(
        "energy_window",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("trial_id", sa.Integer, nullable=True),
        sa.Column("kind", sa.String(255), nullable=False),
        sa.Column("round_index", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("window", sa.JSON, nullable=False),
        sa.Column("void", sa.Text, nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_energy_window_run_id_run", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name="fk_energy_window_trial_id_trial", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_energy_window"),
        sa.UniqueConstraint(
            "run_id", "round_index", "position", "attempt", name="uq_energy_window_run_id"
        ),
    )
    op.create_index("ix_energy_window_run_id", "energy_window", ["run_id"])
    op.create_index("ix_energy_window_trial_id", "energy_window", ["trial_id"])
