# SPDX-License-Identifier: Apache-2.0
"""cocotb module: drives a core through its adapter as a plan says, and writes down what happened.

The plan and the record are JSON files; `joulemark.hardware.workload` writes the one and reads the
other. Periods are counted from 0 by their falling edges; every port is looked at there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench import streams
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.manifest import Core

__all__ = ["record"]

_CLOCK_NS = 10


class _Watch:
    """Sees every period: the ports asked for, and the words that moved on the adapter's streams."""

    def __init__(self, dut: Any, clock: Any, ports: list[str]) -> None:
        self.clock = clock
        self.period = 0
        self.ports = {name: getattr(dut, name) for name in ports}
        self.values: dict[str, list[int]] = {name: [] for name in ports}
        self.sources: list[streams.StreamSource] = []
        self.sinks: list[streams.StreamSink] = []
        self.taken: list[int] = []
        """Periods at whose end a word went into the core."""
        self.offered: list[int] = []
        """Periods in which a word of a result was there for the first time."""
        self._waiting: dict[int, bool] = {}

    async def look(self) -> None:
        """Runs for ever."""
        while True:
            await FallingEdge(self.clock)
            for name, port in self.ports.items():
                self.values[name].append(_bits(port))
            for source in self.sources:
                if _bits(source.valid) and _bits(source.ready):
                    self.taken.append(self.period)
            for number, sink in enumerate(self.sinks):
                valid = _bits(sink.valid)
                if valid and not self._waiting.get(number, False):
                    self.offered.append(self.period)
                self._waiting[number] = bool(valid) and not _bits(sink.ready)
            self.period += 1


def _bits(port: Any) -> int:
    value = port.value
    return int(value) if value.is_resolvable else 0


def _note_streams(watch: _Watch) -> None:
    """Has every stream that an adapter makes from now on seen by the watch."""
    for kind, noted in ((streams.StreamSource, watch.sources), (streams.StreamSink, watch.sinks)):
        begin = kind.__init__

        def begin_noted(
            self: Any, *arguments: Any, _begin: Any = begin, _noted: Any = noted, **options: Any
        ) -> None:
            _begin(self, *arguments, **options)
            _noted.append(self)

        kind.__init__ = begin_noted  # type: ignore[method-assign]


def _plan() -> Mapping[str, Any]:
    plan: Mapping[str, Any] = json.loads(Path(os.environ["JOULEMARK_PLAN"]).read_text("utf-8"))
    return plan


def _write(plan: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    Path(plan["record"]).write_text(json.dumps(said), "utf-8")


@cocotb.test()
async def record(dut: Any) -> None:
    """Carries out the plan."""
    plan = _plan()
    core = Core.model_validate({**plan["core"], "folder": Path(plan["folder"])})
    clock = getattr(dut, core.clock)
    watch = _Watch(dut, clock, plan["ports"])
    _note_streams(watch)
    adapter_type = adapter_class(core)
    clock.value = 0
    Clock(clock, _CLOCK_NS, "ns").start(start_high=False)
    cocotb.start_soon(watch.look())
    adapter = adapter_type(dut, clock, plan["parameters"])
    await adapter.reset()
    said: dict[str, Any] = {"reset_end": watch.period, "batches": [], "key_clocks": 0}
    key = bytes.fromhex(plan["key"])
    if key:
        begin = watch.period
        await adapter.set_key(key)
        said["key_clocks"] = watch.period - begin
    for texts in plan["batches"]:
        messages = [bytes.fromhex(text) for text in texts]
        begin, taken, offered = watch.period, len(watch.taken), len(watch.offered)
        results = await adapter.process(messages)
        said["batches"].append(
            {
                "begin": begin,
                "end": watch.period,
                "taken": watch.taken[taken:],
                "offered": watch.offered[offered:],
                "results": [result.hex() for result in results],
                "expected": [adapter_type.reference(key, one).hex() for one in messages],
            }
        )
        for _ in range(int(plan["idle"])):
            await RisingEdge(clock)
    await FallingEdge(clock)
    said["values"] = {
        name: [f"{value:x}" for value in values] for name, values in watch.values.items()
    }
    _write(plan, said)
