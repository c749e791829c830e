# SPDX-License-Identifier: Apache-2.0
"""Cores driven by a table in their manifest."""

from __future__ import annotations

import subprocess
import sys

import pytest

from joulemark.errors import UsageError
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.bench.port_table import padded
from joulemark.hardware.flow.testing import check_core
from joulemark.hardware.manifest import read_core
from tool_marks import needs_simulator

pytest.importorskip("cocotb", reason="needs cocotb (make core-tools)")
pytestmark = pytest.mark.usefixtures("kept_simulations")


@pytest.mark.parametrize(
    ("message", "block", "how", "expected"),
    [
        (b"", 4, "none", b""),
        (b"", 4, "zero", bytes(4)),
        (b"abcde", 4, "zero", b"abcde" + bytes(3)),
        (b"a" * 55, 64, "sha2", b"a" * 55 + b"\x80" + (440).to_bytes(8, "big")),
        (b"a" * 56, 64, "sha2", b"a" * 56 + b"\x80" + bytes(63) + (448).to_bytes(8, "big")),
        (b"", 64, "md5", b"\x80" + bytes(63)),
        (b"a", 128, "sha2", b"a\x80" + bytes(125) + b"\x08"),
    ],
)
def test_padding_is_that_of_the_standards(message, block, how, expected):
    """FIPS 180-4, section 5.1: a 1 bit, zeros, the length in 64 bits, or 128 for wide blocks."""
    assert padded(message, block, how) == expected


@needs_simulator
@pytest.mark.parametrize("name", ["toy_mac", "toy_hash", "toy_cipher"])
def test_a_core_is_driven_by_its_table(toy, tmp_path, name):
    """One core of each protocol passes lint and has right results and the promised clocks."""
    core = read_core(toy(name))
    checks = check_core(core, core.chosen({}), tmp_path / "work")
    assert [check for check in checks if not check.passed] == []
    assert "results of the workload" in [check.name for check in checks]


@needs_simulator
def test_a_core_that_cannot_be_held_back_is_driven(toy, tmp_path):
    """Without `result_ready` a result is there for one clock, whoever looks."""
    manifest = toy("toy_mac")
    for path, old, new in (
        (manifest, ' result_ready = "out_ready",', ""),
        (manifest.with_name("toy_mac.v"), "    input wire out_ready,\n", ""),
        (manifest.with_name("toy_mac.v"), "reg fresh;", "reg fresh; wire out_ready = 1'b1;"),
    ):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    core = read_core(manifest)
    checks = check_core(core, core.chosen({}), tmp_path / "work")
    assert [check for check in checks if not check.passed] == []


@needs_simulator
def test_a_wrong_result_is_seen(toy, tmp_path):
    """A core that differs from its reference fails, and the message has both values."""
    manifest = toy("toy_cipher")
    source = manifest.with_name("toy_cipher.sv")
    source.write_text(source.read_text().replace("state_q[24:0]", "state_q[24:1], 1'b1"))
    core = read_core(manifest)
    failed = [verdict for verdict in check_core(core, {}, tmp_path / "work") if not verdict.passed]
    assert "the reference says" in failed[-1].remark


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"start_done"', '"start_stop"', "there is valid_ready, init_next, start_done"),
        ('start = "start_i", ', "", "adapter.ports has no 'start'"),
        ("block_bytes = 4\n", "", "adapter.block_bytes is missing"),
        ("idle = { mode_i = 1 }", "ilde = { mode_i = 1 }", "adapter.ilde"),
        ('reference = "model.py"', 'reference = "no.py"', "there is no reference"),
    ],
)
def test_a_wrong_table_is_refused(toy, old, new, said):
    """The message has the field that is wrong."""
    manifest = toy("toy_cipher")
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new))
    with pytest.raises(UsageError) as caught:
        adapter_class(read_core(manifest))
    assert said in str(caught.value)


def test_a_simulation_starts_without_what_reads_manifests():
    """Loading the reader of manifests would take as long as a short workload."""
    asked = (
        "import sys\n"
        "import joulemark.hardware.bench.adapter, joulemark.hardware.bench.adapter\n"
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0
