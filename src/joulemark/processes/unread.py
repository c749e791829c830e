# SPDX-License-Identifier: Apache-2.0
"""Modules that others import and that nothing uses here, read only when something does use them."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["leave_unread"]


class _Unread(ModuleType):
    """In the place of a module until somebody asks it for something."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def leave_unread(module: str) -> None:
    """Has whoever imports a module from now on, and does not use it, not wait until it is read.

    Args:
        module: its name; it lies in no package.
    """
    if module not in sys.modules:
        sys.modules[module] = _Unread(module)
