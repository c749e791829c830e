# SPDX-License-Identifier: Apache-2.0
"""The constraints that come with each core: OpenSTA takes them, and they name every port."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import read_command, run_yosys

HDL = Path(__file__).resolve().parents[2] / "hdl"
CORES = [*read_cores(HDL), *read_cores(HDL / "wrappers")]
ONE_LATCH = """library (empty) {
  time_unit : "1ns"; capacitive_load_unit (1, pf); voltage_unit : "1V"; current_unit : "1mA";
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  cell (LATCH) {
    area : 1;
    latch (IQ, IQN) { enable : "G"; data_in : "D"; }
    pin (G) { direction : input; clock : true; }
    pin (D) {
      direction : input;
      timing () { related_pin : "G"; timing_type : setup_falling;
        rise_constraint (scalar) { values ("0.1"); } fall_constraint (scalar) { values ("0.1"); } }
    }
    pin (Q) {
      direction : output; function : "IQ";
      timing () { related_pin : "G"; timing_type : rising_edge;
        cell_rise (scalar) { values ("0.1"); } cell_fall (scalar) { values ("0.1"); }
        rise_transition (scalar) { values ("0.1"); } fall_transition (scalar) { values ("0.1"); } }
    }
  }
}
"""

Ports = dict[str, tuple[str, int]]

each_core = pytest.mark.parametrize("core", CORES, ids=lambda core: core.name)


def constraints_of(core: Core) -> Path:
    """The path of a core's constraints."""
    return core.folder / "constraints" / f"{core.name}.sdc"


@pytest.fixture(scope="module")
def ports_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Core], Ports]:
    """A function that gives direction and bits of a core's ports, by one run for all cores."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    folder = tmp_path_factory.mktemp("ports")
    commands = [
        command
        for core in CORES
        for command in (
            read_command(core, core.chosen({})), f"write_json {core.name}.json", "design -reset"
        )
    ]  # fmt: skip
    run_yosys(commands, folder)

    def read(core: Core) -> Ports:
        text = (folder / f"{core.name}.json").read_text("utf-8")
        ports = json.loads(text)["modules"][core.top]["ports"]
        return {name: (port["direction"], len(port["bits"])) for name, port in ports.items()}

    return read


@each_core
def test_constraints_name_every_port(core: Core, ports_of: Callable[[Core], Ports]) -> None:
    """Clock, reset, each input and each output are named, and no port that does not exist."""
    text = constraints_of(core).read_text("utf-8")
    named = set(re.findall(r"\b\w+_(?:i|ni|o)\b", re.sub(r"#.*", "", text)))
    assert named == set(ports_of(core))


@each_core
@pytest.mark.skipif(shutil.which("sta") is None, reason="needs OpenSTA (apt-get install opensta)")
def test_opensta_takes_the_constraints(
    core: Core, ports_of: Callable[[Core], Ports], tmp_path: Path
) -> None:
    """A module with the core's ports and one latch gives no error and no warning."""
    ports = ports_of(core)
    lines = [
        f"{direction} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};"
        for name, (direction, bits) in ports.items()
    ]
    (tmp_path / "ports.v").write_text(
        "\n".join(
            [
                f"module {core.top} ({', '.join(ports)});",
                *lines,
                "LATCH one (.G(clk_i), .D(rst_ni));",
                "endmodule",
                "",
            ]
        ),
        "utf-8",
    )
    (tmp_path / "empty.lib").write_text(ONE_LATCH, "utf-8")
    (tmp_path / "read.tcl").write_text(
        "read_liberty empty.lib\nread_verilog ports.v\n"
        f"link_design {core.top}\nputs linked\nread_sdc {{{constraints_of(core)}}}\nputs taken\n",
        "utf-8",
    )
    done = subprocess.run(
        ["sta", "-no_splash", "-exit", "read.tcl"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout.partition("linked\n")[2] + done.stderr == "taken\n"
