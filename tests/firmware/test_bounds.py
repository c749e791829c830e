# SPDX-License-Identifier: Apache-2.0
"""Core cycles that our implementations may take at most, on targets where we promise them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from joulemark.firmware.build import every_implementation
from joulemark.firmware.firmware_counts import count
from joulemark.firmware.target import Target

Find = Callable[[str], Target]


@pytest.mark.parametrize(
    ("name", "implementation", "sizes", "blocks", "most"),
    [
        ("mcu:atmega128", "aes128/mcu8", (0, 16), 1, 4_500),
        ("mcu:atmega128", "sha1/mcu8", (64, 128), 1, 26_000),
        ("mcu:atmega128", "sha256/mcu8", (64, 128), 1, 50_000),
        ("mcu:cortex-m4", "aes128/mcu32", (0, 128), 8, 1_700),
        ("mcu:cortex-m4", "sha256/mcu32", (64, 128), 1, 3_300),
    ],
)
def test_a_block_takes_no_more(
    runnable: Find, name: str, implementation: str, sizes: tuple[int, int], blocks: int, most: int
) -> None:
    """A hash's block is the difference of two messages; a cipher's, a call with its overhead."""
    target, kernel = runnable(name), every_implementation()[implementation]
    shorter, longer = sizes
    found = count(target, kernel, [size for size in sizes if size]).counts
    taken = found[longer].core_cycles - (found[shorter].core_cycles if shorter else 0)
    assert most / 3 < taken / blocks <= most


@pytest.mark.parametrize(
    ("name", "implementation", "most"),
    [
        ("mcu:cortex-m0plus", "chaskey-8/portable", 1_002),
        ("mcu:cortex-m0plus", "siphash-2-4/mcu32", 2_392),
        ("mcu:cortex-m0plus", "poly1305/mcu32", 6_133),
        ("mcu:cortex-m0plus", "blake2s-mac/mcu32", 8_310),
        ("mcu:cortex-m3", "chaskey-12/portable", 725),
        ("mcu:cortex-m3", "siphash-2-4/mcu32", 799),
        ("mcu:cortex-m4", "siphash-2-4/mcu32", 754),
    ],
)
def test_a_packet_takes_no_more_than_plain_c_without_wiping(
    runnable: Find, name: str, implementation: str, most: int
) -> None:
    """`most` is the count of short C at -O2 for 33 bytes, which neither wipes nor has streams."""
    found = count(runnable(name), every_implementation()[implementation], (33,)).counts
    assert most / 3 < found[33].core_cycles <= most
