# SPDX-License-Identifier: Apache-2.0
"""Reasons why a figure may be wrong: a kind for code to ask, a sentence for the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    """A kind in the JSON of another version."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason why a figure may be wrong."""

    kind: DoubtKind
    text: str
    """Tells the user the reason, its size, and the remedy."""

    @property
    def sentence(self) -> str:
        """The text of tables and JSON: "kind: text"."""
        return self.text if self.kind is DoubtKind.OTHER else f"{self.kind.value}: {self.text}"

    @staticmethod
    def from_sentence(text: str) -> Doubt:
        """The doubt that `sentence` described; needed for JSON, which has only the sentence."""
        word, _, rest = text.partition(": ")
        known = word in {kind.value for kind in DoubtKind} - {DoubtKind.OTHER.value}
        return Doubt(DoubtKind(word), rest) if known else Doubt(DoubtKind.OTHER, text)
