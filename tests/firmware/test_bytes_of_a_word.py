# SPDX-License-Identifier: Apache-2.0
"""A compiler that multiplies a whole word in place of its four bytes (decision 39)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.firmware.target import Target

FOUR_BYTES = """
union word { unsigned word; unsigned char byte[4]; };
unsigned upper_bits(unsigned word) {
    const union word from = {word};
    union word to;
    to.byte[0] = (unsigned char)(from.byte[0] * 32 >> 8);
    to.byte[1] = (unsigned char)(from.byte[1] * 32 >> 8);
    to.byte[2] = (unsigned char)(from.byte[2] * 32 >> 8);
    to.byte[3] = (unsigned char)(from.byte[3] * 32 >> 8);
    return to.word;
}
"""


@pytest.mark.parametrize("name", ["mcu:vexriscv", "mcu:ibex"])
def test_flags_keep_bytes_apart(
    runnable: Callable[[str], Target], tmp_path: Path, name: str
) -> None:
    """With `mulhu` of the word, GCC 12.2 turns 0xff00 into 0x1fff instead of 0x1f00."""
    tools = runnable(name).toolchain
    source = tmp_path / "bytes.c"
    source.write_text(FOUR_BYTES, "utf-8")
    done = subprocess.run(
        [tools.compiler, *tools.flags, "-S", str(source), "-o", "-"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert "upper_bits:" in done.stdout
    assert "mulhu" not in done.stdout
