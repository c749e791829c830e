# SPDX-License-Identifier: Apache-2.0
"""Ports of the core in a simulation, by the names that a manifest has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from joulemark.errors import UsageError
from joulemark.hardware.core.driven import DrivenCore, no_port

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core

__all__ = ["port_of"]


def port_of(dut: Any, name: str, core: Core | DrivenCore, role: str) -> Any:
    """The signal of this name at the top module.

    Args:
        dut: cocotb's handle of the top module.
        name: as the manifest has it.
        core: whose manifest it is.
        role: what the manifest says that it is, as "its clock".

    Raises:
        UsageError: there is none.
    """
    try:
        return getattr(dut, name)
    except AttributeError:
        known = [signal._name for signal in dut]  # noqa: SLF001 - cocotb's only name of a signal
        raise UsageError(no_port(core, name, role, known)) from None
