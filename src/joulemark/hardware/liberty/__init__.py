# SPDX-License-Identifier: Apache-2.0
"""Cell libraries in the Liberty format: area, function, delay and energy of every cell.

Here is the language: statements as a tree of groups, and the Boolean functions of cells.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, read_whole, shortened

# The text as a tree of groups, whatever they mean.
#
# Format: Liberty User Guide, volume 1, "Liberty syntax": group statements `name (arguments) { ...
# }`, simple attributes `name : value ;` and complex attributes `name (arguments) ;`.

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


# Turns the Boolean functions of Liberty into truth tables and into Verilog.
#
# Operators, tightest first (Liberty User Guide, "function attribute"): `!` before and `'` after
# an operand; `^`; `*`, `&` and juxtaposition; `+` and `|`.

_TOKEN = re.compile(r"\s*(?:([A-Za-z_][\w\[\].]*|[01])|(\S))")
_LEVELS = (("or", "+|"), ("and", "*&"), ("xor", "^"))
"""Two-operand operators and their marks, loosest first."""
_DEEPEST = 200
"""Most operators within one another; a sum of products counts each product."""
_MOST_PINS = 16
_VERILOG = {"or": "|", "and": "&", "xor": "^"}


@dataclass(frozen=True, slots=True)
class _Node:
    """A pin or constant by its name, or an operator with its operands."""

    kind: str
    name: str = ""
    operands: tuple[_Node, ...] = ()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = [name or mark for name, mark in _TOKEN.findall(text)]
        self.position = 0

    def whole(self) -> _Node:
        node = self.level(0)
        if self.peek():
            raise self.refusal()
        return node

    def level(self, depth: int) -> _Node:
        if depth == len(_LEVELS):
            return self.operand()
        kind, marks = _LEVELS[depth]
        node = self.level(depth + 1)
        while self.peek():
            if self.peek() in marks:
                self.position += 1
            elif not (kind == "and" and self.begins_operand()):
                break
            node = _Node(kind, operands=(node, self.level(depth + 1)))
        return node

    def operand(self) -> _Node:
        mark = self.peek()
        if mark == "!":
            self.position += 1
            return _Node("not", operands=(self.operand(),))
        if not self.begins_operand():
            raise self.refusal()
        self.position += 1
        if mark == "(":
            node = self.level(0)
            if self.peek() != ")":
                raise self.refusal()
            self.position += 1
        else:
            node = _Node("pin", mark)
        while self.peek() == "'":
            self.position += 1
            node = _Node("not", operands=(node,))
        return node

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def begins_operand(self) -> bool:
        mark = self.peek()
        return mark in {"!", "("} or mark[:1].isalnum() or mark[:1] == "_"

    def refusal(self) -> UsageError:
        place = f"at '{shortened(self.peek())}'" if self.peek() else "at its end"
        return UsageError(f"the cell function '{shortened(self.text)}' is not understood {place}")


@cache
def _parse(text: str) -> _Node:
    try:
        node = _Parser(text).whole()
        deep = _depth(node) > _DEEPEST
    except RecursionError:
        deep = True
    if deep:
        raise UsageError(f"the cell function '{shortened(text)}' is nested too deeply")
    return node


def _depth(node: _Node) -> int:
    return 1 + max(map(_depth, node.operands), default=0)


def inputs_of(function: str) -> list[str]:
    """Names of the pins that a function reads, each once, in the order of appearance."""
    names: dict[str, None] = {}

    def visit(node: _Node) -> None:
        if node.kind == "pin" and node.name not in {"0", "1"}:
            names[node.name] = None
        for operand in node.operands:
            visit(operand)

    visit(_parse(function))
    return list(names)


@cache
def _table(function: str, pins: tuple[str, ...]) -> int:
    states = 1 << len(pins)
    everywhere = (1 << states) - 1
    columns: dict[str, int] = {"0": 0, "1": everywhere}
    for index, pin in enumerate(pins):
        columns[pin] = sum(1 << state for state in range(states) if state >> index & 1)

    def value(node: _Node) -> int:
        if node.kind == "pin":
            if node.name not in columns:
                raise UsageError(
                    f"the cell function '{function}' reads '{node.name}', which is no pin"
                )
            return columns[node.name]
        values = [value(operand) for operand in node.operands]
        match node.kind:
            case "not":
                return everywhere & ~values[0]
            case "and":
                return values[0] & values[1]
            case "or":
                return values[0] | values[1]
            case _:
                return values[0] ^ values[1]

    return value(_parse(function))


def truth_table(function: str, pins: Sequence[str]) -> int:
    """The function's value in every state of these pins, as the bits of a number.

    Bit `s` of the result is the value in state `s`, in which pin `i` has the value of bit `i` of
    `s`.
    """
    if len(pins) > _MOST_PINS:
        raise UsageError(
            f"the cell function '{shortened(function)}' has {len(pins)} inputs; {_MOST_PINS} are "
            "the most whose states are looked at"
        )
    return _table(function, tuple(pins))


def as_verilog(function: str, names: Mapping[str, str]) -> str:
    """The function as a Verilog expression of one bit, with every pin's name replaced."""

    def write(node: _Node) -> str:
        if node.kind == "pin":
            return f"1'b{node.name}" if node.name in {"0", "1"} else names[node.name]
        parts = [write(operand) for operand in node.operands]
        return (
            f"~{parts[0]}"
            if node.kind == "not"
            else f"({parts[0]} {_VERILOG[node.kind]} {parts[1]})"
        )

    return write(_parse(function))
