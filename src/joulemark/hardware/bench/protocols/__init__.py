# SPDX-License-Identifier: Apache-2.0
"""From a manifest's `adapter` to the class that drives the core.

Either a Python file with a class `Adapter`, or a table that names one of the protocols here and the
ports that play its parts.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.core.manifest import Core

__all__ = ["PROTOCOLS", "adapter_class"]

PROTOCOLS = ("valid_ready", "init_next", "start_done")
"""Names that `protocol` may have in the table; each is a module here."""


def adapter_class(core: Core) -> type[CoreAdapter]:
    """The class that drives a core.

    Raises:
        UsageError: the file or the table cannot be used; the sentence says why.
    """
    if isinstance(core.adapter, str):
        return _from_file(core, core.folder / core.adapter)
    return _from_table(core)


def _from_file(core: Core, path: Path) -> type[CoreAdapter]:
    if not path.is_file():
        raise UsageError(f"{core.name}: there is no adapter {path}")
    module = loaded(path.resolve(), f"_adapter_of_{core.name}")
    found = getattr(module, "Adapter", None)
    if not (isinstance(found, type) and issubclass(found, CoreAdapter)):
        raise UsageError(f"{path} has no class Adapter made of CoreAdapter")
    return found


def _from_table(core: Core) -> type[CoreAdapter]:
    from joulemark.hardware.bench.protocols import (  # noqa: PLC0415 - they need cocotb
        init_next,
        start_done,
        valid_ready,
    )
    from joulemark.hardware.bench.protocols.table import Table  # noqa: PLC0415

    makers = {
        "valid_ready": valid_ready.adapter,
        "init_next": init_next.adapter,
        "start_done": start_done.adapter,
    }
    assert isinstance(core.adapter, dict)
    name = core.adapter.get("protocol")
    if not isinstance(name, str) or name not in makers:
        raise UsageError(
            f"{core.name}: adapter.protocol is {shortened(repr(name))}; there is "
            f"{', '.join(PROTOCOLS)}"
        )
    return makers[name](Table.of(core))


def loaded(path: Path, name: str) -> ModuleType:
    """A Python file as a module; its folder is put on Python's path for what it imports.

    Raises:
        UsageError: it does not run.
    """
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
