# SPDX-License-Identifier: Apache-2.0
"""Output of hostile plugins never reaches a real terminal as control sequences."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_runs import RIVAL, run_on_terminal

TALKERS = [
    "writes_to_the_terminal", "talks_in_control_sequences", "writes_an_error_in_control_sequences",
    "note_in_control_sequences", "version_in_control_sequences", "flags_in_control_sequences",
]  # fmt: skip
_OURS = re.compile(rb"\x1b\[(?:[0-9;]*m|\?25[hl]|[0-9]*[AKG])")
"""Colours, the cursor hidden while a bar moves, and the moves of the bar."""
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")


@pytest.mark.parametrize("command", ["bench", "list"])
def test_a_terminal_gets_no_foreign_sign(
    command: str,
    hostile_plugins: Callable[..., list[Path]],
    terminal: tuple[int, int],
    tmp_path: Path,
) -> None:
    """`/dev/tty` is closed to plugins, and their words are shown with visible signs."""
    plugins = [f"--plugin={path}" for path in hostile_plugins(*TALKERS)]
    words = ["list", "*", *plugins]
    if command == "bench":
        words = ["bench", RIVAL, *(f"siphash-2-4/{name}" for name in TALKERS), *plugins,
                 "--size", "16", "--rounds", "1", "--window-ms", "0.1", "--no-store"]  # fmt: skip
    printed = run_on_terminal(words, tmp_path, terminal, limit_s=120)
    assert b"note_in_control_sequences" in printed
    rest = _OURS.sub(b"", printed)
    assert _CONTROL.findall(rest) == []
    if command == "bench":
        assert rb"\x1b]0;owned" in rest.replace(b"\r\n", b"").replace(b" ", b"")
