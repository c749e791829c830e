# SPDX-License-Identifier: Apache-2.0
"""tools/core_tables.py: figures in cells in the READMEs of cores."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport

TOOL = Path(__file__).resolve().parents[2] / "tools" / "core_tables.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("core_tables", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(
    core: str, configuration: str, *, mappings: int = 3, clock_hz: float = 5e5
) -> CoreReport:
    """Makes a report of a core in cells."""
    figures = {
        "clocks_per_block": 216.0, "mappings": mappings, "area_ge": 2665.0,
        "area_lowest_ge": 2660.0, "area_highest_ge": 2700.0, "storage_ge": 1407.0,
        "logic_ge": 1250.0, "clock_tree_ge": 7.0, "reset_tree_ge": 1.0,
        "area_without_trees_ge": 2657.0, "period_s": 1.8e-8, "period_without_trees_s": 1.77e-8,
        "leakage_w": 0.25e-6, "trees_leakage_w": 0.01e-6, "dynamic_w": 6e-6, "clock_tree_w": 0.1e-6,
        "dynamic_no_glitch_w": 5e-6, "dynamic_pin_cap_w": 4e-6, "energy_per_block_j": 2.7e-9,
        "energy_per_block_lowest_j": 2.65e-9, "energy_per_block_highest_j": 2.9e-9,
        "energy_per_block_without_trees_j": 2.65e-9,
    }  # fmt: skip
    settings = {"library": "lib", "corner": "1.2 V", "clock_hz": clock_hz, "mapping": "area",
                "joulemark": "9", "yosys": "8"}  # fmt: skip
    return CoreReport.model_validate(
        {
            "core": core, "title": "t", "algorithm": "a", "configuration": configuration,
            "parameters": {}, "target": "asic", "device": "d", "settings": settings,
            "evidence": dict.fromkeys(figures, "modelled"),
            "reasons": {name: "no" for name in CORE_FIGURES if name not in figures},
            "figures": dict.fromkeys(CORE_FIGURES) | figures,
        }
    )  # fmt: skip


def test_a_line_has_median_range_and_what_trees_add(tool: ModuleType) -> None:
    """A line is in the units of the headings; storage, logic and trees make the area."""
    lines = tool.core_table([report("c", "small")]).splitlines()
    assert len(lines[0].split("|")) == len(lines[2].split("|"))
    assert lines[2] == (
        "| `small` | 2 665 (1 407 + 1 250 + 8) | 2 660 to 2 700 | 18.0 | 6.25 | 0.11 | 5.25 | 4.25 "
        "| 0.25 | 2.700 | 2.650 to 2.900 | 2 657 | 17.7 | 2.650 |"
    )
    assert "lib, 1.2 V, 500 kHz, area mapping" in lines[-1]
    assert "one mapping" in tool.core_table([report("c", "small", mappings=1)])


def test_reports_of_other_conditions_do_not_share_a_table(tool: ModuleType) -> None:
    """Reports with different clocks in one table are refused."""
    with pytest.raises(ValueError, match="different conditions"):
        tool.overview([report("c", "small"), report("d", "small", clock_hz=1e6)])


def test_each_core_gets_its_own_and_the_overview_all(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables change between the markers only; a README without markers stays."""
    monkeypatch.setattr(tool, "HDL", tmp_path)
    text = f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n"
    for name in ("c", "d"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(text if name == "c" else "plain\n", "utf-8")
    (tmp_path / "README.md").write_text(text, "utf-8")
    files = []
    for core_report in (report("d", "default"), report("c", "small")):
        files.append(tmp_path / f"{core_report.core}.json")
        files[-1].write_text(core_report.model_dump_json(), "utf-8")
    assert tool.main([str(file) for file in files]) == 0
    own = (tmp_path / "c" / "README.md").read_text("utf-8")
    assert own.startswith(f"before\n{tool.BEGIN}\n| configuration")
    assert own.endswith(f"{tool.END}\nafter\n")
    assert "old" not in own
    assert (tmp_path / "d" / "README.md").read_text("utf-8") == "plain\n"
    overview = (tmp_path / "README.md").read_text("utf-8")
    assert overview.index("`c:small`") < overview.index("`d:default`")
    assert tool.main([str(tmp_path / "missing.json")]) == 2
