# SPDX-License-Identifier: Apache-2.0
"""Core cycles of MACs on cores, for nodes of which the store has no results."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from joulemark.catalogue.planning.sourced import Sheet
from joulemark.records.evidence import Evidence

__all__ = ["CoreCycles", "Count"]

Whole = Annotated[int, Field(gt=0)]


class Count(BaseModel):
    """Core cycles of one message with one implementation, the key's set-up done before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: str
    variant: str
    message_bytes: Annotated[int, Field(ge=0)]
    core_cycles: Whole
    step_core_cycles: Whole | None = None
    """Of one more call of the primitive."""
    key_core_cycles: Whole | None = None
    """Of the key's set-up."""
    key_state_bytes: Whole | None = None
    """What the set-up leaves in memory."""
    evidence: Evidence | None = None
    """The file's unless given."""
    document: str | None = None
    """The file's unless given."""


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
