# SPDX-License-Identifier: Apache-2.0
"""cocotb test of cores that take a key together with a first word, or while that word waits."""

from __future__ import annotations

from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.streams import simulation_request, started

PARAMETERS = simulation_request(random_messages=0).parameters
KEY, OTHER = bytes(range(16)), bytes(range(100, 116))


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def a_key_with_the_first_word(dut: Any) -> None:
    """A key that moves with a first word, or while it waits, is that message's; later ones wait."""
    adapter = await started(Adapter, dut, dut.clk_i, PARAMETERS)
    await adapter.set_key(KEY)
    keys = cocotb.start_soon(adapter.set_key(OTHER))
    message = b"with the other key"
    assert await adapter.process([message]) == [Adapter.reference(OTHER, message)]
    await keys
    sending = cocotb.start_soon(adapter.messages.send(adapter.words(bytes(20))))
    await RisingEdge(dut.clk_i)
    keys = cocotb.start_soon(adapter.set_key(KEY))
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    assert await adapter.take(1) == [Adapter.reference(OTHER, bytes(20))]
    await sending
    await keys
    assert await adapter.process([b""]) == [Adapter.reference(KEY, b"")]
