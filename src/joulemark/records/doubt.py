# SPDX-License-Identifier: Apache-2.0
"""What a figure may suffer from: a kind for code to ask, a sentence for the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Doubt", "DoubtKind"]


class DoubtKind(StrEnum):
    """The kinds of doubt about one trial; the last four before `OTHER` are those of its energy."""

    TOO_FEW_SAMPLES = "too few samples"
    OUTLIERS = "outliers"
    DRIFT = "drift"
    WIDE_INTERVAL = "wide interval"
    INTERRUPTED = "interrupted"
    SHARED_CORE = "shared core"
    GIVES_UP = "gives up the CPU"
    OFF_CPU = "off CPU"
    SLOW_MEDIAN = "median far above the minimum"
    FOREIGN_CPU = "foreign CPU time"
    STEAL = "steal time"
    CORE_CLOCK = "core clock"
    VOID_WINDOWS = "void energy windows"
    FOREIGN_IN_ENERGY = "foreign CPU in energy"
    POWER_DRIFT = "power drift"
    TEMPERATURE = "temperature"
    OTHER = "other"
    """In the JSON of another version."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that is doubtful."""

    kind: DoubtKind
    text: str
    """What is doubtful, how much, and what to do, for the user."""

    @property
    def sentence(self) -> str:
        """The form in which tables show it and JSON has it: "kind: text"."""
        return self.text if self.kind is DoubtKind.OTHER else f"{self.kind.value}: {self.text}"

    @staticmethod
    def from_sentence(text: str) -> Doubt:
        """The doubt that `sentence` described, for JSON alone, which has nothing else."""
        word, _, rest = text.partition(": ")
        known = word in {kind.value for kind in DoubtKind} - {DoubtKind.OTHER.value}
        return Doubt(DoubtKind(word), rest) if known else Doubt(DoubtKind.OTHER, text)
