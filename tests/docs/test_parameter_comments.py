# SPDX-License-Identifier: Apache-2.0
"""Statements on a core's parameters in SystemVerilog and READMEs, against its manifest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_text import REPOSITORY

HDL = REPOSITORY / "hdl"
MANIFESTS = sorted([*HDL.glob("*/*.toml"), *HDL.glob("wrappers/*/*.toml")])
DECLARED = re.compile(
    r"parameter int unsigned (?P<name>[A-Z_]+) = (?P<default>\d+),?\s*(?:// (?P<comment>.+))?$"
)
RANGE = re.compile(r"(?<![\d.])(\d+) to (\d+)(?![\d.])")
CHOICE = re.compile(r"(?<![\d.])\d+(?:, \d+)*(?:,| or| and) (?:or |and )?\d+(?![\d.])")
LABEL = re.compile(r"(?:^|[,;] )(\d+): ")
SET = re.compile(r"(?<![\w.])(?P<name>[A-Z_]{4,}) ?=+ ?(?P<value>\d+)(?![\w.])")


def values_of(manifest: Path) -> dict[str, Any]:
    """The parameters in a core's manifest."""
    found: dict[str, Any] = tomllib.loads(manifest.read_text("utf-8")).get("parameters", {})
    return found


def stated(comment: str) -> set[int]:
    """Values that the comment behind a parameter lists; none if it has no list."""
    if found := RANGE.search(comment):
        return set(range(int(found[1]), int(found[2]) + 1))
    if found := CHOICE.search(comment):
        return {int(number) for number in re.findall(r"\d+", found[0])}
    labels = {int(number) for number in LABEL.findall(comment)}
    return labels if len(labels) > 1 else set()


def comments(source: Path) -> Iterator[str]:
    """All comments of a source file."""
    for line in source.read_text("utf-8").splitlines():
        _, mark, comment = line.partition("//")
        if mark:
            yield comment.strip()


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_comments_of_parameters_agree(manifest: Path) -> None:
    """A comment behind a parameter of the top lists all values, of a part some of them; defaults of
    the top are those of the manifest.
    """
    parameters, wrong = values_of(manifest), []
    for source in sorted((manifest.parent / "rtl").glob("*.sv")):
        for line in source.read_text("utf-8").splitlines():
            found = DECLARED.search(line.strip())
            if not found or found["name"] not in parameters:
                continue
            known = parameters[found["name"]]
            listed, values = stated(found["comment"] or ""), set(known["values"])
            top = source.stem == manifest.stem
            if not listed <= values or (top and listed and listed != values):
                wrong.append(f"{source.name}: {line.strip()}")
            if top and int(found["default"]) != known["default"]:
                wrong.append(f"{source.name}: {line.strip()}: default")
    assert wrong == []


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_values_that_comments_name_exist(manifest: Path) -> None:
    """`NAME=1` in a comment or in the core's README is a value that the parameter can have."""
    parameters, texts = values_of(manifest), []
    for source in sorted((manifest.parent / "rtl").glob("*.sv")):
        texts += [(source.name, comment) for comment in comments(source)]
    readme = manifest.parent / "README.md"
    if readme.exists():
        texts += [(readme.name, line) for line in readme.read_text("utf-8").splitlines()]
    wrong = [
        f"{name}: {text}"
        for name, text in texts
        for found in SET.finditer(text.replace("`", ""))
        if found["name"] in parameters
        and int(found["value"]) not in parameters[found["name"]]["values"]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("comment", "values"),
    [("0 to 2, as in the engine", {0, 1, 2}), ("per clock: 1, 2, 4", {1, 2, 4}),
     ("SipRounds in a clock: 1, 2 or 4", {1, 2, 4}), ("0: tower field, 1: decoded", {0, 1}),
     ("1: keeps the start, 320 bits, not the key", set()), ("of the core", set()),
     ("of TDATA: 32 or 64", {32, 64})],
)  # fmt: skip
def test_comments_are_read(comment: str, values: set[int]) -> None:
    """Each form in which the cores list values is read; a single label is no list."""
    assert stated(comment) == values
