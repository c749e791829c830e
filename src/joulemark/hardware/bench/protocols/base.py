# SPDX-License-Identifier: Apache-2.0
"""What the adapters made from a table have in common: reset, and waiting for a signal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.errors import ImplementationError
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols.table import Table

__all__ = ["LONGEST_WAIT_CLOCKS", "TableAdapter", "made"]

LONGEST_WAIT_CLOCKS = 1_000_000
"""A core that has not answered by then hangs."""


class TableAdapter(CoreAdapter):
    """Base of the adapters; `table` is set in the class that is made for a core."""

    whole_blocks_only: ClassVar[bool] = True
    """Without padding a message must be whole blocks."""

    table: ClassVar[Table]

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.table.drive_idle(dut)

    def quiet(self) -> None:
        """Drives the protocol's inputs to their idle values."""
        raise NotImplementedError

    async def reset(self) -> None:
        """Two clock periods of reset, every input idle."""
        self.table.drive_idle(self.dut)
        self.quiet()
        name = self.table.core.reset
        if name is not None:
            port = getattr(self.dut, name)
            port.value = self.table.reset_level
            for _ in range(2):
                await RisingEdge(self.clock)
            port.value = 1 - self.table.reset_level
        await RisingEdge(self.clock)

    async def until(self, port: Any) -> None:
        """Waits for a clock period with this output high; returns in it, on its falling edge.

        Raises:
            ImplementationError: it does not come.
        """
        for _ in range(LONGEST_WAIT_CLOCKS):
            await FallingEdge(self.clock)
            if port.value.is_resolvable and int(port.value):
                return
        raise ImplementationError(
            f"{self.table.core.name}: {port._name} stayed low for {LONGEST_WAIT_CLOCKS} clocks"  # noqa: SLF001 - cocotb's only name of a signal
        )


def made(base: Any, table: Table, *, message_bytes_max: int | None = None) -> type[CoreAdapter]:
    """The class for one core, from the adapter of its protocol."""
    whole = base.whole_blocks_only and table.padding == "none"
    facts = {
        "table": table,
        "key_bytes": table.key_bytes,
        "message_bytes_max": message_bytes_max,
        "message_bytes_multiple": (table.block_bytes or 1) if whole else 1,
        "reference": staticmethod(table.reference),
    }
    cls: type[CoreAdapter] = type("Adapter", (base,), facts)
    return cls
