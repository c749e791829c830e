# SPDX-License-Identifier: Apache-2.0
"""A core's count has the core's clocks and none of the adapter's, under every protocol."""

from __future__ import annotations

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation.workload import clocks_per_message, measure_clocks
from tool_marks import needs_simulator

pytest.importorskip("cocotb", reason="needs cocotb (make core-tools)")
pytestmark = pytest.mark.usefixtures("kept_simulations")


@needs_simulator
@pytest.mark.parametrize(("given", "settle"), [({"CLOCKS": 1}, 0), ({"LATE": 1}, 1)])
def test_init_next_counts_the_clocks_of_the_core(toy, tmp_path, given, settle):
    """Clocks from block to block agree within a message, between messages, and alone."""
    manifest = toy("toy_rounds")
    text = manifest.read_text()
    manifest.write_text(text.replace("block_bytes", f"settle_clocks = {settle}\nblock_bytes"))
    core = read_core(manifest)
    parameters = core.chosen(given)
    clocks = parameters["CLOCKS"]
    found = measure_clocks(core, parameters, tmp_path / "work")
    assert (found.clocks_per_block, found.latency_clocks) == (clocks, clocks - 1)
    message_clocks, three = clocks_per_message(core, parameters, [4, 12], tmp_path / "work")
    assert (message_clocks.throughput_clocks, three.throughput_clocks) == (clocks, 3 * clocks)
    # The period that offers a block, and the periods after it up to that with the result.
    assert (message_clocks.latency_clocks, three.latency_clocks) == (1 + clocks, 1 + 3 * clocks)


@needs_simulator
@pytest.mark.parametrize(
    ("given", "with_done", "expected"),
    [({"CLOCKS": 1}, True, 1), ({"CLOCKS": 7, "PAUSE": 1}, False, 8)],
)
def test_start_done_counts_the_clocks_of_the_core(toy, tmp_path, given, with_done, expected):
    """A start coincides with `done`, unless the table says that the core then takes none."""
    manifest = toy("toy_pulse")
    said = f"start_with_done = {str(with_done).lower()}\nblock_bytes"
    manifest.write_text(manifest.read_text().replace("block_bytes", said))
    core = read_core(manifest)
    parameters = core.chosen(given)
    found = measure_clocks(core, parameters, tmp_path / "work")
    assert (found.clocks_per_block, found.latency_clocks) == (expected, given["CLOCKS"] - 1)


@needs_simulator
def test_a_core_that_is_deaf_with_done_is_said_to_be(toy, tmp_path):
    """The core hangs at the second message; the error names the key of the table that helps."""
    manifest = toy("toy_pulse")
    core = read_core(manifest)
    with pytest.raises(ImplementationError) as caught:
        measure_clocks(core, core.chosen({"PAUSE": 1, "CLOCKS": 7}), tmp_path / "work")
    assert "start_with_done = false" in str(caught.value)


@needs_simulator
def test_a_core_whose_ready_falls_late_is_said_to(toy, tmp_path):
    """The result is read too early; the error names the key of the table that helps."""
    core = read_core(toy("toy_rounds"))
    with pytest.raises(ImplementationError) as caught:
        measure_clocks(core, core.chosen({"LATE": 1}), tmp_path / "work")
    assert "settle_clocks = 1" in str(caught.value)
