# SPDX-License-Identifier: Apache-2.0
"""The tree of errors in the docstring of `joulemark.errors` is the tree of its classes."""

from __future__ import annotations

import re

from joulemark import errors

BRANCH = re.compile(r"^( *)\|-- (\w+)")


def drawn() -> dict[str, str]:
    """Name of each class in the drawing -> the class above it."""
    above = {-1: "JoulemarkError"}
    found = {}
    for line in (errors.__doc__ or "").splitlines():
        branch = BRANCH.match(line)
        if not branch:
            continue
        depth = len(branch[1])
        parent = max(key for key in above if key < depth)
        found[branch[2]] = above[parent]
        above = {key: name for key, name in above.items() if key < depth} | {depth: branch[2]}
    return found


def test_the_drawing_has_every_class() -> None:
    """The drawing has each class under its base class."""
    classes = {
        name: value.__base__.__name__
        for name, value in vars(errors).items()
        if isinstance(value, type)
        and value.__module__ == errors.__name__
        and value is not errors.JoulemarkError
    }
    assert drawn() == classes
