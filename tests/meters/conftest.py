# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the meter tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from powercap_trees import JOULE_RANGE_UJ, MEMORY_RANGE_UJ, zone


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A desktop part: psys beside the package, which has cores, graphics and memory below it."""
    zone(tmp_path, "intel-rapl:0", "package-0")
    zone(tmp_path, "intel-rapl:0:0", "core")
    zone(tmp_path, "intel-rapl:0:1", "uncore")
    zone(tmp_path, "intel-rapl:0:2", "dram", max_energy_range_uj=MEMORY_RANGE_UJ)
    zone(tmp_path, "intel-rapl:1", "psys", max_energy_range_uj=JOULE_RANGE_UJ)
    (tmp_path / "sys/class/powercap/intel-rapl").mkdir()
    return tmp_path
