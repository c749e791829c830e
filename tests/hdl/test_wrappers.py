# SPDX-License-Identifier: Apache-2.0
"""The cores behind AXI-Streams in `hdl/wrappers`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import verilator
from joulemark.hardware.synthesis import read_command, run_yosys

WRAPPERS = Path(__file__).resolve().parents[2] / "hdl" / "wrappers"
CORES = read_cores(WRAPPERS)
EACH = {core.name: core for core in CORES}
QUICK = {
    "siphash_axi": ("default",),
    "sha1_axi": ("serial_wide",),
    "aes128_axi": ("round",),
}
"""Wrappers that `make test` simulates. Together they have a key and none, each common part with
each of its parameters but long keys, both widths, a last beat not full, packets of blocks."""
QUICK_MESSAGES = "6"
LOOKED_AT = ("jm_axis_pack", "jm_axis_send", "jm_apb_key")
"""Modules whose registers the tests read to check that they are wiped."""

each_core = pytest.mark.parametrize("core", CORES, ids=lambda core: core.name)
LINTED = ("siphash_axi", "sha1_axi")
"""Wrappers with and without a key; `make lint` looks at the configurations of all."""
each_of_all = pytest.mark.parametrize(
    "core",
    [
        pytest.param(
            core, id=core.name, marks=() if core.name in LINTED else pytest.mark.exhaustive
        )
        for core in CORES
    ],
)


def test_readme_has_each_wrapper() -> None:
    """Each wrapper has a row, and no row lacks its wrapper."""
    text = (WRAPPERS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+_axi)`", text, re.MULTILINE)
    # One row is in the table of wrappers, and one in the table of their cost.
    assert sorted(rows) == sorted([*EACH, *EACH])


@each_core
def test_inputs_change_after_the_clock_that_takes_them(core: Core) -> None:
    """An AXI-Stream may change after its handshake, so simulations change it, and say so."""
    assert core.inputs == "sampled"


@each_core
def test_a_source_holds_what_its_name_says(core: Core) -> None:
    """The licence is first, then a comment; one module has the file's name; at most 100 columns."""
    lines = (core.folder / "rtl" / f"{core.name}.sv").read_text("utf-8").splitlines()
    assert lines[0] == "// SPDX-License-Identifier: Apache-2.0"
    assert lines[2].startswith("// ")
    assert [line.split()[1] for line in lines if line.startswith("module ")] == [core.name]
    assert max(map(len, lines)) <= 100


@each_of_all
def test_lint_and_synthesis_take_each_width(core: Core, simulator: None, tmp_path: Path) -> None:
    """`verilator --lint-only -Wall` has no warning and Yosys reads it, whatever the parameters."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    commands = []
    for number, parameters in enumerate(core.combinations()):
        verilator.lint(core, parameters, tmp_path / str(number))
        commands += [read_command(core, parameters), "check", "design -reset"]
    run_yosys(commands, tmp_path)


@pytest.mark.parametrize(
    ("core", "configuration"),
    [
        pytest.param(core, name, id=f"{core.name}-{name}")
        for core in CORES
        for name in QUICK.get(core.name, ())
    ],
)
def test_messages_come_back_as_tags(core: Core, configuration: str, simulate: Any) -> None:
    """The runs have 0 to 300 bytes, stalls on both sides, null beats, wipes, keys and registers."""
    told = {"JOULEMARK_RANDOM_MESSAGES": QUICK_MESSAGES}
    simulate(core, [core.configurations[configuration].parameters], told, visible=LOOKED_AT)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("core", "configuration"),
    [
        pytest.param(core, name, id=f"{core.name}-{name}")
        for core in CORES
        for name in core.configurations
    ],
)
def test_many_messages_come_back_as_tags(core: Core, configuration: str, simulate: Any) -> None:
    """The modules send their random messages without further options, at every width."""
    simulate(core, [core.configurations[configuration].parameters], visible=LOOKED_AT)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("aes128_cmac_axi", {"CORE": 0}),
        ("aes128_cmac_axi", {"CORE": 2, "DATA_BITS": 64}),
        ("chaskey_axi", {"LATCHES": 0, "DATA_BITS": 64}),
        ("siphash_axi", {"ROUNDS": 1}),
        ("siphash_axi", {"ROUNDS": 4, "DATA_BITS": 64}),
        ("ascon_mac_axi", {"ROUNDS": 6, "DATA_BITS": 64}),
        ("aes128_axi", {"CORE": 0, "SBOX": 1}),
        ("aes128_axi", {"CORE": 2, "SBOX": 1, "DATA_BITS": 64}),
    ],
)
def test_parameters_of_the_core(name: str, parameters: dict[str, int], simulate: Any) -> None:
    """Tags are right with other parameters of the core inside, and more messages."""
    simulate(EACH[name], [parameters], {"JOULEMARK_RANDOM_MESSAGES": "600"}, visible=LOOKED_AT)
