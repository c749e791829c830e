# SPDX-License-Identifier: Apache-2.0
"""A core's count has the core's clocks and none of the adapter's, under every protocol."""

from __future__ import annotations

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation import workload
from joulemark.hardware.simulation.driving import ZEROS, BatchAnswer, PlanAnswer
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


TIMES = {
    "the lowest bit of a block": (
        [("left <= CLOCKS - (", "left <= (block_now[0] ? 8'd180 : 8'd0) + CLOCKS - (")],
        "7 to 547 for a message of 12 B alone",
    ),
    "a clock divider": (
        [
            ("reg init_late, next_late;", "reg init_late, next_late; reg [2:0] tick;"),
            ("            block_late <= 32'd0;", "            tick <= 3'd0; block_late <= 32'd0;"),
            ("            init_late <= init;",
             "            tick <= tick == 3'd4 ? 3'd0 : tick + 3'd1; init_late <= init;"),
            ("left <= left - 8'd1", "left <= tick == 3'd0 ? left - 8'd1 : left"),
        ],
        "",
    ),
}  # fmt: skip


@needs_simulator
@pytest.mark.parametrize("cause", TIMES)
def test_clocks_that_depend_on_the_message_are_said(toy, tmp_path, cause):
    """The figure is the mean of the workload's messages, of which there may be one."""
    manifest = toy("toy_rounds")
    source = manifest.with_name("toy_rounds.v")
    pairs, said = TIMES[cause]
    for path, old, new in [
        *((source, *pair) for pair in pairs), (manifest, "messages = 4", "messages = 1")
    ]:  # fmt: skip
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    core = read_core(manifest)
    found = workload.measure_clocks(core, core.chosen({"CLOCKS": 2}), tmp_path / "work")
    assert found.clocks_per_block > 0
    if said:
        assert (found.message_clocks - 3 * 2) % 180 == 0
    assert found.varied == said


def test_a_figure_below_one_clock_is_refused(toy, tmp_path, monkeypatch):
    """An adapter that returns too early would give no clocks, or fewer than none."""
    core = read_core(toy("toy_mac"))
    batches = tuple(
        BatchAnswer(0, 9, (), (), (b"",) * number, (b"",), (b"",), 0) for number in (1, 4, 8)
    )
    answer = PlanAnswer(batches, None, 0, ZEROS, {})
    monkeypatch.setattr(workload, "drive", lambda *_, **_more: answer)
    with pytest.raises(ImplementationError, match=r"9 clocks for the 8 messages .* and 9 for the"):
        workload.measure_clocks(core, core.chosen({}), tmp_path, tmp_path / "program")
