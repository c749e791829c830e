# SPDX-License-Identifier: Apache-2.0
"""Schema migrations by Alembic, which costs a tenth of a second to import."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(
    connection: Connection, scripts: Path, version_table: str, revision: str = "head"
) -> None:
    """Brings a database to a schema.

    Args:
        connection: to the database.
        scripts: folder of the migrations.
        version_table: name of the table that holds the version of the schema.
        revision: of the schema; the newest unless given.
    """
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = version_table
    command.upgrade(config, revision)
