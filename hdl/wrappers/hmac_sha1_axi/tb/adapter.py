# SPDX-License-Identifier: Apache-2.0
"""Drives `hmac_sha1_axi`."""

from __future__ import annotations

import hmac
from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """HMAC-SHA1 between AXI-Streams."""

    algorithm: ClassVar[str] = "hmac-sha1"
    key_bytes: ClassVar[tuple[int, ...]] = (20, 16, 64)

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """HMAC-SHA1 of Python's standard library."""
        return hmac.digest(key, message, "sha1")
