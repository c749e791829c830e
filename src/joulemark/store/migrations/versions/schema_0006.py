# SPDX-License-Identifier: Apache-2.0
"""Sixth schema: results that came in a file without the samples that they stand on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table `published`; nothing that is there is touched."""
    op.create_table(
        "published",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("results", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_published_run_id_run", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_published"),
    )
