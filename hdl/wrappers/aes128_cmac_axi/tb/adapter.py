# SPDX-License-Identifier: Apache-2.0
"""Drives `aes128_cmac_axi`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter
from joulemark.reference.block_ciphers import cmac

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """AES-CMAC between AXI-Streams."""

    algorithm: ClassVar[str] = "cmac-aes128"
    key_bytes: ClassVar[tuple[int, ...]] = (16,)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """CMAC by our reference implementation."""
        return cmac(key, message)
