# SPDX-License-Identifier: Apache-2.0
"""`joulemark meter`, with simulated machines whose power is known."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from rich.console import Console

from joulemark.cli import instruments as command_module
from joulemark.cli.meter_output import LiveScreen, bars
from joulemark.cli.shared.measuring_options import TreeOptions
from joulemark.measure.meter_choice import LiveFigure, interval_of
from joulemark.meters.simulated import FaultKind, SimulatedDomain, SimulatedFault
from joulemark.meters.simulated.daemon import start
from joulemark.records.energy_window import Domain, DomainKind, Quantity
from simulated_world import World

PACKAGE = SimulatedDomain("intel-rapl:0", "package-0", static_w=10.0)
CORE = SimulatedDomain("intel-rapl:0:0", "core", static_w=2.0, load_share=0.8)
OTHER = SimulatedDomain("intel-rapl:1", "package-1", static_w=5.0, load_share=0.0)


@pytest.fixture(autouse=True)
def _own_trees(monkeypatch):
    """Removes settings of the user that would lead the tests to other trees."""
    monkeypatch.delenv("JOULEMARK_SYSFS", raising=False)
    monkeypatch.delenv("JOULEMARK_PROC", raising=False)


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Makes a simulated machine whose time is the command's pauses, under a load of 20 W."""

    def make(*domains, faults=(), watts=20.0, pauses=None):
        world = World(tmp_path / "machine", domains, faults=faults)
        left = iter(range(pauses)) if pauses is not None else None

        def pause_s(duration_s):
            if left is not None and next(left, None) is None:
                raise KeyboardInterrupt
            world.run_load(round(duration_s * 1e9), watts)

        monkeypatch.setattr(TreeOptions, "roots", lambda _trees: world.roots)
        monkeypatch.setattr(command_module, "_pause_s", pause_s)
        return world

    return make


@pytest.fixture
def refreshes(run):
    """Runs the command, which must end well, and returns its lines of JSON."""

    def call(*arguments, code=0):
        result = run("meter", "--json", *arguments)
        assert result.exit_code == code, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    return call


def of(lines, domain):
    """Returns the entries of one domain from each refresh."""
    return [next(item for item in line["domains"] if item["domain"] == domain) for line in lines]


def test_power_and_energy_are_those_of_the_machine(machine, refreshes):
    """10 W at rest and a load of 20 W are 30 W, of which the core has 2 W and 16 W."""
    world = machine(PACKAGE, CORE)
    lines = refreshes("--duration", "2")
    assert len(lines) == 4
    assert {line["evidence"] for line in lines} == {"simulated"}
    assert [line["elapsed_s"] for line in lines] == pytest.approx([0.5, 1, 1.5, 2], rel=0.01)
    for domain, watts in (("intel-rapl:0", 30.0), ("intel-rapl:0:0", 18.0)):
        seen = of(lines, domain)
        assert [item["power_w"] for item in seen] == pytest.approx([watts] * 4, rel=0.01)
        true_j = world.true_energy_j(domain, world.start_ns, world.start_ns + 2_000_000_000)
        assert seen[-1]["energy_j"] == pytest.approx(true_j, rel=0.01)
        assert {item["reason"] for item in seen} == {None}


def test_once_is_one_refresh(machine, refreshes):
    """`--once` prints one line after one interval."""
    machine(PACKAGE)
    (line,) = refreshes("--once", "--interval", "2")
    assert line["schema_version"] == 1
    assert line["elapsed_s"] == pytest.approx(2, rel=0.01)


def test_wraps_are_undone_and_counted(machine, refreshes):
    """A counter that wraps every 40 J has wrapped three times after 126 J, and no joule is lost."""
    machine(SimulatedDomain("intel-rapl:0", "package-0", wraps_at_j=40.0, limit_w=100.0))
    seen = of(refreshes("--duration", "4.2"), "intel-rapl:0")
    assert seen[-1]["wraps"] == 3
    assert seen[-1]["energy_j"] == pytest.approx(126, rel=0.01)
    assert [item["power_w"] for item in seen] == pytest.approx([30] * len(seen), rel=0.01)


def test_a_reset_gives_no_number(machine, refreshes):
    """The refresh of a reset has a reason; later refreshes have power again and no energy."""
    machine(PACKAGE, faults=[SimulatedFault(1.2, FaultKind.RESET, "intel-rapl:0")])
    seen = of(refreshes("--duration", "2.5"), "intel-rapl:0")
    powers_w = [item["power_w"] for item in seen]
    assert powers_w[2] is None
    assert "the counter was reset" in seen[2]["reason"]
    assert powers_w[:2] + powers_w[3:] == pytest.approx([30] * 4, rel=0.01)
    assert [item["energy_j"] is None for item in seen] == [False, False, True, True, True]
    assert "part of the energy is not known" in seen[4]["reason"]


def test_a_long_gap_gives_no_number(machine, refreshes):
    """A gap between reads that is longer than a wrap may take gives a reason and no number."""
    machine(PACKAGE, faults=[SimulatedFault(0.7, FaultKind.LATE, duration_s=100.0)])
    lines = refreshes("--duration", "102")
    seen = of(lines, "intel-rapl:0")
    assert seen[1]["power_w"] is None
    assert "passed between two reads of package-0" in seen[1]["reason"]
    assert seen[-1]["power_w"] == pytest.approx(30, rel=0.01)
    # The refreshes that the hold-up swallowed are not made up for.
    assert len(lines) < 10


def test_long_refreshes_are_read_within(machine, refreshes):
    """A refresh of 100 s has reads within it, since a RAPL counter may wrap twice in that time."""
    machine(PACKAGE)
    (seen,) = of(refreshes("--once", "--interval", "100"), "intel-rapl:0")
    assert seen["power_w"] == pytest.approx(30, rel=0.01)


def test_a_slow_counter_gives_fewer_numbers_and_no_wrong_ones(machine, refreshes):
    """Of a counter that moves every 2 s, refreshes without an update have no power, others 30 W."""
    machine(SimulatedDomain("intel-rapl:0", "package-0", update_period_s=2.0, phase_s=0.7))
    seen = of(refreshes("--duration", "13"), "intel-rapl:0")
    powers_w = [item["power_w"] for item in seen if item["power_w"] is not None]
    assert powers_w == pytest.approx([30] * 6, rel=0.01)
    assert seen[0]["energy_j"] is None
    assert seen[-1]["energy_j"] == pytest.approx(6 * 60, rel=0.01)


def test_a_stuck_counter_is_not_zero(machine, refreshes):
    """A counter that never moves has neither power nor energy."""
    machine(PACKAGE, faults=[SimulatedFault(0, FaultKind.STUCK, "intel-rapl:0")])
    seen = of(refreshes("--duration", "3"), "intel-rapl:0")
    assert {(item["power_w"], item["energy_j"]) for item in seen} == {(None, None)}
    assert "has not moved" in seen[-1]["reason"]


def test_a_gauge_shows_its_mean(machine, refreshes):
    """A sensor of 7 W that feels half the load shows 17 W, and joules in proportion."""
    machine(SimulatedDomain("hwmon0/power1", "rail", static_w=7.0, load_share=0.5,
                            update_period_s=0.01))  # fmt: skip
    lines = refreshes("hwmon", "--duration", "2")
    for place, (seen,) in enumerate((line["domains"] for line in lines), 1):
        assert seen["quantity"] == "power"
        assert seen["power_w"] == pytest.approx(17, rel=0.02)
        assert seen["energy_j"] == pytest.approx(17 * 0.5 * place, rel=0.05)


def test_a_gauge_of_nothing_but_zero_has_no_number(machine, refreshes):
    """A sensor that says 0 W in every sample is taken for dead."""
    machine(SimulatedDomain("hwmon0/power1", "rail", static_w=0.0, load_share=0.0))
    (seen,) = refreshes("hwmon", "--once")[0]["domains"]
    assert seen["power_w"] is None
    assert "said 0 W in each of" in seen["reason"]


def test_a_battery_on_the_mains_has_no_number(machine, refreshes):
    """A battery that is charged has no power figure, since its power is not the machine's."""
    machine(SimulatedDomain("BAT0", update_period_s=0.1),
            faults=[SimulatedFault(1.7, FaultKind.CHARGING, "BAT0")])  # fmt: skip
    seen = [line["domains"][0] for line in refreshes("--duration", "3")]
    assert seen[1]["power_w"] == pytest.approx(30, rel=0.02)
    assert seen[-1]["power_w"] is None
    assert (
        "BAT0 says Charging: it does not feed the machine alone; unplug the charger"
        in seen[-1]["reason"]
    )


def test_a_domain_that_vanishes_leaves_the_others(machine, refreshes):
    """The line of a vanished package says why from then on; the other package goes on."""
    machine(PACKAGE, OTHER, faults=[SimulatedFault(1.2, FaultKind.VANISH, "intel-rapl:1")])
    lines = refreshes("--duration", "3")
    gone, other = of(lines, "intel-rapl:1"), of(lines, "intel-rapl:0")
    assert gone[1]["power_w"] == pytest.approx(5, rel=0.01)
    assert all(
        item["power_w"] is None and "not there any more" in item["reason"] for item in gone[2:]
    )
    assert other[-1]["power_w"] == pytest.approx(30, rel=0.01)


def test_when_none_is_left_it_is_refused(machine, run):
    """When no domain is left, the command ends with one sentence and exit code 2."""
    machine(PACKAGE, CORE, faults=[SimulatedFault(0.7, FaultKind.VANISH, "intel-rapl:0")])
    result = run("meter", "--json")
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("joulemark: nothing of the meter is left to read: ")
    assert "not there any more" in line


def test_without_a_meter_it_is_one_short_sentence(refused, machine):
    """Without a meter the sentence is the same as in other commands, and names `doctor`."""
    machine()
    line = refused("meter")
    assert re.search(
        r"no energy meter (on this machine|in this virtual machine) "
        r"\(joulemark doctor has the list\)$",
        line,
    )


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--interval", "0"), "--interval 0"),
        (("--interval", "nan"), "--interval nan"),
        (("--duration", "-1"), "--duration -1"),
        (("--duration", "inf"), "--duration inf"),
        (("--once", "--duration", "3"), "exclude one another"),
        (("--sysfs", "nowhere"), "--sysfs nowhere: there is no such folder"),
        (("--proc", "nowhere"), "--proc nowhere: there is no such folder"),
        (("frobnicator",), "there is no meter 'frobnicator'"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, arguments, word):
    """Options that make no sense are refused in one sentence that names the option."""
    assert word in refused("meter", *arguments)


def test_lines_for_programs_are_whole(machine, run):
    """Without a terminal each domain has a line with evidence; parts are indented, not totalled."""
    machine(PACKAGE, CORE)
    choice, heading, *lines = run("meter", "--duration", "1").stdout.splitlines()
    assert choice == "Meter: powercap (RAPL through powercap); no other is preferred to it."
    assert heading.startswith("powercap (RAPL through powercap), simulated, every 500 ms; ")
    assert [line.split("  ")[0:1] + line.split()[2:] for line in lines[2:4]] == [
        ["", "package-0", "package", "30", "W", "30", "J", "simulated"],
        ["", "core", "core", "18", "W", "18", "J", "simulated"],
    ]
    assert lines[1].index("core") == lines[0].index("package-0") + 2
    assert lines[4:] == [
        "1 s of powercap (RAPL through powercap), simulated:",
        "  package-0  30 J, 30 W to 30 W",
        "    core     18 J, 18 W to 18 W",
    ]


def test_twins_are_counted_and_not_shown(machine, run):
    """The same package through memory has no line; the heading counts it."""
    machine(PACKAGE, SimulatedDomain("intel-rapl-mmio:0", "package-0", mirror_of="intel-rapl:0"))
    _, heading, *lines = run("meter", "--once").stdout.splitlines()
    assert "; 1 more: joulemark doctor; " in heading
    assert len(lines) == 1


def test_ctrl_c_ends_it_well(machine, run):
    """Ctrl-C ends the command with a summary of the refreshes so far and exit code 0."""
    machine(PACKAGE, pauses=3)
    result = run("meter")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "  package-0  45 J, 30 W to 30 W"


def test_bars_fill_the_width_from_zero_to_the_highest():
    """The newest bars stand last, a missing power is a gap, and heights are in proportion."""
    assert bars([1.0, None, 8.0], 10) == "▁ █"
    assert bars([8.0, 1.0, 2.0, 4.0], 3) == "▂▄█"
    assert bars([0.0, 0.0], 5) == "▁▁"
    assert bars([1.0], 0) == bars([1.0], -3) == ""


@pytest.mark.parametrize("width", [30, 60, 200])
def test_the_screen_fits_the_terminal(width):
    """No line is wider than the terminal, and a reason stands under the line of its domain."""
    package = Domain("a", "package-0", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6)
    core = Domain("b", "core", DomainKind.CORE, Quantity.ENERGY, 1e-6, 1e-6, parent="a")
    screen = LiveScreen("title", "measured", [package, core])
    for _ in range(300):
        screen.take(
            [LiveFigure(package, 12.3, 4.5, 2, None), LiveFigure(core, None, None, 0, "because")]
        )
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=True, color_system=None)
    console.print(screen.drawn(width, 0.5, 150.0))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert lines[-3].startswith("package-0")
    assert (lines[-2][:6], lines[-1]) == ("  core", "  because")
    if width >= 60:
        line = next(line for line in lines if line.startswith("package-0"))
        assert len(line) == width
        assert line.count("█") == width - len("package-0  ") - 9 - 2 - len(
            "  " + "4.5 J".rjust(9) + "  2 wraps  measured"
        )


def test_a_refresh_is_two_periods_at_least():
    """A stated update period lengthens the interval to two periods; an unknown period does not."""
    slow = Domain("a", "a", DomainKind.SUPPLY, Quantity.ENERGY, 1, 1, update_period_s=3.0)
    unknown = Domain("b", "b", DomainKind.SUPPLY, Quantity.ENERGY, 1, 1)
    assert interval_of([slow, unknown], 0.5) == 6.0
    assert interval_of([unknown], 0.5) == 0.5


def test_a_closed_pipe_is_no_error(tmp_path):
    """A reader of the lines may stop at any time, without a message of ours."""
    World(tmp_path / "machine", [PACKAGE])
    read_end, write_end = os.pipe()
    os.close(read_end)
    line = [sys.executable, "-m", "joulemark.cli.entry", "meter", f"simulated:{tmp_path}/machine"]
    result = subprocess.run(line, stdout=write_end, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write_end)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.timing
def test_the_real_command_on_a_live_machine():
    """An idle machine shows its static 10 W; SIGINT ends the command with a summary and 0."""
    with start("static_w=10,active_w=0") as name:
        line = [sys.executable, "-m", "joulemark.cli.entry", "meter", name]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            shown = [process.stdout.readline().decode().split() for _ in range(6)]
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, b"")
    assert shown[4][2] == "package-0"
    assert float(shown[4][4]) == pytest.approx(10, rel=0.1)
    assert b" J, " in output.splitlines()[-1]


def test_a_recording_is_read_whole(run, refused, tmp_path):
    """A finished file has its mean power and energy; other ends of the command are refused."""
    path = tmp_path / "ppk2.csv"
    rows = "".join(f"{n}.00,800,00000000\n" for n in range(400))
    path.write_text(f"Timestamp(ms),Current(uA),D0-D7\n{rows}")
    name = f"external:{path},voltage=3.3"
    text = " ".join(run("meter", "--recorded", name).stdout.split())
    assert "400 samples over 399 ms, measured supply 2.64 mW 1.05 mJ" in text
    assert "at a supply of 3.3 V, as stated" in text
    line = json.loads(run("meter", "--recorded", "--json", name).stdout)
    assert line["domains"][0]["power_w"] == pytest.approx(2.64e-3)
    assert "leave out other ends" in refused("meter", "--recorded", "--once", name)
    assert "only a file can be read whole" in refused("meter", "--recorded", "powercap")
    assert "state the supply voltage" in refused("meter", "--recorded", f"external:{path}")
