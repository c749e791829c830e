# SPDX-License-Identifier: Apache-2.0
"""The part of the published JSON from which a run can be put into a store again.

It holds what the results beside it lack: together with their samples it is all that a store has.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from joulemark.records import FailureKind
from joulemark.records.trial import Cache, KeySetup, Mode


class PublishedModel(BaseModel):
    """A part of published JSON: it does not change, and has no fields but those of its class."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RawTrial(PublishedModel):
    """The words that name a trial."""

    implementation: str
    """`algorithm/variant`, with `#2` for an A/A twin."""
    target: str
    size_bytes: int
    """Length of every message; for a mix of lengths the mean, rounded."""
    mode: Mode
    cache: Cache
    key_setup: KeySetup
    batch: int
    """Messages handed over at a time."""
    mix: str = ""
    """`imix` or `uniform:LOW-HIGH` in bytes; empty where all messages have one length."""


class RawWindow(PublishedModel):
    """One energy window as it was taken."""

    trial: RawTrial | None
    """Null for a baseline."""
    void: str | None
    """Why it was taken again; null if it was accepted."""
    window: dict[str, Any]
    """The fields of [EnergyWindow](#energywindow)."""


class RawSeries(PublishedModel):
    """What was observed in a trial that has no result."""

    trial: RawTrial
    samples: list[dict[str, Any]]
    """The same as `samples` of a [Result](#result)."""


class ResultFailure(PublishedModel):
    """An implementation without a figure."""

    implementation: str
    kind: FailureKind
    reason: str
    size_bytes: int | None


class RawRun(PublishedModel):
    """What a store has of the run besides the samples of the results; only with --raw."""

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
    """Trials that have no result, because their implementation failed."""
    failures: list[ResultFailure]
    """Failures that are not among those beside the results, which tell them in other words."""
