# SPDX-License-Identifier: Apache-2.0
"""The messages of a trial: their lengths, places and keys.

The worker hands lengths and keys to the harness. The parent, which must know the right outputs,
derives the same here, and places messages by the rule of `harness/batch.c`.
"""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.records.mixes import mix_lengths

__all__ = ["cycle_lengths", "distinct_keys", "message_starts"]

_ALIGN_BYTES = 64
"""Each message starts at a multiple of this from the start of its batch."""


def cycle_lengths(size_bytes: int, batch: int, mix: str) -> tuple[int, ...]:
    """Lengths of the messages of a trial's smallest window, in order."""
    return mix_lengths(mix, batch) if mix else (size_bytes,) * batch


def distinct_keys(key: bytes, count: int) -> list[bytes]:
    """Keys of one length, all different: the number of the message in the last two bytes.

    Args:
        key: at least 2 bytes.
        count: 1 to 65536; the first key is `key` itself.
    """
    end = int.from_bytes(key[-2:], "big")
    return [key[:-2] + (end ^ number).to_bytes(2, "big") for number in range(count)]


def message_starts(lengths: Sequence[int]) -> list[int]:
    """The places of the messages of one batch, in bytes from the first.

    They follow each other, each on a separate cache line, an empty message too.
    """
    starts, free = [], 0
    for length in lengths:
        starts.append(free)
        free += max(-(-length // _ALIGN_BYTES), 1) * _ALIGN_BYTES
    return starts
