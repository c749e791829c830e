# SPDX-License-Identifier: Apache-2.0
"""Ninth schema: a report of a core is the JSON that its record has, with its version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_WORD = sa.String(255)
_WORDS = ("core", "algorithm", "configuration", "target")
_OBJECTS = ("parameters", "settings", "figures", "evidence", "reasons")


def upgrade() -> None:
    """Put the parts of each report into one object, in the column `report`.

    The object has no version, by which the record tells such parts from a report of today. SQLite
    cannot take a column away from a table of every version, so there the table is built again; a
    part that is no JSON then makes the object none, which its reader reports.
    """
    if op.get_bind().dialect.name != "sqlite":
        parts = ", ".join(f"'{name}', {name}" for name in (*_WORDS, *_OBJECTS))
        op.add_column("core_report", sa.Column("report", sa.JSON, nullable=True))
        op.execute(f"UPDATE core_report SET report = json_build_object({parts})")  # noqa: S608 - our own names
        op.alter_column("core_report", "report", nullable=False)
        for name in (*_WORDS, *_OBJECTS):
            op.drop_column("core_report", name)
        return
    op.drop_index("ix_core_report_digest")
    op.rename_table("core_report", "old_core_report")
    op.create_table(
        "core_report",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("joulemark_version", _WORD, nullable=False),
        sa.Column("digest", _WORD, nullable=False),
        sa.Column("report", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_core_report"),
    )
    op.create_index("ix_core_report_digest", "core_report", ["digest"])
    texts = [f"'\"{name}\": ' || json_quote({name})" for name in _WORDS]
    texts += [f"'\"{name}\": ' || {name}" for name in _OBJECTS]
    report = "'{' || " + " || ', ' || ".join(texts) + " || '}'"
    op.execute(
        "INSERT INTO core_report (id, made_at, joulemark_version, digest, report) "  # noqa: S608 - our own names
        f"SELECT id, made_at, joulemark_version, digest, {report} FROM old_core_report"
    )
    op.drop_table("old_core_report")
