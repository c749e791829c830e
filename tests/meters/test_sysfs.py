# SPDX-License-Identifier: Apache-2.0
"""The kernel's small files: words of a damaged tree never steer a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.meters import MeterError, read_count, read_text


def test_control_signs_become_codes_and_lines_stay(tmp_path: Path) -> None:
    """Control characters become codes; a damaged tree once put NUL bytes on the terminal."""
    file = tmp_path / "name"
    file.write_bytes(b" pac\0kage\x1b[2J\nsecond:\tline\n")
    assert read_text(file) == "pac\\x00kage\\x1b[2J\nsecond: line"


def test_refused_count_shows_codes(tmp_path: Path) -> None:
    """The sentence of a refused count shows no more of a file than a name would."""
    file = tmp_path / "energy_uj"
    file.write_bytes(b"12\0\n")
    with pytest.raises(MeterError, match=r"says '12\\x00', which is no count"):
        read_count(file)
