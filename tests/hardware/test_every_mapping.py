# SPDX-License-Identifier: Apache-2.0
"""Each configuration of each core maps to each target, or says why it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.cores import chosen_variant, find_core, shipped_manifests
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.place import DEVICES
from joulemark.hardware.flow.request import flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.synthesis.asic import map_core as map_to_cells
from joulemark.hardware.synthesis.generic import map_core
from joulemark.hardware.synthesis.soundness import require_no_latches

FOR_AN_FPGA = {("hmac_sha256", "interleaved_ecp5"), ("sha256_pipeline", "interleaved_ecp5")}
"""They use flip-flops of the ECP5 by name."""
WITH_LATCHES = {
    *(("aes128_cmac", text) for text in ("default", "energy")),
    *(("aes128_latch", text) for text in ("default", "decoded")),
    *(("aes128_round", text) for text in ("default", "tower")),
    *(("sha1_latch", text) for text in ("default", "chaining")),
}
"""They keep their state in latches, which no FPGA has."""


CONFIGURATIONS = [
    (name, configuration)
    for name in shipped_manifests()
    for configuration in find_core(name).configurations
]


def mapped(name: str, configuration: str, folder: Path) -> float:
    """Maps a configuration to generic gates and returns its gate equivalents."""
    core = find_core(name)
    return map_core(core, chosen_variant(core, configuration, [])[1], folder).area_ge


@pytest.mark.exhaustive
def test_the_core_of_a_documented_study_maps(tmp_path: Path) -> None:
    """In the conventional pipeline Yosys shares multiplexers of whole words."""
    assert 90_000 < mapped("sha256_pipeline", "conventional", tmp_path) < 100_000


@pytest.mark.exhaustive
def test_a_configuration_for_an_fpga_says_so(tmp_path: Path) -> None:
    """Primitives of an FPGA have no weight in gates."""
    with pytest.raises(ImplementationError, match="is a primitive of an FPGA"):
        mapped("sha256_pipeline", "interleaved_ecp5", tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "configuration"), CONFIGURATIONS)
def test_every_other_configuration_maps(name: str, configuration: str, tmp_path: Path) -> None:
    """No cell of the netlist lacks a weight."""
    if (name, configuration) not in FOR_AN_FPGA:
        assert mapped(name, configuration, tmp_path) > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "configuration"), CONFIGURATIONS)
def test_every_configuration_maps_to_an_fpga(
    name: str, configuration: str, device: str, tmp_path: Path
) -> None:
    """The device has every cell; a configuration for another technology is refused."""
    core = find_core(name)
    parameters = chosen_variant(core, configuration, [])[1]
    if (name, configuration) in WITH_LATCHES:
        with pytest.raises(ImplementationError, match=r"keeps \d+ bits in latches"):
            require_no_latches(core, parameters, DEVICES[device].title, tmp_path)
    elif (name, configuration) in FOR_AN_FPGA and device != "ecp5":
        with pytest.raises(ImplementationError):
            mappings.map_core(core, parameters, DEVICES[device], tmp_path)
    else:
        require_no_latches(core, parameters, DEVICES[device].title, tmp_path)
        assert mappings.map_core(core, parameters, DEVICES[device], tmp_path).luts > 0


def test_a_core_of_latches_is_refused_for_an_fpga(tmp_path: Path) -> None:
    """The refusal comes before minutes of simulation; the same core with flip-flops passes."""
    core = find_core("aes128_cmac")
    latches = chosen_variant(core, "default", [])[1]
    with pytest.raises(ImplementationError, match="aes128_cmac keeps 322 bits in latches"):
        make_report(core, latches, flow("ecp5"), tmp_path / "report")
    assert not (tmp_path / "report" / "rtl").exists()
    flip_flops = chosen_variant(core, "paper", [])[1]
    require_no_latches(core, flip_flops, DEVICES["ecp5"].title, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mapping", ["area", "speed"])
@pytest.mark.parametrize(("name", "configuration"), CONFIGURATIONS)
def test_every_other_configuration_maps_to_cells(
    name: str, configuration: str, mapping: str, open_library: Path, tmp_path: Path
) -> None:
    """Mapping to the cells of an open library succeeds for area and for speed."""
    if (name, configuration) in FOR_AN_FPGA:
        return
    core = find_core(name)
    netlist = map_to_cells(
        core, chosen_variant(core, configuration, [])[1], open_library, read_library(open_library),
        tmp_path, mapping=mapping,
    )  # fmt: skip
    assert netlist.area_um2 > 0
