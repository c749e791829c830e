# SPDX-License-Identifier: Apache-2.0
"""The refusal of a value from outside."""

from __future__ import annotations


class ForeignError(ValueError):
    """A value from outside has another form than it must have; the text says where in the value."""
