# SPDX-License-Identifier: Apache-2.0
"""One message on each kind of target: the cost of a message in a core, chips, joules at a rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.budget import BoundedFigure
from joulemark.budget.cores import cost_of_message, known_cores
from joulemark.budget.targets import (
    CrossOver,
    TargetRow,
    core_rows,
    cross_overs,
    joules_by_length,
    leaders,
    microcontroller_rows,
    netlist_rows,
)
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.figures import Evidence
from joulemark.report.budget.targets import ComparedTargets, targets_sheet


def test_an_empty_message_does_not_tell_the_end_of_a_long_one() -> None:
    """SipHash ends a message with rounds that are no block: two reports tell, and one does not.

    With two rounds a clock an empty message takes 3 clocks in `hdl/siphash`, one of 33 bytes 14.
    """
    assert cost_of_message("siphash-2-4", 0, {0: (1, 3.0)}) == (1, 3.0)
    assert cost_of_message("siphash-2-4", 33, {0: (1, 3.0)}) is None
    assert cost_of_message("siphash-2-4", 33, {0: (1, 3.0), 40: (6, 13.0)}) == (5, 11.0)
    assert cost_of_message("siphash-2-4", 33, {}) is None


def test_blocks_of_hmac_take_the_same() -> None:
    """29 bytes are the inner block and the outer one; 64 bytes are a block more."""
    assert cost_of_message("hmac-sha1", 64, {29: (2, 10.0)}) == (3, 15.0)


@pytest.mark.usefixtures("fixed_counts")
def test_a_chip_by_its_data_sheet() -> None:
    """MICA2's ATmega128L: core cycles over 7.3728 MHz, times 3 V and 8 mA; asleep 3 V and 8 uA."""
    rows = {row.target: row for row in microcontroller_rows("hmac-sha1", 24)}
    found = rows["mcu:atmega128l"]
    assert found.core_cycles is not None
    assert found.joules is not None
    assert found.seconds.value == pytest.approx(found.core_cycles / 7.3728e6)
    assert found.joules.value == pytest.approx(found.seconds.value * 3.0 * 8e-3)
    assert found.joules.low < found.joules.value < found.joules.high
    assert found.idle_w == pytest.approx(24e-6)
    assert microcontroller_rows("no-such-mac", 24) == []


def stored(core: str, algorithm: str, length: int, blocks: int, joules: float) -> StoredCoreReport:
    """A report in cells with messages of one length; `joules` and two clocks for each block."""
    return StoredCoreReport(
        core=core, algorithm=algorithm, target="asic", parameters={},
        figures={"energy_per_block_j": joules, "clocks_per_block": 2, "leakage_w": 1e-6},
        evidence={"energy_per_block_j": "modelled"}, digest=f"{core} {length}",
        settings={
            "clock_hz": 500e3,
            "workload": {"message_bytes": length, "blocks_per_message": blocks},
        },
        joulemark_version="1", made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip


def test_cores_by_their_reports() -> None:
    """The newest report of the length counts; without a core of the MAC, its primitive does."""
    own = [
        stored("sip", "siphash-2-4", 33, 5, 9e-9),
        stored("sip", "siphash-2-4", 33, 5, 1e-9),
        stored("sip_empty", "siphash-2-4", 0, 1, 1e-9),
    ]
    (row,) = core_rows("siphash-2-4", 33, known_cores(own))
    assert row.target == "core:sip"
    assert row.core_cycles == 10
    assert row.joules == BoundedFigure(5e-9, 5e-9, 5e-9)
    bare = [stored("aes", "aes128", 16, 1, 4e-9)]
    (row,) = core_rows("cmac-aes128", 33, known_cores(bare))
    assert row.joules == BoundedFigure(
        pytest.approx(12e-9), pytest.approx(12e-9), pytest.approx(12e-9)
    )


def test_reports_of_other_conditions_are_not_mixed() -> None:
    """Each configuration is one core, by its reports with the newest one's clock and library."""
    made = [
        stored("mac", "cmac-aes128", 16, 1, 4e-9),
        stored("mac", "cmac-aes128", 64, 4, 3e-9).model_copy(update={"configuration": "energy"}),
        stored("mac", "cmac-aes128", 48, 3, 2e-9).model_copy(update={"configuration": "default"}),
        stored("mac", "cmac-aes128", 32, 2, 5e-9).model_copy(update={"parameters": {"WIDTH": 8}}),
    ]
    rows = {row.target: row for row in core_rows("cmac-aes128", 33, known_cores(made))}
    assert {name: row.joules and row.joules.value for name, row in rows.items()} == {
        "core:mac": pytest.approx(6e-9),
        "core:mac:energy": pytest.approx(9e-9),
        "core:mac (WIDTH=8)": pytest.approx(15e-9),
    }
    faster = stored("mac", "cmac-aes128", 64, 4, 7e-9)
    faster = faster.model_copy(update={"settings": {**faster.settings, "clock_hz": 10e6}})
    [found, *_] = core_rows("cmac-aes128", 33, known_cores([*made, faster]))
    assert (found.clock_hz, found.joules and found.joules.value) == (10e6, pytest.approx(21e-9))
    other = made[0].model_copy(update={"device": "another library"})
    [found, *_] = core_rows("cmac-aes128", 33, known_cores([*made, faster, other]))
    assert (found.clock_hz, found.joules and found.joules.value) == (500e3, pytest.approx(12e-9))


def test_netlists_by_their_reports() -> None:
    """Of two variants the cheaper one of this very length; memories stand beside the joules."""

    def ran(variant: str, length: int, joules: float) -> StoredCoreReport:
        made = stored("gate:serv", "siphash-2-4", length, 5, joules)
        more = {"firmware": f"siphash-2-4/{variant}", "memories_j": 7e-9, "glitches": "left out"}
        return made.model_copy(
            update={"settings": {**made.settings, **more}, "digest": f"{variant} {length}"}
        )

    made = [ran("portable", 33, 4e-9), ran("mcu32", 33, 3e-9), ran("mcu32", 64, 2e-9)]
    cores = known_cores([*made, stored("sip", "siphash-2-4", 33, 5, 1e-9)])
    (row,) = netlist_rows("siphash-2-4", 33, cores)
    assert (row.target, row.implementation) == ("gate:serv", "siphash-2-4/mcu32")
    assert row.joules is not None
    assert row.joules.value == pytest.approx(15e-9)
    assert row.memory_j == pytest.approx(7e-9)
    assert row.idle_w == 1e-6
    assert "glitches: left out" in row.source
    assert netlist_rows("siphash-2-4", 34, cores) == []
    assert [row.target for row in core_rows("siphash-2-4", 33, cores)] == ["core:sip"]


def test_joules_at_a_rate() -> None:
    """The message, and the wait at the idle power; none where the message takes longer."""
    row = TargetRow(
        target="core:sip", title="", implementation="", message_bytes=1, clock_hz=1e6,
        core_cycles=1e6,
        seconds=BoundedFigure(1.0, 1.0, 1.0), time_evidence=Evidence.SIMULATED,
        joules=BoundedFigure(5.0, 5.0, 5.0), energy_evidence=Evidence.MODELLED, idle_w=2.0,
    )  # fmt: skip
    assert row.joules_every(4.0) == 5.0 + 2.0 * 3.0
    assert row.why_not_every(4.0) == ""
    assert row.joules_every(0.5) is None
    assert row.why_not_every(0.5) == "a message takes longer"
    assert "between messages is unknown" in replace(row, idle_w=None).why_not_every(4.0)
    assert "joules of a message are unknown" in replace(row, joules=None).why_not_every(4.0)


def row_of(target: str, length: int, joules: float) -> TargetRow:
    """A row with a length and joules."""
    return TargetRow(
        target=target, title="", implementation="", message_bytes=length, clock_hz=1e6,
        core_cycles=1.0, seconds=BoundedFigure(1.0, 1.0, 1.0), time_evidence=Evidence.SIMULATED,
        joules=BoundedFigure(joules, joules, joules), energy_evidence=Evidence.MODELLED,
    )  # fmt: skip


def test_leaders_cross_between_two_lengths() -> None:
    """A chip with a dear begin and cheap blocks against a core; a chip that never leads is out."""
    chip, dear, core = {8: 5.0, 64: 6.0, 512: 9.0}, {8: 9.0, 64: 9.0, 512: 9.5}, {8: 1.0, 512: 20.0}
    rows = [
        row_of(name, length, joules)
        for name, curve in (("mcu:a", chip), ("mcu:b", dear), ("core:c", core))
        for length, joules in curve.items()
    ]
    curves = joules_by_length(rows)
    assert curves["mcu:a"] == chip
    assert leaders(rows) == ["mcu:a", "core:c"]
    # They are compared at the lengths that both have.
    assert cross_overs(curves, leaders(rows)) == [CrossOver("core:c", "mcu:a", 8, 512)]
    assert cross_overs(curves, ["mcu:a", "mcu:b"]) == []


def test_a_tie_hides_no_cross_over_and_several_are_one_sentence() -> None:
    """Both take the same at 16 B; then the core leads in the middle alone."""
    chip, core = {8: 1.0, 16: 2.0, 32: 3.0, 64: 4.0}, {8: 2.0, 16: 2.0, 32: 2.0, 64: 5.0}
    rows = [
        row_of(name, length, joules)
        for name, curve in (("mcu:a", chip), ("core:c", core))
        for length, joules in curve.items()
    ]
    crossed = [CrossOver("mcu:a", "core:c", 8, 32), CrossOver("core:c", "mcu:a", 32, 64)]
    assert cross_overs(joules_by_length(rows), ["mcu:a", "core:c"]) == crossed
    lead = targets_sheet(ComparedTargets("hmac-sha1", (8, 16, 32, 64), rows, (), None)).lead
    assert "Least energy at 8 B and 64 B: mcu:a, 1 J to 4 J." in lead
    assert "Least energy at 16 B to 32 B: core:c, 2 J." in lead
    crossings = "mcu:a takes less than core:c up to 8 B, more at 32 B, and less from 64 B on."
    assert lead.endswith(crossings)
