# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of meters that do not contain the measured CPU: their joules are another's.

Without RAPL the next sensor in line was taken: the power that charges a battery, a graphics board,
memory alone. A meter that the user did not name contains the measured CPU, or none is taken.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pitfalls import bench_of, folder, package

from forked_commands import run_joulemark
from joulemark.errors import UnavailableError
from joulemark.judging.domains import headline
from joulemark.measure.meter_choice import choose_meter
from joulemark.meters import Roots
from joulemark.meters.simulated import SimulatedDomain
from joulemark.records.energy_window import Domain, DomainKind, Quantity

NOWHERE = (None, None)
BOARD = {"class/hwmon/hwmon3/name": "amdgpu", "class/hwmon/hwmon3/power1_average": "31000000",
         "class/hwmon/hwmon3/power1_label": "PPT"}  # fmt: skip
RAIL = {"class/hwmon/hwmon1/name": "ina226", "class/hwmon/hwmon1/power1_input": "2475000"}
CORE = {"class/hwmon/hwmon2/name": "amd_energy", "class/hwmon/hwmon2/energy1_label": "Ecore000",
        "class/hwmon/hwmon2/energy1_input": "2475000"}  # fmt: skip
MEMORY = {"class/powercap/intel-rapl:0/name": "package-0",
          "class/powercap/intel-rapl:0:0/name": "dram",
          "class/powercap/intel-rapl:0:0/energy_uj": "1"}  # fmt: skip
OTHER_SOCKET = {"class/powercap/intel-rapl:1/name": "package-1",
                "class/powercap/intel-rapl:1/energy_uj": "1"}  # fmt: skip


def battery(name: str, status: str) -> dict[str, str]:
    """A battery as the power supply class shows it."""
    place = f"class/power_supply/{name}"
    return {f"{place}/type": "Battery", f"{place}/status": status,
            f"{place}/power_now": "42000000"}  # fmt: skip


CHARGING = {**battery("BAT0", "Charging"), "class/power_supply/AC/type": "Mains",
            "class/power_supply/AC/online": "1", "class/hwmon/hwmon2/name": "BAT0",
            "class/hwmon/hwmon2/power1_input": "42000000"}  # fmt: skip


def laid(root: Path, *trees: dict[str, str]) -> Roots:
    """A machine with these files in its sysfs."""
    roots = Roots(root / "sys", root / "proc")
    for tree in (roots.sysfs, roots.proc):
        tree.mkdir()
    for path, text in (item for files in trees for item in files.items()):
        (roots.sysfs / path).parent.mkdir(parents=True, exist_ok=True)
        (roots.sysfs / path).write_text(f"{text}\n")
    return roots


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        (BOARD, "hwmon meters graphics boards alone, and not the CPU; it is taken only if"),
        (RAIL, "hwmon meters supply rails alone"),
        (BOARD | RAIL, "hwmon meters graphics boards and supply rails alone"),
        (CORE, "hwmon meters cores without the rest of their CPU alone"),
        (MEMORY, "powercap meters memory alone"),
        (OTHER_SOCKET, "powercap meters package-1, and not the package of the CPU"),
        (CHARGING, "has the list); to meter the battery, unplug the mains adapter"),
        (battery("BAT0", "Discharging") | battery("BAT1", "Discharging"),
         "battery meters BAT0 and BAT1, none of which feeds the CPU alone"),
    ],
)  # fmt: skip
def test_pitfall_other_loads_are_not_the_cpu(tree: dict[str, str], says: str) -> None:
    """Nothing is taken unless it is named, and the sentence says what the meter does meter."""
    with folder() as root, pytest.raises(UnavailableError) as caught:
        choose_meter(None, laid(root, tree), (0, 0))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "tree", [CHARGING, {**CHARGING, "class/hwmon/hwmon2/name": "ucsi_source_psy_1",
                        "class/power_supply/ucsi-source-psy-1/type": "USB"}]
)  # fmt: skip
def test_pitfall_power_supplies_are_left_to_the_meter_battery(tree: dict[str, str]) -> None:
    """The kernel shows a battery twice; the twin does not say which way its power flows."""
    with folder() as root:
        roots = laid(root, tree)
        for name, says in (("hwmon", "is a power supply"), ("battery", "it says Charging")):
            with pytest.raises(UnavailableError, match=says):
                choose_meter(name, roots, NOWHERE)


@pytest.mark.parametrize("link", ["device", "device/subsystem", "."])
def test_pitfall_a_supply_is_known_by_its_place(link: str) -> None:
    """The chip's folder or its device lies below the power supply class, whatever its name."""
    with folder() as root:
        roots = laid(root, {"class/power_supply/BAT9/type": "Battery"})
        chip = roots.sysfs / "class/hwmon/hwmon2"
        below = roots.sysfs / "devices/LNX/power_supply/BAT9"
        below.mkdir(parents=True)
        chip.parent.mkdir(parents=True)
        if link == ".":
            (below / "hwmon2").mkdir()
            chip.symlink_to(below / "hwmon2")
        else:
            chip.mkdir()
            place = chip / "device"
            if link == "device":
                place.symlink_to(below)
            else:
                place.mkdir()
                (place / "subsystem").symlink_to(roots.sysfs / "class/power_supply")
        (chip / "name").write_text("anything\n")
        (chip / "power1_input").write_text("42000000\n")
        with pytest.raises(UnavailableError, match="anything is a power supply"):
            choose_meter("hwmon", roots, NOWHERE)


def test_pitfall_the_choice_says_why_no_better_meter_is_taken() -> None:
    """Each meter that is preferred and passed over is named with the beginning of its reason."""
    with folder() as root:
        chosen = choose_meter(None, laid(root, BOARD, battery("BAT1", "Discharging")), (0, 0))
        chosen.meter.close()
    assert chosen.choice == (
        "Meter: battery (battery); not powercap or perf-power: the kernel shows no RAPL domain, "
        "and /proc/cpuinfo does not say why; not hwmon: it meters graphics boards alone, and not "
        "the CPU."
    )
    with bench_of(package()) as bench:
        best = choose_meter(None, bench.world.roots, (0, None))
    assert best.choice == "Meter: powercap (RAPL through powercap); no other is preferred to it."


def test_pitfall_a_board_that_is_named_is_metered_and_called_so() -> None:
    """The user may meter a board; the choice says that it is not the CPU."""
    with folder() as root:
        chosen = choose_meter("hwmon", laid(root, BOARD), (0, 0))
    assert chosen.choice == (
        "Meter: hwmon (hardware monitoring sensors), as named; it meters graphics boards alone, "
        "and not the CPU."
    )


def test_pitfall_a_board_never_stands_in_for_a_socket() -> None:
    """Where the kernel does not say which socket is measured, no board has its figure."""
    sockets = [
        Domain(f"s{n}", f"s{n}", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6, package=n)
        for n in range(2)
    ]
    board = Domain("card", "card", DomainKind.GPU, Quantity.ENERGY, 1e-6, 1e-6)
    assert headline([*sockets, board], None) is None
    assert headline([board], None) == board


def test_pitfall_the_first_line_names_the_meter(tmp_path: Path) -> None:
    """The command prints it before all else; without a meter of the CPU it has no joules."""
    roots = laid(tmp_path, BOARD)
    trees = ["--sysfs", str(roots.sysfs), "--proc", str(roots.proc)]
    words = ["energy", "--rounds", "3", "--foreign-limit", "100000%", *trees, "--", sys.executable,
             "-c", "pass"]  # fmt: skip
    done = run_joulemark(*words, cwd=tmp_path, text=True, timeout_s=60)
    assert done.returncode == 2
    assert "gross" not in done.stdout
    assert "hwmon meters graphics boards alone" in done.stderr
    board = SimulatedDomain("hwmon0/power1", "PPT", static_w=31.0, driver="amdgpu")
    with bench_of(board) as bench:
        roots = bench.world.roots
        trees = ["--sysfs", str(roots.sysfs), "--proc", str(roots.proc)]
        done = run_joulemark("meter", "hwmon", "--once", *trees, cwd=tmp_path, text=True,
                             timeout_s=60)  # fmt: skip
    assert done.stdout.splitlines()[0].endswith("it meters graphics boards alone, and not the CPU.")
