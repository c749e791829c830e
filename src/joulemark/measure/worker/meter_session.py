# SPDX-License-Identifier: Apache-2.0
"""The worker's side of requests that most workers never get: about energy, and about many sessions.

Only workers that get such a request import this module. An energy window is taken on the core that
runs the load: a reader on another core would itself use energy beside the load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joulemark import _core
from joulemark.measure.worker.messages import ELSEWHERE, Request, output_text
from joulemark.measure.worker.run_messages import (
    Gather,
    Gathered,
    RunSessions,
    SessionsRan,
    TrialRun,
)
from joulemark.meters import Meter, MeterError, Roots
from joulemark.meters.edges import Idle, Load, MessageLoad, SystemActivity, SystemClock
from joulemark.meters.instruments import make_meter
from joulemark.meters.window import observe, take_window
from joulemark.records.energy_window import (
    Domain,
    EnergyWindow,
    Observation,
    WindowKind,
    WindowRequest,
)
from joulemark.records.sample import GathererCounts, GatherWindow, SessionCounts, SessionsWindow

# Messages about energy.


@dataclass(frozen=True, slots=True)
class Observed:
    """The observed updates of a meter's counters."""

    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Metered:
    """An energy window."""

    window: EnergyWindow
    output: str | None
    """Output of a load; None for an idle window."""


@dataclass(frozen=True)
class MeteredDomains:
    """A meter and the domains that a worker reads."""

    meter: str
    sysfs: str
    proc: str
    """Folder, as `sysfs`, in which the meter looks for a tree of the kernel."""
    domains: tuple[Domain, ...]


@dataclass(frozen=True)
class ObserveMeter(Request[Observed]):
    """Asks how the counters of a meter move."""

    metered: MeteredDomains
    longest_s: float


@dataclass(frozen=True)
class MessageRun:
    """The load of an energy window."""

    run: TrialRun
    ns_per_message: float
    """About how long a message takes, above 0."""
    placement: int


@dataclass(frozen=True)
class TakeWindow(Request[Metered]):
    """Asks for one energy window."""

    metered: MeteredDomains
    kind: WindowKind
    window: WindowRequest
    load: MessageRun | None
    """The messages of a load window; None for an idle window."""

    def why_not_of(self, answer: Metered) -> str | None:
        """See `Request`: a window has the kind and the place in the run of its request."""
        of, taken = self.window, answer.window
        if taken.kind is not self.kind or (self.load and answer.output is None):
            return "it is a window of another kind"
        own = (of.round_index, of.position, of.attempt, of.generation)
        place = (taken.round_index, taken.position, taken.attempt, taken.generation)
        return None if place == own else ELSEWHERE


# Opens the meter, and takes energy windows.

A = TypeVar("A")


class Loop(Protocol):
    """The part of `_core.Loop` that a window needs."""

    @property
    def quantum(self) -> int:
        """The fewest messages that can be run."""

    def visit(self, warm_up: int, settle: int, messages: int, placements: list[int]) -> object:
        """Places the messages in memory and runs them."""

    def run(self, messages: int) -> None:
        """Runs so many messages, in multiples of the trial's batch."""

    def output(self) -> bytes:
        """Output of the messages of the smallest window."""


class MeterSession:
    """Meters, each opened when first asked for."""

    def __init__(self, loop_of: Callable[[TrialRun], Loop]) -> None:
        self._loop_of = loop_of
        self._clock = SystemClock()
        self._opened: dict[tuple[str, str, str], tuple[Meter, SystemActivity]] = {}

    def _open(self, metered: MeteredDomains) -> tuple[Meter, SystemActivity]:
        key = (metered.meter, metered.sysfs, metered.proc)
        if key not in self._opened:
            roots = Roots(Path(metered.sysfs), Path(metered.proc))
            meter = make_meter(metered.meter, roots)
            # The first reading opens events and libraries, which must not fall into a window.
            for domain in metered.domains:
                with suppress(MeterError):
                    meter.read(domain.id)
            self._opened[key] = meter, SystemActivity(roots.sysfs)
        return self._opened[key]

    def answer(self, request: Request[A]) -> A:
        """The answer to an `ObserveMeter` or a `TakeWindow`."""
        observes = isinstance(request, ObserveMeter)
        handle: Callable[[Any], Any] = self._observe if observes else self._take_window
        answer: A = handle(request)
        return answer

    def _observe(self, request: ObserveMeter) -> Observed:
        """Polls the counters while the core spins."""
        meter, _ = self._open(request.metered)
        spin = Idle(WindowKind.ACTIVE_IDLE, _core.pause_for_ns)
        domains, longest_s = request.metered.domains, request.longest_s
        return Observed(tuple(observe(meter, domains, spin, self._clock, longest_s=longest_s)))

    def _take_window(self, request: TakeWindow) -> Metered:
        """Takes one window; an idle one has no output."""
        loop = None
        if request.load is not None:
            loop = self._loop_of(request.load.run)
            # The fewest messages at this sample's place in memory; the window's stay there.
            loop.visit(0, 0, loop.quantum, [request.load.placement])
        meter, activity = self._open(request.metered)
        window = take_window(
            meter,
            request.metered.domains,
            self._load(request, loop),
            self._clock,
            activity,
            request.window,
        )
        return Metered(window, None if loop is None else output_text(loop.output()))

    def _load(self, request: TakeWindow, loop: Loop | None) -> Load:
        if request.kind is not WindowKind.LOAD:
            sleeps = request.kind is WindowKind.DEEP_IDLE
            return Idle(request.kind, self._clock.sleep_ns if sleeps else _core.pause_for_ns)
        assert request.load is not None
        assert loop is not None
        batch = request.load.run.trial.workload.batch
        return MessageLoad(loop.run, self._clock, request.load.ns_per_message, batch)


# The worker's side of many sessions at once, and of gatherers, in windows of time.

Implementations = Mapping[str, _core.Implementation]


def _run_sessions(request: RunSessions, implementations: Implementations) -> SessionsRan:
    """Takes one window of many sessions at once."""
    window, sessions, tags = _core.run_sessions(
        implementations[request.implementation],
        request.keys,
        request.sessions,
        list(request.lengths),
        list(request.cores),
        request.warm_up_ns,
        request.window_ns,
    )
    return SessionsRan(
        SessionsWindow(
            cores=request.cores,
            warm_up_ns=request.warm_up_ns,
            window_ns=request.window_ns,
            sessions=tuple(SessionCounts(**session) for session in sessions),
            **window,
        ),
        tags.hex(),
    )


def _gather(request: Gather, implementations: Implementations) -> Gathered:
    """Takes one window of gatherers."""
    window, gatherers, last, tags = _core.run_gatherers(
        implementations[request.implementation],
        request.keys,
        request.sessions,
        list(request.lengths),
        list(request.gaps_ps),
        list(request.senders),
        request.batch_most,
        request.wait_ns,
        list(request.cores),
        request.warm_up_ns,
        request.window_ns,
    )
    return Gathered(
        GatherWindow(
            cores=request.cores,
            sessions=request.sessions,
            batch_most=request.batch_most,
            wait_ns=request.wait_ns,
            rate_per_s=request.rate_per_s,
            warm_up_ns=request.warm_up_ns,
            window_ns=request.window_ns,
            gatherers=tuple(GathererCounts(**gatherer) for gatherer in gatherers),
            **window,
        ),
        tuple(last),
        tags.hex(),
    )


ANSWERS: Mapping[type[Request[Any]], Callable[[Any, Implementations], Any]] = {
    RunSessions: _run_sessions,
    Gather: _gather,
}
"""Type of a request -> what answers it, given the implementations of the worker's source by
name."""
