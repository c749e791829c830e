# SPDX-License-Identifier: Apache-2.0
"""Modules that are read at their first use, and not before."""

from __future__ import annotations

import inspect
import subprocess
import sys
from functools import cache

from joulemark import processes

TRIED = """
import sys
from joulemark.processes import leave_unread
leave_unread("colorsys")
import colorsys
early = colorsys
assert not vars(colorsys).get("rgb_to_hsv")
print(early.rgb_to_hsv(0.5, 0.5, 0.5))
import colorsys
assert colorsys is not early and colorsys.__file__
leave_unread("colorsys")
assert sys.modules["colorsys"] is colorsys
"""


def test_a_module_is_read_when_it_is_used() -> None:
    """A module is read at its first use, by earlier importers too; a module already read stays."""
    done = subprocess.run(
        [sys.executable, "-c", TRIED], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("(0.0, 0.0, 0.5)\n", "")


class Annotated:
    """A class with annotations, a member that wraps a function, and a base."""

    number: int
    text: str = "none"

    @cache  # noqa: B019 - never called
    def wrapped(self) -> None:
        """Is wrapped."""


class Bare(Annotated):
    """A class without annotations of its own."""


def test_stand_ins_answer_as_inspect_does() -> None:
    """The stand-ins for functions of `inspect` return what these return."""
    for owner in (Annotated, Bare):
        assert processes._annotations_of_a_class(owner) == inspect.get_annotations(owner)
    for member in (Annotated.wrapped, Annotated, "none", cache(cache(len))):
        assert processes._unwrapped(member) is inspect.unwrap(member)
