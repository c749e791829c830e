# SPDX-License-Identifier: Apache-2.0
"""tools/firmware_table.py: docs/results/firmware.md has the counts of the catalogue."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from tool_scripts import tool as script

from joulemark.catalogue.protocols import CoreCycles, sheet

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script as a module."""
    return script("firmware_table")


def test_the_page_is_that_of_the_catalogue(tool: ModuleType) -> None:
    """The page is what the tool writes; run the tool after `tools/core_cycles.py`."""
    page = (REPOSITORY / tool.PAGE).read_text("utf-8")
    assert tool.filled(page) == page


def test_a_cell_is_the_fewest_of_ours(tool: ModuleType) -> None:
    """A cell has the fewest core cycles of our variants, without published counts of other code."""
    (row,) = (line for line in tool.mac_table().splitlines() if line.startswith("| `cmac-aes128`"))
    cells = [word.strip() for word in row.strip("|").split("|")][1:]
    known = sheet(CoreCycles, "cortex-m4")
    assert any(count.evidence == "published" for count in known.count)
    own = {
        count.variant: count.core_cycles for count in known.count
        if (count.algorithm, count.message_bytes, count.evidence) == ("cmac-aes128", 33, None)
    }  # fmt: skip
    fastest = min(own, key=own.__getitem__)
    assert cells[list(tool.CORES).index("cortex-m4")] == (
        f"{own[fastest]:,} `{fastest}`".replace(",", " ")
    )
