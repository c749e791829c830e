# SPDX-License-Identifier: Apache-2.0
"""Adapters made from a manifest's table: the protocols valid_ready, init_next and start_done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer
from cocotb.types import Logic

from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.hardware.bench.adapter import CoreAdapter, DrivenCore, port_of
from joulemark.hardware.bench.port_table import PortTable, blocks, padded
from joulemark.hardware.bench.streams import StreamSink, StreamSource

if TYPE_CHECKING:
    from joulemark.hardware.manifest import Core

# What the adapters made from a table have in common: reset, and waiting for a signal.

_KEY_READY = ("key_ready", "ready")
"""Parts that show the end of a key set-up; the first that a table names counts."""


class TableAdapter(CoreAdapter):
    """Base of the adapters of protocols; `adapter_of` makes a subclass of one for each core."""

    table: ClassVar[PortTable]
    required: ClassVar[tuple[str, ...]]
    """Parts for which the table must name a port."""
    driven: ClassVar[tuple[str, ...]]
    """Parts whose ports are 0 from the reset on; a table may lack those that are not required."""
    read_if_there: ClassVar[tuple[str, ...]] = ()
    """Outputs that a table may name, beside those that are required."""
    whole_blocks_only: ClassVar[bool] = True
    """Whether a message that is not padded must be whole blocks."""
    one_block_only: ClassVar[bool] = False
    """Whether a message must fit into one block."""

    waits_for: str | None = None
    """Name of the output that must rise before anything goes on."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.table.drive_idle(dut)

    async def reset(self) -> None:
        """Resets the core for two clock periods, with every input idle."""
        self.table.drive_idle(self.dut)
        for part in self.driven:
            if (port := self.table.optional(self.dut, part)) is not None:
                port.value = 0
        name = self.table.core.reset
        if name is not None:
            port = port_of(self.dut, name, self.table.core, "its reset")
            port.value = self.table.reset_level
            for _ in range(2):
                await RisingEdge(self.clock)
            port.value = 1 - self.table.reset_level
        await RisingEdge(self.clock)

    async def set_key(self, key: bytes) -> None:
        """Puts the key at its port, where it stays; with `key_init`, has the core set it up."""
        table = self.table
        port, pulse = table.port(self.dut, "key"), table.optional(self.dut, "key_init")
        if pulse is not None:
            await self._key_is_taken()
        port.value = table.number(key, port)
        if pulse is not None:
            await self._raise_for_a_period(pulse)
            for _ in range(table.key_clocks or 0):
                await RisingEdge(self.clock)
            await self._key_is_taken()
        await RisingEdge(self.clock)

    async def _key_is_taken(self) -> None:
        """Waits until the core can take a key or has set it up, if an output shows that."""
        shown = self.table.first_of(_KEY_READY)
        if shown is not None:
            await self.until(self.table.port(self.dut, shown))

    async def until(self, port: Any) -> None:
        """Waits, from a rising edge on, for a period with this output high.

        Returns in that period, before its falling edge: what is driven then is taken by the rising
        edge that ends it. Whoever carries out a plan sees to it that waiting ends.
        """
        self.waits_for = port._name  # noqa: SLF001 - cocotb's only name of a signal
        while True:
            await ReadOnly()
            if port.value.is_resolvable and int(port.value):
                self.waits_for = None
                # Nothing may be driven in the same step as looking; a step is a picosecond or so.
                await Timer(1, "step")
                return
            await RisingEdge(self.clock)

    async def read(self, port: Any) -> bytes:
        """The result at this port in the period that has begun, when all of it has settled."""
        await FallingEdge(self.clock)
        return self.table.data(port)

    async def pulse(self, port: Any) -> None:
        """Starts a block: raises an input for this period; returns where to look again."""
        self.word_goes_in()
        await self._raise_for_a_period(port, [self.table.port(self.dut, "block")])

    async def _raise_for_a_period(self, port: Any, taken: Sequence[Any] = ()) -> None:
        """Raises a pulse; `taken` has inputs that its edge takes."""
        port.value = 1
        await RisingEdge(self.clock)
        port.value = 0
        self.scramble(taken)
        for _ in range(self.table.settle_clocks):
            await RisingEdge(self.clock)


def adapter_of(base: type[TableAdapter], table: PortTable) -> type[CoreAdapter]:
    """The class for one core, from the adapter of its protocol."""
    table.require_known(dict.fromkeys((*base.required, *base.driven, *base.read_if_there)))
    table.require(*base.required)
    _require_key_parts(table)
    if base.whole_blocks_only:
        table.require_block()
    if table.padding in {"sha2", "md5"} and table.block_bytes is None:
        raise UsageError(f"{table.core.name}: adapter.padding {table.padding} needs block_bytes")
    whole = base.whole_blocks_only and table.padding == "none"
    limits = [table.message_bytes_max, table.block_bytes if base.one_block_only else None]
    facts = {
        "table": table,
        "key_bytes": tuple(table.key_bytes),
        "message_bytes_max": min((size for size in limits if size is not None), default=None),
        "message_bytes_min": table.message_bytes_min,
        "message_bytes_multiple": (table.block_bytes or 1) if whole else 1,
        "reference": staticmethod(table.reference),
    }
    return type("Adapter", (base,), facts)


def _require_key_parts(table: PortTable) -> None:
    """Refuses a table that does not say how a key gets in, or when it is set up."""
    if table.key_bytes:
        table.require("key")
    if "key_init" not in table.ports:
        return
    if not table.key_bytes:
        raise UsageError(f"{table.core.name}: adapter.ports.key_init needs key_bytes")
    if table.first_of(_KEY_READY) is None and table.key_clocks is None:
        raise UsageError(
            f"{table.core.name}: adapter.ports.key_init needs the end of the key set-up: name the "
            "output that is high then as adapter.ports.key_ready, or say adapter.key_clocks"
        )


# `valid_ready`: words of a message go in as a stream, the result comes out as one.
#
# Parts: `valid`, `ready`, `data`; also `last` if the core is told the end, and `bytes` if it is
# told how many bytes of a word count. `result_valid`, `result_data`; also `result_ready` if the
# result can be held back. With a key: `key_valid`, `key_ready`, `key`; or `key` alone, which then
# just stays.


class _AlwaysReady:
    """Stands for the `ready` of a core that cannot be held back: 1, whatever is driven."""

    @property
    def value(self) -> Logic:
        """What a port with this role would show."""
        return Logic(1)

    @value.setter
    def value(self, _driven: int) -> None:
        """Takes nothing."""


class ValidReady(TableAdapter):
    """The adapter of this protocol."""

    required = ("valid", "ready", "data", "result_valid", "result_data")
    driven = ("valid", "data", "last", "bytes", "result_ready", "key_valid", "key")
    read_if_there = ("key_ready",)
    whole_blocks_only = False

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        table = self.table
        data = {"data": table.port(dut, "data")}
        for part in ("last", "bytes"):
            if (port := table.optional(dut, part)) is not None:
                data[part] = port
        self._word_bytes = len(data["data"]) // 8
        self._messages = StreamSource(
            clock, table.port(dut, "valid"), table.port(dut, "ready"), data
        )
        ready = table.optional(dut, "result_ready")
        self._results = StreamSink(
            clock,
            table.port(dut, "result_valid"),
            _AlwaysReady() if ready is None else ready,
            {"data": table.port(dut, "result_data")},
        )

    async def set_key(self, key: bytes) -> None:
        """Sends the key in one transfer, or puts it at its port if that has no `valid`."""
        port = self.table.port(self.dut, "key")
        valid = self.table.optional(self.dut, "key_valid")
        port.value = self.table.number(key, port)
        if valid is None:
            await RisingEdge(self.clock)
            return
        valid.value = 1
        ready = self.table.optional(self.dut, "key_ready")
        if ready is None:
            await FallingEdge(self.clock)
        else:
            await self.until(ready)
        await RisingEdge(self.clock)
        valid.value = 0

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        stream = (word for message in messages for word in self._words(message))
        sending = cocotb.start_soon(self._messages.send(stream))
        word_bytes = len(self._results.data["data"]) // 8
        result_bytes = self.table.result_bytes or word_bytes
        words = -(-result_bytes // word_bytes)
        taken = await self._results.receive(words * len(messages))
        await sending
        data = b"".join(
            transfer["data"].to_bytes(word_bytes, self.table.byte_order) for transfer in taken
        )
        return [part[:result_bytes] for part in blocks(data, words * word_bytes)]

    def _words(self, message: bytes) -> Iterator[dict[str, int]]:
        block = self.table.block_bytes or self._word_bytes
        parts = list(blocks(padded(message, block, self.table.padding), self._word_bytes)) or [b""]
        for number, part in enumerate(parts):
            filled = part.ljust(self._word_bytes, b"\0")
            word = {"data": self.table.number(filled, self._messages.data["data"])}
            if "last" in self._messages.data:
                word["last"] = int(number == len(parts) - 1)
            if "bytes" in self._messages.data:
                word["bytes"] = len(part)
            yield word


# `init_next`: blocks at a wide port, one pulse for the first block and another for the rest.
#
# Parts: `init`, `next`, `ready`, `block`, `digest`; `digest_valid` if the core has it, else the
# result stands when `ready` is high again; `key` if the core takes a key, which then just stays,
# and `key_init` if a pulse has the core set it up, until `key_ready`, or else `ready`, is high
# again. A block is offered in the first period with `ready` high, whose end takes it, so that a
# core pays only its own clocks; the pulse lasts one clock. A result is read in the period in
# which the next pulse comes.


class InitNext(TableAdapter):
    """The adapter of this protocol."""

    required = ("init", "next", "ready", "block", "digest")
    driven = ("init", "next", "block", "key", "key_init")
    read_if_there = ("digest_valid", "key_ready")

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self._init, self._next, self._ready, self._block, self._digest = (
            self.table.port(dut, part) for part in self.required
        )
        self._valid = self.table.optional(dut, "digest_valid")

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        results: list[bytes] = []
        reading = None
        size = self.table.require_block()
        for message in messages:
            data = padded(message, size, self.table.padding)
            for number, block in enumerate(blocks(data, size)):
                if number or reading is None:
                    await self.until(self._ready)
                self._block.value = self.table.number(block, self._block)
                await self.pulse(self._next if number else self._init)
                if not number and reading is not None:
                    results.append(await reading)
            await self.until(self._ready)
            if self._valid is not None:
                await self.until(self._valid)
            self.result_is_there()
            reading = cocotb.start_soon(self.read(self._digest))
        if reading is not None:
            results.append(await reading)
        await RisingEdge(self.clock)
        return results


# `start_done`: one block at a wide port, a pulse to start, and a signal when the result is there.
#
# Parts: `start`, `done`, `block`, `result`; `ready` if an output shows that a start is taken;
# `key` if the core takes a key, which then just stays, and `key_init` if a pulse has the core set
# it up, until `key_ready`, or else `ready`, is high again, or for `key_clocks`. A message is one
# block, filled up as `padding` says. The next message starts in the period with `done`, whose end
# takes it; or in the period after, if the table says `start_with_done = false`, for a core that
# looks at no start in its last state.


class StartDone(TableAdapter):
    """The adapter of this protocol."""

    required = ("start", "done", "block", "result")
    driven = ("start", "block", "key", "key_init")
    read_if_there = ("ready", "key_ready")
    one_block_only = True

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self._start, self._done, self._block, self._result = (
            self.table.port(dut, part) for part in self.required
        )
        self._ready = self.table.optional(dut, "ready")

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        results: list[bytes] = []
        reading = None
        for message in messages:
            size = self.table.require_block()
            data = padded(message, size, self.table.padding)
            if len(data) != size:
                raise UsageError(
                    f"{self.table.core.name} takes one block of {size} bytes, not {len(data)} bytes"
                )
            if reading is not None and not self.table.start_with_done:
                results.append(await reading)
                reading = None
                await RisingEdge(self.clock)
            if self._ready is not None:
                await self.until(self._ready)
            self._block.value = self.table.number(data, self._block)
            await self.pulse(self._start)
            if reading is not None:
                results.append(await reading)
            await self.until(self._done)
            self.result_is_there()
            reading = cocotb.start_soon(self.read(self._result))
        if reading is not None:
            results.append(await reading)
        await RisingEdge(self.clock)
        return results


_PROTOCOLS: Mapping[str, Any] = {
    "valid_ready": ValidReady,
    "init_next": InitNext,
    "start_done": StartDone,
}
"""Adapters by protocol; each lacks the reference, which comes with the table."""


def adapter_from_table(core: Core | DrivenCore) -> type[CoreAdapter]:
    """The class that drives a core by the table of its manifest."""
    assert isinstance(core.adapter, dict)
    name = core.adapter.get("protocol")
    if not isinstance(name, str) or name not in _PROTOCOLS:
        raise UsageError(
            f"{core.name}: adapter.protocol is {shortened(repr(name))}; there is "
            f"{', '.join(_PROTOCOLS)}"
        )
    return adapter_of(_PROTOCOLS[name], PortTable.of(core))
