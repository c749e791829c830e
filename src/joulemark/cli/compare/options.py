# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark compare`: what is compared, and what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import typer

from joulemark.analyse.verdict import Verdict
from joulemark.cli.shared.completion import implementation_names
from joulemark.cli.shared.options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    RUN_OPTION,
    STORE_OPTION,
    THRESHOLD_OPTION,
)
from joulemark.cli.shared.quantities import fraction

__all__ = ["Compared", "ComparedOptions", "VerdictOptions"]


class Compared(StrEnum):
    """The quantity that is compared."""

    TIME = "time"
    ENERGY = "energy"
    GROSS_ENERGY = "gross-energy"


class Unwanted(StrEnum):
    """A verdict that no line may have."""

    SLOWER = "slower"
    FASTER = "faster"
    DIFFERENT = "different"


_SLOWER: Final = frozenset({Verdict.SLOWER, Verdict.MORE})
_FASTER: Final = frozenset({Verdict.FASTER, Verdict.LESS})
_VERDICTS: Final = {
    Unwanted.SLOWER: _SLOWER,
    Unwanted.FASTER: _FASTER,
    Unwanted.DIFFERENT: _SLOWER | _FASTER,
}


@dataclass(frozen=True, slots=True)
class ComparedOptions:
    """Two implementations of one run, or two runs."""

    baseline: Annotated[
        str | None,
        typer.Argument(
            metavar="BASELINE",
            help="Implementation to compare with; NAME#2 is its second copy in the run.",
            autocompletion=implementation_names,
        ),
    ] = None
    contender: Annotated[
        str | None,
        typer.Argument(
            metavar="CONTENDER",
            help="Implementation in question; all others of the run unless given.",
            autocompletion=implementation_names,
        ),
    ] = None
    runs: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="OLD NEW", help="Compare two stored runs, trial by trial, instead."),
    ] = None
    run: Annotated[int | None, RUN_OPTION] = None
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE


@dataclass(frozen=True, slots=True)
class VerdictOptions:
    """How the comparison is judged, and which verdicts are a failure."""

    quantity: Annotated[
        Compared,
        typer.Option(
            help="time, energy (net of deep idle) or gross-energy, each per message; energy is "
            "compared within one run."
        ),
    ] = Compared.TIME
    alpha: Annotated[float, ALPHA_OPTION] = 0.05
    threshold: Annotated[str, THRESHOLD_OPTION] = "1%"
    fail_if: Annotated[
        Unwanted | None,
        typer.Option(
            help="End with code 1 if any line is slower, faster or different (either of them) "
            "beyond the threshold; more energy counts as slower, and so does a trial that the new "
            "run lacks."
        ),
    ] = None

    def smallest(self) -> float:
        """The smallest difference that counts, as a share.

        Raises:
            UsageError: it is no difference.
        """
        return fraction(self.threshold, "--threshold")

    def end(self, verdicts: Sequence[Verdict], *, vanished: int = 0) -> None:
        """Ends the command with code 1 if a line has an unwanted verdict.

        Args:
            verdicts: of all lines.
            vanished: trials of the old run that the new run lacks, so that no line can tell
                whether they became slower.
        """
        unwanted = _VERDICTS[self.fail_if] if self.fail_if else frozenset()
        if any(verdict in unwanted for verdict in verdicts) or (vanished and _SLOWER & unwanted):
            raise typer.Exit(1)
