# SPDX-License-Identifier: Apache-2.0
"""The published shape itself, with `schema_version`; reads back to the same results."""

from __future__ import annotations

from joulemark.analyse import ResultSet

SUFFIX = ".json"
SUMMARY = "everything, for programs; carries schema_version"


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The result set as JSON on one line."""
    return f"{results.model_dump_json()}\n".encode()
