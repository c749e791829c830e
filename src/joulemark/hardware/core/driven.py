# SPDX-License-Identifier: Apache-2.0
"""The part of a manifest that a simulation needs to drive its core.

A simulation does not load the readers of manifests, which take as long to load as a short workload
takes to run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core


@dataclass(frozen=True, slots=True)
class DrivenCore:
    """Fields of `Core`, under the same names."""

    name: str
    top: str
    algorithm: str
    clock: str
    reset: str | None
    adapter: str | dict[str, Any]
    folder: Path

    @classmethod
    def of(cls, core: Core) -> DrivenCore:
        """Copies the fields from a core."""
        return cls(**{field.name: getattr(core, field.name) for field in fields(cls)})


def no_port(core: Core | DrivenCore, name: str, role: str, known: Iterable[str]) -> str:
    """The sentence about a port that a manifest names and its top module lacks.

    Args:
        core: the core of the manifest.
        name: the port's name in the manifest.
        role: the role that the manifest gives the port, such as "its clock".
        known: names of the ports that the top module has.
    """
    hint = did_you_mean(name, known)
    return f"{core.name}: {core.top} has no port '{name}', which the manifest names as {role}{hint}"


def port_of(dut: Any, name: str, core: Core | DrivenCore, role: str) -> Any:
    """The signal of a port in a simulation; `dut` is cocotb's handle of the top module."""
    try:
        return getattr(dut, name)
    except AttributeError:
        known = [signal._name for signal in dut]  # noqa: SLF001 - cocotb's only name of a signal
        raise UsageError(no_port(core, name, role, known)) from None
