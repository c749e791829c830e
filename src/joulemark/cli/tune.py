# SPDX-License-Identifier: Apache-2.0
"""`joulemark tune`: the compiler and the flags with which a function is fastest here."""

from __future__ import annotations

import textwrap
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.catalogue import families
from joulemark.cli.own_options import FunctionOptions, flag_words
from joulemark.cli.plugins import FOLDER_OPTION, refuse_taken, require_variant
from joulemark.cli.shared.command import Command, SpreadOptions
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.measuring_options import (
    CPU_OPTION,
    ENERGY_WINDOW_OPTION,
    FOREIGN_LIMIT_OPTION,
    HANG_LIMIT_OPTION,
    INCLUDE_OPTION,
    JSON_OPTION,
    EnergyOptions,
    StoreOptions,
    TreeOptions,
    checked_hang_limit,
)
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened
from joulemark.measure.plan import EnergyPlan
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
from joulemark.own_code.ebacs import find_tree, name_of
from joulemark.own_code.ebacs.builds import TreeRequest
from joulemark.own_code.many import ManyRequest
from joulemark.processes.tool import Limits
from joulemark.units import parse_duration, parse_sizes

# The options: what is built, what is tried, how it is timed, and what is kept.

_SIZES: Final = "64,4096"
_BUDGET: Final = "2min"
_BUDGET_OF_MANY: Final = "10min"
_FAMILY: Final = "family:"
_CPU_S: Final = 0.3
"""CPU time of each check of a folder's builds, beyond the cases that are always run."""
_MOST_CANDIDATES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedOptions(FunctionOptions):
    """A function in files, a folder of implementations, or a family of our kernels."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|DIR|family:NAME",
            help="Sources in C or assembler; or a folder in the layout of eBACS; or a family of "
            "the catalogue, of whose algorithms our kernels are built.",
        ),
    ]

    def is_many(self) -> bool:
        """Whether many implementations are meant."""
        return self.is_folder() or self.files[0].startswith(_FAMILY)


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
        str | None,
        typer.Option(
            help="Time for compiling, checking and timing together, as in 90s or 5min; the answer "
            "names candidates for which it was too short, and comes sooner where all is clear. "
            f"{_BUDGET} unless given; {_BUDGET_OF_MANY} for a folder or a family.",
            show_default=False,
        ),
    ] = None
    cpu: Annotated[int | None, CPU_OPTION] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 30.0


@dataclass(frozen=True, slots=True)
class JouleOptions:
    """Whether builds of a folder or a family are chosen by joules."""

    meter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For a folder or a family: choose builds by joules of this meter (see "
            "'joulemark doctor'), not by time.",
        ),
    ] = None
    energy_window: Annotated[float | None, ENERGY_WINDOW_OPTION] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"

    def plan(self) -> EnergyPlan | None:
        """How joules are metered; None without a meter."""
        options = EnergyOptions(
            meter=self.meter, energy_window=self.energy_window, foreign_limit=self.foreign_limit
        )
        return options.plan(TreeOptions())


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


@dataclass(frozen=True, slots=True)
class TuneManyRequest:
    """A search for many that `own_measuring` carries out."""

    search: ManyRequest
    folder: Path | None
    """Folder of added plugins, in which builds lie for a while; None: the usual one."""
    store_location: str | None
    as_json: bool


def _many(
    own: TunedOptions,
    tried: TriedOptions,
    timing: TimingOptions,
    keeping: KeepOptions,
    joules: JouleOptions,
    begun_s: float,
) -> ManyRequest:
    """The search for a folder or a family."""
    place = shortened(own.files[0], 200)
    if len(own.files) > 1:
        raise UsageError(f"{place}: name one folder or one family at a time")
    for option, given in (("--keep", keeping.keep), ("--include", tried.include)):
        if given:
            raise UsageError(f"{option} is for a function in files; leave it out with {place}")
    family = own.files[0].startswith(_FAMILY)
    if own.given is not None and (family or own.given != "--algorithm"):
        raise UsageError(f"{own.given} is for a function in files; leave it out with {place}")
    require_allowed(timing.cpu)
    candidates = tuple(tried.candidates())
    wanted = ManyRequest(
        candidates,
        tuple(parse_sizes(timing.size)),
        parse_duration(timing.budget or _BUDGET_OF_MANY, "--budget"),
        begun_s,
        timing.cpu,
        joules.plan(),
    )
    if family:
        if own.files[0].removeprefix(_FAMILY) not in families():
            near = did_you_mean(own.files[0].removeprefix(_FAMILY), families())
            raise UsageError(f"{place}: there is no such family{near}; joulemark list has them")
        return replace(wanted, patterns=(own.files[0],))
    algorithm = None if own.algorithm is None else own.facts()
    tree = find_tree(Path(own.files[0]), None if algorithm is None else name_of(algorithm))
    compilers = list(dict.fromkeys(candidate.compiler for candidate in candidates))
    request = TreeRequest(
        compilers,
        list(dict.fromkeys(candidate.flag_set for candidate in candidates)),
        algorithm,
        None,
        checked_hang_limit(timing.hang_limit),
        _CPU_S,
        Path(),
        replacing=False,
        again=True,
        taken=frozenset(),
    )
    return replace(wanted, tree=tree, tree_request=request)


def tune(
    *,
    own: TunedOptions,
    tried: TriedOptions,
    timing: TimingOptions,
    joules: JouleOptions,
    keeping: KeepOptions,
    spread: SpreadOptions,
    store: StoreOptions,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> TuneRequest | TuneManyRequest:
    """Find the compiler and the flags with which a function of yours is fastest here.

    The code runs with your rights, first before any check: tune only code that you would run by
    hand. During its check it is confined, as 'joulemark add --help' says.

    Each compiler is tried with each set of flags. What it makes is checked as 'joulemark test'
    checks, and timed in one stored run. Candidates that are slower at every length leave early. The
    usual flags are left only for others that are shown to be faster. With --workers or --scheduler
    a cluster compiles a function in files; checks and times are of this machine.

    Of a folder in the layout of eBACS, or of a family of our kernels, the fastest build of each
    implementation is found, by time or by joules; nothing is kept but the samples.
    """
    begun_s = time.monotonic()
    spread.check(None)
    if own.is_many():
        if spread.given:
            raise UsageError(
                "--workers and --scheduler are for a function in files; a folder or a family is "
                "built on this machine"
            )
        many = _many(own, tried, timing, keeping, joules, begun_s)
        return TuneManyRequest(many, keeping.folder, store.location, as_json=json_)
    if joules.meter is not None:
        raise UsageError("--meter is for a folder or a family; a function in files is timed alone")
    code, asked = own.code_and_request(
        tried.include, timing.hang_limit, keeping.folder, replace_=keeping.replace_
    )
    if keeping.replace_ and not keeping.keep:
        raise UsageError("--replace says where --keep may put the fastest; name both")
    sizes_bytes = tuple(parse_sizes(timing.size))
    budget_s = parse_duration(timing.budget or _BUDGET, "--budget")
    require_allowed(timing.cpu)
    require_variant(asked.variant)
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
        "joulemark tune family:sha3-round2 --size 4096",
        "joulemark tune supercop/crypto_hash/sha256",
        "joulemark tune mac.c block.S --function mac --algorithm poly1305 --flags '-O2 -mavx2'",
    ),
    notes=(_EXIT_CODES, f"\b\nSets of flags, the usual one first:\n{_known_sets()}"),
)
