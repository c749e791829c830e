# SPDX-License-Identifier: Apache-2.0
"""The worker's side of energy: opens the meter in the measured process and takes windows there.

The window is taken where the load runs, on the core that runs it: a reader on another core would
itself use energy beside the load.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from joulemark import _core
from joulemark.measure.windows.activity import SystemActivity
from joulemark.measure.windows.clock import SystemClock
from joulemark.measure.windows.loads import DeepIdle, Load, MessageLoad, Paused
from joulemark.measure.windows.observe import observe
from joulemark.measure.windows.window import take_window
from joulemark.measure.workers.messages import MeteredDomains, ObserveMeter, TakeWindow
from joulemark.meters.contract import Meter, MeterError, Roots
from joulemark.meters.instruments import make_meter
from joulemark.records.energy_window import EnergyWindow, Observation, WindowKind

__all__ = ["EnergyDesk"]


class EnergyDesk:
    """Meters, each opened when first asked for."""

    def __init__(self) -> None:
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

    def observe(self, request: ObserveMeter) -> tuple[Observation, ...]:
        """Polls the counters while the core spins, to find their paces."""
        meter, _ = self._open(request.metered)
        spin = Paused(_core.pause_for_ns)
        domains = request.metered.domains
        return tuple(observe(meter, domains, spin, self._clock, longest_s=request.longest_s))

    def window(
        self, request: TakeWindow, run_messages: Callable[[int], None] | None = None
    ) -> EnergyWindow:
        """Takes one window; `run_messages`, in whole batches, is for a load window alone."""
        meter, activity = self._open(request.metered)
        load = self._load(request, run_messages)
        return take_window(
            meter, request.metered.domains, load, self._clock, activity, request.window
        )

    def _load(self, request: TakeWindow, run_messages: Callable[[int], None] | None) -> Load:
        if request.kind is WindowKind.DEEP_IDLE:
            return DeepIdle(self._clock)
        if request.kind is WindowKind.ACTIVE_IDLE:
            return Paused(_core.pause_for_ns)
        assert request.load is not None
        assert run_messages is not None
        batch = request.load.run.trial.workload.batch
        return MessageLoad(run_messages, self._clock, request.load.ns_per_message, batch)
