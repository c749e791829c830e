# SPDX-License-Identifier: Apache-2.0
"""Ports of the core in a simulation, by the names that a manifest has for them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from joulemark.errors import UsageError
from joulemark.hardware.manifest import Core

__all__ = ["port_of"]


def port_of(dut: Any, name: str, core: Core, role: str) -> Any:
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
        known = [one._name for one in dut]  # noqa: SLF001 - cocotb's only name of a signal
        close = get_close_matches(name, known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise UsageError(
            f"{core.name}: {core.top} has no port '{name}', which the manifest names as "
            f"{role}{hint}"
        ) from None
