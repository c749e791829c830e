# SPDX-License-Identifier: Apache-2.0
"""Drives `sha1_pipeline`."""

from __future__ import annotations

from typing import ClassVar

from joulemark.hardware.bench.channels import ChannelsAdapter

__all__ = ["Adapter"]


class Adapter(ChannelsAdapter):
    """SHA-1 on the channels of the pipeline."""

    algorithm: ClassVar[str] = "sha1"
