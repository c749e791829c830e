# SPDX-License-Identifier: Apache-2.0
"""Estimates what is not kept yet: one run when a page needs it, all of them in other processes."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
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

__all__ = ["Fillers", "MissingEstimates", "cache_file", "estimate_run", "fill", "needed"]

_KEPT_MODULE: Final = "joulemark.processes.kept"
_FILLING_MODULE: Final = "joulemark.explorer.estimates.fill"
_STORE_VARIABLE: Final = "JOULEMARK_STORE"
"""The address may hold a password, which no other user shall read in a list of processes."""
_CHUNK: Final = 25
"""Runs that one process takes at a time."""
_MOST_MEASURED: Final = 4
"""Runs whose samples are held, since the next run is judged against one of them."""


def cache_file(location: str) -> Path:
    """Where the estimates of a store are kept; a temporary folder where the user has no other.

    Args:
        location: of the store, as its sentences call it.
    """
    name = f"{hashlib.sha256(location.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.db"
    with suppress(UnavailableError, OSError):
        folder = user_cache("explorer")
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder / name
    return Path(mkdtemp(prefix="joulemark-explorer-")) / name


@dataclass(frozen=True, slots=True)
class MissingEstimates:
    """What is not kept, or no longer holds."""

    runs: tuple[int, ...]
    """The newest first."""
    gates: tuple[tuple[int, int], ...]
    """Run and earlier run."""
    gone: tuple[int, ...]
    """Kept runs that the store has no more."""
    gates_gone: tuple[tuple[int, int], ...]

    @property
    def nothing(self) -> bool:
        """Whether all is kept."""
        return not self.runs and not self.gates


def needed(known: KnownRuns, kept: KeptEstimates) -> MissingEstimates:
    """What has to be estimated before every page is complete."""
    keys, gates = kept.keys(), kept.gate_keys()
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


def estimate_run(store: OutlineStore, kept: KeptEstimates, run: RunOutline) -> None:
    """Estimate one run and keep it.

    Raises:
        StoreError: the run cannot be read.
    """
    results = result_set(store, run.id, alone=True)
    kept.put(run.id, key_of(run), details_of(results), lines_of(results, run.id))


def fill(
    store: OutlineStore, kept: KeptEstimates, known: KnownRuns, share: int = 0, shares: int = 1
) -> Iterator[int]:
    """Estimate and judge one share of all runs; yields each when it is done.

    A run that cannot be read is passed over; its page says why.

    Args:
        store: where the runs are.
        kept: where they are kept.
        known: the runs.
        share: from 0.
        shares: how many processes divide the runs.
    """
    todo = needed(known, kept)
    earlier_of: dict[int, list[int]] = {}
    for run, earlier in todo.gates:
        earlier_of.setdefault(run, []).append(earlier)
    runs = set(todo.runs)
    # Machine by machine, so that the samples of a run are read once for its two judgements.
    order = sorted(runs | earlier_of.keys(), key=lambda run: (known.machine_of[run], run))
    measured: dict[int, RunSamples] = {}
    for place, number in enumerate(reversed(order)):
        if place // _CHUNK % shares != share:
            continue
        with suppress(StoreError):
            if number in runs:
                estimate_run(store, kept, known.runs[number])
            for earlier in earlier_of.get(number, ()):
                _judge(store, kept, known, (earlier, number), measured)
        yield number


def _judge(
    store: OutlineStore,
    kept: KeptEstimates,
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
    kept.put_gate(gate_key_of(before, run, algorithms), gate)
    while len(measured) > _MOST_MEASURED:
        del measured[next(iter(measured))]


class Fillers:
    """Processes that estimate all of a store, at low priority, and end with this one.

    Args:
        location: of the store.
        path: of the file of estimates.
        shares: how many processes.
    """

    def __init__(self, location: str, path: Path, shares: int) -> None:
        self._stack = ExitStack()
        self._children: list[KeptChild] = []
        environment = {**os.environ, _STORE_VARIABLE: location}
        for share in range(shares):
            child = KeptChild(
                [
                    *module_command(_KEPT_MODULE),
                    _FILLING_MODULE,
                    str(path),
                    str(share),
                    str(shares),
                ],
                first_line=b"",
                environment=environment,
                errors=sys.stderr,
            )
            self._stack.callback(child.end)
            self._children.append(child)

    @property
    def running(self) -> bool:
        """Whether one of them still works."""
        return not all(child.ended_within(0) for child in self._children)

    def end(self) -> None:
        """End those that still work."""
        self._stack.close()
