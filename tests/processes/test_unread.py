# SPDX-License-Identifier: Apache-2.0
"""Modules that are read at their first use, and not before."""

from __future__ import annotations

import subprocess
import sys

TRIED = """
import sys
from joulemark.processes.unread import leave_unread
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
