# SPDX-License-Identifier: Apache-2.0
"""Seventh schema: windows of many sessions at once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_WORD = sa.String(255)
_JSON = sa.JSON(none_as_null=True)


def upgrade() -> None:
    """Add the table `sessions_point`; nothing that is there is touched."""
    op.create_table(
        "sessions_point",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("implementation", _WORD, nullable=False),
        sa.Column("facts", _JSON, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("mix", _WORD, nullable=False),
        sa.Column("sessions", sa.Integer, nullable=False),
        sa.Column("measured", _JSON, nullable=False),
        sa.Column("environment", _JSON, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("joulemark_version", _WORD, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions_point"),
    )
    op.create_index("ix_sessions_point_size_bytes", "sessions_point", ["size_bytes"])
