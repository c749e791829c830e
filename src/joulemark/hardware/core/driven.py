# SPDX-License-Identifier: Apache-2.0
"""What of a manifest a simulation needs to drive its core.

A simulation starts without what reads manifests, which takes as long to load as a short workload
takes to run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark.spelling import did_you_mean

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core

__all__ = ["DrivenCore", "no_port"]


@dataclass(frozen=True, slots=True)
class DrivenCore:
    """Fields of `Core`, by the same names."""

    name: str
    top: str
    algorithm: str
    clock: str
    reset: str | None
    adapter: str | dict[str, Any]
    folder: Path

    @classmethod
    def of(cls, core: Core) -> DrivenCore:
        """Those of a core."""
        return cls(**{field.name: getattr(core, field.name) for field in fields(cls)})


def no_port(core: Core | DrivenCore, name: str, role: str, known: Iterable[str]) -> str:
    """The sentence for a port that a manifest names and its top module lacks.

    Args:
        core: whose manifest it is.
        name: of the port.
        role: what the manifest says that it is, as "its clock".
        known: ports that there are.
    """
    hint = did_you_mean(name, known)
    return f"{core.name}: {core.top} has no port '{name}', which the manifest names as {role}{hint}"
