# SPDX-License-Identifier: Apache-2.0
"""Finds the class that drives a core, from the `adapter` of its manifest.

That is a Python file with a class `Adapter`, or a table that names one of the protocols here and
the ports that play its parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols.python_file import load_module
from joulemark.hardware.core.driven import DrivenCore

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core


def adapter_class(core: Core | DrivenCore) -> type[CoreAdapter]:
    """The class that drives a core."""
    if isinstance(core.adapter, str):
        return _from_file(core, core.folder / core.adapter)
    return _from_table(core)


def _from_file(core: Core | DrivenCore, path: Path) -> type[CoreAdapter]:
    if not path.is_file():
        raise UsageError(f"{core.name}: there is no adapter {path}")
    module = load_module(path.resolve(), f"_adapter_of_{core.name}")
    adapter = getattr(module, "Adapter", None)
    if not (isinstance(adapter, type) and issubclass(adapter, CoreAdapter)):
        raise UsageError(f"{path} has no class Adapter made of CoreAdapter")
    return adapter


def _from_table(core: Core | DrivenCore) -> type[CoreAdapter]:
    from joulemark.hardware.bench.protocols import (  # noqa: PLC0415 - they need cocotb
        base,
        init_next,
        start_done,
        table,
        valid_ready,
    )

    protocols: dict[str, Any] = {
        "valid_ready": valid_ready.ValidReady,
        "init_next": init_next.InitNext,
        "start_done": start_done.StartDone,
    }
    assert isinstance(core.adapter, dict)
    name = core.adapter.get("protocol")
    if not isinstance(name, str) or name not in protocols:
        raise UsageError(
            f"{core.name}: adapter.protocol is {shortened(repr(name))}; there is "
            f"{', '.join(protocols)}"
        )
    return base.adapter_of(protocols[name], table.PortTable.of(core))
