# SPDX-License-Identifier: Apache-2.0
"""`joulemark runs`: what is in the store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.cli.shared.stored import opened
from joulemark.cli.shared.terminal import columns, listed, print_json
from joulemark.store.repository import RunRecord, Store

RUNS_VERSION = 1
"""Version of the JSON that `runs` prints."""
_HEADINGS = ("run", "started (UTC)", "samples", "failures", "state", "algorithms", "CPU")


def runs(
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List the runs in the store, the oldest first."""
    with opened(store) as found:
        entries = [_entry(found, record) for record in found.runs()]
    if as_json:
        print_json({"schema_version": RUNS_VERSION, "runs": [asdict(entry) for entry in entries]})
        return
    if entries:
        columns([_HEADINGS, *(_row(entry) for entry in entries)], indent=0, right=(0, 2, 3))
    else:
        typer.echo("no run yet; measure something with 'joulemark bench'", err=True)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One run in the list; the fields are those of the JSON."""

    id: int
    started_at: str
    """ISO 8601."""
    finished_at: str | None
    joulemark_version: str
    cpu_model: str | None
    algorithms: list[str]
    trials: int
    samples: int
    simulated: int
    failures: int
    published: bool
    """Whether its figures are published: it came in a file without samples."""


def _entry(store: Store, record: RunRecord) -> _Entry:
    counts = store.sample_counts(record.id)
    simulated = {*store.clock_counts(record.id), *store.firmware_counts(record.id)}
    return _Entry(
        id=record.id,
        started_at=record.started_at.isoformat(),
        finished_at=record.finished_at.isoformat() if record.finished_at else None,
        joulemark_version=record.joulemark_version,
        cpu_model=record.environment.get("cpu_model"),
        algorithms=sorted({trial.algorithm for trial in (*counts, *simulated)}),
        trials=len(counts) + len(simulated),
        samples=sum(counts.values()),
        simulated=len(simulated),
        failures=sum(failure.kind != "unavailable" for failure in store.failures(record.id)),
        published=not counts and not simulated and store.published(record.id) is not None,
    )


def _observed(entry: _Entry) -> str:
    """The numbers of measured samples and of simulated trials."""
    simulated = f"{entry.simulated} simulated" if entry.simulated else ""
    measured = str(entry.samples) if entry.samples or not simulated else ""
    return " + ".join(filter(None, (measured, simulated)))


def _state(entry: _Entry) -> str:
    if entry.published:
        return "published"
    return "finished" if entry.finished_at else "unfinished"


def _row(entry: _Entry) -> tuple[str, ...]:
    return (
        str(entry.id),
        entry.started_at[:16].replace("T", " "),
        _observed(entry),
        str(entry.failures),
        _state(entry),
        listed(entry.algorithms, 3) or "-",
        entry.cpu_model or "unknown",
    )


COMMAND: Final = Command(
    runs, ("joulemark runs", "joulemark runs --json", "joulemark runs --store ~/lab/nodes.db")
)
