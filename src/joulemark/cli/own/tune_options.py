# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark tune`: what is tried, how it is timed, and what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.own.add_options import flag_words
from joulemark.cli.own.options import FOLDER_OPTION
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.measuring_options import CPU_OPTION, HANG_LIMIT_OPTION, checked_hang_limit
from joulemark.cli.shared.options import INCLUDE_OPTION
from joulemark.errors import UsageError
from joulemark.own_code.flag_sets import FLAG_SETS, FlagSet
from joulemark.own_code.tuning.candidates import Candidate, compilers_here, flag_sets_named
from joulemark.processes.limits import Limits
from joulemark.units import parse_duration, parse_sizes

__all__ = ["KeepOptions", "TimingOptions", "TriedOptions"]

_SIZES: Final = "64,4096"
_BUDGET: Final = "2min"
_MOST_CANDIDATES: Final = 200


@dataclass(frozen=True, slots=True)
class TriedOptions:
    """Compilers and flags that are tried."""

    compiler: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROGRAM",
            help="gcc, clang or another; may be given several times. Unless given: gcc, clang and "
            "every gcc-NN and clang-NN that is installed.",
        ),
    ] = None
    flag_set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET",
            help="A set of the table below; may be given several times. All of them unless given.",
            autocompletion=words_of(tuple(flags.name for flags in FLAG_SETS)),
        ),
    ] = None
    flags: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FLAGS",
            help="A set of your own beside these, in quotes; may be given several times.",
        ),
    ] = None
    include: Annotated[list[str] | None, INCLUDE_OPTION] = None

    def candidates(self) -> list[Candidate]:
        """Each compiler with each set, the usual one first.

        Raises:
            UsageError: there is no such set, flags make no sense, or two candidates have one name.
            UnavailableError: a compiler is not here.
        """
        own = [
            FlagSet(f"yours-{number}", flag_words(flags), "of your own")
            for number, flags in enumerate(dict.fromkeys(self.flags or ()), 1)
        ]
        sets = [*flag_sets_named(self.flag_set or ()), *own]
        compilers = compilers_here(self.compiler or (), Limits())
        found = [Candidate(compiler, flags) for compiler in compilers for flags in sets]
        names = [candidate.suffix for candidate in found]
        twice = next((candidate for candidate in found if names.count(candidate.suffix) > 1), None)
        if twice is not None:
            raise UsageError(
                f"--compiler: two programs are called {twice.compiler.name}; search with one of "
                "them at a time"
            )
        if len(found) > _MOST_CANDIDATES:
            raise UsageError(
                f"{len(found)} candidates are more than {_MOST_CANDIDATES}; name some of the sets "
                "with --flag-set, or some of the compilers with --compiler"
            )
        return found


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """How candidates are timed."""

    size: Annotated[
        str, typer.Option(help="Message sizes to be fast at: 64,4096 or 16..1024 or 64KiB.")
    ] = _SIZES
    budget: Annotated[
        str,
        typer.Option(
            help="Begin no further rounds after this time, as in 90s or 5min; it ends sooner where "
            "all that matters is told apart."
        ),
    ] = _BUDGET
    cpu: Annotated[int | None, CPU_OPTION] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 30.0

    def sizes_bytes(self) -> tuple[int, ...]:
        """The lengths.

        Raises:
            UsageError: one is no size.
        """
        return tuple(parse_sizes(self.size))

    def budget_s(self) -> float:
        """The longest time of measuring, in seconds.

        Raises:
            UsageError: it is no length of time.
        """
        return parse_duration(self.budget, "--budget")

    def limit_s(self) -> float:
        """Seconds of `--hang-limit`.

        Raises:
            UsageError: it is no time.
        """
        return checked_hang_limit(self.hang_limit)


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """Whether the fastest candidate is kept, and where."""

    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Keep what was chosen as ALGORITHM/VARIANT, as 'joulemark add' does."
        ),
    ] = False
    replace_: Annotated[
        bool,
        typer.Option("--replace", help="With --keep: in place of what was added by that name."),
    ] = False
    folder: Annotated[Path | None, FOLDER_OPTION] = None
