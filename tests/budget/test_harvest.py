# SPDX-License-Identifier: Apache-2.0
"""A harvester in place of a battery: the messages a second that its power pays for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.budget import nominal
from joulemark.budget.cores import known_cores
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue.protocols import Join, PacketProtocol, sheet
from joulemark.records.core_report import StoredCoreReport
from joulemark.report.budget.choices import harvest_view
from joulemark.units import format_si

pytestmark = pytest.mark.usefixtures("fixed_counts")


def planner(node: str, harvester: str | None, period_s: float = 10) -> Planner:
    """TinySec with a payload of 24 bytes."""
    return Planner.of("tinysec_auth", node, Question(24, period_s), harvester=harvester)


def test_at_its_rate_the_node_takes_the_power_of_the_harvester() -> None:
    """The node that sends as often as 50 uW allow takes 50 uW, whatever computes the tag."""
    for row in planner("telosb", "mems_50uw").harvest:
        often = planner("telosb", "mems_50uw", 1 / nominal(row.packets_per_s)).budget
        [candidate] = [each for each in often.ranking if each.implementation == row.name]
        assert nominal(often.power_w(candidate.packet_j)) == pytest.approx(50e-6, rel=1e-9)
        assert nominal(row.tags_per_s * row.tag_j) == pytest.approx(50e-6, rel=1e-9)
        assert nominal(row.share) == pytest.approx(nominal(row.tag_j) / 10 / 50e-6)


def test_a_node_that_takes_more_asleep_sends_nothing() -> None:
    """A MICA2 takes 24 uW asleep: 20 uW pay for tags alone, and the answer says why."""
    poor = planner("mica2", "rfid_20uw")
    assert {row.packets_per_s for row in poor.harvest} == {0.0}
    said = harvest_view(poor.budget, poor.harvest).title
    assert said.startswith("20 uW (Field of an RFID reader, at the digital part of a passive tag)")
    assert "no packet, since the node takes 24 \N{MICRO SIGN}W asleep" in said
    assert planner("mica2", None).harvest == []


def test_radio_and_processor_bound_the_rate() -> None:
    """300 kW pay for more packets than the radio can send and more tags than the chip computes."""
    rich = planner("mica2", "mems_50uw")
    supply = rich.parts.harvester
    assert supply is not None
    much = supply.model_copy(update={"power": supply.power.model_copy(update={"value": 3e11})})
    rich = replace(rich, parts=replace(rich.parts, harvester=much))
    candidates = {each.implementation: each for each in rich.budget.ranking}
    for row in rich.harvest:
        tag_s = nominal(candidates[row.name].cycles.number / rich.parts.clock_hz)
        assert nominal(row.tags_per_s) == pytest.approx(1 / tag_s)
        air_s = nominal(rich.parts.airtime_s(candidates[row.name].packet.secure_bytes))
        assert nominal(row.packets_per_s) == pytest.approx(1 / (air_s + tag_s))
    without = f"{1 / nominal(rich.parts.airtime_s(rich.budget.packet.secure_bytes)):.3g} without"
    assert without in harvest_view(rich.budget, rich.harvest).title


def often_joining(of: Planner) -> Join:
    """A million joins a year, whose values name a document of the planner's protocol."""
    shipped = sheet(PacketProtocol, "lorawan_1_0").join
    assert shipped is not None
    document = next(iter(of.protocol.documents))
    values = {
        name: getattr(shipped, name).model_copy(update={"document": document})
        for name in ("per_year", "request", "accept")
    }
    values["per_year"] = values["per_year"].model_copy(update={"value": 1e6})
    return shipped.model_copy(update=values)


def test_what_joins_take_is_named() -> None:
    """A million joins a year take more than 50 uW leave a MICA2 that sleeps at 24 uW."""
    poor = planner("mica2", "mems_50uw")
    poor = replace(poor, protocol=poor.protocol.model_copy(update={"join": often_joining(poor)}))
    joins = format_si(nominal(poor.budget.duties.joins_w), "W")
    said = harvest_view(poor.budget, poor.harvest).title
    assert f"since the node takes 24 \N{MICRO SIGN}W asleep and {joins} for joins" in said


def test_a_core_is_one_row_for_its_mac() -> None:
    """A core stands once, however many implementations it is compared with."""
    report = StoredCoreReport(
        core="mac", algorithm="cmac-aes128", target="asic", parameters={}, digest="mac",
        figures={"energy_per_block_j": 4e-9}, evidence={"energy_per_block_j": "modelled"},
        settings={}, joulemark_version="1", made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    cores = tuple(known_cores([report]))
    found = replace(planner("mica2", "rfid_20uw"), known_cores=cores).harvest
    [row] = [row for row in found if row.core is not None]
    # 28 bytes are two blocks.
    assert (row.name, row.tag_j) == ("cmac-aes128 in mac", pytest.approx(8e-9))
    assert nominal(row.tags_per_s) == pytest.approx(2500)


@pytest.mark.parametrize("received", [0.0, 20.0])
def test_a_core_computes_the_tags_of_packets_received_too(received: float) -> None:
    """The power that it saves is that of all tags for a packet sent."""
    report = StoredCoreReport(
        core="mac", algorithm="cmac-aes128", target="asic", parameters={}, digest="mac",
        figures={"energy_per_block_j": 4e-9}, evidence={"energy_per_block_j": "modelled"},
        settings={}, joulemark_version="1", made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    question = Question(24, 60.0, received_per_sent=received)
    asked = replace(
        Planner.of("lorawan_1_0", "lora_sf7", question), known_cores=tuple(known_cores([report]))
    )
    row = asked.cores[0]
    [candidate] = [
        each for each in asked.budget.ranking if each.implementation == row.implementation
    ]
    saved_j = (1 + received) * (nominal(row.software_j) - row.core_j)
    energy_years = nominal(row.core_years.by_energy)
    software_years = nominal(row.software_years.by_energy)
    assert energy_years > software_years
    assert energy_years == pytest.approx(
        nominal(asked.budget.years(candidate.packet_j - saved_j).by_energy), rel=1e-9
    )
