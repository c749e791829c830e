# SPDX-License-Identifier: Apache-2.0
"""Hardware cores of the store beside software: blocks by the newest energy of a block."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.budget import Life, interval, nominal, years_of
from joulemark.budget.cores import BLOCK_J, known_cores, stored_cores
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.errors import UsageError
from joulemark.records.core_report import StoredCoreReport
from joulemark.report.budget import years
from joulemark.report.budget.choices import engine_view
from joulemark.store.repository import Store


def report(core: str, algorithm: str, joules: float, target: str = "asic") -> StoredCoreReport:
    """A report with one figure."""
    figures = {"energy_per_block_j": joules}
    return StoredCoreReport(
        core=core, algorithm=algorithm, target=target, parameters={}, figures=figures,
        evidence={"energy_per_block_j": "modelled"},
        settings={"device": "cells", "clock_hz": 500e3}, digest=f"{core} {joules}",
        joulemark_version="1", made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip


def test_a_core_of_the_store_beside_software(tmp_path: Path) -> None:
    """Two blocks of AES of the cheapest core; reports of FPGAs and of other algorithms do not."""
    with Store.open(str(tmp_path / "cores.db")) as store:
        for core_report_record in (
            report("aes_old", "aes128", 9e-9), report("aes_old", "aes128", 5e-9),
            report("aes_big", "aes128", 7e-9), report("aes_fpga", "aes128", 1e-9, "ecp5"),
            report("hash", "sha256", 1e-9),
        ):  # fmt: skip
            store.add_core_report(core_report_record)
        assert {core.name: core.of_block(BLOCK_J) for core in stored_cores(store)} == {
            "aes_old": 5e-9, "aes_big": 7e-9, "hash": 1e-9,
        }  # fmt: skip
        planner = Planner.of("tinysec_auth", "mica2", Question(24, 10), store=store)
    rows = {core.implementation: core for core in planner.cores}
    own = rows["cbc-mac-aes128/plain_c"]
    assert (own.core.name, own.blocks, own.core_j) == ("aes_old", 2, pytest.approx(10e-9))
    assert rows["hmac-sha256/plain_c"].blocks == 2
    assert "chaskey-8/plain_c" not in rows
    notes = engine_view(planner.budget, planner.engines(), planner.gap, planner.cores).notes
    assert any(
        "in the core aes_old (cells at 500 kHz): 10 nJ for 2 blocks" in note for note in notes
    )


def test_a_core_of_the_mac_comes_before_its_primitive(tmp_path: Path) -> None:
    """The core of the MAC serves, even if it takes more; one with an outside memory never does."""
    mac = report("mac", "hmac-sha1", 13e-9)
    mac.settings["workload"] = {"message_bytes": 200, "blocks_per_message": 4}
    bare = report("bare", "sha1", 1e-9)
    outside = report("outside", "hmac-sha1", 1e-9)
    outside.settings["outside_memory"] = {"text": "the block"}
    with Store.open(str(tmp_path / "macs.db")) as store:
        for core_report_record in (mac, bare, outside):
            store.add_core_report(core_report_record)
        planner = Planner.of("tinysec_auth", "mica2", Question(24, 10), store=store)
    rows = {core.implementation: core for core in planner.cores}
    own = rows["hmac-sha1/plain_c"]
    # 200 bytes are four blocks, and 28 of TinySec one, beside that of the outer hash.
    assert (own.core.name, own.blocks, own.core_j) == ("mac", 1, pytest.approx(13e-9))


def test_years_of_battery_with_a_core(tmp_path: Path) -> None:
    """The core saves its share of the node's power, and its leakage adds to the power asleep."""
    mac = report("mac", "hmac-sha1", 13e-9)
    mac.settings["workload"] = {"message_bytes": 28, "blocks_per_message": 2}
    mac.figures["leakage_w"] = 5e-6
    with Store.open(str(tmp_path / "macs.db")) as store:
        store.add_core_report(mac)
        planner = Planner.of("tinysec_auth", "mica2", Question(24, 10), store=store)
    budget, row = planner.budget, planner.cores[0]
    [candidate] = [each for each in budget.ranking if each.implementation == row.implementation]
    without = candidate.packet_j - candidate.costs.compute_j
    assert row.leaking_years is not None
    for life, power_w in (
        (row.software_years, budget.power_w(candidate.packet_j)),
        (row.core_years, budget.power_w(without + row.core_j)),
        (row.leaking_years, budget.power_w(without + row.core_j) + 5e-6),
    ):
        found = years_of(budget.parts.battery_j, power_w, budget.parts.self_discharge_per_year)
        assert nominal(life.by_energy) == pytest.approx(nominal(found))
    (note,) = engine_view(budget, planner.engines(), planner.gap, planner.cores[:1]).notes
    assert "switched off between packets" in note
    assert "where it leaks 5 \N{MICRO SIGN}W always" in note


def netlist(length: int, joules: float, memories_j: float) -> StoredCoreReport:
    """CBC-MAC in firmware on SERV, with a message's joules and those of its memories."""
    made = report("gate:serv", "cbc-mac-aes128", joules)
    made.settings["workload"] = {"message_bytes": length, "blocks_per_message": 1}
    made.settings["firmware"] = "cbc-mac-aes128/mcu32"
    made.settings["memories_j"] = memories_j
    made.settings["memories_leakage_w"] = 2e-6
    made.figures["leakage_w"] = 5e-6
    return made.model_copy(update={"digest": f"{length}"})


def test_firmware_on_a_netlist_by_its_name(tmp_path: Path) -> None:
    """The netlist serves if it is named, with its memories; otherwise the circuit does."""
    with Store.open(str(tmp_path / "macs.db")) as store:
        for made in (netlist(28, 60e-9, 20e-9), report("aes", "aes128", 5e-9)):
            store.add_core_report(made)
        question, short = Question(24, 10), Question(2, 10)
        usual = Planner.of("tinysec_auth", "mica2", question, store=store)
        asked = Planner.of("tinysec_auth", "mica2", question, store=store, engine="gate:serv")
        other = Planner.of("tinysec_auth", "mica2", question, store=store, engine="core:aes")
        none = Planner.of("tinysec_auth", "mica2", question, store=store, engine="gate:ibex")
        empty = Planner.of("tinysec_auth", "mica2", short, store=store, engine="gate:serv")
    assert {row.core.name for row in usual.cores} == {"aes"}
    assert [row.core_j for row in other.cores] == [row.core_j for row in usual.cores]
    (row,) = asked.cores
    assert row.implementation.startswith("cbc-mac-aes128/")
    assert row.core_j == pytest.approx(80e-9)
    budget = asked.budget
    [candidate] = [each for each in budget.ranking if each.implementation == row.implementation]
    power_w = budget.power_w(candidate.packet_j - candidate.costs.compute_j + row.core_j) + 7e-6
    found = years_of(budget.parts.battery_j, power_w, budget.parts.self_discharge_per_year)
    assert row.leaking_years is not None
    assert nominal(row.leaking_years.by_energy) == pytest.approx(nominal(found))
    (note,) = engine_view(budget, asked.engines(), asked.gap, asked.cores).notes
    assert "cbc-mac-aes128/mcu32 on the netlist gate:serv (cells at 500 kHz): 80 nJ with" in note
    for planner, words in ((none, "gate:ibex"), (empty, "over 6 bytes")):
        with pytest.raises(UsageError, match=words) as refused:
            _ = planner.cores
        assert "joulemark bench MAC --target gate:" in str(refused.value)


def test_a_packet_with_two_macs_takes_two_runs_of_the_core(tmp_path: Path) -> None:
    """LoRaWAN 1.1 computes CMAC twice, under two keys: engine, core and set-up count twice."""
    with Store.open(str(tmp_path / "macs.db")) as store:
        store.add_core_report(report("aes", "aes128", 5e-9))
        both = [
            Planner.of(name, "lora_sf7", Question(24, 900), store=store)
            for name in ("lorawan_1_0", "lorawan_1_1")
        ]
    for rows in zip(*(planner.cores for planner in both), strict=True):
        once, twice = (row for row in rows if row.implementation.startswith("cmac-aes128/"))
        assert (twice.blocks, twice.core_j) == (2 * once.blocks, pytest.approx(2 * once.core_j))
    for once, twice in zip(*(planner.engines(100) for planner in both), strict=True):
        assert twice.blocks == 2 * once.blocks
        assert nominal(twice.engine_j) == pytest.approx(2 * nominal(once.engine_j))
    for once, twice in zip(*(planner.key_states for planner in both), strict=True):
        assert twice.set_up_core_cycles == 2 * once.set_up_core_cycles
        assert twice.state_bytes == 2 * once.state_bytes


def test_reports_of_other_sources_and_aims_are_not_mixed(tmp_path: Path) -> None:
    """A core that was edited, or mapped for speed, is known by its newest reports alone."""
    made = []
    for length, more in ((28, {"mapping": "area"}), (64, {"mapping": "delay"}),
                         (80, {"mapping": "delay", "sources_sha256": "new"})):  # fmt: skip
        made.append(report("mac", "cmac-aes128", 1e-9))
        made[-1].settings.update(more)
        made[-1].settings["workload"] = {"message_bytes": length, "blocks_per_message": 2}
    for count, kept in ((1, {28}), (2, {64}), (3, {80})):
        (core,) = known_cores(made[:count])
        assert set(core.reports) == kept


def test_a_gain_ends_with_the_shelf_life(tmp_path: Path) -> None:
    """A core cannot make a battery older than it becomes on a shelf."""
    with Store.open(str(tmp_path / "macs.db")) as store:
        store.add_core_report(report("aes", "aes128", 5e-9))
        planner = Planner.of("tinysec_auth", "telosb", Question(24, 10), store=store)
    row = planner.cores[0]
    before, with_core = nominal(row.software_years.by_energy), row.core_years.by_energy
    shelf = (before + nominal(with_core)) / 2
    bounded = replace(
        row, software_years=Life(row.software_years.by_energy, shelf),
        core_years=Life(with_core, shelf), leaking_years=None,
    )  # fmt: skip
    (note,) = engine_view(planner.budget, planner.engines(), planner.gap, [bounded]).notes
    gain = years(interval(shelf - row.software_years.by_energy))
    assert f"switched off between packets, adds {gain}, up to its shelf life" in note


def test_no_store_no_cores() -> None:
    """Without a store the budget has no cores."""
    assert stored_cores(None) == []


pytestmark = pytest.mark.usefixtures("fixed_counts")
