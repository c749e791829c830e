# SPDX-License-Identifier: Apache-2.0
"""Drives `ascon_mac`: blocks of 32 bytes in, a tag of 16 bytes out."""

from __future__ import annotations

from joulemark.hardware.bench.streams import KeyedStreamAdapter
from joulemark.reference import ascon_mac

__all__ = ["Adapter"]


class Adapter(KeyedStreamAdapter):
    """Streams of the core; in keys, blocks and tags the first byte is in the highest bits."""

    byte_order = "big"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Ascon-Mac in readable Python."""
        return ascon_mac(key, message)
