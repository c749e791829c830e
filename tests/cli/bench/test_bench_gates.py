# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --target gate:...`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forked_commands import run_joulemark
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.target import target_named

SMALL = "halfsiphash-2-4/portable"
SERV = ("--target", "gate:serv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SMALL, *SERV), "finds none: give --liberty FILE"),
        ((SMALL, "--target", "gate:serf"), "no firmware target 'gate:serf'"),
        ((SMALL, *SERV, "--liberty", "none.lib"), "--liberty none.lib: there is no such file"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--clock", "fast"), "--clock fast: give a"),
        ((*SERV, "--liberty", "any.lib"), "name those to be measured"),
        ((SMALL, "--target", "gate:serv,mcu:serv"), "another table than mcu:serv"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--csv"), "as a table or by --json alone"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--batch", "4"), "--batch: firmware takes"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--energy"), "--energy: the joules of a netlist"),
        ((SMALL, *SERV, "--liberty", "any.lib", "--plugin", "x.so"), "have no place beside"),
        ((SMALL, "--target", "mcu:serv", "--clock", "1M"), "--clock is for the netlist of a CPU"),
        ((SMALL, "--liberty", "any.lib"), "--liberty is for the netlist of a CPU"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Each refusal is one sentence, with exit code 2."""
    done = run_joulemark("bench", *arguments, cwd=tmp_path, text=True)
    assert done.returncode == 2
    assert words in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def _skip_without_tools() -> None:
    pytest.importorskip("pyosys", reason="needs pyosys: make core-tools")
    lacking = missing(target_named("gate:serv"))
    if lacking is not None:
        pytest.skip(f"gate:serv {lacking}")


def test_a_message_without_room_is_refused(tmp_path: Path, open_library: Path) -> None:
    """No netlist is made where no message has room."""
    _skip_without_tools()
    done = run_joulemark(
        "bench", SMALL, *SERV, "--liberty", open_library, "--size", "65535",
        cwd=tmp_path, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "at 65535 B: refused: the message has no room in 65536 bytes of RAM" in done.stderr
    assert done.stdout == ""


@pytest.mark.timeout(600)
def test_the_table_and_the_json_say_the_same(tmp_path: Path, open_library: Path) -> None:
    """The row has the parts of the energy, and says what is left out."""
    _skip_without_tools()
    arguments = ("bench", SMALL, *SERV, "--liberty", open_library, "--size", "16")
    table = run_joulemark(*arguments, cwd=tmp_path, text=True, timeout_s=600)
    assert table.returncode == 0, table.stderr
    for words in ("without glitches", "memory apart", "register file apart", "modelled", "GE"):
        assert words in table.stdout
    done = run_joulemark(*arguments, "--json", cwd=tmp_path, text=True)
    found = json.loads(done.stdout)
    [row], [cpu] = found["results"], found["cpus"]
    assert found["without_glitches"] is True
    assert found["evidence"] == {"core_cycles": "simulated", "joules": "modelled"}
    parts = row["logic_j"] + row["storage_and_clock_j"] + row["leakage_j"]
    assert row["joules_per_message"] == pytest.approx(parts)
    assert str(row["core_cycles_per_message"]) in table.stdout
    assert f"{cpu['area_ge']:.0f} GE" in table.stdout
    assert [use["name"] for use in row["memories_apart"]] == ["memory", "register file"]
