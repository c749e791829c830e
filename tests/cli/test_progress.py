# SPDX-License-Identifier: Apache-2.0
"""The bar of long commands: on a terminal it is drawn, elsewhere only failures are told."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from joulemark.cli.shared.point_progress import PointProgress
from joulemark.cli.shared.progress import ProgressBar


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_bar_leaves(*, terminal: bool) -> None:
    """A failure is told whole, brackets included; the words of the bar need a terminal."""
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=80)
    reason = "no [tool] here, " + "x" * 100
    with ProgressBar(console, "making reports", "reports") as bar:
        bar.move(1, 2, "first core")
        bar.report("second core", reason)
    text = written.getvalue()
    assert f"joulemark: second core: {reason}\n" in text
    assert ("first core" in text and "reports," in text) is terminal
    assert terminal or text.count("\n") == 1


def test_a_failed_point_is_told() -> None:
    """With its reason, and nothing is told of a point that was made."""
    written = StringIO()
    point = SimpleNamespace(text="siphash default on ecp5")
    with PointProgress(Console(file=written, force_terminal=False, width=80)) as progress:
        progress.observed(SimpleNamespace(point=point, reason=None), 1, 2)
        progress.observed(SimpleNamespace(point=point, reason="no nextpnr here"), 2, 2)
    assert written.getvalue() == "joulemark: siphash default on ecp5: no nextpnr here\n"
