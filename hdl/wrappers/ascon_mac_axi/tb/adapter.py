# SPDX-License-Identifier: Apache-2.0
"""Drives `ascon_mac_axi`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter
from joulemark.reference import ascon_mac

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """Ascon-Mac between AXI-Streams."""

    algorithm: ClassVar[str] = "ascon-mac"
    key_bytes: ClassVar[tuple[int, ...]] = (16,)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Ascon-Mac in readable Python."""
        return ascon_mac(key, message)
