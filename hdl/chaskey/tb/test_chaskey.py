# SPDX-License-Identifier: Apache-2.0
"""cocotb tests for `chaskey` alone: every length of a last block, and when its tag is seen."""

from __future__ import annotations

from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.streams import simulation_request, started

PARAMETERS = simulation_request(random_messages=0).parameters
KEY = bytes(range(16))


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def every_length_up_to_four_blocks(dut: Any) -> None:
    """Both subkeys and every place of the padding, with keys whose top two bits are all values."""
    adapter = await started(Adapter, dut, dut.clk_i, PARAMETERS)
    for top in range(0, 256, 64):
        key = bytes([*KEY[:-1], top])
        await adapter.set_key(key)
        messages = [bytes(range(1, length + 1)) for length in range(66)]
        tags = await adapter.process(messages)
        assert tags == [Adapter.reference(key, message) for message in messages]


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def a_tag_is_shown_only_while_it_is_offered(dut: Any) -> None:
    """The port of tags is 0 at all other times, so that neither key nor state is seen there."""
    adapter = await started(Adapter, dut, dut.clk_i, PARAMETERS)
    await adapter.set_key(KEY)
    sending = cocotb.start_soon(adapter.process([bytes(40), b""]))
    offered = 0
    while not sending.done():
        await FallingEdge(dut.clk_i)
        offered += bool(dut.tag_valid_o.value)
        assert dut.tag_valid_o.value or int(dut.tag_o.value) == 0
        await RisingEdge(dut.clk_i)
    assert offered == 2
