# SPDX-License-Identifier: Apache-2.0
"""Drives `aes128_axi`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter
from joulemark.reference.aes import BLOCK_BYTES, encrypt_block

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """Blocks of AES-128 between AXI-Streams, on any of the three cores."""

    algorithm: ClassVar[str] = "aes128"
    key_bytes: ClassVar[tuple[int, ...]] = (16,)
    message_bytes_multiple: ClassVar[int] = BLOCK_BYTES

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Each block, encrypted by our reference implementation."""
        return b"".join(
            encrypt_block(key, message[begin : begin + BLOCK_BYTES])
            for begin in range(0, len(message), BLOCK_BYTES)
        )
