# SPDX-License-Identifier: Apache-2.0
"""Drives `siphash`: words of 8 bytes in, a tag of 8 bytes out."""

from __future__ import annotations

from joulemark.hardware.bench.streams import KeyedStreamAdapter
from joulemark.reference import siphash_2_4

__all__ = ["Adapter"]


class Adapter(KeyedStreamAdapter):
    """Streams of the core; in keys, words and tags the first byte is in the lowest bits."""

    byte_order = "little"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """SipHash-2-4 in readable Python."""
        return siphash_2_4(key, message)
