# SPDX-License-Identifier: Apache-2.0
"""Between the records of a measurement and the rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from operator import index
from typing import Any, TypeVar

from joulemark.environment.facts import MACHINE_DIGEST, may_agree, may_be_one
from joulemark.errors import UsageError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.samples import clock_count_from, sample_from
from joulemark.foreign.text import shortened, visible_values
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.mixes import parse_mix
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Cache, KeySetup, Mode, Trial, Workload
from joulemark.store.cells import Cells, DamagedRowError
from joulemark.store.fields import ConditionsFields, EnvironmentFields, LoopFields, StudyFields
from joulemark.store.models import FailureRow, ImplementationRow, RunRow, TrialRow

__all__ = [
    "COUNT_FIELDS",
    "SAMPLE_FIELDS",
    "RunRecord",
    "agrees",
    "count_of",
    "environment_agrees",
    "failure_of",
    "implementation_of",
    "plain",
    "run_record_of",
    "sample_of",
    "sample_values",
    "trial_of",
    "trial_values",
]

SAMPLE_FIELDS = tuple(field.name for field in fields(RawSample))
COUNT_FIELDS = tuple(field.name for field in fields(ClockCount))
_LARGEST_BYTES = 1 << 50
_MOST_ROUNDS = 1 << 31

Member = TypeVar("Member", bound=StrEnum)
Counters = TypeVar("Counters", RawSample, ClockCount)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run as stored; times are UTC and carry their zone."""

    id: int
    study_digest: str
    study: dict[str, Any]
    seed: int
    rounds: int
    environment: dict[str, Any]
    started_at: datetime
    finished_at: datetime | None
    """None while the run goes on, or when it was killed."""
    joulemark_version: str
    loop: dict[str, Any] | None
    """The harness's own cost; None until it has been measured."""
    conditions: dict[str, Any] | None = None
    """CPU, load and priority (`joulemark.measure.conditions`); None in older stores, and where
    nothing was timed."""


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping as it will read back: tuples become lists, keys become text.

    Raises:
        TypeError: it holds something that JSON has no form for.
        ValueError: it holds a NaN or an infinity.
    """
    copy: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    return copy


def agrees(environment: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every wanted key is there with its value; a missing key agrees with nothing.

    The digest of a machine need not be there (`may_agree`).
    """
    known = visible_values(dict(wanted))  # as a stored one reads back
    there = {MACHINE_DIGEST: None, **environment}
    return all(key in there and may_agree(key, there[key], known[key]) for key in known)


def environment_agrees(written: str, wanted: Mapping[str, Any]) -> bool:
    """Whether an environment, as its column holds it, has these values; None where it lacks one.

    One that cannot be read agrees, so that whoever reads its run says so.
    """
    try:
        environment = parse_json(written)
    except ForeignError:
        return True
    if not isinstance(environment, dict):
        return True
    return may_be_one(environment, wanted, wanted)


def run_record_of(row: RunRow) -> RunRecord:
    """Read a run.

    Raises:
        DamagedRowError: a column holds what it never should.
    """
    cells = Cells(row, "run")
    return RunRecord(
        id=cells.whole("id"),
        study_digest=cells.text("study_digest"),
        study=cells.checked_json(StudyFields, "study"),
        seed=cells.whole("seed", least=-(2**63)),
        rounds=cells.whole("rounds", most=_MOST_ROUNDS),
        environment=cells.checked_json(EnvironmentFields, "environment"),
        started_at=cells.moment("started_at"),
        finished_at=cells.moment_or_none("finished_at"),
        joulemark_version=cells.text("joulemark_version"),
        loop=None if row.loop is None else cells.checked_json(LoopFields, "loop"),
        conditions=None
        if row.conditions is None
        else cells.checked_json(ConditionsFields, "conditions"),
    )


def trial_values(trial: Trial) -> dict[str, Any]:
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
    """Read a trial.

    Raises:
        DamagedRowError: a column holds what it never should.
    """
    cells = Cells(row, "trial")

    name, mix = cells.text("implementation"), cells.text("mix")
    if not all(name.partition("/")[::2]):
        raise cells.damaged("implementation", f"'{shortened(name)}' is no algorithm/variant")
    try:
        known = not mix or parse_mix(mix) == mix
    except UsageError:
        known = False
    if not known:
        raise cells.damaged("mix", f"'{shortened(mix)}' is no mix of lengths")
    workload = Workload(
        cells.whole("size_bytes", most=_LARGEST_BYTES),
        _word(cells, Mode, "mode"),
        _word(cells, Cache, "cache"),
        _word(cells, KeySetup, "key_setup"),
        cells.whole("batch", least=1, most=_MOST_ROUNDS),
        mix,
    )
    return Trial(name, workload, cells.text("target"))


def _word(cells: Cells, kind: type[Member], column: str) -> Member:
    """A column that holds a member of an enumeration."""
    text = cells.text(column)
    try:
        return kind(text)
    except ValueError:
        raise cells.damaged(column, f"'{shortened(text)}' is none of its words") from None


def sample_values(sample: RawSample) -> dict[str, int | None]:
    """Columns of a sample.

    Raises:
        TypeError: a counter is not a whole number. (Without this, the integer of another library
            would be stored as its bytes.)
    """
    values: dict[str, int | None] = {}
    for name in SAMPLE_FIELDS:
        value = getattr(sample, name)
        values[name] = None if value is None else index(value)
    return values


def sample_of(trial_id: int, values: Sequence[Any]) -> RawSample:
    """Read a sample from its columns in the order of `SAMPLE_FIELDS`.

    Raises:
        DamagedRowError: a column holds what it never should.
    """
    return _counters_of(sample_from, "sample", trial_id, SAMPLE_FIELDS, values)


def count_of(trial_id: int, values: Sequence[Any]) -> ClockCount:
    """Read what a simulation counted, from its columns in the order of `COUNT_FIELDS`.

    Raises:
        DamagedRowError: a column holds what it never should.
    """
    return _counters_of(clock_count_from, "clock_count", trial_id, COUNT_FIELDS, values)


def _counters_of(
    read: Callable[[Mapping[str, Any]], Counters],
    table: str,
    trial_id: int,
    names: Sequence[str],
    values: Sequence[Any],
) -> Counters:
    try:
        return read(dict(zip(names, values, strict=True)))
    except ForeignError as error:
        raise DamagedRowError(f"table {table}, a row of trial {trial_id}: {error}") from None


def implementation_of(row: ImplementationRow) -> ImplementationFacts:
    """Read facts; ones that only a later Joulemark knows are left in the database.

    Raises:
        DamagedRowError: a fact is missing or of another kind.
    """
    cells = Cells(row, "implementation")
    facts = cells.record(ImplementationFacts, "facts")
    if facts.implementation != cells.text("id"):
        raise cells.damaged("facts", "they are those of another implementation")
    return facts


def failure_of(row: FailureRow) -> Failure:
    """Read a failure.

    Raises:
        DamagedRowError: its kind is none of ours, or another column holds what it never should.
    """
    cells = Cells(row, "failure")
    return Failure(
        cells.text("implementation"),
        _word(cells, FailureKind, "kind"),
        cells.text("reason"),
        cells.whole_or_none("size_bytes"),
    )
