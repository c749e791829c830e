# SPDX-License-Identifier: Apache-2.0
"""Loads the Python that lies beside a core's manifest: an adapter or a reference."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from joulemark.errors import UsageError


def load_module(path: Path, name: str) -> ModuleType:
    """Runs a Python file as a module; puts its folder on Python's path for its own imports."""
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    return module
