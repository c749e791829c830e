# SPDX-License-Identifier: Apache-2.0
"""The refusal of what comes from outside."""

from __future__ import annotations

__all__ = ["ForeignError"]


class ForeignError(ValueError):
    """A value from outside is not what its place asks for; the text says where within it."""
