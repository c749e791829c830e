# SPDX-License-Identifier: Apache-2.0
"""Alembic's entry: run the steps on the connection, and in the transaction, that we are given."""

from __future__ import annotations

from alembic import context

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table=context.config.attributes["version_table"],
    render_as_batch=True,
)
context.run_migrations()
