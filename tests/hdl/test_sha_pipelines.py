# SPDX-License-Identifier: Apache-2.0
"""`hdl/sha1_pipeline` and `hdl/sha512_pipeline`: michail2005's pipeline on other functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation import verilator

HDL = Path(__file__).parents[2] / "hdl"
SHA1, SHA256, SHA512 = (
    read_core(HDL / f"sha{name}_pipeline" / f"sha{name}_pipeline.toml") for name in (1, 256, 512)
)
MESSAGES = 10_000
"""Random messages of a core, over all its sets of parameters."""


@pytest.mark.parametrize(
    ("core", "given"),
    [
        pytest.param(SHA1, {"ROUNDS": 2}, id="sha1"),
        pytest.param(SHA512, {"STAGES": 1, "ROUNDS": 2}, id="sha512"),
    ],
)
def test_a_small_set_of_parameters(core: Core, given: dict[str, int], simulate: Any) -> None:
    """Vectors, lengths, structured and random messages, clocks, reset, wipe pass in one of them."""
    simulate(core, [given], {"JOULEMARK_RANDOM_MESSAGES": "60"}, visible=())


@pytest.mark.exhaustive
@pytest.mark.parametrize("core", [SHA1, SHA512], ids=lambda core: core.name)
def test_every_set_of_parameters(core: Core, simulate: Any) -> None:
    """The same in all of them, with 10 000 random messages."""
    sets = list(core.combinations())
    told = {"JOULEMARK_RANDOM_MESSAGES": str(-(-MESSAGES // len(sets)))}
    simulate(core, sets, told, timeout_s=1500.0, visible=())


@pytest.mark.parametrize(
    ("core", "refused"),
    [
        pytest.param(SHA1, {"STAGES": 2}, id="sha1"),
        pytest.param(SHA512, {"ROUNDS": 4}, id="sha512"),
    ],
)
def test_other_values_do_not_elaborate(
    core: Core, refused: dict[str, int], simulator: None, tmp_path: Path
) -> None:
    """The RTL refuses stages with two functions f, and four rounds merged."""
    with pytest.raises(ImplementationError, match="no such engine"):
        verilator.lint(core, {**core.chosen({}), **refused}, tmp_path)


def test_the_function_is_a_parameter_of_one_source() -> None:
    """Both cores are a module around the sources of `sha256_pipeline`, whose clocks they share."""
    for core in (SHA1, SHA512):
        assert core.used == SHA256.source_paths()
        assert len(core.sources) == 1
        for name, configuration in core.configurations.items():
            beside = SHA256.configurations[name].clocks_per_block
            assert beside is not None
            assert configuration.clocks_per_block == beside * 80 // 64
