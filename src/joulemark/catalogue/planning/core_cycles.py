# SPDX-License-Identifier: Apache-2.0
"""Core cycles of MACs on cores, for nodes without results in the store."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from joulemark.catalogue.planning.sourced import Record, Sheet
from joulemark.records.evidence import Evidence

Whole = Annotated[int, Field(gt=0)]


class Count(Record):
    """Core cycles of one message with one implementation, after the key's set-up."""

    algorithm: str
    variant: str
    message_bytes: Annotated[int, Field(ge=0)]
    core_cycles: Whole
    step_core_cycles: Whole | None = None
    """Core cycles of one more call of the primitive."""
    key_core_cycles: Whole | None = None
    """Core cycles of the key's set-up."""
    key_state_bytes: Whole | None = None
    """Memory that the set-up fills."""
    evidence: Evidence | None = None
    """None: the evidence of the file."""
    document: str | None = None
    """None: the document of the file."""


class CoreCycles(Sheet):
    """`catalogue/core_cycles/<core>.toml`."""

    evidence: Evidence
    document: str
    """A key of `documents`."""
    how: str
    """Program, compiler and flags that gave the counts."""
    spread: Annotated[float, Field(ge=0, lt=1)]
    """Half of the 95 % interval over a count, against boards."""
    spread_reason: str
    count: list[Count]
