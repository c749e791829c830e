# SPDX-License-Identifier: Apache-2.0
"""Drives `chaskey`: words of 4 bytes in, a tag of 16 bytes out."""

from __future__ import annotations

from joulemark.hardware.bench.streams import KeyedStreamAdapter
from joulemark.reference.lightweight import chaskey

__all__ = ["Adapter"]

_ROUNDS = 12


class Adapter(KeyedStreamAdapter):
    """Streams of the core; in keys, words and tags the first byte is in the lowest bits."""

    byte_order = "little"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Chaskey-12 in readable Python."""
        return chaskey(key, message, _ROUNDS)
