# SPDX-License-Identifier: Apache-2.0
"""Objects that only refer to each other are not searched for when a process ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

TRIED = """
import atexit
from joulemark.processes import search_seldom_for_cycles

class Kept:
    def __del__(self):
        print("found", flush=True)

{said}
atexit.register(print, "registered")
kept = Kept()
kept.itself = kept
del kept
"""


@pytest.mark.parametrize(
    ("said", "found"),
    [("", "registered\nfound\n"), ("search_seldom_for_cycles()", "registered\n")],
    ids=["as Python comes", "seldom"],
)
def test_the_end_of_a_process(said: str, found: str) -> None:
    """Functions that are registered for the end of a process are still called."""
    done = subprocess.run(
        [sys.executable, "-c", TRIED.format(said=said)], capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == found
