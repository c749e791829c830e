# SPDX-License-Identifier: Apache-2.0
"""What the JSON columns of a run hold: the fields that something here computes with.

No field must be there, since older versions wrote fewer; one that is there has its type. Others
are only shown, whatever they are.
"""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen
from typing_extensions import TypedDict

from joulemark.environment.facts import Environment

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


# The fields are those of another record, which mypy cannot follow.
EnvironmentFields: Any = TypedDict(  # type: ignore[misc]
    "EnvironmentFields", get_type_hints(Environment), total=False
)
"""Every field of `Environment`, none of which must be there."""
