# SPDX-License-Identifier: Apache-2.0
"""Reads the Liberty text format into a tree of groups, whatever they mean.

Format: Liberty User Guide, volume 1, "Liberty syntax": group statements `name (arguments) { ... }`,
simple attributes `name : value ;` and complex attributes `name (arguments) ;`.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.foreign.text import ForeignError, read_whole, shortened

_MOST_BYTES = 1 << 29
"""Largest size of a library, packed or not. Those of current processes have some hundred million
bytes."""
_LARGEST = 1e30
"""A number above every size, time and energy in every unit, of which sums and products are
finite."""
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_STATEMENT = re.compile(
    r"""[\s;]*+(?:
      (?P<end>\})
    | (?P<name>[\w.\-\[\]]+)[ \t]*+(?:
        :[ \t]*+(?P<value>"[^"]*+"|[^;}\n]*+)
      | \((?P<arguments>(?:[^()"]|"[^"]*+")*+)\)\s*+(?P<open>\{)?
      )
    )[\s;]*+""",
    re.VERBOSE,
)


@dataclass(slots=True)
class LibertyGroup:
    """One group: its kind, its arguments, its attributes, and the groups within."""

    kind: str
    arguments: str
    attributes: dict[str, str] = field(default_factory=dict)
    """Text after the colon, or within the parentheses, by attribute; quotes of a whole value are
    gone. If an attribute stands more than once, the last counts, but see `repeated`."""
    repeated: list[tuple[str, str]] = field(default_factory=list)
    """Name and text of every complex attribute, in their order."""
    groups: list[LibertyGroup] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The arguments as one name, without quotes."""
        return self.arguments.strip().strip('"')

    def of(self, kind: str) -> Iterator[LibertyGroup]:
        """The groups of this kind within."""
        return (group for group in self.groups if group.kind == kind)

    def rows(self, name: str) -> Iterator[list[str]]:
        """The words of each complex attribute of this name, in their order."""
        return (words(arguments) for attribute, arguments in self.repeated if attribute == name)

    def number(self, name: str, default: float | None = None) -> float | None:
        """The value of a numeric attribute, or the default if there is none."""
        text = self.attributes.get(name)
        try:
            return default if text is None else finite(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

    def true(self, name: str) -> bool:
        """Whether an attribute is `true`."""
        return self.attributes.get(name, "false").lower() == "true"


def finite(text: str) -> float:
    """A number of a table or an attribute."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"'{shortened(text)}' is no number")
    if abs(value) > _LARGEST:
        raise ValueError(f"'{shortened(text)}' is larger than any value of a cell")
    return value


def words(arguments: str) -> list[str]:
    """The comma-separated words of a complex attribute, without quotes."""
    return [word.strip() for word in arguments.replace('"', " ").split(",") if word.strip()]


def read_groups(path: Path) -> LibertyGroup:
    """The library group of a file, plain or compressed with gzip."""
    try:
        raw = _unpacked(read_whole(path, _MOST_BYTES))
    except (ForeignError, OSError, EOFError, zlib.error) as error:
        raise UsageError(f"the cell library {path} cannot be read: {error}") from None
    return parse_groups(raw.decode("utf-8", "replace"), str(path))


def _unpacked(raw: bytes) -> bytes:
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise ForeignError("it unpacks to more than can be read")
    return raw


def parse_groups(text: str, where: str) -> LibertyGroup:
    """The library group of a text; `where` is for messages."""
    text = _COMMENT.sub(_blank, text).replace("\\\r\n", "  ").replace("\\\n", " ")
    root = LibertyGroup("", "")
    stack = [root]
    position, length = 0, len(text)
    while position < length:
        statement = _STATEMENT.match(text, position)
        if statement is None:
            if not text[position:].strip():
                break
            raise _refusal(text, position, where, "no Liberty statement")
        position = statement.end()
        end, name, value, arguments, opened = statement.groups()
        here = stack[-1]
        if end:
            stack.pop()
            if not stack:
                raise _refusal(text, statement.start(), where, "a closing brace too many")
        elif opened:
            group = LibertyGroup(name, arguments)
            here.groups.append(group)
            stack.append(group)
        elif arguments is not None:
            here.attributes[name] = arguments
            here.repeated.append((name, arguments))
        else:
            here.attributes[name] = value.strip().strip('"').strip()
    if len(stack) != 1:
        raise UsageError(
            f"{where} ends within a group: {len(stack) - 1} closing braces are missing"
        )
    libraries = list(root.of("library"))
    if len(libraries) != 1:
        raise UsageError(f"{where} is no Liberty file: it has no library group")
    return libraries[0]


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment.group().count("\n") or " "


def _refusal(text: str, position: int, where: str, what: str) -> UsageError:
    line = text.count("\n", 0, position) + 1
    start = text[position:].lstrip()[:40].splitlines()
    shown = shortened(start[0]) if start else ""
    return UsageError(f"{where}, about line {line}: {what}: '{shown}'")
