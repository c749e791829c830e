# SPDX-License-Identifier: Apache-2.0
"""Drives `chaskey_axi`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter
from joulemark.reference.lightweight import chaskey

__all__ = ["Adapter"]

_ROUNDS = 12


class Adapter(AxiAdapter):
    """Chaskey-12 between AXI-Streams."""

    algorithm: ClassVar[str] = "chaskey-12"
    key_bytes: ClassVar[tuple[int, ...]] = (16,)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Chaskey-12 in readable Python."""
        return chaskey(key, message, _ROUNDS)
