# SPDX-License-Identifier: Apache-2.0
"""From a manifest's `adapter` to the class that drives the core.

Either a Python file with a class `Adapter`, or a table that names one of the protocols here and the
ports that play its parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols.python_file import loaded
from joulemark.hardware.core.driven import DrivenCore

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core

__all__ = ["PROTOCOLS", "adapter_class"]

PROTOCOLS = ("valid_ready", "init_next", "start_done")
"""Names that `protocol` may have in the table; each is a module here."""


def adapter_class(core: Core | DrivenCore) -> type[CoreAdapter]:
    """The class that drives a core.

    Raises:
        UsageError: the file or the table cannot be used; the sentence says why.
    """
    if isinstance(core.adapter, str):
        return _from_file(core, core.folder / core.adapter)
    return _from_table(core)


def _from_file(core: Core | DrivenCore, path: Path) -> type[CoreAdapter]:
    if not path.is_file():
        raise UsageError(f"{core.name}: there is no adapter {path}")
    module = loaded(path.resolve(), f"_adapter_of_{core.name}")
    found = getattr(module, "Adapter", None)
    if not (isinstance(found, type) and issubclass(found, CoreAdapter)):
        raise UsageError(f"{path} has no class Adapter made of CoreAdapter")
    return found


def _from_table(core: Core | DrivenCore) -> type[CoreAdapter]:
    from joulemark.hardware.bench.protocols import (  # noqa: PLC0415 - they need cocotb
        init_next,
        start_done,
        table,
        valid_ready,
    )

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
    return makers[name](table.Table.of(core))
