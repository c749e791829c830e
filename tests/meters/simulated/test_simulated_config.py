# SPDX-License-Identifier: Apache-2.0
"""The daemon's configuration: from text and from JSON, with a sentence for each mistake."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.measure.meter_choice import choose_meter
from joulemark.measure.meter_of_run import settle
from joulemark.measure.plan import EnergyPlan
from joulemark.meters.instruments import make_meter
from joulemark.meters.simulated import FaultKind, SimulatedFault
from joulemark.meters.simulated.config import HELP, parse_config, parse_options
from joulemark.records.energy_window import Quantity
from joulemark.records.figures import Evidence
from simulated_world import World


def test_options_set_what_they_name() -> None:
    """Every option of a full line arrives in its field."""
    config = parse_options(
        "static_w=12,active_w=34,update_ms=2,jitter=0.1,noise=0.05,wrap_j=100,quantum_uj=15.26,"
        "start_j=99,limit_w=65,seed=5,fault=negative_step@3,step_j=2,fault_domain=intel-rapl:0:0,"
        "watts/shani x2=3.5"
    )
    package, core = config.domains
    assert (package.id, package.static_w, package.limit_w) == ("intel-rapl:0", 12.0, 65.0)
    assert (core.static_w, core.load_share, core.limit_w) == (3.0, 0.8, None)
    assert (core.update_period_s, core.jitter, core.noise) == (0.002, 0.1, 0.05)
    assert (core.wraps_at_j, core.quantum_nj, core.start_j) == (100.0, 15_260, 99.0)
    assert config.faults == (
        SimulatedFault(3.0, FaultKind.NEGATIVE_STEP, "intel-rapl:0:0", step_j=2.0),
    )
    assert config.seed == 5
    power_nw = config.power_nw
    assert power_nw("worker shani x2") == 3_500_000_000
    assert power_nw("worker portable") == 34_000_000_000


def test_domains_come_by_option() -> None:
    """Platform, memory, mirrored die and MMIO twin stand where a real machine has them."""
    config = parse_options("psys=yes,dram=yes,mirrored=yes,mmio=yes")
    named = {domain.id: domain for domain in config.domains}
    assert {place: simulated_domain.name for place, simulated_domain in named.items()} == {
        "intel-rapl:2": "psys",
        "intel-rapl:0": "package-0-die-0",
        "intel-rapl:0:0": "core",
        "intel-rapl:0:1": "dram",
        "intel-rapl:1": "package-0-die-1",
        "intel-rapl-mmio:0": "package-0-die-0",
    }
    assert named["intel-rapl:1"].mirror_of == named["intel-rapl-mmio:0"].mirror_of == "intel-rapl:0"
    usual = ["intel-rapl:0", "intel-rapl:0:0"]
    more = {"psys": "intel-rapl:1", "mmio": "intel-rapl-mmio:0", "mirrored": "intel-rapl:1"}
    assert [domain.id for domain in parse_options("").domains] == usual
    for option, place in more.items():
        found = [domain.id for domain in parse_options(f"{option}=yes").domains]
        assert sorted(found) == sorted([*usual, place])


def test_battery_alone_feeds_its_machine(tmp_path: Path) -> None:
    """The simulated meter then reads the battery's power, and shows its figures as simulated."""
    config = parse_options("battery=yes,static_w=22,active_w=11,fault=charging@600")
    assert [fault.domain for fault in config.faults] == ["BAT0"]
    world = World(tmp_path, config.domains, faults=config.faults)
    meter = make_meter(f"simulated:{tmp_path}/", world.roots)
    gauge, counter = meter.survey().domains
    assert (gauge.id, gauge.quantity, counter.falls) == ("BAT0:power_now", Quantity.POWER, True)
    world.run_load(10_000_000_000, config.active_w)
    reading = meter.read(gauge.id)
    assert reading.counts * gauge.per_count == pytest.approx(33.0, rel=0.05)
    assert reading.state == "Discharging"
    assert meter.evidence() is Evidence.SIMULATED
    chosen = choose_meter(f"simulated:{tmp_path}/", world.roots, (None, None))
    prepared = settle(chosen, EnergyPlan(method="westermann2010"), chosen.domains, gauge, {})
    assert (prepared.record.window_s, prepared.headline.id) == (60.0, gauge.id)


def test_permission_forbids_every_counter() -> None:
    """With permission=yes each domain has its fault from the start."""
    config = parse_options("permission=yes,dram=yes")
    assert {fault.domain for fault in config.faults} == {domain.id for domain in config.domains}
    assert {fault.kind for fault in config.faults} == {FaultKind.PERMISSION}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("static_w", "option=value"),
        ("power=3", "no option 'power'"),
        ("static_w=3,static_w=4", "twice"),
        ("static_w=much", "'static_w' must be a number, not 'much'"),
        ("static_w=1_0", "'static_w' must be a number, not '1_0'"),
        ("active_w=-1", "active_w must be 0 or more"),
        ("noise=nan", "'noise' must be a number"),
        ("update_ms=0", "update_period_s"),
        ("psys=maybe", "'psys' must be yes or no, not 'maybe'"),
        ("fault=vanish", "KIND@SECONDS"),
        ("fault=late@1", "KIND@SECONDS"),
        ("fault=stuck@soon", "'fault' must be a number, not 'soon'"),
        ("fault=stuck@1,fault_domain=BAT0", "'fault_domain' must be one of intel-rapl:0"),
        ("battery=yes,psys=yes", "'psys' is of counters"),
        ("watts/(=3", "no regular expression"),
        ("watts/x=-3", "0 W or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(text: str, sentence: str) -> None:
    """Each mistake in the text gets one sentence that names the option."""
    with pytest.raises(UsageError) as caught:
        parse_options(text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_json_gives_back_the_same_configuration() -> None:
    """The daemon reads back the configuration that was written for it as JSON."""
    config = parse_options("psys=yes,mirrored=yes,wrap_j=5,fault=reset@1,watts/a=3,seed=9")
    assert parse_config(config.as_json()) == config


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], "must be a JSON object"),
        ({}, "at least one domain"),
        ({"domains": {}}, "'domains' in"),
        ({"domains": [3]}, "must be a JSON object"),
        ({"domains": [{}]}, "something required is missing"),
        ({"domains": [{"id": "BAT0", "colour": 3}]}, "there is no 'colour'"),
        ({"domains": [{"id": "BAT0", "static_w": "3"}]}, "'static_w' must be of type float"),
        ({"domains": [{"id": "BAT0", "static_w": True}]}, "'static_w' must be of type float"),
        ({"domains": [{"id": "BAT0", "acpi_rate": "W"}]}, "'acpi_rate' must be one of mW"),
        ({"faults": [{"at_s": 1, "kind": "melt"}]}, "'kind' must be one of permission"),
        ({"powers": [{"command": "(", "watts": 1}]}, "no regular expression"),
        (
            {
                "domains": [{"id": "BAT0"}],
                "faults": [{"at_s": 1, "kind": "late", "duration_s": 1}],
            },
            "only virtual time",
        ),
    ],
)
def test_json_that_makes_no_sense_is_refused(values: object, sentence: str) -> None:
    """Each mistake in the JSON gets one sentence that names the place."""
    with pytest.raises(UsageError) as caught:
        parse_config(json.dumps(values))
    assert sentence in str(caught.value)


@given(
    st.text(max_size=60)
    | st.builds(lambda a, b: f"{a}={b}", st.sampled_from(list(HELP)), st.text())
)
def test_any_text_is_a_machine_or_a_refusal(text: str) -> None:
    """Whatever is written, neither parser fails in another way than by refusing."""
    for parse in (parse_options, parse_config):
        with suppress(UsageError):
            assert parse(text).domains
