# SPDX-License-Identifier: Apache-2.0
"""A load as `choose`, `sessions`, `gather` and `bench` take it, and as they show its cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from joulemark.analyse.load import LoadCost, OfferedLoad
from joulemark.catalogue import Approval, every_algorithm, lacking_claim
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.terminal import heading, print_text, terminal_width
from joulemark.errors import UsageError
from joulemark.report.draw import aligned
from joulemark.report.load import load_sentence, load_text
from joulemark.units import parse_rate

_HIGHEST_STATED: Final = 1e6
_WATTS_OPTION: Final[Any] = typer.Option(
    metavar="W", help="With --rate: power that a core takes more when it works, as in 15."
)
_HOUR_OPTION: Final[Any] = typer.Option(
    metavar="PRICE", help="With --rate: price of a core for an hour, in any currency."
)


@dataclass(frozen=True, slots=True)
class CoreCostOptions:
    """What the user says of a core that works."""

    watts_per_core: Annotated[float | None, _WATTS_OPTION] = None
    core_hour: Annotated[float | None, _HOUR_OPTION] = None

    def of(self, messages_per_second: float) -> OfferedLoad:
        """The load at that rate."""
        return _load(messages_per_second, self.watts_per_core, self.core_hour)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Messages that arrive, and what the user says of a core that works."""

    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Messages a second, as in 1M: says which part of a core they take, and what else.",
        ),
    ] = None
    watts_per_core: Annotated[float | None, _WATTS_OPTION] = None
    core_hour: Annotated[float | None, _HOUR_OPTION] = None

    def load(self) -> OfferedLoad | None:
        """The load; None without a rate."""
        if self.rate is not None:
            return _load(parse_rate(self.rate), self.watts_per_core, self.core_hour)
        given = {"--watts-per-core": self.watts_per_core, "--core-hour": self.core_hour}
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} is of a load; give --rate too, as in --rate 1M")
        return None


def _load(rate: float, watts_per_core: float | None, core_hour: float | None) -> OfferedLoad:
    for option, value in {"--watts-per-core": watts_per_core, "--core-hour": core_hour}.items():
        if value is not None and not 0 < value < _HIGHEST_STATED:
            raise UsageError(f"{option} {value:g}: give a number above 0, below a million")
    return OfferedLoad(rate, watts_per_core, core_hour)


# What an algorithm must claim.


@dataclass(frozen=True, slots=True)
class ClaimOptions:
    """What an algorithm must claim to be taken."""

    security_bits: Annotated[
        int,
        typer.Option(min=0, max=4096, help="Bits of strength that the algorithm claims at least."),
    ] = 0
    approved: Annotated[
        Approval | None,
        typer.Option(
            autocompletion=words_of(Approval), help="Only algorithms approved by this body."
        ),
    ] = None

    def kept(self, implementations: Sequence[str]) -> list[str]:
        """Those whose algorithms claim what is asked for; prints the others, each with its reason.

        Raises:
            UsageError: if none is left.
        """
        facts = every_algorithm()
        reasons: dict[str, set[str]] = {}
        left = []
        for name in implementations:
            algorithm = name.partition("/")[0]
            reason = lacking_claim(facts[algorithm], self.security_bits, self.approved)
            if reason is None:
                left.append(name)
            else:
                reasons.setdefault(reason, set()).add(algorithm)
        said = "; ".join(f"{', '.join(sorted(of))} ({why})" for why, of in sorted(reasons.items()))
        if said and not left:
            raise UsageError(f"no algorithm is left to measure: {said}")
        if said:
            print_text(f"left out: {said}", err=True)
        return left


# The screen.


def show_load(
    load: OfferedLoad, costs: Sequence[tuple[str, LoadCost]], basis: Iterable[str]
) -> int:
    """Prints a sentence behind each title, then what the sentences rest on; returns the lines."""
    rows = [(title, load_sentence(cost)) for title, cost in costs]
    lines = [
        line
        for cells, prose in ((rows, (1, 0)), ([(sentence,) for sentence in basis], (0,)))
        for folded in aligned(cells, terminal_width(), indent=2, prose=prose)
        for line in folded
    ]
    heading(f"{load_text(load)}:")
    for line in lines:
        typer.echo(line)
    return 1 + len(lines)
