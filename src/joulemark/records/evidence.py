# SPDX-License-Identifier: Apache-2.0
"""The four words that say how a figure was obtained."""

from __future__ import annotations

from enum import StrEnum


class Evidence(StrEnum):
    """How a figure was obtained; never mixed without the word beside it."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    MODELLED = "modelled"
    PUBLISHED = "published"
