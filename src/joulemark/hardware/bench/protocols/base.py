# SPDX-License-Identifier: Apache-2.0
"""What the adapters made from a table have in common: reset, and waiting for a signal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer

from joulemark.errors import UsageError
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols.table import PortTable
from joulemark.hardware.core.driven import port_of

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
        await self._raise_for_a_period(port)

    async def _raise_for_a_period(self, port: Any) -> None:
        port.value = 1
        await RisingEdge(self.clock)
        port.value = 0
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
