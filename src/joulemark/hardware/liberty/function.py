# SPDX-License-Identifier: Apache-2.0
"""Turns the Boolean functions of Liberty into truth tables and into Verilog.

Operators, tightest first (Liberty User Guide, "function attribute"): `!` before and `'` after an
operand; `^`; `*`, `&` and juxtaposition; `+` and `|`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened

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
