# SPDX-License-Identifier: Apache-2.0
"""cocotb module: drives a core through its adapter as a plan says, and records the periods.

The plan and the record are JSON files; `joulemark.hardware.simulation.driving` writes the plan and
reads the record. Periods are counted from 0 by their falling edges; every port is looked at there.
"""

from __future__ import annotations

import json
import os
import random
import traceback
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, FallingEdge, RisingEdge

from joulemark.errors import JoulemarkError, UsageError
from joulemark.hardware.bench import streams
from joulemark.hardware.bench.adapter import (
    CoreAdapter,
    DrivenCore,
    DrivePlan,
    PlanBatch,
    PlanEnd,
    PlanRecord,
    adapter_class,
    port_of,
)

_CLOCK_NS = 10
_UNSEEN_BYTES = 16
"""Bytes of messages for which a core whose words are not seen may be silent as long as any other
core between two words."""


class _Watch:
    """Watches in every period the ports asked for, and the words on the adapter's streams."""

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
        self.ended = Event()
        """Set when the plan is done, and when nothing has moved for too long."""
        self.hung = False
        self._still = 0
        self._longest = 0
        self._waiting: dict[int, bool] = {}

    def allow(self, clocks: int) -> None:
        """Lets so many clocks pass from now on in which no word moves."""
        self._still, self._longest = 0, clocks

    def word_goes_in(self) -> None:
        """Called by an adapter without streams."""
        self.taken.append(self.period)
        self._still = 0

    def result_is_there(self) -> None:
        """Called by an adapter without streams."""
        self.offered.append(self.period)
        self._still = 0

    async def look(self) -> None:
        """Looks at every period, for ever."""
        while True:
            await FallingEdge(self.clock)
            moved = len(self.taken) + len(self.offered)
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
            self._still = 0 if len(self.taken) + len(self.offered) > moved else self._still + 1
            if self._still > self._longest:
                self.hung = True
                self.ended.set()

    def low(self) -> list[str]:
        """Names of the ports that the streams wait for."""
        into = [
            source.ready
            for source in self.sources
            if _bits(source.valid) and not _bits(source.ready)
        ]
        out = [sink.valid for sink in self.sinks if _bits(sink.ready) and not _bits(sink.valid)]
        return [port._name for port in (*into, *out)]  # noqa: SLF001 - cocotb's only name


def _bits(port: Any) -> int:
    value = port.value
    return int(value) if value.is_resolvable else 0


def _set_to_zero(dut: Any, name: str) -> None:
    """Gives an input a value that may have no role in the manifest; vectors and bits alone."""
    with suppress(AttributeError, TypeError, ValueError):
        getattr(dut, name).value = 0


_chance = random.Random(20261129)  # noqa: S311 - values that no core should look at


def _scramble(ports: Iterable[Any]) -> None:
    """Gives inputs random values."""
    for port in ports:
        port.value = _chance.getrandbits(len(port))


def _note_tasks(begun: list[Any]) -> None:
    """Adds every task that an adapter starts from now on to the list."""
    start = cocotb.start_soon

    def start_noted(coroutine: Any) -> Any:
        begun.append(start(coroutine))
        return begun[-1]

    cocotb.start_soon = start_noted  # type: ignore[assignment]


def _note_streams(watch: _Watch) -> None:
    """Adds every stream that an adapter makes from now on to the watch."""
    for kind, noted in ((streams.StreamSource, watch.sources), (streams.StreamSink, watch.sinks)):
        begin = kind.__init__

        def begin_noted(
            self: Any, *arguments: Any, _begin: Any = begin, _noted: Any = noted, **options: Any
        ) -> None:
            _begin(self, *arguments, **options)
            _noted.append(self)

        kind.__init__ = begin_noted  # type: ignore[method-assign]


class _Run:
    """Carries out one plan."""

    def __init__(self, dut: Any, plan: DrivePlan) -> None:
        self.plan = plan
        core = plan["core"]
        self.clock = port_of(dut, core.clock, core, "its clock")
        self.watch = _Watch(dut, self.clock, plan["ports"])
        self.watch.allow(plan["longest_clocks"])
        self.answer = _no_answer()
        _note_streams(self.watch)
        self._begun: list[Any] = []
        _note_tasks(self._begun)
        self._dut = dut
        self._adapter: CoreAdapter | None = None
        self._key: bytes | None = None
        self._offered = 0

    async def carry_out(self) -> None:
        """Runs to the end of the plan, or until the adapter raises."""
        try:
            await self._carry_out()
        except Exception as error:  # noqa: BLE001 - foreign code
            self.answer["ended"] = _ended(error)
        self.watch.ended.set()

    async def _carry_out(self) -> None:
        kind = adapter_class(self.plan["core"])
        for name in self.plan["inputs"]:
            _set_to_zero(self._dut, name)
        adapter = self._adapter = kind(self._dut, self.clock, self.plan["parameters"])
        adapter.word_goes_in = self.watch.word_goes_in
        adapter.result_is_there = self.watch.result_is_there
        if self.plan["scramble"]:
            adapter.scramble = _scramble
            for source in self.watch.sources:
                source.scramble = _scramble
        for _ in range(1, self.plan["resets"]):
            # A simulator sees the edge of a reset only if the reset was released before, which
            # registers that begin at any value do not tell.
            await adapter.reset()
            await RisingEdge(self.clock)
        await adapter.reset()
        self.answer["reset_end"] = self.watch.period
        for batch in self.plan["batches"]:
            if batch["stopped"] is not None:
                await self._begin(adapter, batch, batch["stopped"])
            if batch["reset"]:
                await adapter.reset()
                self._key = None
            await self._batch(adapter, batch)
            self.watch.allow(self.plan["longest_clocks"])
            for _ in range(batch["idle"]):
                await RisingEdge(self.clock)

    async def _set_key(self, adapter: CoreAdapter, batch: PlanBatch) -> bytes | None:
        """Gives the core the key of a batch, if it has another; returns the key."""
        self.watch.allow(self.plan["longest_clocks"])
        key = None if batch["key"] is None else bytes.fromhex(batch["key"])
        if key is not None and key != self._key:
            begin = self.watch.period
            await adapter.set_key(key)
            self.answer["key_clocks"] = self.watch.period - begin
            self._key = key
        return key

    async def _begin(self, adapter: CoreAdapter, batch: PlanBatch, part: float) -> None:
        """Begins messages and gives them up, with all tasks that drive ports for them."""
        before = self.answer["batches"][-1]
        whole = before["end"] - before["begin"]
        await self._set_key(adapter, batch)
        self._begun.clear()
        # Other bits than those that follow: what is left of them must show.
        others = [bytes(byte ^ 0xFF for byte in bytes.fromhex(text)) for text in batch["messages"]]
        task = cocotb.start_soon(adapter.process(others))
        for _ in range(max(1, min(whole - 1, int(part * whole)))):
            await RisingEdge(self.clock)
        if task.done():
            task.result()  # raises what it raised
        for each in self._begun:
            each.cancel()

    async def _batch(self, adapter: CoreAdapter, batch: PlanBatch) -> None:
        watch = self.watch
        messages = [bytes.fromhex(text) for text in batch["messages"]]
        longest = self.plan["longest_clocks"]
        key = await self._set_key(adapter, batch)
        self._begun.clear()
        seen = watch.sources or watch.sinks or watch.taken
        unseen = len(messages) + sum(map(len, messages)) // _UNSEEN_BYTES
        watch.allow(longest if seen else longest * (1 + unseen))
        begin, taken = watch.period, len(watch.taken)
        self._offered = offered = len(watch.offered)
        results = await adapter.process(messages)
        expected = [type(adapter).reference(key or b"", message) for message in messages]
        self.answer["batches"].append(
            {
                "begin": begin,
                "end": watch.period,
                "taken": watch.taken[taken:],
                "offered": watch.offered[offered:],
                "results": [result.hex() for result in results],
                "expected": [tag.hex() for tag in expected],
                "key_clocks": self.answer["key_clocks"],
            }
        )

    def hung(self) -> PlanEnd:
        """The record's entry about a core that does not go on: the signals that it waits for."""
        waits_for = getattr(self._adapter, "waits_for", None)
        return {
            "kind": "hung",
            "batch": len(self.answer["batches"]),
            "results": len(self.watch.offered) - self._offered,
            "low": self.watch.low() or ([] if waits_for is None else [waits_for]),
        }


def _ended(error: Exception) -> PlanEnd:
    """The record's entry about an error that an adapter raised."""
    if isinstance(error, JoulemarkError):
        usage = isinstance(error, UsageError)
        return {"kind": "usage" if usage else "implementation", "text": str(error)}
    last = traceback.extract_tb(error.__traceback__)[-1]
    return {
        "kind": "implementation",
        "text": f"its adapter ended with {type(error).__name__}: {error} "
        f"({Path(last.filename).name}, line {last.lineno})",
    }


def _read_plan() -> DrivePlan:
    plan: DrivePlan = json.loads(Path(os.environ["JOULEMARK_PLAN"]).read_text("utf-8"))
    fields: Any = plan["core"]
    plan["core"] = DrivenCore(**{**fields, "folder": Path(fields["folder"])})
    return plan


def _no_answer() -> PlanRecord:
    return {"batches": [], "key_clocks": 0, "reset_end": 0, "ended": None, "values": {}}


def _write(plan: DrivePlan, answer: PlanRecord) -> None:
    Path(plan["record"]).write_text(json.dumps(answer), "utf-8")


@cocotb.test()
async def record(dut: Any) -> None:
    """Carries out the plan."""
    plan = _read_plan()
    try:
        run = _Run(dut, plan)
    except JoulemarkError as error:
        _write(plan, _no_answer() | {"ended": _ended(error)})
        return
    run.clock.value = 0
    Clock(run.clock, _CLOCK_NS, "ns").start(start_high=False)
    cocotb.start_soon(run.watch.look())
    task = cocotb.start_soon(run.carry_out())
    await run.watch.ended.wait()
    if run.watch.hung and not task.done():
        run.answer["ended"] = run.hung()
        task.cancel()
    await FallingEdge(run.clock)
    run.answer["values"] = {
        name: [f"{value:x}" for value in values] for name, values in run.watch.values.items()
    }
    _write(plan, run.answer)
