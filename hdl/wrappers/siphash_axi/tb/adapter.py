# SPDX-License-Identifier: Apache-2.0
"""Drives `siphash_axi`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter
from joulemark.reference import siphash_2_4

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """SipHash-2-4 between AXI-Streams."""

    algorithm: ClassVar[str] = "siphash-2-4"
    key_bytes: ClassVar[tuple[int, ...]] = (16,)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """SipHash-2-4 in readable Python."""
        return siphash_2_4(key, message)
