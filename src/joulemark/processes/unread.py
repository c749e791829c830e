# SPDX-License-Identifier: Apache-2.0
"""Modules that other modules import without need: each is read only when something uses it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


class _Unread(ModuleType):
    """Stands for a module until something asks it for an attribute that it does not have itself."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def leave_unread(module: str, **stand_ins: Callable[..., Any]) -> None:
    """Puts the reading of a module off until something uses it, for all that import it from now on.

    Args:
        module: name of a module that lies in no package.
        stand_ins: functions that serve as the module's of the same name.
    """
    if module not in sys.modules:
        unread = sys.modules[module] = _Unread(module)
        vars(unread).update(stand_ins)


def leave_inspect_unread() -> None:
    """Puts the reading of `inspect` off, and with it of `dis` and, before Python 3.14, of `ast`.

    `dataclasses` imports `inspect`. It asks for a signature where a class has no docstring, in
    Python 3.12 and 3.13 for the annotations of every class, and in 3.14 for the function behind
    each member of a class with slots.
    """
    leave_unread("inspect", get_annotations=_annotations_of_a_class, unwrap=_unwrapped)


def _annotations_of_a_class(owner: type) -> dict[str, Any]:
    """What `inspect.get_annotations` returns for a class."""
    return dict(vars(owner).get("__annotations__", {}))


def _unwrapped(member: Any) -> Any:
    """What `inspect.unwrap` returns for a member that does not wrap itself."""
    while not isinstance(member, type) and hasattr(member, "__wrapped__"):
        member = member.__wrapped__
    return member
