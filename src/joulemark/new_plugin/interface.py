# SPDX-License-Identifier: Apache-2.0
"""The tables of a plugin, read from `joulemark/kernel.h`.

The header is ours and its style is known: each member ends with a semicolon, comments are those
of C, and `JM_OPTIONAL` marks what a table may leave out.
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
    """Of a function: of its result."""
    parameters: tuple[str, ...] | None
    """Declarations of a function's parameters, such as `size_t key_bytes`; None: no function."""
    optional: bool
    """Whether a table may leave it out."""

    def parameter_names(self) -> list[str]:
        """The names of a function's parameters, in order."""
        return [parameter.replace("*", " ").split()[-1] for parameter in self.parameters or ()]


def members(header: str, struct: str) -> list[Member]:
    """The members of a struct, in their order.

    Args:
        header: text of `joulemark/kernel.h`.
        struct: name of the struct, such as `jm_mac_functions`.

    Raises:
        ValueError: the header has no such struct, or a member that is read neither as a value nor
            as a pointer to a function.
    """
    found = re.search(
        rf"struct {struct} \{{(.*?)^\}}", _COMMENT.sub(" ", header), re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise ValueError(f"the header has no struct {struct}")
    return [_member(" ".join(word.split())) for word in found[1].split(";") if word.strip()]


def _member(text: str) -> Member:
    declaration = text.removeprefix(_OPTIONAL)
    optional = declaration != text
    if function := _FUNCTION.fullmatch(declaration):
        parameters = tuple(word.strip() for word in function["parameters"].split(","))
        return Member(
            function["name"],
            function["result"].strip(),
            () if parameters == ("void",) else parameters,
            optional,
        )
    if (value := _VALUE.fullmatch(declaration)) is None:
        raise ValueError(f"the header has a member that cannot be read: {text}")
    return Member(value["name"], value["type"].strip(), None, optional)
