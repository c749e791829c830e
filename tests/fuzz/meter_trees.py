# SPDX-License-Identifier: Apache-2.0
"""Damage to the trees of files that meters read, and to the output of an external instrument.

Some damage is done while a meter is being read, so that a repeated case may end otherwise.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from damage import ODD, damaged_bytes, damaged_text

from joulemark.meters.simulated import SimulatedDomain
from simulated_world import World

DOMAINS = (
    SimulatedDomain("intel-rapl:0", "package-0", limit_w=100.0),
    SimulatedDomain("intel-rapl:0:0", "core"),
    SimulatedDomain("intel-rapl-mmio:0", "package-0", mirror_of="intel-rapl:0"),
    SimulatedDomain("hwmon0/energy1", "Esocket0"),
    SimulatedDomain("hwmon1/power1", "total"),
    SimulatedDomain("BAT0"),
)
NAMES = ("powercap", "hwmon", "battery", "acpi-battery", "perf-power")
_HEADS = (
    *["time_s,power_w\n"] * 5, *["timestamp,voltage_v,current_ma\n"] * 3, "", "power_w\n",
    "time_s,time_s\n", "x,y\n", "\x00\n",
)  # fmt: skip
_ODD_LINES = ("nan\n", "1e400,1\n", "2,-5\n", ",,,\n", "1,2,3,4\n", "\x1b[2J\n", "12.5 W\n", "\n")
_LINE_S = 0.01
_LINES = 60
_LINES_BEFORE = 200
"""An instrument has been writing for a while when it is read."""
_CLOCKS = (
    "", *[",clock=epoch"] * 5, ",clock=monotonic", ",clock=arrival", ",clock=", ",x=1", "@9600",
)  # fmt: skip


def whole_tree(root: Path) -> None:
    """A machine with every kind of meter that is files."""
    World(root, DOMAINS)


def damage_tree(root: Path, chance: random.Random) -> None:
    """Changes one to three files or folders of a tree."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        places = sorted(file for part in ("sys", "proc") for file in (root / part).rglob("*"))
        path = chance.choice(places)
        kind = chance.random()
        if kind < 0.65 and path.is_file():
            _damage_file(path, chance)
        elif kind < 0.75:
            _remove(path)
        elif kind < 0.85:
            _remove(path)
            path.symlink_to(chance.choice((path.name, "/nowhere", "..", "/dev/zero", "/dev/full")))
        elif kind < 0.92:
            _remove(path)
            path.mkdir() if chance.random() < 0.5 else path.write_bytes(b"")
        elif path.parent.is_dir():
            copy = path.with_name(chance.choice((f"{path.name}9", "intel-rapl:0:77", "x\x1b[2J")))
            if os.path.lexists(copy):
                continue
            if path.is_symlink():  # the target of the link may be at the place of the copy
                copy.symlink_to(path.readlink())
            elif path.is_dir():
                shutil.copytree(path, copy, symlinks=True)


def _damage_file(path: Path, chance: random.Random) -> None:
    content = path.read_bytes() or b"0\n"
    kind = chance.random()
    if kind < 0.4:
        path.write_bytes(damaged_bytes(content, chance))
    elif kind < 0.7:
        odd = str(chance.choice(ODD))
        path.write_bytes(odd.encode("utf-8", "surrogatepass"))
    else:
        text = damaged_text(content.decode("utf-8", "replace"), chance)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def damaged_stream(path: Path, chance: random.Random) -> tuple[str, Callable[[], None]]:
    """Writes the output of an instrument with faults.

    Returns:
        The name of the meter that reads it, and what goes on writing while it does.
    """
    head = chance.choice(_HEADS)
    head = damaged_text(head, chance) if head and chance.random() < 0.4 else head
    share = chance.choice((0.0, 0.01, 0.3))
    values = head.count(",")

    def line(moment_s: float) -> bytes:
        iso = datetime.fromtimestamp(moment_s, UTC).isoformat()
        stamp = iso if head.startswith("timestamp") else f"{moment_s:.4f}"
        text = f"{stamp},12.5{',240' * (values - 1)}\n" if values else "12.5\n"
        if chance.random() < share:
            text = chance.choice((*_ODD_LINES, damaged_text(text, chance)))
        return text.encode("utf-8", "surrogatepass")

    now_s = time.time()
    before = b"".join(line(now_s - number * _LINE_S) for number in range(_LINES_BEFORE, 0, -1))
    path.write_bytes(head.encode("utf-8", "surrogatepass") + before)

    def write() -> None:
        with path.open("ab", buffering=0) as stream:
            for _ in range(_LINES):
                stream.write(line(time.time()))
                time.sleep(_LINE_S)

    return f"external:{path.name}{chance.choice(_CLOCKS)}", write


def later_damage(root: Path, chance: random.Random) -> Callable[[], None]:
    """Moves the counters of a tree and damages it again, some moments from now."""

    def change() -> None:
        for _ in range(_LINES):
            time.sleep(_LINE_S)
            for path in root.glob("sys/**/energy*_*"):
                with suppress(OSError):
                    path.write_text(f"{chance.choice((0, 10**6, chance.randrange(2**40)))}\n")
            if chance.random() < 0.05:
                with suppress(OSError, IndexError):
                    damage_tree(root, chance)

    return change
