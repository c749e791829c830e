# SPDX-License-Identifier: Apache-2.0
"""Why a result has no figure of some name: a kind for code to ask, a sentence for the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["ENERGY_NOT_ASKED", "MODEL_NOT_ASKED", "NO_COST_PER_BYTE", "Absence", "AbsenceKind"]


class AbsenceKind(StrEnum):
    """What took a figure."""

    NOT_ASKED = "not asked for"
    REFUSED = "refused"
    """It was computed, and is too uncertain to be stated."""
    LACKING = "lacking"
    """What it is computed from does not exist here, or was not taken."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why one figure is missing."""

    text: str
    kind: AbsenceKind = AbsenceKind.LACKING

    @property
    def sentence(self) -> str:
        """The form in which tables show it and JSON has it: a refusal begins with that word."""
        return f"{self.kind.value}: {self.text}" if self.kind is AbsenceKind.REFUSED else self.text

    @staticmethod
    def from_sentence(text: str) -> Absence:
        """The absence that `sentence` described, for JSON alone, which has nothing else."""
        for absence in (ENERGY_NOT_ASKED, MODEL_NOT_ASKED):
            if text == absence.text:
                return absence
        word, _, rest = text.partition(": ")
        refused = word == AbsenceKind.REFUSED.value
        return Absence(rest, AbsenceKind.REFUSED) if refused else Absence(text)


ENERGY_NOT_ASKED: Final = Absence(
    "energy was not asked for (bench --energy)", AbsenceKind.NOT_ASKED
)
"""Of every figure in joules or watts of a run without a meter."""
MODEL_NOT_ASKED: Final = Absence(
    "modelled joules were not asked for (bench --modelled-power)", AbsenceKind.NOT_ASKED
)
NO_COST_PER_BYTE: Final = Absence("a message of 0 bytes has no cost per byte")
