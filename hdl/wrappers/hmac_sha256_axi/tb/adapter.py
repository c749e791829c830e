# SPDX-License-Identifier: Apache-2.0
"""Drives `hmac_sha256_axi`."""

from __future__ import annotations

import hmac
from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """HMAC-SHA-256 between AXI-Streams."""

    algorithm: ClassVar[str] = "hmac-sha256"
    key_bytes: ClassVar[tuple[int, ...]] = (32, 16, 64)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """HMAC-SHA-256 of Python's standard library."""
        return hmac.digest(key, message, "sha256")
