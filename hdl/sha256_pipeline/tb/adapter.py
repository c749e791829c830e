# SPDX-License-Identifier: Apache-2.0
"""Drives `sha256_pipeline`."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from joulemark.hardware.bench.channels import ChannelsAdapter

__all__ = ["Adapter"]


class Adapter(ChannelsAdapter):
    """SHA-256 on the channels of the pipeline."""

    algorithm: ClassVar[str] = "sha256"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """The digest by `hashlib`, which uses OpenSSL where Python was built with it."""
        del key
        return hashlib.sha256(message).digest()
