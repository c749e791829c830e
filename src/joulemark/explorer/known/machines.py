# SPDX-License-Identifier: Apache-2.0
"""Machines as the store knows them: runs whose times may be compared are of one machine.

Equal machines are told apart by their digest. No page shows it: addresses have a digest of this
digest and of the machine's facts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from joulemark.environment.facts import told_apart

_NOT_IN_ADDRESSES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_WORDS: Final = 40
_DIGITS: Final = 8
_UNNAMED: Final = "an unnamed CPU"


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """Facts that must agree for times to be comparable (`MACHINE_KEYS`), named for addresses."""

    slug: str
    """The name in addresses: lower-case letters, digits and dashes, with a digest at the end."""
    name: str
    """The name that the user gave, and that of the CPU; other machines may have the same name."""
    environment: Mapping[str, Any]
    """The environment of its newest run."""

    @property
    def short(self) -> str:
        """The name, with the digits that tell the machine from others of that name."""
        return f"{self.name} ({self.slug[-_DIGITS:]})"


def machines_of(
    environments: Sequence[Mapping[str, Any]], alike: Sequence[tuple[str, str | None]]
) -> list[KnownMachine]:
    """The machine of each run.

    Args:
        environments: fields of `Environment` for each run; any field may be missing.
        alike: facts and digest of each run, as `facts_and_digest` has them.
    """
    return [
        _machine(environment, text)
        for environment, text in zip(environments, told_apart(alike), strict=True)
    ]


def _machine(environment: Mapping[str, Any], text: str) -> KnownMachine:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    cpu, given = (
        " ".join(str(environment.get(key) or "").split()) for key in ("cpu_model", "machine_name")
    )
    words = _NOT_IN_ADDRESSES.sub("-", (cpu or _UNNAMED).lower())[:_LONGEST_WORDS].strip("-")
    name = ", ".join(filter(None, (given, cpu or _UNNAMED)))
    return KnownMachine(f"{words or 'machine'}-{digest}", name, environment)
