# SPDX-License-Identifier: Apache-2.0
"""Fourth schema: clocks that simulated cores took, and reports of their area, clock and power."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_WORD = sa.String(255)
_JSON_COLUMNS = ("settings", "figures", "evidence", "reasons")


def upgrade() -> None:
    """Add the tables `clock_count` and `core_report`; nothing that is there is touched."""
    op.create_table(
        "clock_count",
        sa.Column("trial_id", sa.Integer, nullable=False),
        sa.Column("messages", sa.BigInteger, nullable=False),
        sa.Column("clocks", sa.BigInteger, nullable=False),
        sa.Column("key_clocks", sa.BigInteger, nullable=True),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name="fk_clock_count_trial_id_trial", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", name="pk_clock_count"),
    )
    op.create_table(
        "core_report",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("core", _WORD, nullable=False),
        sa.Column("algorithm", _WORD, nullable=False),
        sa.Column("configuration", _WORD, nullable=True),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("target", _WORD, nullable=False),
        *(sa.Column(name, sa.JSON, nullable=False) for name in _JSON_COLUMNS),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("joulemark_version", _WORD, nullable=False),
        sa.Column("digest", _WORD, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_core_report"),
    )
    op.create_index("ix_core_report_digest", "core_report", ["digest"])
