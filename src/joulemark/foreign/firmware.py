# SPDX-License-Identifier: Apache-2.0
"""Counts of firmware targets from outside: a file, or counts that wait for a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import ForeignError, shortened
from joulemark.records.figures import Evidence
from joulemark.records.sample import FirmwareCount

_LEAST: Final = {"core_cycles": 1, "instructions": 1}
"""Field -> the smallest value that it may have; 0 for the others."""
_MOST_WORD: Final = 255
"""Most signs in `compiler` and `simulator`, as in their columns of a database."""
_EVIDENCE: Final = (Evidence.SIMULATED, Evidence.MODELLED)


def firmware_count_from(values: Mapping[str, Any]) -> FirmwareCount:
    """The count of a trial on a firmware target, from values that come from outside.

    Raises:
        ForeignError: a field is missing, unknown or of another type, a number is not from 0 (core
            cycles and instructions: 1) to 2^63 - 1, a word is too long, or the evidence is neither
            `simulated` nor `modelled`.
    """
    known = [field.name for field in fields(FirmwareCount)]
    strange = sorted(values.keys() - set(known))
    if strange:
        raise ForeignError(f"it has the unknown field '{shortened(strange[0])}'")
    count = record_from_json(FirmwareCount, values)
    for name in known:
        value = getattr(count, name)
        least = _LEAST.get(name, 0)
        if isinstance(value, int) and not least <= value < 2**63:
            raise ForeignError(f"{name} is {value}, not a whole number of at least {least}")
    if count.evidence not in _EVIDENCE:
        raise ForeignError("evidence is neither simulated nor modelled")
    for name in ("compiler", "simulator"):
        if len(getattr(count, name)) > _MOST_WORD:
            raise ForeignError(f"{name} has more than {_MOST_WORD} signs")
    return count
