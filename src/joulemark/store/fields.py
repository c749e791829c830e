# SPDX-License-Identifier: Apache-2.0
"""What the JSON columns of a run hold: the fields that something here computes with.

No field must be there, since older versions wrote fewer; one that is there has its type. Others
are only shown, whatever they are.
"""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Ge, Gt, Le, MinLen
from typing_extensions import TypedDict

__all__ = ["ConditionsFields", "EffortFields", "EnvironmentFields", "LoopFields", "StudyFields"]

_Nanoseconds = Annotated[int, Ge(0), Le(10**15)]


class EffortFields(TypedDict, total=False):
    """Of `Effort`."""

    precision: dict[str, Any] | None


class StudyFields(TypedDict, total=False):
    """Of `Study`."""

    targets: list[str]
    modelled_watts: Annotated[float, Gt(0), Le(1e6)] | None
    effort: EffortFields | None


class LoopFields(TypedDict, total=False):
    """What the timed loop itself costs."""

    messages: Annotated[int, Ge(1)]
    without_call_ns: Annotated[list[_Nanoseconds], MinLen(1)]
    empty_call_ns: Annotated[list[_Nanoseconds], MinLen(1)]


class ConditionsFields(TypedDict, total=False):
    """Of `joulemark.measure.conditions`."""

    cpu: int
    cpu_not_held: str | None


class EnvironmentFields(TypedDict, total=False):
    """Of `joulemark.environment.Environment`."""

    architecture: str | None
    cpu_vendor: str | None
    cpu_model: str | None
    cpu_family: int | None
    cpu_model_number: int | None
    cpu_stepping: int | None
    microcode: str | None
    hybrid: bool | None
    physical_cores: int | None
    logical_cpus: int | None
    smt_active: bool | None
    cpu_features: list[str] | None
    caches_bytes: dict[str, int] | None
    tsc_hz: int | None
    constant_tsc: bool | None
    nonstop_tsc: bool | None
    frequency_driver: str | None
    governor: str | None
    energy_preference: str | None
    frequency_min_hz: int | None
    frequency_max_hz: int | None
    frequency_limit_low_hz: int | None
    frequency_limit_high_hz: int | None
    turbo: bool | None
    kernel_release: str | None
    os_name: str | None
    address_randomisation: int | None
    perf_event_paranoid: int | None
    mitigations: dict[str, str] | None
    clock_source: str | None
    memory_bytes: int | None
    virtualised: bool | None
    hypervisor: str | None
    container: str | None
    c_library: str | None
    python_version: str | None
    python_implementation: str | None
    numpy_version: str | None
    scipy_version: str | None
    joulemark_version: str | None
    usable_cpus: int | None
    reasons: dict[str, str]
