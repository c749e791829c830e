# SPDX-License-Identifier: Apache-2.0
"""The table of instruction times of Cortex-M, against rows of Arm's reference manuals."""

from __future__ import annotations

import pytest

from joulemark.firmware.cortex_m import Instruction, block_time


def _cycles(core: str, *lines: str) -> tuple[int, int]:
    """Core cycles of a block if its branch is not taken, and if it is taken."""
    block = [Instruction(*line.partition(" ")[::2]) for line in lines]
    time = block_time(core, block)
    assert time.instructions == len(lines)
    return time.core_cycles, time.core_cycles + time.taken


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        (("adds r0, r1, r2",), (1, 1)),
        (("muls r0, r1, r0",), (1, 1)),
        (("ldr r0, [r1]",), (2, 2)),
        (("ldr r0, [r1]", "ldr r2, [r1, #4]"), (4, 4)),
        (("strb r0, [r1, #1]",), (2, 2)),
        (("push {r4, r5, lr}",), (4, 4)),
        (("pop {r4, r5, pc}",), (6, 6)),
        (("ldm r0!, {r1, r2, r3, r4}",), (5, 5)),
        (("bne #0x10",), (1, 2)),
        (("b #0x10",), (2, 2)),
        (("bl #0x10",), (3, 3)),
        (("bx lr",), (2, 2)),
        (("mov pc, r0",), (2, 2)),
    ],
)  # fmt: skip
def test_cortex_m0plus(lines: tuple[str, ...], cycles: tuple[int, int]) -> None:
    """DDI 0484C, table 3-1."""
    assert _cycles("cortex-m0plus", *lines) == cycles


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        (("eor.w r0, r1, r2, ror #7",), (1, 1)),
        (("umull r0, r1, r2, r3",), (1, 1)),
        (("umlal r0, r1, r2, r3",), (1, 1)),
        (("ldr r0, [r1]",), (2, 2)),
        (("ldr r0, [r1]", "ldr r2, [r1, #4]", "ldr.w r3, [r1, #8]"), (4, 4)),
        (("ldr r0, [r1]", "ldr r2, [r0, #4]"), (4, 4)),
        (("str r0, [r1, #4]",), (1, 1)),
        (("str.w r0, [r1, r2, lsl #2]",), (2, 2)),
        (("ldrd r0, r1, [r2]",), (3, 3)),
        (("push {r4, r5, r6, lr}",), (5, 5)),
        (("ldm.w r0, {r1, r2}",), (3, 3)),
        (("beq #0x10",), (1, 2)),
        (("cbnz r0, #0x10",), (1, 2)),
        (("bx lr",), (3, 3)),
        (("pop {r4, pc}",), (5, 5)),
    ],
)  # fmt: skip
def test_cortex_m4(lines: tuple[str, ...], cycles: tuple[int, int]) -> None:
    """DDI 0439D, table 3-1 and section 3.3.2."""
    assert _cycles("cortex-m4", *lines) == cycles


def test_cortex_m3_multiplies_more_slowly() -> None:
    """DDI 0337I, table 3-1: long products take 3 to 5 core cycles there, of which 4 are taken."""
    assert _cycles("cortex-m3", "umull r0, r1, r2, r3") == (4, 4)
    assert _cycles("cortex-m3", "umlal r0, r1, r2, r3") == (5, 5)
    assert _cycles("cortex-m3", "mla r0, r1, r2, r3") == (2, 2)
    assert _cycles("cortex-m3", "ldr r0, [r1]", "ldr r2, [r1, #4]") == (3, 3)
