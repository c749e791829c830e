# SPDX-License-Identifier: Apache-2.0
"""Sixth schema: what trials on firmware targets came to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_NUMBERS = (
    ("core_cycles", False),
    ("instructions", False),
    ("key_core_cycles", True),
    ("code_bytes", False),
    ("constant_bytes", False),
    ("static_ram_bytes", False),
    ("state_bytes", True),
    ("stack_bytes", False),
)
"""Column, and whether it may be empty."""


def upgrade() -> None:
    """Add the table `firmware_count`; there was none in older stores."""
    op.create_table(
        "firmware_count",
        sa.Column("trial_id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=empty) for name, empty in _NUMBERS),
        *(
            sa.Column(name, kind, nullable=False)
            for name, kind in (
                ("evidence", sa.String(255)),
                ("compiler", sa.String(255)),
                ("flags", sa.Text()),
                ("simulator", sa.String(255)),
            )
        ),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name="fk_firmware_count_trial_id_trial", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", name="pk_firmware_count"),
    )
