# SPDX-License-Identifier: Apache-2.0
"""Modules that other modules import without need: each is read only when something uses it."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["leave_unread"]


class _Unread(ModuleType):
    """Stands for a module until something asks it for an attribute."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def leave_unread(module: str) -> None:
    """Puts the reading of a module off until something uses it, for all that import it from now on.

    Args:
        module: name of a module that lies in no package.
    """
    if module not in sys.modules:
        sys.modules[module] = _Unread(module)
