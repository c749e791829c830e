# SPDX-License-Identifier: Apache-2.0
"""The study from end to end: three regimes, findings, verdicts, one outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from joulemark import __version__
from joulemark.analyse.results import ResultSet
from joulemark.analyse.runs.assemble import result_set
from joulemark.environment import Environment
from joulemark.errors import ImplementationError, UnavailableError
from joulemark.measure.observer import RunObserver
from joulemark.measure.planning.energy import EnergyPlan
from joulemark.measure.run import run_plan
from joulemark.measure.workers.inventory import Inventory
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.store.repository import Store
from joulemark.studies.castellon2022 import kernel_alone
from joulemark.studies.castellon2022.charts import charts
from joulemark.studies.castellon2022.claims import answers
from joulemark.studies.castellon2022.findings import (
    Findings,
    Series,
    compared,
    energies,
    grown,
    visits,
)
from joulemark.studies.castellon2022.library import Library
from joulemark.studies.castellon2022.machine_memory import buffer_bytes
from joulemark.studies.castellon2022.memory_bound import Effort, measure_memory
from joulemark.studies.castellon2022.paper import Castellon2022, castellon2022
from joulemark.studies.castellon2022.savings import Spread, spread
from joulemark.studies.castellon2022.tables import tables
from joulemark.studies.castellon2022.through_ctypes import PROCESSES, measure_events
from joulemark.studies.castellon2022.words import extremes, percent
from joulemark.studies.journal import Journal
from joulemark.studies.outcome import StudyOutcome
from joulemark.studies.study import Page, outcome_of

__all__ = ["Asked", "reproduce"]

STUDY: Final = "castellon2022"
_MEMORY_SIZES_BYTES: Final = (64, 1024)
_OWN_CALL: Final = "joulemark reproduce castellon2022"


@dataclass(frozen=True)
class Asked:
    """What the user wants of the study."""

    repetitions: int = 1000
    window_ns: int = 100_000
    memory: Effort | None = field(default_factory=Effort)
    """None: the memory-bound part is left out."""
    memory_bytes: int | None = None
    """Size of its buffer; None: from the caches."""
    energy: EnergyPlan | None = None
    fresh: bool = False


def reproduce(
    asked: Asked,
    inventory: Inventory,
    store: Store,
    environment: Environment,
    folder: Path,
    *,
    library: Library | None = None,
    observer: RunObserver | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> StudyOutcome:
    """Measures what is missing and says what it means.

    Args:
        asked: how much.
        inventory: what can be run here.
        store: where the harness's samples go, and what is continued from.
        environment: this machine.
        folder: where raw series of the other regimes are kept; exists.
        library: the paper's programs for ctypes; the installed ones unless told.
        observer: told of the harness's progress.
        say: told, in words, which part begins.

    Raises:
        UnavailableError: the paper's programs are not built.
        ImplementationError: one of them computed something wrong.
        StoreError: the store cannot be written.
        ReportError: the folder cannot be written.
    """
    paper = castellon2022()
    library = library or Library()
    subjects = kernel_alone.subjects(inventory)
    journal = Journal(folder, STUDY, fresh=asked.fresh)
    missing: list[str] = []

    say("one HMAC per event through ctypes")
    ctypes = _through_ctypes(asked, paper, journal, library, environment)
    say("messages in DRAM")
    memory, memory_reason = _memory(asked, journal, library, environment, missing)
    say("the kernel alone")
    run_id, no_energy = _run(
        asked, inventory, store, environment, paper, list(subjects.values()), observer
    )
    if no_energy is not None and asked.energy is not None and asked.energy.meter is not None:
        missing.append(no_energy)
    findings, clock = _findings(
        paper, store, run_id, subjects, ctypes, memory, memory_reason, no_energy
    )
    notes = [
        *_notes(paper, findings, subjects),
        *result_set(store, run_id).warnings,
    ]
    page = Page(
        summary=_summary(findings),
        notes=notes,
        tables=tables(paper, findings, clock),
        charts=charts(paper, findings),
        data={
            "run": run_id,
            "asked": asdict(asked),
            "published": paper.model_dump(mode="json", exclude={"claims"}),
            **findings.model_dump(mode="json"),
        },
        missing=missing,
    )
    machine = str(environment.as_dict().get("cpu_model") or "an unnamed CPU")
    return outcome_of(paper, answers(paper, findings), page, machine=machine)


def _through_ctypes(
    asked: Asked, paper: Castellon2022, journal: Journal, library: Library,
    environment: Environment,
) -> dict[int, Series]:  # fmt: skip
    sizes = paper.experiment.sizes_bytes
    question = {
        "sizes_bytes": sizes, "repetitions": asked.repetitions, "processes": PROCESSES,
        "machine": environment.identity(), "version": __version__,
    }  # fmt: skip
    measured = journal.part(
        "ctypes", question, lambda: measure_events(library, sizes, asked.repetitions)
    )
    return {
        int(size): Series(programs=programs, processes=measured["processes"])
        for size, programs in measured["nanoseconds"].items()
    }


def _memory(
    asked: Asked, journal: Journal, library: Library, environment: Environment,
    missing: list[str],
) -> tuple[dict[str, Any] | None, str | None]:  # fmt: skip
    effort = asked.memory
    if effort is None:
        return None, "the memory-bound part was left out (--no-memory)"
    try:
        size = buffer_bytes(asked=asked.memory_bytes)
        question = {
            "sizes_bytes": _MEMORY_SIZES_BYTES, "effort": asdict(effort), "buffer_bytes": size,
            "machine": environment.identity(), "version": __version__,
        }  # fmt: skip
        return journal.part(
            "memory", question,
            lambda: measure_memory(library, size, _MEMORY_SIZES_BYTES, effort),
        ), None  # fmt: skip
    except UnavailableError as error:
        missing.append(str(error))
        return None, str(error)


def _run(
    asked: Asked, inventory: Inventory, store: Store, environment: Environment,
    paper: Castellon2022, chosen: Sequence[Trial], observer: RunObserver | None,
) -> tuple[int, str | None]:  # fmt: skip
    """The kernel regime; its run, and why there is no energy."""
    plan = kernel_alone.plan_of(
        inventory, chosen, paper.experiment.sizes_bytes, asked.repetitions, asked.window_ns,
        asked.energy,
    )  # fmt: skip
    outcome = run_plan(
        store, inventory, plan, environment, study={"study": STUDY, "command": _OWN_CALL},
        observer=observer, fresh=asked.fresh,
    )  # fmt: skip
    for failure in outcome.failures:
        if failure.implementation in kernel_alone.PROGRAMS.values():
            raise ImplementationError(f"{failure.implementation}: {failure.reason}")
    return outcome.run_id, outcome.no_energy


def _findings(
    paper: Castellon2022, store: Store, run_id: int, subjects: Mapping[str, Trial],
    ctypes: Mapping[int, Series], memory: Mapping[str, Any] | None, memory_reason: str | None,
    no_energy: str | None,
) -> tuple[Findings, str | None]:  # fmt: skip
    samples = store.samples(run_id)
    sizes = paper.experiment.sizes_bytes
    taken: dict[str, dict[int, list[RawSample]]] = {
        short: {
            trial.workload.size_bytes: series
            for trial, series in samples.items()
            if trial.implementation == subject.implementation and series
        }
        for short, subject in subjects.items()
    }
    kernel = {size: _kernel_series(taken, size) for size in sizes}
    results = result_set(store, run_id)
    energy = energies(results.results, kernel_alone.PROGRAMS, sizes)
    reason = no_energy
    if energy is None and reason is None:
        reason = _without_figure(results)
    counted, clock = _cycles(taken)
    return Findings(
        kernel=compared(kernel),
        ctypes=compared(ctypes, 1e-9),
        growth=grown(ctypes),
        energy=energy,
        energy_reason=None if energy is not None else reason,
        memory=visits(memory["nanoseconds"]) if memory is not None else None,
        memory_reason=memory_reason,
        cycles=counted,
        seconds=_spreads(taken, kernel_alone.seconds),
    ), clock


def _kernel_series(taken: Mapping[str, Mapping[int, list[RawSample]]], size: int) -> Series:
    """The rounds of one size, each with the generation of processes that took it."""
    programs, generations = kernel_alone.rounds(
        {name: taken[name][size] for name in kernel_alone.PROGRAMS}
    )
    return Series(programs=programs, processes=generations)


def _without_figure(results: ResultSet) -> str:
    """Why one of the paper's programs has no joules although a meter was read."""
    for result in results.results:
        why = result.reasons.get("joules_per_message")
        if why is not None and result.implementation in kernel_alone.PROGRAMS.values():
            return f"{result.implementation}, {result.size_bytes} B: {why.sentence}"
    return "not every program got a figure"


def _spreads(
    taken: Mapping[str, Mapping[int, Sequence[RawSample]]],
    values_of: Callable[[Sequence[RawSample]], list[float]],
) -> dict[str, dict[int, Spread]]:
    return {
        name: {size: spread(values_of(series)) for size, series in sorted(by_size.items())}
        for name, by_size in taken.items()
        if by_size
    }


def _cycles(
    taken: Mapping[str, Mapping[int, Sequence[RawSample]]],
) -> tuple[dict[str, dict[int, Spread]], str | None]:
    """Core cycles of everything, or nothing at all; and their evidence."""
    every = [series for by_size in taken.values() for series in by_size.values()]
    if any(kernel_alone.core_cycles(series) is None for series in every):
        return {}, None
    counted = all(one.perf_core_cycles is not None for series in every for one in series)
    found = _spreads(taken, lambda series: kernel_alone.core_cycles(series) or [])
    return found, "measured" if counted else "modelled"


def _summary(findings: Findings) -> str:
    by, rows = findings.decisive
    savings = [row.saving.median for row in rows]
    order = [row.order_saving.median for row in findings.kernel]
    source = findings.cycles or findings.seconds
    base = source["standard"]
    others = [name for name in ("engine", "shani", "portable") if name in source]
    better = ""
    if others:
        best = others[0]
        shares = [1 - source[best][size].median / base[size].median for size in base]
        better = f" Beside the same program, Joulemark's {best} costs {extremes(shares)}."
    return (
        f"The paper reports 12 to 17 % less. Here the engineered program costs {extremes(savings)} "
        f"by {by}; the order of the chunks alone makes it cost {extremes(order)}.{better}"
    )


def _notes(paper: Castellon2022, findings: Findings, subjects: Mapping[str, Trial]) -> list[str]:
    crossing = [row.programs["nothing"].median / row.programs["standard"].median
                for row in findings.ctypes]  # fmt: skip
    chunk = paper.experiment.chunk_bytes
    programs = (
        "The programs are ours, written from the paper's text, since its own were not published: "
        "one compression function, one way of filling; only the place of the chunks differs."
    )
    call = (
        f"Crossing from Python to C and back is {percent(min(crossing))} to "
        f"{percent(max(crossing))} of an event through ctypes (a function that does nothing)."
    )
    meters = (
        "A meter of joules is updated about once in a millisecond, an HMAC takes microseconds: no "
        "meter resolves one event, the paper's included. Energy is metered over many messages."
    )
    notes = [
        f"The paper measured on: {paper.experiment.machine}.",
        f"Chunks of {chunk} bytes: {paper.experiment.chunk_interpretation}.",
        programs,
        call,
        meters,
    ]
    if findings.energy is not None and findings.energy.kind == "gross":
        notes.insert(
            0,
            "Joules are gross for all programs, since idle power could not be subtracted for "
            "every one of them.",
        )
    if findings.energy is None:
        notes.insert(
            0,
            f"Without joules ({findings.energy_reason}), claims about energy are judged by time, "
            "as if both programs drew the same power.",
        )
    absent = [name for name in kernel_alone.RIVALS if name not in subjects]
    if absent:
        notes.append(f"Not available here, so not in the last chart: {', '.join(absent)}.")
    engine = subjects.get("engine")
    if engine is not None and engine.workload.batch == 1:
        notes.append("The engine was measured with one message at a time.")
    return notes
