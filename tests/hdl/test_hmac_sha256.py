# SPDX-License-Identifier: Apache-2.0
"""The HMAC-SHA-256 core in simulation: its configurations, and a grid of its parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UnavailableError
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation.cocotb_runs import run
from joulemark.hardware.simulation.verilator import build, verilator_command

CORE = Path(__file__).parents[2] / "hdl" / "hmac_sha256" / "hmac_sha256.toml"
ONE_FILE = ("--output-split", "0")
"""Options that compile a core as one file: less work in all, if not sooner on many CPUs."""
LOOKED_AT = ("sha256_pad", "sha256_channels", "hmac_sha256_control")
"""Modules below the top whose registers the tests see; the engines assert that theirs are wiped."""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Core:
    """The core's manifest; skips the test without a Verilator to simulate it."""
    try:
        verilator_command(tmp_path_factory.mktemp("verilator"))
    except UnavailableError as error:
        pytest.skip(str(error))
    return read_core(CORE)


def _passes(core: Core, program: Path, modules: list[Path], **options: object) -> None:
    result = run(program, core, modules, **options)  # type: ignore[arg-type]
    assert not result.failed, f"{result.failed}; see {result.log}"
    assert result.passed


@pytest.mark.parametrize(
    ("configuration", "messages"),
    [pytest.param("proposed", 9000, marks=pytest.mark.exhaustive), ("conventional", 20)],
)
def test_a_configuration_passes_all_its_cocotb_tests(
    core: Core, configuration: str, messages: int, tmp_path: Path
) -> None:
    """They have vectors, 10 000 random messages in all, clocks, handshakes, keys and wiping."""
    parameters = core.chosen(core.configurations[configuration].parameters)
    # With all signals visible Verilator cannot split some loops and warns; another test runs lint.
    program = build(
        core, parameters, tmp_path, warnings_are_errors=False, extra=ONE_FILE, visible=LOOKED_AT
    )
    modules = [core.folder / module for module in core.tests]
    _passes(
        core, program, modules, parameters=parameters,
        environment={"JOULEMARK_RANDOM_MESSAGES": str(messages)},
    )  # fmt: skip


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({}, marks=pytest.mark.exhaustive, id="all"),
        pytest.param({"FIRST": 11, "CASES": 1}, marks=pytest.mark.exhaustive, id="eight_of_four"),
    ],
)
def test_a_grid_of_parameters_gives_right_tags_in_documented_clocks(
    core: Core, part: dict[str, int], tmp_path: Path
) -> None:
    """One simulation has every number of stages with every number of rounds, with stalls."""
    benches = [f"tb/{name}.sv" for name in ("hmac_sha256_case", "hmac_sha256_grid")]
    changes = {
        "top": "hmac_sha256_grid", "sources": [*core.sources, *benches], "parameters": {},
        "configurations": {},
    }  # fmt: skip
    grid = core.model_copy(update=changes)
    # No optimisation and few visible signals, since the C++ compiler takes most of the time.
    visible = str(core.folder / "tb" / "visible.vlt")
    extra = ["--no-public-flat-rw", visible, "-CFLAGS", "-O0", *ONE_FILE]
    program = build(grid, part, tmp_path, extra=extra, warnings_are_errors=False)
    _passes(grid, program, [core.folder / "tb" / "test_hmac_sha256_grid.py"])
