# SPDX-License-Identifier: Apache-2.0
"""The tables of a plugin, read from `joulemark/kernel.h`.

The header is ours and has a known style: each member ends with a semicolon, comments are those of
C, and `JM_OPTIONAL` marks each member that a table may leave out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Member", "members"]

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_FUNCTION: Final = re.compile(r"(?P<result>[\w *]+?)\(\*(?P<name>\w+)\)\((?P<parameters>.*)\)")
_VALUE: Final = re.compile(r"(?P<type>.*?)(?P<name>\w+)")
_OPTIONAL: Final = "JM_OPTIONAL "


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct of the header."""

    name: str
    type: str
    """Type of the value, or of a function's result."""
    parameters: tuple[str, ...] | None
    """Declarations of a function's parameters, such as `size_t key_bytes`; None for a value."""
    optional: bool
    """Whether a table may leave the member out."""

    def parameter_names(self) -> list[str]:
        """The names of a function's parameters, in order."""
        return [parameter.replace("*", " ").split()[-1] for parameter in self.parameters or ()]


def members(header: str, struct: str) -> list[Member]:
    """The members of a struct, in their order.

    Args:
        header: text of `joulemark/kernel.h`.
        struct: name of the struct, such as `jm_mac_functions`.

    Raises:
        ValueError: the header has no such struct, or a member that is neither a value nor a
            pointer to a function.
    """
    body = re.search(
        rf"struct {struct} \{{(.*?)^\}}", _COMMENT.sub(" ", header), re.DOTALL | re.MULTILINE
    )
    if body is None:
        raise ValueError(f"the header has no struct {struct}")
    return [_member(" ".join(text.split())) for text in body[1].split(";") if text.strip()]


def _member(text: str) -> Member:
    declaration = text.removeprefix(_OPTIONAL)
    optional = declaration != text
    if function := _FUNCTION.fullmatch(declaration):
        words = function["parameters"].split(",")
        parameters = () if words == ["void"] else tuple(word.strip() for word in words)
        return Member(function["name"], function["result"].strip(), parameters, optional)
    if (value := _VALUE.fullmatch(declaration)) is None:
        raise ValueError(f"the header has a member that cannot be read: {text}")
    return Member(value["name"], value["type"].strip(), None, optional)
