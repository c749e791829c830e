# SPDX-License-Identifier: Apache-2.0
"""Several seeded mappings of one core: medians, ranges, kept mappings, refusals."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Flow
from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.flow import characterise, mappings
from joulemark.hardware.flow.cache import AsicFigures, MappingCache
from joulemark.hardware.flow.request import Flow as AskedFlow
from joulemark.hardware.flow.request import flow as request_flow
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.workload import PortRecording
from joulemark.hardware.synthesis import Netlist
from joulemark.hardware.synthesis.asic import MAPPINGS, scripts_of
from kept_programs import keep_programs


@pytest.fixture(scope="module")
def three(
    flow: Flow, simulations: Path, tmp_path_factory: pytest.TempPathFactory
) -> mappings.MappingSpread:
    """Three mappings of the small core, with power."""
    if shutil.which("iverilog") is None:
        pytest.skip("no Icarus Verilog here: apt-get install iverilog")
    folder = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        keep_programs(simulations, patch)
        asked = AskedFlow(target="asic", liberty=flow.liberty)
        return mappings.characterise(flow.core, flow.core.chosen({}), asked, folder=folder)


@pytest.fixture
def simulated(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the core's simulation by the kept result, which is the same for all mappings."""

    def before(
        _core: Core, _parameters: Mapping[str, int], netlist: Netlist, _: Path
    ) -> PortRecording:
        assert (list(netlist.inputs), list(netlist.outputs)) == ports
        return flow.recording

    ports = (list(flow.netlist.inputs), list(flow.netlist.outputs))
    monkeypatch.setattr(mappings, "simulate_rtl", before)


def test_seeds_vary_the_scripts_and_repeat():
    """Seed 1 is the scripts themselves; each seed gives the same scripts every time."""
    for name in MAPPINGS:
        assert scripts_of(name, 1) == MAPPINGS[name]
        different = {scripts_of(name, seed) for seed in range(1, 8)}
        assert len(different) >= 6
        assert scripts_of(name, 5) == scripts_of(name, 5)


def test_each_figure_is_the_median_of_the_mappings(three: mappings.MappingSpread):
    """The default is three mappings; the range runs from the lowest to the highest of them."""
    assert list(three.by_seed) == [1, 2, 3]
    for name in ("area_ge", "energy_per_block_j", "period_s", "leakage_w", "clock_tree_w"):
        values = sorted(getattr(asic_figures, name) for asic_figures in three.by_seed.values())
        assert getattr(three.median, name) == values[1]
        assert three.ends(name) == (values[0], values[2])
    listed = three.median.settings["mappings"]
    assert [entry["seed"] for entry in listed] == [1, 2, 3]
    shown = three.by_seed[three.median.settings["mapping_shown"]]
    assert shown.energy_per_block_j == three.median.energy_per_block_j
    assert shown.critical_path == three.median.critical_path


@pytest.mark.usefixtures("simulated")
def test_a_share_of_the_clock_is_that_of_the_first_mapping(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path
):
    """The clock of power is a share of the highest; the energy of a clock stays."""
    asked = AskedFlow(target="asic", liberty=flow.liberty, clock_share=0.5)
    found = mappings.characterise(
        flow.core, flow.core.chosen({}), asked, folder=tmp_path, mappings=1
    ).median
    first = three.by_seed[1]
    clock_hz = found.settings["clock_hz"]
    assert clock_hz == pytest.approx(0.5 / first.period_without_trees_s, rel=1e-9, abs=0)
    assert found.dynamic_w is not None
    assert first.dynamic_w is not None
    assert found.dynamic_w / clock_hz == pytest.approx(
        first.dynamic_w / first.settings["clock_hz"], rel=1e-3, abs=0
    )


@pytest.mark.usefixtures("simulated")
def test_the_same_seed_gives_the_same_figures(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path
):
    """The figures agree to the last digit in another folder."""
    asked = AskedFlow(target="asic", liberty=flow.liberty, power=False)
    again = mappings.characterise(
        flow.core, flow.core.chosen({}), asked, folder=tmp_path, mappings=2
    )
    assert list(again.by_seed) == [1, 2]
    for seed, asic_figures in again.by_seed.items():
        assert asic_figures.area_ge == three.by_seed[seed].area_ge
        assert asic_figures.period_s == three.by_seed[seed].period_s
    assert again.median.energy_per_block_j is None
    assert again.ends("energy_per_block_j") is None


@pytest.mark.usefixtures("simulated")
def test_a_run_that_was_stopped_goes_on(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Kept mappings are read back whole and not made again; missing mappings are made."""
    kept = MappingCache(tmp_path / "cache", "a key")
    kept.put(1, three.by_seed[1])
    kept.put(2, three.by_seed[2])
    made: list[int] = []
    really = mappings.map_and_time

    def noted(*arguments: object, seed: int) -> object:
        made.append(seed)
        return really(*arguments, seed=seed)  # type: ignore[arg-type]

    monkeypatch.setattr(mappings, "map_and_time", noted)
    asked = AskedFlow(target="asic", liberty=flow.liberty)
    again = mappings.characterise(
        flow.core, flow.core.chosen({}), asked, folder=tmp_path / "run", mappings=3, kept=kept
    )
    assert made == [3]
    assert [asic_figures.energy_per_block_j for asic_figures in again.by_seed.values()] == [
        asic_figures.energy_per_block_j for asic_figures in three.by_seed.values()
    ]
    made.clear()
    mappings.characterise(
        flow.core, flow.core.chosen({}), asked, folder=tmp_path / "run", mappings=3, kept=kept
    )
    assert made == []
    next((tmp_path / "cache").rglob("*.json")).write_text("{", "utf-8")
    assert sum(kept.get(seed) is None for seed in (1, 2, 3)) == 1


@pytest.mark.usefixtures("simulated")
def test_a_large_core_has_one_mapping_unless_more_are_asked_for(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The number of cells of the first mapping, not its time, decides whether a core is large."""
    monkeypatch.setattr(mappings, "LARGE_CELLS", 10)
    asked = AskedFlow(target="asic", liberty=flow.liberty, power=False)
    kept = MappingCache(tmp_path / "cache", "a key")
    kept.put(2, three.by_seed[2])

    def seeds(number: int | None) -> list[int]:
        return list(
            mappings.characterise(
                flow.core,
                flow.core.chosen({}),
                asked,
                folder=flow.folder,
                mappings=number,
                kept=kept,
            ).by_seed
        )

    assert seeds(None) == [1]
    assert seeds(2) == [1, 2]


def test_a_clock_that_one_mapping_does_not_allow_is_refused_before_the_simulation(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The slowest mapping decides, also if it was kept from an earlier run."""
    kept = MappingCache(tmp_path / "cache", "a key")
    slow = replace(three.by_seed[2], period_s=2 * three.median.period_s)
    kept.put(2, slow)

    def unwanted(*_arguments: object) -> None:
        raise AssertionError("simulated for a clock that the core cannot have")

    monkeypatch.setattr(mappings, "simulate_rtl", unwanted)
    asked = AskedFlow(target="asic", liberty=flow.liberty, clock_hz=0.75 / three.median.period_s)
    with pytest.raises(UsageError, match="slower --clock"):
        mappings.characterise(
            flow.core, flow.core.chosen({}), asked, folder=tmp_path, mappings=2, kept=kept
        )


def test_a_wrong_netlist_is_refused_without_power_too(
    icarus: None, flow: Flow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A result of the sources that the netlist does not give."""
    outputs = {
        name: tuple(value ^ 1 for value in values)
        for name, values in flow.recording.outputs.items()
    }
    other = replace(flow.recording, outputs=outputs)
    monkeypatch.setattr(mappings, "simulate_rtl", lambda *_: other)
    asked = AskedFlow(target="asic", liberty=flow.liberty, power=False)
    with pytest.raises(ImplementationError, match="differs from the RTL"):
        mappings.characterise(flow.core, flow.core.chosen({}), asked, folder=tmp_path, mappings=1)


def test_an_even_number_of_mappings_has_a_median_between_two(three: mappings.MappingSpread):
    """The median is the mean of the middle two, and the report shows one of the mappings."""
    found = mappings.spread_of({seed: three.by_seed[seed] for seed in (1, 2)})
    energies = [asic_figures.energy_per_block_j for asic_figures in found.by_seed.values()]
    assert found.median.energy_per_block_j == pytest.approx(
        sum(value for value in energies if value is not None) / 2, rel=1e-12, abs=0
    )
    assert found.median.settings["mapping_shown"] in (1, 2)
    assert isinstance(found.median, AsicFigures)


@pytest.mark.parametrize("figure", ["dynamic_w", "energy_per_block_j"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1e-9])
def test_figures_that_no_circuit_has_are_refused(
    flow: Flow, three: mappings.MappingSpread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    figure: str, value: float,
):  # fmt: skip
    """A library's values may each be in range and still give a figure that is NaN or below zero."""
    spread = replace(three, median=replace(three.median, **{figure: value}))
    monkeypatch.setattr(mappings, "characterise", lambda *_given, **_named: spread)
    asked = request_flow("asic", liberty=flow.liberty)
    with pytest.raises(
        UsageError, match=rf"small.lib: its values give {value:g} for {figure}; look"
    ):
        characterise.make_report(flow.core, flow.core.chosen({}), asked, tmp_path)
