# SPDX-License-Identifier: Apache-2.0
"""`joulemark tune`: the compiler and the flags with which a function is fastest here."""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.kept_code import FOLDER_OPTION, refuse_taken, require_variant
from joulemark.cli.own_options import FunctionOptions, flag_words
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.measuring_options import (
    CPU_OPTION,
    HANG_LIMIT_OPTION,
    INCLUDE_OPTION,
    JSON_OPTION,
    StoreOptions,
)
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.measure.quiet import require_allowed
from joulemark.own_code.candidates import (
    FLAG_SETS,
    PLAIN,
    CompilerCandidate,
    FlagSet,
    SearchRequest,
    compilers_here,
    flag_sets_named,
)
from joulemark.processes.tool import Limits
from joulemark.units import parse_duration, parse_sizes

# The options: what is tried, how it is timed, and what is kept.

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

    def candidates(self) -> list[CompilerCandidate]:
        """Each compiler with each set, the usual one first.

        A short search does not reach all. So gcc and clang take turns, and numbered ones follow.
        """
        own = [
            FlagSet(f"yours-{number}", flag_words(flags), "of your own")
            for number, flags in enumerate(dict.fromkeys(self.flags or ()), 1)
        ]
        sets = [*flag_sets_named(self.flag_set or ()), *own]
        compilers = compilers_here(self.compiler or (), Limits())
        plain = [compiler for compiler in compilers if self.compiler or compiler.name in PLAIN]
        numbered = [compiler for compiler in compilers if compiler not in plain]
        found = [
            CompilerCandidate(compiler, flags)
            for together in (plain, numbered)
            for flags in sets
            for compiler in together
        ]
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
            help="Time for compiling, checking and timing together, as in 90s or 5min; the answer "
            "names candidates for which it was too short, and comes sooner where all is clear."
        ),
    ] = _BUDGET
    cpu: Annotated[int | None, CPU_OPTION] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 30.0


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


_HELP_COLUMNS: Final = 78
_EXIT_CODES: Final = """\b
Exit codes:
  0  compiler and flags are recommended; candidates that are not right are
     listed with the reason
  2  no candidate is right, or the one to keep was not kept, or the command
     makes no sense
"""


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What `own_measuring` searches for, and what becomes of the answer."""

    search: SearchRequest
    store_location: str | None
    """Where every sample is kept; None keeps nothing."""
    keep: bool
    """Whether the chosen candidate becomes a kept plugin."""
    as_json: bool
    """Whether JSON is printed instead of a screen."""
    spread: SpreadOptions
    """The cluster that compiles, if any."""


def _known_sets() -> str:
    """The table of flag sets, as lines of help."""
    width = max(len(flags.name) for flags in FLAG_SETS)
    return "\n".join(
        textwrap.fill(
            f"{' '.join(flags.flags)}: {flags.reason}",
            _HELP_COLUMNS,
            break_on_hyphens=False,
            initial_indent=f"  {flags.name:{width}}  ",
            subsequent_indent=" " * (width + 4),
        )
        for flags in FLAG_SETS
    )


def tune(
    *,
    own: FunctionOptions,
    tried: TriedOptions,
    timing: TimingOptions,
    keeping: KeepOptions,
    spread: SpreadOptions,
    store: StoreOptions,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> TuneRequest:
    """Find the compiler and the flags with which a function of yours is fastest here.

    The code runs with your rights, first before any check: tune only code that you would run by
    hand. During its check it is confined, as 'joulemark add --help' says.

    Each compiler is tried with each set of flags. What it makes is checked as 'joulemark test'
    checks, and timed in one stored run. Candidates that are slower at every length leave early. The
    usual flags are left only for others that are told to be faster. With --workers or --scheduler a
    cluster compiles; checks and times are of this machine.
    """
    begun_s = time.monotonic()
    if own.is_folder():
        raise UsageError(
            f"{shortened(own.files[0], 200)} is a folder, and tune takes files; joulemark add DIR "
            "--flag-set all builds and times what lies in folders with all flags"
        )
    code, asked = own.code_and_request(
        tried.include, timing.hang_limit, keeping.folder, replace_=keeping.replace_
    )
    if keeping.replace_ and not keeping.keep:
        raise UsageError("--replace says where --keep may put the fastest; name both")
    sizes_bytes = tuple(parse_sizes(timing.size))
    budget_s = parse_duration(timing.budget, "--budget")
    require_allowed(timing.cpu)
    require_variant(asked.variant)
    spread.check(None)
    candidates = tried.candidates()
    for candidate in candidates:
        require_variant(f"{asked.variant}-{candidate.suffix}")
    if keeping.keep:
        refuse_taken([asked], replacing=keeping.replace_)
    wanted = SearchRequest(
        code, asked, tuple(candidates), sizes_bytes, budget_s, timing.cpu, begun_s
    )
    return TuneRequest(wanted, store.location, keep=keeping.keep, as_json=json_, spread=spread)


COMMAND: Final = Command(
    tune,
    (
        "joulemark tune mine.c --function my_sha256 --algorithm sha256",
        "joulemark tune mine.c --function f --algorithm md5 --size 64,64KiB --keep",
        "joulemark tune mine.c --function f --algorithm md5 --compiler clang --flag-set O3-native",
        "joulemark tune mac.c block.S --function mac --algorithm poly1305 --flags '-O2 -mavx2'",
    ),
    notes=(_EXIT_CODES, f"\b\nSets of flags, the usual one first:\n{_known_sets()}"),
)
