# SPDX-License-Identifier: Apache-2.0
"""Drives hmac_sha256_round: keys, messages as words, tags with H0 first."""

from __future__ import annotations

from joulemark.hardware.bench.hmac_words import HmacWordsAdapter

__all__ = ["Adapter"]


class Adapter(HmacWordsAdapter):
    """The core has no port for plain digests: all are tags."""

    hash_name = "sha256"
    key_clocks = 60
    key_bytes = (32, 0, 16, 20, 64, 80)
