# SPDX-License-Identifier: Apache-2.0
"""What could not be measured, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ENERGY", "Failure", "FailureKind"]

ENERGY = "*/energy"
"""Name under which a run records that no energy could be metered, among its failures."""


class FailureKind(StrEnum):
    """Why an implementation has no figure."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    """It does not take messages of one length; its figures at others stand."""
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
    """One sentence: what, where, and how to mend it."""
    size_bytes: int | None = None
    """Message size at which it failed; None when it concerns the whole implementation."""

    @property
    def broken(self) -> bool:
        """Whether it misbehaved, so that its figures are withheld; not merely absent here."""
        return self.kind not in (FailureKind.UNAVAILABLE, FailureKind.REFUSED)
