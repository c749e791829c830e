# SPDX-License-Identifier: Apache-2.0
"""Machines as the store knows them: runs whose times may be compared share one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from joulemark.environment.facts import MACHINE_KEYS

__all__ = ["Machine"]

_NOT_IN_ADDRESSES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_WORDS: Final = 40
_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Machine:
    """What must agree for times to be comparable (`MACHINE_KEYS`), under a name for addresses."""

    slug: str
    """Lower-case letters, digits and dashes; ends in a digest of the facts."""
    name: str
    """Of its CPU; may be that of other machines too."""
    environment: Mapping[str, Any]
    """Of its newest run."""

    @classmethod
    def of(cls, environment: Mapping[str, Any]) -> Machine:
        """The machine of a run.

        Args:
            environment: fields of `Environment`; any may be missing.
        """
        known = {key: environment.get(key) for key in MACHINE_KEYS}
        text = json.dumps(known, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        name = " ".join(str(known["cpu_model"] or "").split()) or "an unnamed CPU"
        words = _NOT_IN_ADDRESSES.sub("-", name.lower())[:_LONGEST_WORDS].strip("-")
        return cls(f"{words or 'machine'}-{digest}", name, environment)

    @property
    def short(self) -> str:
        """Name with the digits that tell it from others of the same CPU."""
        return f"{self.name} ({self.slug[-_DIGITS:]})"
