# SPDX-License-Identifier: Apache-2.0
"""Drives `sha1_axi`."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from joulemark.hardware.bench.streams import AxiAdapter

__all__ = ["Adapter"]


class Adapter(AxiAdapter):
    """SHA-1 between AXI-Streams, on either core."""

    algorithm: ClassVar[str] = "sha1"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """The digest by `hashlib`, which uses OpenSSL where Python was built with it."""
        del key
        return hashlib.sha1(message, usedforsecurity=False).digest()
