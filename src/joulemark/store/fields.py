# SPDX-License-Identifier: Apache-2.0
"""Types of those fields in the JSON columns of a run that figures are computed from.

Every field may be missing, since older versions wrote fewer. A field that is there has its type.
Fields that are not listed here are only shown, and may hold anything.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen
from pydantic import StringConstraints
from typing_extensions import TypedDict

from joulemark.environment.facts import Environment
from joulemark.records.trial import Cache, KeySetup, Mode

_Nanoseconds = Annotated[int, Ge(0), Le(10**15)]


class EffortFields(TypedDict, total=False):
    """Fields of `Effort`."""

    precision: dict[str, Any] | None


class StudyFields(TypedDict, total=False):
    """Fields of `Study`."""

    targets: list[str]
    modelled_watts: Annotated[float, Gt(0), Le(1e6)] | None
    effort: EffortFields | None


class LoopFields(TypedDict, total=False):
    """Fields of the cost of the timed loop itself."""

    messages: Annotated[int, Ge(1)]
    without_call_ns: Annotated[list[_Nanoseconds], MinLen(1)]
    empty_call_ns: Annotated[list[_Nanoseconds], MinLen(1)]


class ConditionsFields(TypedDict, total=False):
    """Fields of `joulemark.measure.run_plan`."""

    cpu: int
    cpu_not_held: str | None


class PublishedTrial(TypedDict):
    """Fields that name the trial of a result."""

    implementation: Annotated[str, StringConstraints(pattern="[^/]/.")]
    target: str
    size_bytes: Annotated[int, Ge(0)]
    mode: Mode
    cache: Cache
    key_setup: KeySetup
    batch: Annotated[int, Ge(1)]
    mix: NotRequired[str]


class PublishedFields(TypedDict, total=False):
    """Fields of results that came without samples."""

    results: list[PublishedTrial]


# The fields are those of another record, which mypy cannot follow.
EnvironmentFields: Any = TypedDict(  # type: ignore[misc]
    "EnvironmentFields", get_type_hints(Environment), total=False
)
"""Every field of `Environment`; each may be missing."""
