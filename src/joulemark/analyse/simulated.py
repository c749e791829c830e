# SPDX-License-Identifier: Apache-2.0
"""Results of figures that no timed sample of ours gave: simulated, and published elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from joulemark.analyse import DomainEnergy, Figure, Result, ResultSet
from joulemark.analyse.derive import per_byte
from joulemark.analyse.estimate import exact, result_with
from joulemark.errors import StoreError
from joulemark.foreign import ForeignError
from joulemark.foreign.records import record_from_json
from joulemark.records import ImplementationFacts, JsonObject, Trial
from joulemark.records.figures import (
    CLOCK_FIELDS,
    ENERGY_FIELDS,
    NO_COST_PER_BYTE,
    Absence,
    Evidence,
    FigureGroup,
    fields_in,
)
from joulemark.records.sample import ClockCount, FirmwareCount

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
