# SPDX-License-Identifier: Apache-2.0
"""Samples, results of elsewhere: a baseline to check against, simulated and published figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from typing_extensions import TypedDict

from joulemark.analyse import DomainEnergy, Figure, RawTrial, Result, ResultSet
from joulemark.analyse.derive import per_byte
from joulemark.analyse.estimate import exact, result_with
from joulemark.analyse.gate_report import GateFailure
from joulemark.errors import StoreError, UsageError
from joulemark.foreign import ForeignError, read_whole, shortened
from joulemark.foreign.records import parse_json, record_from_json, sample_from
from joulemark.records import Failure, ImplementationFacts, JsonObject, is_core
from joulemark.records.figures import (
    CLOCK_FIELDS,
    ENERGY_FIELDS,
    NO_COST_PER_BYTE,
    Absence,
    Evidence,
    FigureGroup,
    fields_in,
)
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import Trial, Workload, is_firmware, parse_mix
from joulemark.store.repository import Store

# Samples of a run that may be judged: those of implementations that did not fail in it.


def broken_in(store: Store, number: int) -> list[Failure]:
    """Failures of a run by a crash, a hang or a wrong output; not those of absent code."""
    return [failure for failure in store.failures(number) if failure.broken]


def trusted_samples(store: Store, number: int) -> dict[Trial, list[RawSample]]:
    """Samples of a run, without those of implementations that failed in it.

    A wrong answer may well be a fast one.
    """
    broken = {failure.implementation for failure in broken_in(store, number)}
    samples = store.samples(number)
    return {trial: taken for trial, taken in samples.items() if trial.implementation not in broken}


_MOST_BYTES = 1 << 28
"""Largest export that is read; an export of a thousand trials with every sample has a tenth."""
_Fact = str | int | float | bool | list[str] | dict[str, str | int] | None


class _Facts(TypedDict):
    """The facts of an implementation that are read."""

    provider: str
    compiler: str


class _Run(TypedDict, total=False):
    started_at: str


class _Context(TypedDict, total=False):
    """The fields of `ResultSet.context` that are read."""

    run: _Run
    environment: dict[str, _Fact]
    implementations: dict[str, _Facts]


@dataclass(frozen=True, slots=True)
class RunSamples:
    """The raw samples of a run, and the environment in which they were taken."""

    name: str
    """Name of the run in sentences."""
    samples: dict[Trial, list[RawSample]]
    environment: dict[str, Any]
    """Fields of `Environment`, and `compiler`: those of our kernels, or None."""
    failures: tuple[GateFailure, ...] = ()
    """One for each implementation that crashed, hung or computed something wrong."""
    failed: frozenset[str] = frozenset()
    """The implementations of these failures."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Implementations that could not run at all in this run, with the reason."""
    counted: frozenset[Trial] = frozenset()
    """Trials of simulated targets, whose clocks or core cycles are counted and not timed."""
    started_at: datetime | None = None
    """When the run began, UTC; None where a file does not say."""


def measured_in(store: Store, number: int) -> RunSamples:
    """The samples of a run in the store, those of broken implementations left out."""
    run = store.run(number)
    broken = broken_in(store, number)
    compilers = {
        facts.compiler
        for facts in store.implementations(number).values()
        if facts.provider == "joulemark" and not is_core(facts.implementation)
    }
    return RunSamples(
        f"run {number}",
        trusted_samples(store, number),
        _with_compilers(run.environment, compilers),
        tuple(
            GateFailure(failure.implementation, f"{failure.kind}: {failure.reason}")
            for failure in broken
        ),
        frozenset(failure.implementation for failure in broken),
        {
            failure.implementation: failure.reason
            for failure in store.failures(number)
            if not failure.broken and failure.size_bytes is None
        },
        frozenset([*store.firmware_counts(number), *store.clock_counts(number)]),
        run.started_at,
    )


def read_baseline(store: Store, text: str) -> RunSamples:
    """Reads the run or the file that `--baseline` names; a number is always a run."""
    if text.isdecimal():
        return measured_in(store, int(text))

    try:
        content = read_whole(Path(text), _MOST_BYTES)
    except ForeignError as error:
        raise UsageError(
            f"--baseline {text} is neither the number of a run nor a file that can be read "
            f"({error})"
        ) from None
    try:
        return _measured(text, ResultSet.model_validate(parse_json(content)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(shortened(str(part)) for part in first["loc"]) or "the whole"
        why = f"{where}: {first['msg']}"
    except ForeignError as error:
        why = str(error)
    raise UsageError(f"{text} is not a result that this version of Joulemark exports ({why})")


def _measured(name: str, results: ResultSet) -> RunSamples:
    """The samples in an export."""
    samples: dict[Trial, list[RawSample]] = {}
    counted = set()
    for number, result in enumerate(results.results):
        if result.clocks_per_message is not None or is_firmware(result.target):
            counted.add(trial_of(result, f"results.{number}"))
            continue  # Counts of a simulation are exact and need no samples.
        if result.samples is None:
            raise UsageError(f"{name} has no raw samples; export it again with --raw")
        trial = trial_of(result, f"results.{number}")
        samples[trial] = [
            sample_at(sample, f"results.{number}.samples.{place}")
            for place, sample in enumerate(result.samples)
        ]
    context = record_from_json(_Context, results.context)
    implementations = context.get("implementations", {}).values()
    compilers = {
        implementation["compiler"]
        for implementation in implementations
        if implementation["provider"] == "joulemark"
    }
    return RunSamples(
        name,
        samples,
        _with_compilers(context.get("environment", {}), compilers),
        counted=frozenset(counted),
        started_at=_moment(context.get("run", {}).get("started_at")),
    )


def _moment(text: str | None) -> datetime | None:
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(text or "").astimezone(UTC)
    return None


def _with_compilers(environment: Mapping[str, Any], compilers: set[str]) -> dict[str, Any]:
    return {**environment, "compiler": ", ".join(sorted(compilers)) or None}


def trial_of(trial: RawTrial, where: str) -> Trial:
    """The trial of a result in a file."""
    algorithm, _, variant = trial.implementation.partition("/")
    if not (algorithm and variant and trial.size_bytes >= 0 and trial.batch >= 1):
        raise ForeignError(f"{where}: its implementation, size_bytes or batch cannot be")
    try:
        mix = parse_mix(trial.mix) if trial.mix else ""
    except UsageError:
        raise ForeignError(f"{where}.mix: '{shortened(trial.mix)}' is no mix of lengths") from None
    workload = Workload(
        trial.size_bytes, trial.mode, trial.cache, trial.key_setup, trial.batch, mix
    )
    return Trial(trial.implementation, workload, trial.target)


def sample_at(values: Mapping[str, Any], where: str) -> RawSample:
    """The sample at a place of a file."""
    try:
        return sample_from(values)
    except ForeignError as error:
        raise ForeignError(f"{where}: {error}") from None


# Figures that came in a file without the samples that they stand on: shown as `published`.

_WARNING: Final = (
    "the figures of this run are published: the file that they came in had no raw samples, so "
    "nothing of them was computed again here"
)
_ENERGY_WARNING: Final = (
    "the joules of this run are published: the file that they came in had no energy windows, so "
    "nothing of them was computed again here; times were"
)


def figures_of(holder: Result | DomainEnergy) -> Iterator[tuple[str, Figure]]:
    """Field name and figure of each figure that is not null, in the order of the fields."""
    for name in type(holder).model_fields:
        value = getattr(holder, name)
        if isinstance(value, Figure):
            yield name, value


def _trial_key(result: Result) -> tuple[Any, ...]:
    """Values that tell the trial of a result from the others of its run."""
    return (
        result.implementation,
        result.target,
        result.size_bytes,
        result.mode,
        result.cache,
        result.key_setup,
        result.batch,
        result.mix,
    )


def published_of(stored: JsonObject, location: str, run_id: int) -> ResultSet:
    """The results of an imported file, which the store at `location` has, all as `published`."""
    try:
        results = record_from_json(ResultSet, stored)
    except ForeignError as error:
        raise StoreError(
            f"{location} is damaged: what is kept as published of run {run_id} is no result "
            f"({error}); export another run, or take the store from a copy"
        ) from None
    return results.model_copy(
        update={
            "schema_version": ResultSet.model_fields["schema_version"].default,
            "context": {**results.context, "run": {**results.context.get("run", {}), "id": run_id}},
            "results": [_published(result) for result in results.results],
            "warnings": [_WARNING, *results.warnings],
        }
    )


def published_energy(computed: ResultSet, published: ResultSet) -> ResultSet:
    """Adds joules that only the file has, in `published`, to results that were computed."""
    there = {_trial_key(result): result for result in published.results}
    results = []
    for result in computed.results:
        other = there.get(_trial_key(result))
        if other is not None and other.energy and not result.energy:
            changed: dict[str, object] = {name: getattr(other, name) for name in ENERGY_FIELDS}
            changed["energy"] = other.energy
            changed["reasons"] = {
                **{name: why for name, why in result.reasons.items() if name not in ENERGY_FIELDS},
                **{name: why for name, why in other.reasons.items() if name in ENERGY_FIELDS},
            }
            result = result.model_copy(update=changed)  # noqa: PLW2901
        results.append(result)
    return computed.model_copy(
        update={
            "context": {**computed.context, "meter": published.context.get("meter")},
            "results": results,
            "warnings": [*computed.warnings, _ENERGY_WARNING],
        }
    )


def _published(result: Result) -> Result:
    energy = [domain.model_copy(update=_changes(domain)) for domain in result.energy]
    return result.model_copy(update={**_changes(result), "energy": energy, "samples": None})


def _changes(holder: Result | DomainEnergy) -> dict[str, object]:
    """The fields that become `published`: the holder's evidence, and that of each figure."""
    update = {"evidence": Evidence.PUBLISHED}
    figures = {name: figure.model_copy(update=update) for name, figure in figures_of(holder)}
    return {**update, **figures}


# What the store holds of simulations, of hardware cores and of firmware.

NO_TIME_OF_A_CORE: Final = Absence(
    "a simulated core has clocks and no time: its clock, area and power are on an FPGA or in a "
    "cell library (joulemark core report)"
)
_NO_TIME_OF_FIRMWARE: Final = Absence(
    "a simulated microcontroller has core cycles and no clock, so neither time nor energy: "
    "divide by the frequency of a device (joulemark budget)"
)
_NO_TICKS: Final = Absence("a microcontroller has no time-stamp counter")
_NO_CLOCK: Final = Absence("software has no clock of its own; core_cycles count the processor's")
_NO_KEY_OF_A_CORE: Final = Absence("this core takes no key")
_NO_KEY: Final = Absence("this algorithm takes no key")
_TICKS: Final = ("tsc_ticks_per_message", "tsc_ticks_per_byte")
_ONE_BY_ONE: Final[dict[str, object]] = {"chosen": None, "mix": "", "batch": 1, "batch_calls": None}
"""Fields that are the same in every simulated result."""


_OF_A_MACHINE: Final = fields_in(FigureGroup.TIME, FigureGroup.ENERGY, FigureGroup.MODELLED)
_OF_A_MACHINE_AND_COUNTS: Final = fields_in(
    FigureGroup.TIME, FigureGroup.COUNTS, FigureGroup.ENERGY, FigureGroup.MODELLED
)


def clock_result(
    trial: Trial, facts: ImplementationFacts, count: ClockCount, *, include_raw: bool = False
) -> Result:
    """The result of a simulated hardware core."""
    per_message = count.clocks / count.messages
    values = {
        "clocks_per_message": per_message,
        "clocks_per_byte": per_byte(per_message, trial.workload.mean_bytes),
        "key_setup_clocks": count.key_clocks,
    }
    reasons = dict.fromkeys((*_OF_A_MACHINE_AND_COUNTS, "bytes_per_second"), NO_TIME_OF_A_CORE)
    figures = {name: exact(value, Evidence.SIMULATED) for name, value in values.items()}
    reasons |= _of_null(
        figures, clocks_per_byte=NO_COST_PER_BYTE, key_setup_clocks=_NO_KEY_OF_A_CORE
    )
    return result_with(
        trial,
        facts,
        Evidence.SIMULATED,
        figures,
        reasons=reasons,
        samples=[count.as_dict()] if include_raw else None,
        **_ONE_BY_ONE,
    )


def firmware_result(
    trial: Trial, facts: ImplementationFacts, count: FirmwareCount, *, include_raw: bool = False
) -> Result:
    """The result of a trial on a firmware target."""
    cycles, simulated, measured = Evidence(count.evidence), Evidence.SIMULATED, Evidence.MEASURED
    reasons: dict[str, Absence] = {
        **dict.fromkeys((*_OF_A_MACHINE, "bytes_per_second"), _NO_TIME_OF_FIRMWARE),
        **dict.fromkeys(_TICKS, _NO_TICKS),
        **dict.fromkeys(CLOCK_FIELDS, _NO_CLOCK),
    }
    figures = {
        "core_cycles_per_message": exact(count.core_cycles, cycles),
        "core_cycles_per_byte": exact(
            per_byte(count.core_cycles, trial.workload.mean_bytes), cycles
        ),
        "instructions_per_message": exact(count.instructions, simulated),
        "key_setup_core_cycles": exact(count.key_core_cycles, cycles),
        "code_bytes": exact(count.code_bytes, measured),
        "constant_bytes": exact(count.constant_bytes, measured),
        "static_ram_bytes": exact(count.static_ram_bytes, measured),
        "state_bytes": exact(count.state_bytes, measured),
        "stack_bytes": exact(count.stack_bytes, simulated),
    }
    reasons |= _of_null(
        figures,
        core_cycles_per_byte=NO_COST_PER_BYTE,
        key_setup_core_cycles=_NO_KEY,
        state_bytes=_NO_KEY,
    )
    return result_with(
        trial,
        facts,
        cycles,
        figures,
        reasons=reasons,
        toolchain=f"{count.compiler}: {count.flags}; {count.simulator}",
        samples=[count.as_dict()] if include_raw else None,
        **_ONE_BY_ONE,
    )


def _of_null(figures: Mapping[str, Figure | None], **reasons: Absence) -> dict[str, Absence]:
    """The reasons of figures that are None."""
    return {name: reason for name, reason in reasons.items() if figures[name] is None}
