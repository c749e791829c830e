# SPDX-License-Identifier: Apache-2.0
"""The worker's side of energy: opens the meter in the measured process and takes windows there.

The window is taken where the load runs, on the core that runs it: a reader on another core would
itself use energy beside the load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from joulemark import _core
from joulemark.measure.windows.activity import SystemActivity
from joulemark.measure.windows.clock import SystemClock
from joulemark.measure.windows.loads import DeepIdle, Load, MessageLoad, Paused
from joulemark.measure.windows.observe import observe
from joulemark.measure.windows.window import WindowRequest, take_window
from joulemark.meters.contract import Meter, MeterError, Roots
from joulemark.meters.instruments import make_meter
from joulemark.records.domain import Domain
from joulemark.records.energy_window import WindowKind

__all__ = ["EnergyDesk"]


class EnergyDesk:
    """One meter, opened when first asked for."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._activity: SystemActivity | None = None
        self._meters: dict[tuple[str, str, str], Meter] = {}

    def _meter(self, request: Mapping[str, Any]) -> Meter:
        key = (request["meter"], request["sysfs"], request["proc"])
        if key not in self._meters:
            roots = Roots(Path(request["sysfs"]), Path(request["proc"]))
            meter = make_meter(request["meter"], roots)
            # The first reading opens events and libraries, which must not fall into a window.
            for one in request["domains"]:
                with suppress(MeterError):
                    meter.read(one["id"])
            self._meters[key] = meter
            self._activity = SystemActivity(roots.sysfs)
        return self._meters[key]

    def observe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Polls the counters while the core spins, to find their paces."""
        domains = [Domain.from_dict(one) for one in request["domains"]]
        seen = observe(
            self._meter(request), domains, Paused(_core.pause_for_ns), self._clock,
            longest_s=request["longest_s"],
        )  # fmt: skip
        return {"observations": [asdict(one) for one in seen]}

    def window(
        self,
        request: Mapping[str, Any],
        run_messages: Callable[[int], None] | None,
        batch: int = 1,
    ) -> dict[str, Any]:
        """Takes one window; `run_messages`, in multiples of `batch`, is for a load window alone."""
        meter = self._meter(request)
        assert self._activity is not None
        fields = take_window(
            meter,
            [Domain.from_dict(one) for one in request["domains"]],
            self._load(request, run_messages, batch),
            self._clock,
            self._activity,
            WindowRequest(**request["window"]),
        )
        return {**fields, "traces": [asdict(trace) for trace in fields["traces"]]}

    def _load(
        self, request: Mapping[str, Any], run_messages: Callable[[int], None] | None, batch: int
    ) -> Load:
        kind = WindowKind(request["kind"])
        if kind is WindowKind.DEEP_IDLE:
            return DeepIdle(self._clock)
        if kind is WindowKind.ACTIVE_IDLE:
            return Paused(_core.pause_for_ns)
        assert run_messages is not None
        return MessageLoad(run_messages, self._clock, request["ns_per_message"], batch)
