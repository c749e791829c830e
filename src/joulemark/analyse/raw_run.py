# SPDX-License-Identifier: Apache-2.0
"""The part of the published JSON from which a run can be put into a store again.

It holds what the results beside it do not: with their samples it is all that a store has.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from joulemark.records.failure import FailureKind
from joulemark.records.trial import Cache, KeySetup, Mode

__all__ = ["RawFailure", "RawRun", "RawSeries", "RawTrial", "RawWindow"]


class RawTrial(BaseModel):
    """Which trial; the fields are those of [Result](#result) with the same names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    implementation: str
    target: str
    size_bytes: int
    mode: Mode
    cache: Cache
    key_setup: KeySetup
    batch: int
    mix: str


class RawWindow(BaseModel):
    """One energy window as it was taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: RawTrial | None
    """Null for a baseline."""
    void: str | None
    """Why it was taken again; null if it was accepted."""
    window: dict[str, Any]
    """The fields of [EnergyWindow](#energywindow)."""


class RawSeries(BaseModel):
    """What was observed in a trial without a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: RawTrial
    samples: list[dict[str, Any]]
    """As `samples` of a [Result](#result)."""


class RawFailure(BaseModel):
    """A failure that the results tell in other words; the fields are those of ResultFailure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    implementation: str
    kind: FailureKind
    reason: str
    size_bytes: int | None


class RawRun(BaseModel):
    """What a store has of the run besides the samples of the results; only with --raw."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: dict[str, Any]
    """As `context.run.study`, with the whole plan."""
    study_digest: str
    loop: dict[str, Any] | None
    """Wall times of the timed loop alone; null if the run died before they were taken."""
    meter: dict[str, Any] | None
    """The fields of [MeterRecord](#meterrecord); null where nothing was metered."""
    energy_windows: list[RawWindow]
    """In the order in which they were taken, void ones and baselines too."""
    withheld: list[RawSeries]
    """Of trials whose implementation failed, so that they have no result."""
    failures: list[RawFailure]
    """Those that are not among the failures beside the results."""
