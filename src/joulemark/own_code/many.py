# SPDX-License-Identifier: Apache-2.0
"""The fastest build of each of many implementations: of a tree of eBACS, or of our kernels.

Builds are made one compiler and set of flags at a time, the usual one first, as long as half of the
time lasts. All builds of all implementations are then timed in one run.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Final

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from joulemark.analyse.assemble import result_set
from joulemark.analyse.baseline import trusted_samples
from joulemark.analyse.results import Figure, Result
from joulemark.catalogue.algorithms import data_folder
from joulemark.environment.facts import Environment
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import inventory_of, take_inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.run_plan import run_plan
from joulemark.measure.runner import RunObserver
from joulemark.measure.selection import select
from joulemark.measure.study import Study
from joulemark.measure.worker.sources import (
    ImplementationSource,
    installed_sources,
    user_plugin_sources,
)
from joulemark.own_code.building import CompileError, Toolchain
from joulemark.own_code.candidates import CompilerCandidate
from joulemark.own_code.choice import MATTERS, Gap, choose, timings_of
from joulemark.own_code.ebacs.builds import TreeRequest, plan_work, run_jobs
from joulemark.own_code.ebacs.layout import ImplementationTree
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict
from joulemark.own_code.kernel_plugins import build_kernels, kernel_code
from joulemark.own_code.search import EFFORT
from joulemark.store.repository import Store

Begun = Callable[[int, int, str], None]
"""Is told of the number of the builds that are begun, of all builds, and of the next file."""
INSTALLED: Final = "as installed"
"""The default build of our own kernels."""


@dataclass(frozen=True, slots=True)
class ManyRequest:
    """A search for the fastest build of each implementation."""

    candidates: tuple[CompilerCandidate, ...]
    """Compilers with flags, the usual one first."""
    sizes_bytes: tuple[int, ...]
    budget_s: float
    begun_s: float
    cpu: int | None
    energy: EnergyPlan | None
    """How joules are metered, by which builds are then chosen; None: they are chosen by time."""
    patterns: tuple[str, ...] = ()
    """Patterns of our kernels; empty for a tree."""
    tree: ImplementationTree | None = None
    tree_request: TreeRequest | None = None

    @property
    def build_until_s(self) -> float:
        """Moment of the monotonic clock after which no build begins but the first."""
        return self.begun_s + self.budget_s / 2

    @property
    def end_s(self) -> float:
        """Moment of the monotonic clock at which the budget ends."""
        return self.begun_s + self.budget_s


@dataclass(slots=True)
class ManyBuilds:
    """Builds of many implementations."""

    of: dict[str, dict[str, str]] = field(default_factory=dict)
    """Implementation -> name of each build of it -> compiler and flags; the default one first."""
    sources: list[ImplementationSource] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Sentences on builds that are not right."""
    unreached: list[str] = field(default_factory=list)
    """Compilers with flags for which the time was too short."""

    def add(self, implementation: str, build: str, name: str) -> None:
        """Takes a build."""
        self.of.setdefault(implementation, {})[build] = name


@dataclass(frozen=True, slots=True)
class FastestBuild:
    """The build of an implementation that is to be used."""

    implementation: str
    default: str
    """Compiler and flags of the default build."""
    chosen: str
    """Those of the fastest one, or of the default one if none is told to be better."""
    gain: Gap | None
    """Time or joules of the default build over those of the chosen one; None for the same build."""
    builds: int
    """Builds that were timed."""


@dataclass(frozen=True, slots=True)
class ManyAnswer:
    """The outcome of a search for many."""

    rows: tuple[FastestBuild, ...]
    by: str
    """The quantity by which builds were chosen, with its evidence, as in "time, measured"."""
    builds: ManyBuilds
    run_id: int | None
    untimed: tuple[str, ...]
    """Implementations without a figure."""
    no_energy: str | None


# Our own kernels: the file of each variant that this CPU prefers, found by its name in C.

_HEADER_BYTES: Final = 60
_MAGIC: Final = b"!<arch>\n"


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the objects in an archive of GNU ar (ar(5))."""
    long_names, at = b"", len(_MAGIC)
    while at + _HEADER_BYTES <= len(archive):
        header = archive[at : at + _HEADER_BYTES]
        name, size = header[:16].rstrip(), int(header[48:58])
        content = archive[at + _HEADER_BYTES : at + _HEADER_BYTES + size]
        at += _HEADER_BYTES + size + size % 2
        if name == b"//":
            long_names = content
        elif name not in {b"/", b"/SYM64/"}:
            if name[:1] == b"/":
                name = long_names[int(name[1:]) :].partition(b"/\n")[0]
            yield name.rstrip(b"/").decode(), content


def _files_of(symbols: Mapping[str, str]) -> dict[str, list[str]]:
    """File of the kernels -> symbols that it defines, for those that one file defines."""
    folder, found = data_folder("kernels"), dict[str, list[str]]()
    for member, content in _members((data_folder("c") / "lib/libjoulemark.a").read_bytes()):
        table = ELFFile(BytesIO(content)).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            continue
        here = [
            symbol
            for symbol in symbols
            for entry in table.get_symbol_by_name(symbol) or ()
            if entry["st_shndx"] != "SHN_UNDEF"
        ]
        places = [*folder.glob(f"*/{member.removesuffix('.o')}")] if here else []
        if len(places) == 1:
            found[str(places[0].relative_to(folder))] = here
    return found


def _kernels(wanted: ManyRequest, folder: Path, begun: Begun) -> ManyBuilds:
    inventory = inventory_of()
    algorithms = dict.fromkeys(
        name.partition("/")[0] for name in select(wanted.patterns, inventory.facts)
    )
    symbols = {
        f"jm_{algorithm.replace('-', '_')}_{auto.chosen}": f"{algorithm}/{auto.chosen}"
        for algorithm in algorithms
        if (auto := inventory.facts.get(f"{algorithm}/auto")) is not None
    }
    files, made = _files_of(symbols), ManyBuilds()
    found = {symbol for here in files.values() for symbol in here}
    for symbol, name in symbols.items():
        if symbol in found:
            made.add(name, name, INSTALLED)
        else:
            made.refused.append(f"{name}: no single file has its code")
    for number, candidate in enumerate(wanted.candidates):
        for place, (file, here) in enumerate(files.items()):
            if number and time.monotonic() > wanted.build_until_s:
                made.unreached.append(candidate.name)
                break
            begun(number, len(wanted.candidates), f"{candidate.name}: {file}")
            scratch = folder / f"{number}-{place}"
            scratch.mkdir()
            tools = Toolchain(candidate.compiler, candidate.flag_set.flags, scratch)
            renamed = {
                symbol: f"{symbols[symbol].partition('/')[2]}-{candidate.suffix}" for symbol in here
            }
            provider, plugin = f"kernels-{number}-{place}", scratch / "plugin.so"
            try:
                build_kernels(kernel_code([file]), renamed, provider, tools, plugin)
            except CompileError as error:
                made.refused.append(f"{candidate.name}: {error}")
                continue
            made.sources.append(
                ImplementationSource(
                    provider, f"{file} by {candidate.name}", "plugin", str(plugin), None,
                    from_user=True, passing=True,
                )
            )  # fmt: skip
            for symbol in here:
                name = symbols[symbol]
                made.add(name, f"{name}-{candidate.suffix}", candidate.name)
    return made


# A tree of folders: what `joulemark add DIR` builds, in a folder that is gone afterwards.


def _tree(
    wanted: ManyRequest,
    tree: ImplementationTree,
    request: TreeRequest,
    folder: Path,
    begun: Begun,
) -> ManyBuilds:
    work, made = plan_work(tree, replace(request, folder=folder)), ManyBuilds()
    made.refused += [_refusal(outcome) for outcome in work.known]

    def keep(job: BuildJob, outcome: BuildOutcome) -> None:
        if outcome.verdict is BuildVerdict.RIGHT and outcome.name:
            made.add(job.place.text, outcome.name, f"{job.compiler.name} {job.flag_set}")
        else:
            made.refused.append(_refusal(outcome))

    for number, candidate in enumerate(wanted.candidates):
        if number and time.monotonic() > wanted.build_until_s:
            made.unreached.append(candidate.name)
            continue
        begun(number, len(wanted.candidates), candidate.name)
        jobs = [
            job
            for job in work.jobs
            if (job.compiler, job.flag_set) == (candidate.compiler, candidate.flag_set.name)
        ]
        run_jobs(jobs, folder, keep, len(os.sched_getaffinity(0)))
    made.sources += user_plugin_sources(set(), folder)
    return made


def _refusal(outcome: BuildOutcome) -> str:
    build = f" ({outcome.compiler} {outcome.flag_set})" if outcome.compiler else ""
    return f"{outcome.implementation}{build} {outcome.verdict.value}: {outcome.reason}"


# The run, and the choice for each implementation.

_ROUND_OVERHEAD: Final = 3.0
"""Wall time of a round over the time of its windows alone."""
_FEWEST_ROUNDS: Final = 8
_ENERGY_WINDOW_S: Final = 0.5
_ENERGY_START_S: Final = 15.0
"""Time in which a meter is observed and the machine warms up."""
_ENERGY_OVERHEAD: Final = 5.0
"""Wall time of an energy round, with its idle windows, over the time of its windows of load."""


def tune_many(
    wanted: ManyRequest,
    folder: Path,
    store: Store,
    environment: Environment,
    *,
    begun: Begun,
    observer: Callable[[], RunObserver],
) -> ManyAnswer:
    """Builds in a folder that is there, times, and chooses.

    `observer` is called when timing begins.
    """
    if wanted.tree is not None and wanted.tree_request is not None:
        made = _tree(wanted, wanted.tree, wanted.tree_request, folder, begun)
    else:
        made = _kernels(wanted, folder, begun)
    if not made.of:
        raise UnavailableError(
            "no build is right; " + ("; ".join(made.refused[:3]) or "nothing could be built")
        )
    own = [source for source in installed_sources() if source.kind == "builtin"]
    inventory = take_inventory([*own, *made.sources])
    names = [name for builds in made.of.values() for name in builds if name in inventory.facts]
    study = Study(tuple(names), wanted.sizes_bytes)
    plan = study.plan(inventory)
    round_s = len(plan.trials) * EFFORT.windows * EFFORT.window_ns / 1e9 * _ROUND_OVERHEAD
    left_s = wanted.end_s - time.monotonic()
    if wanted.energy is not None:
        left_s = max(left_s / 2 - _ENERGY_START_S, 0.0)
        window_s = wanted.energy.window_s or _ENERGY_WINDOW_S
        most = math.floor(left_s / (len(plan.trials) * window_s * _ENERGY_OVERHEAD))
        rounds = max(1, min(wanted.energy.rounds, most))
        plan = replace(plan, energy=replace(wanted.energy, rounds=rounds, window_s=window_s))
    rounds = max(_FEWEST_ROUNDS, min(EFFORT.rounds, math.floor(left_s / round_s)))
    plan = replace(plan, effort=replace(EFFORT, rounds=rounds))
    outcome = run_plan(
        store,
        inventory,
        plan,
        environment,
        study={**study.as_dict(), "tune": {"builds": {k: [*v] for k, v in made.of.items()}}},
        observer=observer(),
        cpu=wanted.cpu,
        end_s=time.monotonic() + max(left_s, _FEWEST_ROUNDS * round_s),
    )
    made.refused += [f"{failure.implementation}: {failure.reason}" for failure in outcome.failures]
    rows, by = _by_time(store, outcome.run_id, made), "time, measured"
    if wanted.energy is not None and outcome.no_energy is None:
        results = store.settle(lambda shared: result_set(shared, outcome.run_id)).results
        rows, by = chosen_by_joules(results, made)
    known = {row.implementation for row in rows}
    untimed = tuple(name for name in made.of if name not in known)
    return ManyAnswer(tuple(rows), by, made, outcome.run_id, untimed, outcome.no_energy)


def _by_time(store: Store, run_id: int, made: ManyBuilds) -> list[FastestBuild]:
    samples, rows = trusted_samples(store, run_id), []
    for implementation, builds in made.of.items():
        mine = {trial: taken for trial, taken in samples.items() if trial.implementation in builds}
        timings = timings_of(mine)
        usual = next(iter(builds))
        choice = choose(timings, [name for name in builds if name in timings], usual, len(builds))
        if choice is not None:
            rows.append(
                FastestBuild(
                    implementation, builds[usual], builds[choice.chosen], choice.over_usual,
                    len(timings),
                )
            )  # fmt: skip
    return rows


def chosen_by_joules(results: Sequence[Result], made: ManyBuilds) -> tuple[list[FastestBuild], str]:
    """The build that takes the fewest net joules over all lengths, and the words for joules.

    The interval of the ratio is the widest that the intervals of both builds allow.
    """
    figures: dict[str, list[Figure]] = {}
    for result in results:
        if result.joules_per_message is not None and result.joules_per_message.low > 0:
            figures.setdefault(result.implementation, []).append(result.joules_per_message)
    lengths, rows = len({result.size_bytes for result in results}), []
    for implementation, builds in made.of.items():
        usual = next(iter(builds))
        whole = {name: figures[name] for name in builds if len(figures.get(name, ())) == lengths}
        if usual not in whole:
            continue
        gaps = {name: _gap(whole[usual], whole[name]) for name in whole if name != usual}
        best = max(gaps, key=lambda name: gaps[name].ratio, default=None)
        gain = None if best is None or not gaps[best].told else gaps[best]
        chosen = usual if best is None or gain is None else best
        rows.append(FastestBuild(implementation, builds[usual], builds[chosen], gain, len(whole)))
    evidence = {str(each.evidence) for known in figures.values() for each in known}
    return rows, f"energy, {' and '.join(sorted(evidence)) or 'no figure'}"


def _gap(before: Sequence[Figure], after: Sequence[Figure]) -> Gap:
    """Joules of one build over those of another: the geometric mean over all lengths."""
    pairs = [*zip(before, after, strict=True)]

    def ratio(numbers: Sequence[float]) -> float:
        return math.exp(sum(map(math.log, numbers)) / len(numbers))

    low = ratio([old.low / new.high for old, new in pairs])
    high = ratio([old.high / new.low for old, new in pairs])
    return Gap(
        ratio([old.median / new.median for old, new in pairs]), low, high, told=low > 1 + MATTERS
    )
