# SPDX-License-Identifier: Apache-2.0
"""Conversions between the records of a measurement and the rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from enum import StrEnum
from functools import partial
from operator import attrgetter, index
from typing import Annotated, Any, Final, NotRequired, TypeVar, get_type_hints

from annotated_types import Ge, Gt, Le, MinLen
from pydantic import StringConstraints
from typing_extensions import TypedDict

from joulemark.environment.facts import MACHINE_DIGEST, Environment, may_agree, may_be_one
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, shortened, visible_values
from joulemark.foreign.records import clock_count_from, parse_json, sample_from
from joulemark.records import Failure, FailureKind, ImplementationFacts, JsonObject
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Cache, KeySetup, Mode, Trial, Workload, parse_mix
from joulemark.store import (
    Cells,
    ClockCountRow,
    DamagedRowError,
    FailureRow,
    ImplementationRow,
    RunRow,
    TrialRow,
)

# Types of those fields in the JSON columns of a run that figures are computed from.
#
# Every field may be missing, since older versions wrote fewer. A field that is there has its type.
# Fields that are not listed here are only shown, and may hold anything.

_Nanoseconds = Annotated[int, Ge(0), Le(10**15)]


class EffortFields(TypedDict, total=False):
    """Fields of `Effort`."""

    precision: dict[str, object] | None


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
    core_kind: str | None


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


SAMPLE_FIELDS = tuple(field.name for field in fields(RawSample))
_CLOCK_COUNT_FIELDS = tuple(field.name for field in fields(ClockCount))
LARGEST_BYTES = 1 << 50
"""Longest message that a store may tell of."""
_MOST_ROUNDS = 1 << 31

Member = TypeVar("Member", bound=StrEnum)
Counters = TypeVar("Counters", RawSample, ClockCount)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Plan, machine and course of a run; times are UTC and carry their zone."""

    study_digest: str
    study: JsonObject
    seed: int
    rounds: int
    environment: JsonObject
    started_at: datetime
    finished_at: datetime | None
    """End of the run; None while it goes on, or if it was killed."""
    joulemark_version: str
    loop: JsonObject | None = None
    """The harness's own cost; None until it has been measured."""
    conditions: JsonObject | None = None
    """CPU, load and priority (`joulemark.measure.run_plan`); None in older stores, and where
    nothing was timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord(RunFacts):
    """One run as stored."""

    id: int


IN_TIME: Final = attrgetter("started_at", "id")
"""Puts runs in the order in which they began, which no number tells: a copy or an import gives an
older run a higher number. Of the table it has the columns."""


def plain(value: Mapping[str, Any]) -> JsonObject:
    """The mapping as a JSON column returns it: tuples become lists, keys become text."""
    copy: JsonObject = json.loads(json.dumps(dict(value), allow_nan=False))
    return copy


def agrees(environment: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every wanted key is there with its value; a missing key agrees with nothing.

    The digest of a machine need not be there (`may_agree`).
    """
    needed = visible_values(dict(wanted))  # as a stored environment reads back
    stored = {MACHINE_DIGEST: None, **environment}
    return all(key in stored and may_agree(key, stored[key], needed[key]) for key in needed)


def environment_agrees(written: str, wanted: Mapping[str, Any]) -> bool:
    """Whether the text of an environment has the wanted values; a missing key counts as None.

    An unreadable environment agrees: the reader of its run then reports the damage.
    """
    try:
        environment = parse_json(written)
    except ForeignError:
        return True
    if not isinstance(environment, dict):
        return True
    return may_be_one(environment, wanted, wanted)


def run_record_of(row: RunRow) -> RunRecord:
    """Read a run."""
    cells = Cells(row, "run")
    return RunRecord(
        id=cells.whole("id"),
        study_digest=cells.text("study_digest"),
        study=cells.checked_json(StudyFields, "study"),
        seed=cells.whole("seed", least=-(2**63)),
        rounds=cells.whole("rounds", most=_MOST_ROUNDS),
        environment=cells.checked_json(EnvironmentFields, "environment"),
        started_at=cells.moment("started_at"),
        finished_at=cells.optional(cells.moment, "finished_at"),
        joulemark_version=cells.text("joulemark_version"),
        loop=cells.optional(partial(cells.checked_json, LoopFields), "loop"),
        conditions=cells.optional(partial(cells.checked_json, ConditionsFields), "conditions"),
    )


def trial_values(trial: Trial) -> dict[str, str | int]:
    """Columns that together name the trial within its run."""
    workload = trial.workload
    return {
        "implementation": trial.implementation,
        "target": trial.target,
        "size_bytes": index(workload.size_bytes),
        "mode": str(workload.mode),
        "cache": str(workload.cache),
        "key_setup": str(workload.key_setup),
        "batch": index(workload.batch),
        "mix": workload.mix,
    }


def trial_of(row: TrialRow) -> Trial:
    """Read a trial."""
    cells = Cells(row, "trial")
    name = cells.text("implementation")
    if not all(name.partition("/")[::2]):
        raise cells.damaged("implementation", f"'{shortened(name)}' is no algorithm/variant")
    workload = Workload(
        cells.whole("size_bytes", most=LARGEST_BYTES),
        _member(cells, Mode, "mode"),
        _member(cells, Cache, "cache"),
        _member(cells, KeySetup, "key_setup"),
        cells.whole("batch", least=1, most=_MOST_ROUNDS),
        mix_of(cells),
    )
    return Trial(name, workload, cells.text("target"))


def mix_of(cells: Cells) -> str:
    """Reads the mix of lengths in the column `mix`; empty if there is none."""
    mix = cells.text("mix")
    with suppress(UsageError):
        if not mix or parse_mix(mix) == mix:
            return mix
    raise cells.damaged("mix", f"'{shortened(mix)}' is no mix of lengths")


def _member(cells: Cells, kind: type[Member], column: str) -> Member:
    """Reads a column that holds a member of an enumeration."""
    text = cells.text(column)
    try:
        return kind(text)
    except ValueError:
        raise cells.damaged(column, f"'{shortened(text)}' is none of its words") from None


def counter_values(counters: RawSample | ClockCount) -> dict[str, int | None]:
    """Columns of a sample or a clock count."""
    values: dict[str, int | None] = {}
    for name in SAMPLE_FIELDS if isinstance(counters, RawSample) else _CLOCK_COUNT_FIELDS:
        value = getattr(counters, name)
        values[name] = None if value is None else index(value)
    return values


def sample_of(trial_id: int, values: Sequence[Any]) -> RawSample:
    """Read a sample from its columns in the order of `SAMPLE_FIELDS`."""
    return _counters_of(
        sample_from, "sample", trial_id, dict(zip(SAMPLE_FIELDS, values, strict=True))
    )


def clock_count_of(row: ClockCountRow) -> ClockCount:
    """Read the clocks that a simulation counted."""
    values = {name: getattr(row, name) for name in _CLOCK_COUNT_FIELDS}
    return _counters_of(clock_count_from, "clock_count", row.trial_id, values)


def _counters_of(
    read: Callable[[Mapping[str, Any]], Counters],
    table: str,
    trial_id: int,
    values: Mapping[str, Any],
) -> Counters:
    try:
        return read(values)
    except ForeignError as error:
        raise DamagedRowError(f"table {table}, a row of trial {trial_id}: {error}") from None


def implementation_of(row: ImplementationRow) -> ImplementationFacts:
    """Read facts; facts that only a later Joulemark knows are passed over."""
    cells = Cells(row, "implementation")
    facts = cells.record(ImplementationFacts, "facts")
    if facts.implementation != cells.text("id"):
        raise cells.damaged("facts", "they are those of another implementation")
    return facts


def failure_values(failure: Failure) -> dict[str, str | int | None]:
    """Columns of a failure."""
    return {**asdict(failure), "kind": str(failure.kind)}


def failure_of(row: FailureRow) -> Failure:
    """Read a failure."""
    cells = Cells(row, "failure")
    return Failure(
        cells.text("implementation"),
        _member(cells, FailureKind, "kind"),
        cells.text("reason"),
        cells.optional(cells.whole, "size_bytes"),
    )
