# SPDX-License-Identifier: Apache-2.0
"""The bar of long commands: on a terminal it is drawn, elsewhere only failures are told."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

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
