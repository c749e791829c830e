# SPDX-License-Identifier: Apache-2.0
"""Why a result has no figure of some name: a kind for code to ask, a sentence for the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class AbsenceKind(StrEnum):
    """The kind of reason for which a figure is missing."""

    NOT_ASKED = "not asked for"
    REFUSED = "refused"
    """The figure was computed, and is too uncertain to be stated."""
    LACKING = "lacking"
    """The counters or facts that it is computed from do not exist here, or were not taken."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why one figure is missing."""

    text: str
    kind: AbsenceKind = AbsenceKind.LACKING

    @property
    def sentence(self) -> str:
        """The text of tables and JSON, in which a refusal begins with that word."""
        return f"{self.kind.value}: {self.text}" if self.kind is AbsenceKind.REFUSED else self.text

    @staticmethod
    def from_sentence(text: str) -> Absence:
        """The absence that `sentence` described; needed for JSON, which has only the sentence."""
        for absence in (ENERGY_NOT_ASKED, MODEL_NOT_ASKED):
            if text == absence.text:
                return absence
        word, _, rest = text.partition(": ")
        refused = word == AbsenceKind.REFUSED.value
        return Absence(rest, AbsenceKind.REFUSED) if refused else Absence(text)


ENERGY_NOT_ASKED: Final = Absence(
    "energy was not asked for (bench --energy)", AbsenceKind.NOT_ASKED
)
"""Why a run without a meter has no figure in joules or watts."""
MODEL_NOT_ASKED: Final = Absence(
    "modelled joules were not asked for (bench --modelled-power)", AbsenceKind.NOT_ASKED
)
NO_COST_PER_BYTE: Final = Absence("a message of 0 bytes has no cost per byte")
