# SPDX-License-Identifier: Apache-2.0
"""Scripts of `tools/` as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).resolve().parents[2]


def tool(name: str) -> ModuleType:
    """Imports a script of `tools/` as a module."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
