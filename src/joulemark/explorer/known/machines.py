# SPDX-License-Identifier: Apache-2.0
"""Machines as the store knows them: runs whose times may be compared share one.

Equal machines are told apart by their digest, which no page shows: a digest of it and of the facts
stands in the address.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from joulemark.environment.equals import told_apart

__all__ = ["Machine", "machines_of"]

_NOT_IN_ADDRESSES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_WORDS: Final = 40
_DIGITS: Final = 8
_UNNAMED: Final = "an unnamed CPU"


@dataclass(frozen=True, slots=True)
class Machine:
    """What must agree for times to be comparable (`MACHINE_KEYS`), under a name for addresses."""

    slug: str
    """Lower-case letters, digits and dashes; ends in a digest."""
    name: str
    """Of its CPU, behind the one that it was given; may be that of other machines too."""
    environment: Mapping[str, Any]
    """Of its newest run."""

    @property
    def short(self) -> str:
        """Name with the digits that tell it from others of the same CPU."""
        return f"{self.name} ({self.slug[-_DIGITS:]})"


def machines_of(
    environments: Sequence[Mapping[str, Any]], alike: Sequence[tuple[str, str | None]]
) -> list[Machine]:
    """The machine of each run.

    Args:
        environments: of all runs, fields of `Environment`, of which any may be missing.
        alike: facts and digest of each, as `facts_and_digest` has them.
    """
    return [
        _machine(environment, text)
        for environment, text in zip(environments, told_apart(alike), strict=True)
    ]


def _machine(environment: Mapping[str, Any], text: str) -> Machine:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    cpu, given = (
        " ".join(str(environment.get(key) or "").split()) for key in ("cpu_model", "machine_name")
    )
    words = _NOT_IN_ADDRESSES.sub("-", (cpu or _UNNAMED).lower())[:_LONGEST_WORDS].strip("-")
    name = ", ".join(filter(None, (given, cpu or _UNNAMED)))
    return Machine(f"{words or 'machine'}-{digest}", name, environment)
