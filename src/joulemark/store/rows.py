# SPDX-License-Identifier: Apache-2.0
"""Between the records of a measurement and the rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from operator import index
from typing import Any

from joulemark.measure.records import (
    Cache,
    Failure,
    FailureKind,
    ImplementationFacts,
    KeySetup,
    LibraryFile,
    Mode,
    RawSample,
    Trial,
    Workload,
)
from joulemark.store.models import FailureRow, ImplementationRow, RunRow, TrialRow

__all__ = [
    "SAMPLE_FIELDS",
    "RunRecord",
    "agrees",
    "failure_of",
    "implementation_of",
    "plain",
    "run_record_of",
    "sample_values",
    "trial_of",
    "trial_values",
]

SAMPLE_FIELDS = tuple(field.name for field in fields(RawSample))
_FACT_FIELDS = frozenset(field.name for field in fields(ImplementationFacts))


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
    """Whether every wanted key is there with its value; a missing key agrees with nothing."""
    return all(key in environment and environment[key] == wanted[key] for key in wanted)


def run_record_of(row: RunRow) -> RunRecord:
    """Read a run."""
    return RunRecord(**{field.name: getattr(row, field.name) for field in fields(RunRecord)})


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
        ValueError: a word in it is none of ours.
    """
    workload = Workload(
        row.size_bytes,
        Mode(row.mode),
        Cache(row.cache),
        KeySetup(row.key_setup),
        row.batch,
        row.mix,
    )
    return Trial(row.implementation, workload, row.target)


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


def implementation_of(row: ImplementationRow) -> ImplementationFacts:
    """Read facts; ones that only a later Joulemark knows are left in the database.

    Raises:
        ValueError: a fact is missing.
    """
    known = {name: value for name, value in row.facts.items() if name in _FACT_FIELDS}
    try:
        files = tuple(LibraryFile(**one) for one in known.get("library_files", ()))
        features = tuple(known["cpu_features"])
        return ImplementationFacts(**{**known, "cpu_features": features, "library_files": files})
    except (KeyError, TypeError) as error:
        raise ValueError(f"facts of {row.id} are incomplete") from error


def failure_of(row: FailureRow) -> Failure:
    """Read a failure.

    Raises:
        ValueError: its kind is none of ours.
    """
    return Failure(row.implementation, FailureKind(row.kind), row.reason, row.size_bytes)
