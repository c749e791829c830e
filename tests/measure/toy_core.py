# SPDX-License-Identifier: Apache-2.0
"""A core that computes nothing: its adapter lets clocks pass and returns a given output.

With it the code around a core is tested alone: the right count of clocks is known, and each kind of
misbehaviour takes one line.
"""

from __future__ import annotations

from pathlib import Path

VERILOG = """\
module toy #(parameter WAIT = 4) (input wire clk_i, input wire rst_ni, output reg [7:0] count_o);
  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) count_o <= 8'd0;
    else count_o <= count_o + WAIT[7:0];
endmodule
"""
MANIFEST = """\
schema_version = 1
name = "toy"
title = "A toy"
algorithm = "{algorithm}"
top = "toy"
clock = "clk_i"
reset = "rst_ni"
sources = ["toy.v"]
adapter = "adapter.py"

[parameters.WAIT]
about = "clocks of a message without a byte"
default = 4
values = [4, 7]

[configurations.slow]
about = "waits longer"
parameters = {{ WAIT = 7 }}

[configurations.default]
about = "as it is"
"""
ADAPTER = '''\
import hashlib
import hmac

from cocotb.triggers import ClockCycles, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter


class Adapter(CoreAdapter):
    """Takes WAIT clocks and one for each byte; three more before the first message of a batch."""

    key_bytes = {key_bytes}
    message_bytes_max = {most}
    message_bytes_multiple = {multiple}

    async def reset(self):
        self.dut.rst_ni.value = 0
        await ClockCycles(self.clock, 2)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.clock)

    async def set_key(self, key):
        self.key = key
        await ClockCycles(self.clock, 11)

    async def process(self, messages):
        await ClockCycles(self.clock, 3)
        results = []
        for message in messages:
            await ClockCycles(self.clock, self.parameters["WAIT"] + len(message))
            results.append({result})
        return results

    @staticmethod
    def reference(key, message):
        return {reference}
'''
SHA256 = "hashlib.sha256(message).digest()"
HMAC_SHA256 = 'hmac.digest(key, message, "sha256")'


def toy_core(
    folder: Path,
    *,
    algorithm: str = "sha256",
    key_bytes: tuple[int, ...] = (),
    most: int | None = None,
    multiple: int = 1,
    result: str | None = None,
    first_line: str = "",
    verilog: str = VERILOG,
) -> Path:
    """Writes the core into `folder` and returns its manifest.

    Args:
        folder: made if it is not there.
        algorithm: `sha256`, or `hmac-sha256` with `key_bytes`.
        key_bytes: lengths of key that the adapter takes.
        most: longest message.
        multiple: of which each length must be.
        result: Python expression for what comes out; the right result unless told.
        first_line: put before the adapter.
        verilog: source of the core.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reference = HMAC_SHA256 if key_bytes else SHA256
    right = reference.replace("key", "self.key") if key_bytes else reference
    adapter = ADAPTER.format(key_bytes=key_bytes, most=most, multiple=multiple,
                             result=result or right, reference=reference)  # fmt: skip
    (folder / "adapter.py").write_text(f"{first_line}\n{adapter}")
    (folder / "toy.v").write_text(verilog)
    manifest = folder / "toy.toml"
    manifest.write_text(MANIFEST.format(algorithm=algorithm))
    return manifest
