# SPDX-License-Identifier: Apache-2.0
"""The measurement of three regimes, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from joulemark import __version__
from joulemark.analyse import ResultSet
from joulemark.analyse.assemble import result_set
from joulemark.errors import ImplementationError, UnavailableError
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.quiet import choose_cpu
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.studies.castellon2022.compilers import (
    CompilerWork,
    compilers_named,
    measure_compilers,
    series_of,
)
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    CompilerFindings,
    EventSeries,
    compare,
    energies,
    growths,
    jump_savings,
    visits,
)
from joulemark.studies.castellon2022.paper import Castellon2022, MemoryModel
from joulemark.studies.castellon2022.regimes import (
    JUMPS,
    OTHER_JUMPS,
    VARIANTS,
    VisitEffort,
    core_cycles_by_round,
    kernel_plan,
    measure_memory,
    seconds_by_round,
    subject_trials,
)
from joulemark.studies.castellon2022.savings import CostSpread, spread
from joulemark.studies.castellon2022.through_ctypes import (
    PROCESSES,
    RETAKES,
    CastellonLibrary,
    measure_events,
)
from joulemark.studies.equipment import CpuEquipment, Journal, PartFields, study_facts

# Sizes of caches and of free memory, which decide whether a buffer lies in DRAM.

BEYOND_CACHE: Final = 8
"""The buffer is this many times the last-level cache, so that a random line of it is cached with a
chance of one in eight at most."""
_LEAST_BYTES: Final = 256 << 20
_PART_OF_FREE: Final = 0.5
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def last_level_cache_bytes(root: Path = Path("/")) -> int | None:
    """Returns the size of the largest cache of the first CPU; None if Linux does not tell it.

    Args:
        root: the folder that stands for `/` in tests.
    """
    sizes = []
    folder = root / "sys/devices/system/cpu/cpu0/cache"
    for path in folder.glob("index*/size"):
        text = path.read_text("ascii").strip()
        number, unit = text[:-1], text[-1:]
        if number.isdecimal() and unit in _UNITS:
            sizes.append(int(number) * _UNITS[unit])
    return max(sizes, default=None)


def free_bytes(root: Path = Path("/")) -> int:
    """The memory that Linux calls available, or less if the limit of a cgroup leaves less."""
    lines = (root / "proc/meminfo").read_text("ascii").splitlines()
    available = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    if not available:
        raise UnavailableError("the kernel does not say how much memory is available")
    group = root / "sys/fs/cgroup"
    try:
        limit = int((group / "memory.max").read_text("ascii"))
        used = int((group / "memory.current").read_text("ascii"))
    except (OSError, ValueError):
        return available[0]
    return min(available[0], max(0, limit - used))


def buffer_bytes(root: Path = Path("/"), size_bytes: int | None = None) -> int:
    """Returns the size of the buffer in DRAM: eight last-level caches, at least 256 MiB.

    Args:
        root: the folder that stands for `/` in tests.
        size_bytes: another size, above 0, which must fit the free memory too.
    """
    cache = last_level_cache_bytes(root) or 0
    wanted = size_bytes or max(_LEAST_BYTES, BEYOND_CACHE * cache)
    free = free_bytes(root)
    if wanted > free * _PART_OF_FREE:
        raise UnavailableError(
            f"the memory-bound part needs a buffer of {wanted >> 20} MiB, {BEYOND_CACHE} times the "
            f"last-level cache, and half of the free memory is {int(free * _PART_OF_FREE) >> 20} "
            "MiB; free some memory or leave the part out with --no-memory"
        )
    return wanted


STUDY: Final = "castellon2022"
_MEMORY_SIZES_BYTES: Final = (64, 1024)


@dataclass(frozen=True)
class CastellonWork:
    """How much is measured."""

    repetitions: int = 1000
    window_ns: int = 100_000
    memory: VisitEffort | None = field(default_factory=VisitEffort)
    """Effort of the memory-bound part; None leaves the part out."""
    memory_bytes: int | None = None
    """Size of the buffer of that part; None for the size that follows from the caches."""
    energy: EnergyPlan | None = None
    fresh: bool = False
    model: MemoryModel = field(default_factory=MemoryModel)
    """The paper's model of memory in the last table."""
    compilers: tuple[str, ...] = ()
    """Names of compilers that build the programs too."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The findings, and the work that they come from."""

    work: CastellonWork
    run_id: int
    """Number in the store of the run of the kernel alone."""
    subjects: dict[str, Trial]
    """Short name -> trial of that run, at a length of 0."""
    findings: CastellonFindings
    clock: str | None
    """Evidence of the core cycles; None if there are none."""
    warnings: list[str]
    """Warnings of the run."""
    missing: list[str]
    """Parts that were asked for and could not be done."""


def measure(paper: Castellon2022, work: CastellonWork, equipment: CpuEquipment) -> Measurement:
    """Measures the parts not measured before: through ctypes, in DRAM, the kernel alone."""
    subjects = subject_trials(equipment.inventory)
    journal = Journal(equipment.folder, STUDY, fresh=work.fresh)
    same = {"machine": equipment.environment.identity(), "version": __version__}
    missing: list[str] = []

    equipment.say("one HMAC per event through ctypes")
    ctypes = _through_ctypes(paper, work, journal, same)
    equipment.say("messages in DRAM")
    memory, memory_reason = _memory(work, journal, same, missing)
    equipment.say("the kernel alone")
    run_id, no_energy = _run(paper, work, list(subjects.values()), equipment)
    by_compiler: list[CompilerFindings] = []
    if work.compilers:
        equipment.say(f"the kernel alone, built by {' and '.join(work.compilers)}")
        by_compiler, without = measure_compilers(_compiler_work(paper, work), equipment)
        no_energy = no_energy or without
    if no_energy is not None and work.energy is not None and work.energy.meter is not None:
        missing.append(no_energy)
    results = equipment.store.settle(lambda shared: result_set(shared, run_id))
    findings, clock = _findings(
        paper,
        equipment.store.samples(run_id),
        results,
        subjects,
        ctypes,
        memory,
        memory_reason,
        no_energy,
    )
    findings = findings.model_copy(update={"compilers": by_compiler})
    return Measurement(work, run_id, subjects, findings, clock, results.warnings, missing)


def _through_ctypes(
    paper: Castellon2022, work: CastellonWork, journal: Journal, same: Mapping[str, Any]
) -> dict[int, EventSeries]:
    """Returns the events of each size, kept as long as all of `same` is the same."""
    sizes, count = paper.experiment.sizes_bytes, work.repetitions
    question = {
        "sizes_bytes": sizes,
        "repetitions": count,
        "processes": PROCESSES,
        "retakes": RETAKES,
        **same,
    }

    def events() -> PartFields:
        chosen = choose_cpu()
        try:
            return measure_events(CastellonLibrary(), sizes, count, cpu=chosen.cpu)
        finally:
            chosen.release()

    measured = journal.part("ctypes", question, events)
    return {
        int(size): EventSeries(programs=programs, processes=measured["processes"][size])
        for size, programs in measured["nanoseconds"].items()
    }


def _memory(
    work: CastellonWork, journal: Journal, same: Mapping[str, Any], missing: list[str]
) -> tuple[PartFields | None, str | None]:
    """Returns the series in DRAM, or None and why there are none."""
    effort = work.memory
    if effort is None:
        return None, "the memory-bound part was left out (--no-memory)"
    try:
        size = buffer_bytes(size_bytes=work.memory_bytes)
        question = {
            "sizes_bytes": _MEMORY_SIZES_BYTES,
            "effort": asdict(effort),
            "buffer_bytes": size,
            **same,
        }
        return journal.part(
            "memory",
            question,
            lambda: measure_memory(CastellonLibrary(), size, _MEMORY_SIZES_BYTES, effort),
        ), None
    except UnavailableError as error:
        missing.append(str(error))
        return None, str(error)


def _compiler_work(paper: Castellon2022, work: CastellonWork) -> CompilerWork:
    """The work of each compiler that was named: that of the kernel regime."""
    return CompilerWork(
        compilers_named(work.compilers),
        paper.experiment.sizes_bytes,
        work.repetitions,
        work.window_ns,
        work.energy,
        study_facts(STUDY, compilers=" ".join(work.compilers)),
        work.fresh,
    )


def _run(
    paper: Castellon2022, work: CastellonWork, chosen: Sequence[Trial], equipment: CpuEquipment
) -> tuple[int, str | None]:
    """Runs the kernel regime; returns the number of the run, and why there is no energy."""
    plan = kernel_plan(
        equipment.inventory,
        chosen,
        paper.experiment.sizes_bytes,
        work.repetitions,
        work.window_ns,
        work.energy,
    )
    outcome = equipment.run(plan, study_facts(STUDY), fresh=work.fresh)
    for failure in outcome.failures:
        if failure.implementation in {*VARIANTS.values(), *OTHER_JUMPS.values()}:
            raise ImplementationError(f"{failure.implementation}: {failure.reason}")
    return outcome.run_id, outcome.no_energy


def _findings(
    paper: Castellon2022,
    samples: Mapping[Trial, list[RawSample]],
    results: ResultSet,
    subjects: Mapping[str, Trial],
    ctypes: Mapping[int, EventSeries],
    memory: Mapping[str, Any] | None,
    memory_reason: str | None,
    no_energy: str | None,
) -> tuple[CastellonFindings, str | None]:
    sizes = paper.experiment.sizes_bytes
    by_subject: dict[str, dict[int, list[RawSample]]] = {
        short: {
            trial.workload.size_bytes: series
            for trial, series in samples.items()
            if trial.implementation == subject.implementation and series
        }
        for short, subject in subjects.items()
    }
    kernel = series_of(samples, {**VARIANTS, **OTHER_JUMPS}, sizes)
    energy = energies(results.results, VARIANTS, sizes)
    cycles, clock = _cycles(by_subject)
    return CastellonFindings(
        kernel=compare(kernel),
        ctypes=compare(ctypes, 1e-9),
        growth=growths(ctypes),
        energy=energy,
        energy_reason=None if energy is not None else no_energy or _without_figure(results),
        memory=visits(memory["nanoseconds"]) if memory is not None else None,
        memory_reason=memory_reason,
        cycles=cycles,
        seconds=_spreads(by_subject, seconds_by_round),
        jumps=jump_savings(kernel, JUMPS),
    ), clock


def _without_figure(results: ResultSet) -> str:
    """Returns why one of the paper's programs has no joules although a meter was read."""
    for result in results.results:
        why = result.reasons.get("joules_per_message")
        if why is not None and result.implementation in VARIANTS.values():
            return f"{result.implementation}, {result.size_bytes} B: {why.sentence}"
    return "not every program got a figure"


def _spreads(
    by_subject: Mapping[str, Mapping[int, Sequence[RawSample]]],
    values_of: Callable[[Sequence[RawSample]], list[float]],
) -> dict[str, dict[int, CostSpread]]:
    return {
        name: {size: spread(values_of(series)) for size, series in sorted(by_size.items())}
        for name, by_size in by_subject.items()
        if by_size
    }


def _cycles(
    by_subject: Mapping[str, Mapping[int, Sequence[RawSample]]],
) -> tuple[dict[str, dict[int, CostSpread]], str | None]:
    """Returns core cycles and their evidence; nothing if any series lacks core cycles."""
    every = [series for by_size in by_subject.values() for series in by_size.values()]
    if any(core_cycles_by_round(series) is None for series in every):
        return {}, None
    counted = all(sample.perf_core_cycles is not None for series in every for sample in series)
    spreads = _spreads(by_subject, lambda series: core_cycles_by_round(series) or [])
    return spreads, "measured" if counted else "modelled"
