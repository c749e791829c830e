# SPDX-License-Identifier: Apache-2.0
"""cocotb test for `ascon_mac` alone: the moment from which a key counts."""

from __future__ import annotations

from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge
from facts import permutation_clocks

from joulemark.hardware.bench.streams import simulation_request, started

PARAMETERS = simulation_request(random_messages=0).parameters
KEY, OTHER = bytes(range(16)), bytes(range(100, 116))


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def a_key_on_the_edge_of_the_first_block(dut: Any) -> None:
    """A key that moves together with a first block serves from the next message on."""
    adapter = await started(Adapter, dut, dut.clk_i, PARAMETERS)
    await adapter.set_key(KEY)
    for _ in range(permutation_clocks(PARAMETERS)):
        await RisingEdge(dut.clk_i)
    keys = cocotb.start_soon(adapter.set_key(OTHER))
    assert await adapter.process([b"the first key", b"the other"]) == [
        Adapter.reference(KEY, b"the first key"), Adapter.reference(OTHER, b"the other"),
    ]  # fmt: skip
    await keys
    sending = cocotb.start_soon(adapter.messages.send(adapter.words(bytes(20))))
    await RisingEdge(dut.clk_i)
    await sending
    keys = cocotb.start_soon(adapter.set_key(KEY))
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    assert await adapter.take(1) == [Adapter.reference(OTHER, bytes(20))]
    await keys
    assert await adapter.process([b""]) == [Adapter.reference(KEY, b"")]
