# SPDX-License-Identifier: Apache-2.0
"""Opens the meter in the worker, and takes energy windows there.

The window is taken on the core that runs the load: a reader on another core would itself use energy
beside the load.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joulemark import _core
from joulemark.measure.windows.edges import Idle, Load, MessageLoad, SystemActivity, SystemClock
from joulemark.measure.windows.window import observe, take_window
from joulemark.measure.worker_messages.base import Request, output_text
from joulemark.measure.worker_messages.energy import (
    Metered,
    MeteredDomains,
    Observed,
    ObserveMeter,
    TakeWindow,
)
from joulemark.measure.worker_messages.runs import TrialRun
from joulemark.meters.contract import Meter, MeterError, Roots
from joulemark.meters.instruments import make_meter
from joulemark.records.energy_window import WindowKind

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
    """Meters, each opened when first asked for.

    Args:
        loop_of: makes the timed loop of a trial.
    """

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
