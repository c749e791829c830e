# SPDX-License-Identifier: Apache-2.0
"""All that is stored of one run, without its number: what is copied, imported and sent.

Two runs are the same if what was observed is the same, of the same start, seed and machine. What
was said of a run besides (its plan, the loop's cost, failures, its end) tells no runs apart, since
older files lack some of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from joulemark.records.energy_window import MeterRecord
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.energy import StoredWindow, window_as_json

__all__ = ["RunContent"]


@dataclass(frozen=True, slots=True)
class RunContent:
    """A run; the fields are those of `RunRecord`, and what `Store` returns under the same names."""

    study_digest: str
    study: Mapping[str, Any]
    seed: int
    rounds: int
    environment: Mapping[str, Any]
    started_at: datetime
    finished_at: datetime | None
    joulemark_version: str
    loop: Mapping[str, Any] | None = None
    conditions: Mapping[str, Any] | None = None
    meter: MeterRecord | None = None
    implementations: Mapping[str, ImplementationFacts] = field(default_factory=dict)
    samples: Mapping[Trial, Sequence[RawSample]] = field(default_factory=dict)
    clock_counts: Mapping[Trial, ClockCount] = field(default_factory=dict)
    firmware_counts: Mapping[Trial, FirmwareCount] = field(default_factory=dict)
    energy_windows: Sequence[StoredWindow] = ()
    failures: Sequence[Failure] = ()
    published: Mapping[str, Any] | None = None
    """Results as a file had them, as far as nothing here lets them be computed."""

    @property
    def observations(self) -> int:
        """Samples, counts of cores and of firmware, and energy windows."""
        samples = sum(len(taken) for taken in self.samples.values())
        counts = len(self.clock_counts) + len(self.firmware_counts)
        return samples + counts + len(self.energy_windows)

    def digest(self) -> str:
        """SHA-256 of what tells runs apart, in hexadecimal digits."""
        parts = {
            "seed": self.seed,
            "started_at": self.started_at.astimezone(UTC).isoformat(),
            "joulemark_version": self.joulemark_version,
            "environment": self.environment,
            "samples": [
                [_named(trial), [rows.sample_values(sample) for sample in self.samples[trial]]]
                for trial in sorted(self.samples)
                if self.samples[trial]
            ],
            "clock_counts": [
                [_named(trial), self.clock_counts[trial].as_dict()]
                for trial in sorted(self.clock_counts)
            ],
            "firmware_counts": [
                [_named(trial), self.firmware_counts[trial].as_dict()]
                for trial in sorted(self.firmware_counts)
            ],
            "energy_windows": sorted(
                json.dumps(
                    [
                        energy_window.trial and _named(energy_window.trial),
                        window_as_json(energy_window.window),
                        energy_window.void,
                    ],
                    sort_keys=True,
                )
                for energy_window in self.energy_windows
            ),
            "published": self.published,
        }
        text = json.dumps(parts, sort_keys=True, allow_nan=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _named(trial: Trial) -> dict[str, Any]:
    return rows.trial_values(trial)
