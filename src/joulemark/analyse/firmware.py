# SPDX-License-Identifier: Apache-2.0
"""From what the store holds of a firmware target to published results."""

from __future__ import annotations

from typing import Any, Final

from joulemark.analyse import derive
from joulemark.analyse.results import Figure, Result
from joulemark.records.absence import NO_COST_PER_BYTE, Absence
from joulemark.records.evidence import Evidence
from joulemark.records.figures import FigureGroup, figures_in
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.trial import Trial

__all__ = ["NO_TIME_OF_FIRMWARE", "firmware_result"]

NO_TIME_OF_FIRMWARE: Final = Absence(
    "a simulated microcontroller has core cycles and no clock, so neither time nor energy: "
    "divide by the frequency of a device (joulemark budget)"
)
_NO_TICKS: Final = Absence("a microcontroller has no time-stamp counter")
_NO_CLOCK: Final = Absence("software has no clock of its own; core_cycles count the processor's")
_NO_KEY: Final = Absence("this algorithm takes no key")
_OF_A_MACHINE: Final = tuple(
    kind.field for kind in figures_in(FigureGroup.TIME, FigureGroup.ENERGY, FigureGroup.MODELLED)
)
_TICKS: Final = ("tsc_ticks_per_message", "tsc_ticks_per_byte")
_CLOCKS: Final = ("clocks_per_message", "clocks_per_byte", "key_setup_clocks")


def firmware_result(
    trial: Trial, facts: ImplementationFacts, count: FirmwareCount, *, include_raw: bool = False
) -> Result:
    """The result of a trial on a firmware target.

    Args:
        trial: what was simulated.
        facts: what is known of the implementation.
        count: what it came to.
        include_raw: carry the count along.
    """
    size = trial.workload.mean_bytes
    evidence, exact = Evidence(count.evidence), Evidence.SIMULATED
    per_byte = derive.per_byte(count.core_cycles, size)
    reasons: dict[str, Absence] = {
        **dict.fromkeys((*_OF_A_MACHINE, "bytes_per_second"), NO_TIME_OF_FIRMWARE),
        **dict.fromkeys(_TICKS, _NO_TICKS),
        **dict.fromkeys(_CLOCKS, _NO_CLOCK),
    }
    if per_byte is None:
        reasons["core_cycles_per_byte"] = NO_COST_PER_BYTE
    for name, value in (
        ("key_setup_core_cycles", count.key_core_cycles), ("state_bytes", count.state_bytes),
    ):  # fmt: skip
        if value is None:
            reasons[name] = _NO_KEY
    nothing: dict[str, Any] = dict.fromkeys((*_OF_A_MACHINE, *_TICKS))
    return Result(
        algorithm=trial.algorithm,
        implementation=trial.implementation,
        chosen=None,
        provider=facts.provider,
        target=trial.target,
        size_bytes=trial.workload.size_bytes,
        mean_bytes=size,
        batch=1,
        mode=trial.workload.mode,
        cache=trial.workload.cache,
        key_setup=trial.workload.key_setup,
        evidence=evidence,
        bytes_per_second=None,
        core_cycles_per_message=_exact(count.core_cycles, evidence),
        core_cycles_per_byte=_exact(per_byte, evidence),
        instructions_per_message=_exact(count.instructions, exact),
        key_setup_core_cycles=_exact(count.key_core_cycles, evidence),
        code_bytes=_exact(count.code_bytes, Evidence.MEASURED),
        constant_bytes=_exact(count.constant_bytes, Evidence.MEASURED),
        static_ram_bytes=_exact(count.static_ram_bytes, Evidence.MEASURED),
        state_bytes=_exact(count.state_bytes, Evidence.MEASURED),
        stack_bytes=_exact(count.stack_bytes, exact),
        toolchain=f"{count.compiler}: {count.flags}; {count.simulator}",
        reasons=reasons,
        samples=[count.as_dict()] if include_raw else None,
        **nothing,
    )


def _exact(value: float | None, evidence: Evidence) -> Figure | None:
    """A figure without spread: the simulation gives the same at every repetition."""
    if value is None:
        return None
    return Figure(
        median=value, low=value, high=value, minimum=value, quartile_1=value, quartile_3=value,
        mad=0.0, evidence=evidence, samples=1,
    )  # fmt: skip
