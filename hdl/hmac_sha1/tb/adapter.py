# SPDX-License-Identifier: Apache-2.0
"""Drives hmac_sha1: keys, messages as words, tags and plain digests, with H4 first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joulemark.hardware.bench.hmac_words import HmacWordsAdapter

__all__ = ["Adapter"]


class Adapter(HmacWordsAdapter):
    """Tags by `process`, plain digests by `digests`."""

    hash_name = "sha1"
    key_clocks = 421
    last_first = True
    key_bytes = (20, 0, 16, 32, 64, 80)

    def _ports(self) -> dict[str, Any]:
        return {**super()._ports(), "mac": self.dut.mac_i}

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Tags of these messages, back to back."""
        return await self._run(messages, mac=1)

    async def digests(self, messages: Sequence[bytes]) -> list[bytes]:
        """Plain SHA-1 digests of these messages, back to back."""
        return await self._run(messages, mac=0)
