# SPDX-License-Identifier: Apache-2.0
"""What runs a store holds, without their samples: read in few queries, however many runs there are.

Each run has a fingerprint of its content, by which whoever keeps something computed from it knows
whether that still holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Text, cast, func, select
from sqlalchemy.orm import Session

from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.cells import Cells
from joulemark.store.fields import EnvironmentFields
from joulemark.store.models import (
    ClockCountRow,
    EnergyWindowRow,
    FailureRow,
    ImplementationRow,
    RunRow,
    SampleRow,
    TrialRow,
)
from joulemark.store.repository import Store

__all__ = ["OutlineStore", "RunOutline"]

_AT_ONCE: Final = 500
"""Runs of one query: databases limit how many values one may have."""
_PRIME: Final = 1_000_000_007
"""Sums of remainders by it stay below 2^63 for nine thousand million samples."""
_SUMMED: Final = ("messages", "wall_ns", "thread_cpu_ns", "tsc_ticks", "perf_core_cycles")


@dataclass(frozen=True, slots=True)
class RunOutline:
    """One run without its samples."""

    id: int
    started_at: datetime
    finished_at: datetime | None
    """None while the run goes on, or when it was killed."""
    joulemark_version: str
    environment: Mapping[str, Any]
    trials: tuple[Trial, ...]
    """With samples, clocks or energy windows, in the order they were first observed."""
    algorithms: tuple[str, ...]
    """What it has trials of, in alphabetical order."""
    samples: int
    simulated: int
    """Trials whose clocks a simulation counted."""
    failures: int
    """Implementations or lengths without a figure; those that are merely unavailable too."""
    content: str
    """Fingerprint, 64 hexadecimal digits: of all facts of the run, and of number and sums of its
    counters, trial by trial."""


class OutlineStore(Store):
    """A store that can tell of all its runs at once; the promises are those of `Store`."""

    def run_states(self) -> dict[int, bool]:
        """Number of each run -> whether it is finished."""
        with self._reading() as session:
            found = session.execute(select(RunRow.id, RunRow.finished_at.is_not(None)))
            return {number: bool(finished) for number, finished in found}

    def outlines(self, numbers: Iterable[int]) -> list[RunOutline]:
        """Of each of these runs that exists, oldest first.

        Raises:
            StoreError: the store cannot be read.
        """
        wanted = sorted(numbers)
        found: list[RunOutline] = []
        with self._reading() as session:
            for first in range(0, len(wanted), _AT_ONCE):
                found += _outlines(session, wanted[first : first + _AT_ONCE])
        return found


def _outlines(session: Session, numbers: Sequence[int]) -> Iterator[RunOutline]:
    texts = [cast(getattr(RunRow, name), Text)
             for name in ("study", "environment", "loop", "meter", "conditions")]  # fmt: skip
    said = _grouped(
        session, select(RunRow.id, RunRow.seed, RunRow.rounds, *texts), RunRow.id, numbers
    )
    facts = _grouped(
        session,
        select(ImplementationRow.run_id, ImplementationRow.id, cast(ImplementationRow.facts, Text)),
        ImplementationRow.run_id,
        numbers,
    )
    failures = _grouped(
        session,
        select(FailureRow.run_id, FailureRow.implementation, FailureRow.kind, FailureRow.reason,
               FailureRow.size_bytes),
        FailureRow.run_id,
        numbers,
    )  # fmt: skip
    windows = _grouped(
        session,
        select(
            EnergyWindowRow.run_id,
            func.count(),
            func.sum(func.length(cast(EnergyWindowRow.window, Text))),
        ).group_by(EnergyWindowRow.run_id),
        EnergyWindowRow.run_id,
        numbers,
    )
    counted = _grouped(
        session,
        select(TrialRow.run_id, TrialRow.id, ClockCountRow.messages, ClockCountRow.clocks,
               ClockCountRow.key_clocks).join(TrialRow, TrialRow.id == ClockCountRow.trial_id),
        TrialRow.run_id,
        numbers,
    )  # fmt: skip
    sums = [func.sum(getattr(SampleRow, name) % _PRIME) for name in _SUMMED]
    sampled = _grouped(
        session,
        select(TrialRow.run_id, TrialRow.id, func.count(), *sums)
        .join(TrialRow, TrialRow.id == SampleRow.trial_id)
        .group_by(TrialRow.run_id, TrialRow.id),
        TrialRow.run_id,
        numbers,
    )
    trials: dict[int, list[tuple[int, Trial]]] = {}
    query = select(TrialRow).where(TrialRow.run_id.in_(numbers)).order_by(TrialRow.id)
    for trial in session.scalars(query):
        trials.setdefault(trial.run_id, []).append((trial.id, rows.trial_of(trial)))
    for row in session.scalars(select(RunRow).where(RunRow.id.in_(numbers)).order_by(RunRow.id)):
        number = row.id
        cells = Cells(row, "run")
        # Numbers of trials differ in a copy of a run, so their order stands for them.
        place = {key: index for index, (key, _) in enumerate(trials.get(number, ()))}
        observed = [
            sorted((place[key], *rest) for key, *rest in found.get(number, ()))
            for found in (sampled, counted)
        ]
        moments = [row.started_at, row.finished_at]
        yield RunOutline(
            id=number,
            started_at=cells.moment("started_at"),
            finished_at=cells.moment_or_none("finished_at"),
            joulemark_version=cells.text("joulemark_version"),
            environment=cells.checked_json(EnvironmentFields, "environment"),
            trials=tuple(trial for _, trial in trials.get(number, ())),
            algorithms=tuple(sorted({one.algorithm for _, one in trials.get(number, ())})),
            samples=sum(one[1] for one in observed[0]),
            simulated=len(observed[1]),
            failures=len(failures.get(number, ())),
            content=_fingerprint(
                moments, row.joulemark_version, said.get(number), sorted(facts.get(number, ())),
                failures.get(number, []), windows.get(number, []), observed,
                [rows.trial_values(trial) for _, trial in trials.get(number, ())],
            ),
        )  # fmt: skip


def _grouped(
    session: Session,
    query: Select[Any, *tuple[Any, ...]],
    of: ColumnElement[int] | Any,
    numbers: Sequence[int],
) -> dict[int, list[tuple[Any, ...]]]:
    """Rows of these runs without their first column, which is the run's number, by that."""
    found: dict[int, list[tuple[Any, ...]]] = {}
    for number, *rest in session.execute(query.where(of.in_(numbers))):
        found.setdefault(number, []).append(tuple(rest))
    return found


def _fingerprint(*parts: Any) -> str:
    text = json.dumps(parts, default=str, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
