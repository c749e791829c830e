# SPDX-License-Identifier: Apache-2.0
"""Charts that are not held to the schema of Vega-Lite, piece by piece, while they are built.

Altair's check takes half of the time of a chart, and finds faults of our code alone: no text of
results decides which parts a chart has. The tests of each chart build it with the check.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from altair.utils.schemapi import debug_mode

__all__ = ["unchecked"]


def unchecked() -> AbstractContextManager[None]:
    """Build charts without Altair's check; their `to_dict` needs `validate=False` beside."""
    return debug_mode(False)
