# SPDX-License-Identifier: Apache-2.0
"""Estimates what is not kept yet: one run when a page needs it, or all runs in other processes."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from joulemark.analyse.runs.assemble import result_set
from joulemark.analyse.runs.baseline import RunSamples, measured_in
from joulemark.errors import StoreError, UnavailableError
from joulemark.explorer.estimates.gates import judge_run
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.estimates.keys import gate_key_of, key_of
from joulemark.explorer.estimates.lines import details_of, lines_of
from joulemark.explorer.known.index import KnownRuns
from joulemark.processes.child import KeptChild, module_command
from joulemark.store.outline import OutlineStore, RunOutline
from joulemark.user_folders import user_cache

__all__ = ["Fillers", "MissingEstimates", "cache_file", "estimate_run", "fill", "missing_estimates"]

_KEPT_MODULE: Final = "joulemark.processes.kept"
_FILLING_MODULE: Final = "joulemark.explorer.estimates.fill"
_STORE_VARIABLE: Final = "JOULEMARK_STORE"
"""Hands over the address, which may hold a password that no list of processes shall show."""
_CHUNK: Final = 25
"""Runs that one process takes at a time."""
_MOST_MEASURED: Final = 4
"""Runs whose samples are held in memory: the next run is judged against one of them."""


@contextmanager
def cache_file(location: str) -> Iterator[Path]:
    """The file that keeps a store's estimates.

    If the user's folder is not writable, it lies in a temporary folder, which goes with the block.

    Args:
        location: the store's address, as messages write it.
    """
    name = f"{hashlib.sha256(location.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.db"
    folder = None
    with suppress(UnavailableError, OSError):
        folder = user_cache("explorer")
        folder.mkdir(parents=True, exist_ok=True)
    if folder is not None and os.access(folder, os.W_OK):
        yield folder / name
        return
    with TemporaryDirectory(prefix="joulemark-explorer-") as temporary:
        yield Path(temporary) / name


@dataclass(frozen=True, slots=True)
class MissingEstimates:
    """Estimates and judgements that are not kept, and kept ones that no longer hold."""

    runs: tuple[int, ...]
    """Runs to be estimated, the newest first."""
    gates: tuple[tuple[int, int], ...]
    """Run and earlier run of each judgement that is to be made."""
    gone: tuple[int, ...]
    """Runs with kept estimates that the store no longer has."""
    gates_gone: tuple[tuple[int, int], ...]
    """Run and earlier run of each kept judgement that no page shows any more."""

    @property
    def nothing(self) -> bool:
        """Whether every run is estimated and judged."""
        return not self.runs and not self.gates


def missing_estimates(known: KnownRuns, estimates: KeptEstimates) -> MissingEstimates:
    """What has to be estimated before every page is complete."""
    keys, gates = estimates.keys(), estimates.gate_keys()
    wanted = {
        (run.id, before): gate_key_of(known.runs[before], run, algorithms)
        for run in known.runs.values()
        for before, algorithms in known.before(run).items()
    }
    return MissingEstimates(
        runs=tuple(
            run.id for run in reversed(known.runs.values()) if keys.get(run.id) != key_of(run)
        ),
        gates=tuple(pair for pair, key in reversed(wanted.items()) if gates.get(pair) != key),
        gone=tuple(keys.keys() - known.runs.keys()),
        gates_gone=tuple(gates.keys() - wanted.keys()),
    )


def estimate_run(store: OutlineStore, estimates: KeptEstimates, run: RunOutline) -> None:
    """Estimates one run and keeps the estimates.

    Raises:
        StoreError: the run cannot be read.
    """
    results = result_set(store, run.id, alone=True)
    estimates.put(run.id, key_of(run), details_of(results), lines_of(results, run.id))


def fill(
    store: OutlineStore, estimates: KeptEstimates, known: KnownRuns, share: int = 0, shares: int = 1
) -> None:
    """Estimates and judges those runs of one share that are not kept yet.

    A run that cannot be read is passed over; its page says why.

    Args:
        store: holds the runs.
        estimates: takes the estimates.
        known: the runs of the store.
        share: which share, from 0.
        shares: how many processes divide the runs.
    """
    missing = missing_estimates(known, estimates)
    earlier_of: dict[int, list[int]] = {}
    for run, earlier in missing.gates:
        earlier_of.setdefault(run, []).append(earlier)
    runs = set(missing.runs)
    # Machine by machine, so that the samples of a run are read once for its two judgements.
    order = sorted(runs | earlier_of.keys(), key=lambda run: (known.machine_of[run], run))
    measured: dict[int, RunSamples] = {}
    for position, number in enumerate(reversed(order)):
        if position // _CHUNK % shares != share:
            continue
        with suppress(StoreError):
            if number in runs:
                estimate_run(store, estimates, known.runs[number])
            for earlier in earlier_of.get(number, ()):
                _judge(store, estimates, known, (earlier, number), measured)


def _judge(
    store: OutlineStore,
    estimates: KeptEstimates,
    known: KnownRuns,
    numbers: tuple[int, int],
    measured: dict[int, RunSamples],
) -> None:
    for number in numbers:
        if number not in measured:
            measured[number] = measured_in(store, number)
    before, run = (known.runs[number] for number in numbers)
    algorithms = known.before(run)[before.id]
    gate = judge_run(measured[before.id], measured[run.id], numbers, algorithms)
    estimates.put_gate(gate_key_of(before, run, algorithms), gate)
    while len(measured) > _MOST_MEASURED:
        del measured[next(iter(measured))]


class Fillers:
    """Processes that estimate all of a store, at low priority, and end with this one.

    Args:
        location: address of the store.
        path: the file of estimates.
        shares: number of processes.
    """

    def __init__(self, location: str, path: Path, shares: int) -> None:
        self._stack = ExitStack()
        self._children: list[KeptChild] = []
        command = [*module_command(_KEPT_MODULE), _FILLING_MODULE, str(path)]
        # The driver of PostgreSQL reads variables that only it knows.
        environment = {**os.environ, _STORE_VARIABLE: location}
        for share in range(shares):
            child = KeptChild(
                [*command, str(share), str(shares)],
                first_line=b"", environment=environment, errors=sys.stderr,
            )  # fmt: skip
            self._stack.callback(child.end)
            self._children.append(child)

    @property
    def running(self) -> bool:
        """Whether a process still works."""
        return not all(child.ended_within(0) for child in self._children)

    def end(self) -> None:
        """Ends the processes that still work."""
        self._stack.close()
