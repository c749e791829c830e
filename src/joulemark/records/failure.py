# SPDX-License-Identifier: Apache-2.0
"""Implementations and trials that could not be measured, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ENERGY = "*/energy"
"""Name of the failure by which a run records that no energy could be metered."""


class FailureKind(StrEnum):
    """Why an implementation has no figure."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    """The implementation does not take messages of one length; its figures at others stand."""
    WRONG_OUTPUT = "wrong output"
    CRASH = "crash"
    HANG = "hang"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Failure:
    """One implementation that could not be measured, or a trial that broke off."""

    implementation: str
    kind: FailureKind
    reason: str
    """One sentence: the fault, its place, and the remedy."""
    size_bytes: int | None = None
    """Message size at which the trial failed; None if the whole implementation failed."""

    @property
    def broken(self) -> bool:
        """Whether the code misbehaved, so that its figures are withheld."""
        return self.kind not in (FailureKind.UNAVAILABLE, FailureKind.REFUSED)
