# SPDX-License-Identifier: Apache-2.0
"""The content of a run, which is all of it but its number, to be copied, imported and sent.

Two runs are the same if start, seed, machine and all observations agree. The other facts of a run
(its plan, the loop's cost, failures, its end) tell no runs apart, since older files lack some.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from operator import itemgetter
from typing import Any

from joulemark.records.energy_window import MeterRecord
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store.energy import StoredWindow, window_as_json
from joulemark.store.rows import RunFacts, counter_values, trial_values


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContent(RunFacts):
    """A run; each field holds the value that the method of `Store` with its name returns."""

    meter: MeterRecord | None = None
    implementations: Mapping[str, ImplementationFacts] = field(default_factory=dict)
    samples: Mapping[Trial, Sequence[RawSample]] = field(default_factory=dict)
    clock_counts: Mapping[Trial, ClockCount] = field(default_factory=dict)
    firmware_counts: Mapping[Trial, FirmwareCount] = field(default_factory=dict)
    energy_windows: Sequence[StoredWindow] = ()
    failures: Sequence[Failure] = ()
    published: Mapping[str, Any] | None = None
    """Results of a file without the samples to compute them from."""

    @property
    def observations(self) -> int:
        """Number of samples, counts of cores and of firmware, and energy windows."""
        samples = sum(len(taken) for taken in self.samples.values())
        counts = len(self.clock_counts) + len(self.firmware_counts)
        return samples + counts + len(self.energy_windows)

    def digest(self) -> str:
        """SHA-256 of all that tells runs apart, in hexadecimal digits."""
        parts = {
            "seed": self.seed,
            "started_at": self.started_at.astimezone(UTC).isoformat(),
            "joulemark_version": self.joulemark_version,
            "environment": self.environment,
            "samples": [
                [trial_values(trial), [counter_values(sample) for sample in samples]]
                for trial, samples in sorted(self.samples.items(), key=itemgetter(0))
                if samples
            ],
            "clock_counts": _by_trial(self.clock_counts),
            "firmware_counts": _by_trial(self.firmware_counts),
            "energy_windows": sorted(
                json.dumps(
                    [
                        energy_window.trial and trial_values(energy_window.trial),
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


def _by_trial(counts: Mapping[Trial, ClockCount] | Mapping[Trial, FirmwareCount]) -> list[Any]:
    return [[trial_values(trial), counts[trial].as_dict()] for trial in sorted(counts)]
