# SPDX-License-Identifier: Apache-2.0
"""`joulemark runs` and `joulemark store`: stores as a whole."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    DEFAULT_STORE,
    JSON_OPTION,
    STORE_OPTION,
    checked_address,
)
from joulemark.cli.shared.terminal import columns, listed, print_json, print_text
from joulemark.cli.table import InterruptedRunError
from joulemark.foreign import visible
from joulemark.store.merging import copy_store
from joulemark.store.reading import OutlineStore, damages, size_of, superfluous
from joulemark.store.repository import RunRecord, Store
from joulemark.units import format_bytes, format_count

if TYPE_CHECKING:
    from joulemark.cli.shared.progress import ProgressBar

RUNS_VERSION = 1
"""Version of the JSON that `runs` prints."""
_HEADINGS = ("run", "started (UTC)", "samples", "failures", "state", "algorithms", "CPU")


def runs(
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List the runs in the store, the oldest first."""
    with OutlineStore.existing(store) as found:
        entries = [_entry(found, record) for record in found.runs()]
    if as_json:
        print_json({"schema_version": RUNS_VERSION, "runs": [asdict(entry) for entry in entries]})
        return
    if entries:
        columns([_HEADINGS, *(_row(entry) for entry in entries)], indent=0, right=(0, 2, 3))
    else:
        print_text("no run yet; measure something with 'joulemark bench'", err=True)


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


def _entry(store: OutlineStore, record: RunRecord) -> _Entry:
    counts = store.sample_counts(record.id)
    simulated = {*store.clock_counts(record.id), *store.firmware_counts(record.id)}
    algorithms = {trial.algorithm for trial in (*counts, *simulated)}
    published = not algorithms and store.published(record.id) is not None
    for outline in store.outlines([record.id]) if published else ():
        algorithms.update(outline.algorithms)
    return _Entry(
        id=record.id,
        started_at=record.started_at.isoformat(),
        finished_at=record.finished_at.isoformat() if record.finished_at else None,
        joulemark_version=record.joulemark_version,
        cpu_model=record.environment.get("cpu_model"),
        algorithms=sorted(algorithms),
        trials=len(counts) + len(simulated),
        samples=sum(counts.values()),
        simulated=len(simulated),
        failures=sum(failure.kind != "unavailable" for failure in store.failures(record.id)),
        published=published,
    )


def _observed(entry: _Entry) -> str:
    """The numbers of measured samples and of simulated trials."""
    simulated = f"{entry.simulated} simulated" if entry.simulated else ""
    measured = str(entry.samples) if entry.samples or not simulated else ""
    return " + ".join(filter(None, (measured, simulated)))


def _row(entry: _Entry) -> tuple[str, ...]:
    return (
        str(entry.id),
        entry.started_at[:16].replace("T", " "),
        _observed(entry),
        str(entry.failures),
        "published" if entry.published else "finished" if entry.finished_at else "unfinished",
        listed(entry.algorithms, 3) or "-",
        entry.cpu_model or "unknown",
    )


RUNS: Final = Command(
    runs, ("joulemark runs", "joulemark runs --json", "joulemark runs --store ~/lab/nodes.db")
)


# `joulemark store copy`: all runs of one store into another.


def _bar_of_runs(doing: str) -> ProgressBar:
    from joulemark.cli.shared.progress import ProgressBar  # noqa: PLC0415 - rich; `runs` needs none

    return ProgressBar(doing, "runs")


def copy(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM", callback=checked_address, help="An SQLite file, or a database's URL."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO",
            callback=checked_address,
            help="Where the runs go; the store is made if there is none.",
        ),
    ],
) -> None:
    """Copy all runs of one store into another, each once.

    Runs keep their numbers in an empty store and get the next ones in a store with other runs. A
    copy that was stopped goes on when the same command is given again.
    """
    with Store.existing(source) as found, Store.open(target) as made:
        try:
            with _bar_of_runs("copying") as bar:
                added, there = copy_store(found, made, bar.move)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped; every run that was copied is in {made.location}, and the same command "
                "goes on"
            ) from None
        there_text = f", {there} were there already" if there else ""
        print_text(
            f"{format_count(added, 'run')} copied from {found.location} to {made.location}"
            f"{there_text}"
        )


COPY: Final = Command(
    copy,
    (
        "joulemark store copy joulemark.db postgresql+psycopg://lab@db.example.org/joulemark",
        "joulemark store copy postgresql+psycopg://lab@db.example.org/joulemark copy.db",
    ),
)


# `joulemark store check`: whether a store is whole.

EXIT_DAMAGED: Final = 1


def check_store(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None:
    """Read everything in a store, and say what is damaged.

    Nothing is repaired. Exit code 1: something is damaged, a line each.
    """
    with Store.existing(store) as found:
        with _bar_of_runs("reading") as bar:
            wrong = list(damages(found, bar.move))
        for fault in wrong:
            print_text(visible(" ".join(fault.split())))
        if wrong:
            raise typer.Exit(EXIT_DAMAGED)
        print_text(f"{found.location} is whole: every run in it can be read")


CHECK: Final = Command(check_store, ("joulemark store check",))


# `joulemark store size`: how much a store holds.

SIZE_VERSION: Final = 1
"""Version of the JSON that `store size` prints."""


def size(
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Say how much a store holds, and how large it is."""
    with Store.existing(store) as found:
        whole = size_of(found)
        location = found.location
    if as_json:
        print_json({"schema_version": SIZE_VERSION, "store": location, **asdict(whole)})
        return
    print_text(f"{location}: {format_bytes(whole.size_bytes)}")
    rows = [
        (
            table.name,
            str(table.rows),
            "" if table.size_bytes is None else format_bytes(table.size_bytes),
        )
        for table in whole.tables
    ]
    columns([("table", "rows", "with indexes" if rows[0][2] else ""), *rows], right=(1, 2))


SIZE: Final = Command(size, ("joulemark store size", "joulemark store size --json"))


# `joulemark store prune`: which runs newer ones replace.

_PRUNED_HEADINGS = ("run", "started (UTC)", "state", "CPU")


def prune(
    keep: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Finished runs that stay, the newest, of each study on each machine.",
        ),
    ],
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the runs; without it they are only listed.")
    ] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """List the runs that newer ones replace, and with --delete delete them.

    A run goes if the store holds N newer finished runs of the same study on the same machine.
    """
    if not delete:
        with Store.existing(store) as found:
            gone = superfluous(found, keep)
            _list(gone)
            print_text(
                f"{format_count(len(gone), 'run')} of {found.location} would be deleted"
                + ("; --delete deletes them" if gone else "")
            )
        return
    with Store.open(store, create=False) as found:
        gone = superfluous(found, keep)
        _list(gone)
        for run in gone:
            found.delete_run(run.id)
        print_text(
            f"{format_count(len(gone), 'run')} deleted from {found.location}; their space is used "
            "again"
        )


def _list(gone: list[RunRecord]) -> None:
    rows = [
        (
            str(run.id),
            run.started_at.isoformat()[:16].replace("T", " "),
            "finished" if run.finished_at else "unfinished",
            visible(str(run.environment.get("cpu_model") or "unknown")),
        )
        for run in gone
    ]
    if rows:
        columns([_PRUNED_HEADINGS, *rows], indent=0, right=(0,))


PRUNE: Final = Command(
    prune, ("joulemark store prune --keep 20", "joulemark store prune --keep 5 --delete")
)
