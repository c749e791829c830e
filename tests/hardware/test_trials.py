# SPDX-License-Identifier: Apache-2.0
"""`core test` holds a core to more than its workload: lengths, orders, keys, other starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joulemark.errors import UsageError, WrongOutputError
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.cores import find_core
from joulemark.hardware.flow.characterise import with_messages
from joulemark.hardware.flow.testing import CheckOutcome, check_core
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation.driving import spans
from joulemark.hardware.simulation.trial_messages import lengths_of_blocks, trial_lengths, trials
from joulemark.hardware.simulation.workload import measure_clocks
from tool_marks import needs_simulator

pytest.importorskip("cocotb", reason="needs cocotb (make core-tools)")
pytestmark = pytest.mark.usefixtures("kept_simulations")


def changed(path: Path, *pairs: tuple[str, str]) -> None:
    """Replaces text of a file, which must have it."""
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def checked(manifest: Path, folder: Path) -> list[CheckOutcome]:
    """All checks of a core with its default parameters."""
    core = read_core(manifest)
    return check_core(core, core.chosen({}), folder / "work")


def counted(bits: int) -> list[tuple[str, str]]:
    """A counter of blocks that is too narrow: the block at which it runs over is wrong."""
    return [
        ("reg busy;", f"reg busy; reg [{bits - 1}:0] count;"),
        ("busy <= 1'b1;", "busy <= 1'b1; count <= init ? 1 : count + 1'b1;"),
        ("chain <= stepped;", "chain <= count == 0 ? ~stepped : stepped;"),
    ]


FAULTS = {
    "every message of two blocks": (
        [("work <= init ? START : chain;", "work <= START;")],
        r"for a message of 8 bytes; .*; right at 0, 1, 7 bytes, wrong at 8, 15 to 17, 23, 24, 31",
    ),
    "a block after the second": (
        [
            ("reg busy;", "reg busy; reg third;"),
            ("busy <= 1'b1;", "busy <= 1'b1; third <= next && second; second <= next;"),
            ("reg [2:0] step;", "reg [2:0] step; reg second;"),
            ("chain <= stepped;", "chain <= third ? ~stepped : stepped;"),
        ],
        r"right at 0, 1, 7, 8, 15 to 17, 23 bytes, wrong at 24, 31 to 33, 39, 40, 47 to 49",
    ),
    "a block that three bits do not count": (
        counted(3),
        r"for a message of 144 bytes; .*; right at .* 80 bytes, wrong at 144, 272",
    ),
    "a block that eight bits do not count": (
        counted(8),
        r"for a message of 4112 bytes; .*; right at 528, 1040, 2064 bytes, wrong at 4112",
    ),
    "a register without a reset": (
        [
            ("reg busy;", "reg busy, odd;"),
            ("busy <= 1'b1;", "busy <= 1'b1; odd <= odd;"),
            ("chain <= stepped;", "chain <= odd ? ~stepped : stepped;"),
        ],
        r"registers at .*: a register that the reset does not set decides",
    ),
    "a counter without a reset": (
        [
            ("step <= 3'd0;", ""),
        ],
        r"in the middle of the message before: a register that the reset does not set decides",
    ),
}


@needs_simulator
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_the_workload_does_not_meet_is_found(toy, tmp_path, fault):
    """The workload is one message length of one block; the message says where the core is wrong."""
    pairs, said = FAULTS[fault]
    manifest = toy("toy_hash")
    changed(manifest.with_name("toy_hash.v"), *pairs)
    checks = checked(manifest, tmp_path)
    failed = [check.remark for check in checks if not check.passed]
    assert len(failed) == 1
    assert re.search(said, failed[0]), failed[0]


BEGUN = {
    "toy_mac": [("reg fresh;", "reg fresh = 1'b1;"), ("            fresh <= 1'b1;\n", "")],
    "toy_cipher": [
        ("[2:0] left_q;", "[2:0] left_q = 3'd0;"),
        ("      left_q <= '0;\n", ""),
        ("if (start_i)", "if (start_i && left_q == 3'd0)"),
    ],
}
"""A register that tells a begun message from a new one has a value at the start, and no reset."""


@needs_simulator
@pytest.mark.parametrize("name", BEGUN)
def test_a_message_that_outlives_a_reset_is_found(toy, tmp_path, name):
    """It would be part of the next result; a reset between messages does not show it."""
    manifest = toy(name)
    changed(next(path for path in manifest.parent.glob("*.*v")), *BEGUN[name])
    core = read_core(manifest)
    with pytest.raises(WrongOutputError, match="reset in the middle of the message before"):
        measure_clocks(core, core.chosen({}), tmp_path / "work")


def test_a_core_without_a_reset_is_not_stopped(toy):
    """Nothing would end its message."""
    core = read_core(toy("toy_hash"))
    plans = [trials(each, adapter_class(core))
             for each in (core, core.model_copy(update={"reset": None}))]  # fmt: skip
    assert [sum(batch.stopped is not None for batch in plan) for plan in plans] == [4, 0]


@needs_simulator
def test_a_key_that_is_taken_once_is_found(toy, tmp_path):
    """The core keeps its first key, which is the only one of the workload."""
    manifest = toy("toy_mac")
    changed(
        manifest.with_name("toy_mac.v"),
        ("    reg fresh;\n", "    reg fresh, kept;\n    reg [31:0] first;\n"),
        ("(fresh ? key : state)", "(fresh ? (kept ? first : key) : state)"),
        ("            fresh <= 1'b1;\n", "            fresh <= 1'b1;\n            kept <= 1'b0;\n"),
        ("                fresh <= in_last;\n",
         "                fresh <= in_last; kept <= 1'b1; if (!kept) first <= key;\n"),
    )  # fmt: skip
    failed = [check.remark for check in checked(manifest, tmp_path) if not check.passed]
    assert "; the reference says" in failed[0]


@needs_simulator
def test_delays_are_ignored(toy, tmp_path):
    """A core with delays in assignments, gates and nets passes as without them, with a note."""
    manifest = toy("toy_hash")
    changed(
        manifest.with_name("toy_hash.v"),
        ("<= ", "<= #1 "), ("assign ready = !busy;", "not #(1:2:3, 2) ready_gate (ready, busy);"),
        ("assign digest", "assign #0.5 digest"), ("work <= #1 stepped", "#2 work <= stepped"),
    )  # fmt: skip
    checks = checked(manifest, tmp_path)
    assert [check.remark for check in checks if not check.passed] == []
    assert checks[0].note


@needs_simulator
@pytest.mark.parametrize("key_clocks", [False, True])
def test_a_key_is_expanded_after_a_pulse(toy, tmp_path, key_clocks):
    """The end of the key set-up is a port or a number of clocks; the core's clocks stay right."""
    manifest = toy("toy_expanded")
    if key_clocks:
        changed(manifest, (', key_ready = "ready"', ""), ("[4]\n", "[4]\nkey_clocks = 5\n"))
    assert [check for check in checked(manifest, tmp_path) if not check.passed] == []


@needs_simulator
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [('key_init = "init", key_ready = "ready", ', "")],
            'ports needs key_init = "init", with key_ready',
        ),
        (
            [
                ('protocol = "start_done"', 'protocol = "init_next"'),
                ('key_init = "init", key_ready = "ready", start = "next", done = "result_valid"',
                 'init = "init", next = "next", ready = "ready"'),
                ('result = "result"', 'digest = "result", digest_valid = "result_valid"'),
                ("[workload]", "[workload]\nlongest_clocks = 100"),
            ],
            'is no init_next: give it protocol = "start_done" with key_init = "init", start = "n',
        ),
    ],
    ids=["start_done", "init_next"],
)  # fmt: skip
def test_a_table_without_the_pulse_leads_to_it(toy, tmp_path, changes, said):
    """Wrong results and a core that hangs both name `key_init`, and no idle value for the pulse."""
    manifest = toy("toy_expanded")
    changed(manifest, *changes)
    remark = next(check.remark for check in checked(manifest, tmp_path) if not check.passed)
    assert said in remark
    assert "idle =" not in remark


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (', key_ready = "ready"', "", "say adapter.key_clocks"),
        ("key_init", "key_inti", "start_done has no part 'key_inti'; did you mean key_init"),
        ("key_bytes = [4]\n", "", "key_init needs key_bytes"),
    ],
)
def test_a_table_that_does_not_tell_the_key_set_up_is_refused(toy, old, new, said):
    """A part that is misspelt would else play no part without a word."""
    manifest = toy("toy_expanded")
    changed(manifest, (old, new))
    with pytest.raises(UsageError, match=re.escape(said)):
        adapter_class(read_core(manifest))


@pytest.mark.parametrize(
    ("name", "more", "lengths"),
    [
        ("toy_hash", "", "0, 1, 7, 8, 15 to 17, 23, 24, 31 to 33, 39, 40, 47 to 49"),
        ("toy_hash", "message_bytes_max = 20\n", "0, 1, 7, 8, 15 to 17, 20"),
        ("toy_cipher", "", "4"),
        ("toy_rounds", "", "0, 1, 3 to 5, 7 to 9, 11 to 13"),
    ],
)
def test_lengths_are_round_the_ends_of_blocks(toy, name, more, lengths):
    """The lengths are those that core and reference take."""
    manifest = toy(name)
    changed(manifest, ("block_bytes", f"{more}block_bytes"))
    core = read_core(manifest)
    adapter = adapter_class(core)
    assert spans(trial_lengths(core, adapter)) == lengths
    sent = {len(text) for batch in trials(core, adapter) for text in batch.messages}
    assert sent == {*trial_lengths(core, adapter), *lengths_of_blocks(core, adapter, (5, 9, 17))}


def test_lengths_that_the_reference_refuses_are_left_out(toy):
    """A user's reference may be for few lengths; a core is never held to a guess."""
    manifest = toy("toy_hash")
    changed(
        manifest.with_name("model.py"), ("    zeros =", "    assert len(message) < 2\n    zeros =")
    )
    core = read_core(manifest)
    assert trial_lengths(core, adapter_class(core)) == [0, 1]


LATE = {
    "toy_cipher": [  # the first of its four rounds reads the port again
        ("{state_q[24:0], state_q[31:25]}", "{from[24:0], from[31:25]}"),
        ("assign result", "wire [31:0] from = left_q == 3'd4 ? block_i : state_q; assign result"),
    ],
    "toy_mac": [  # the result has the last word in it until another is offered
        ("assign out_data = state;", "assign out_data = state ^ (in_valid ? 0 : in_data ^ kept);"),
        ("reg fresh;", "reg fresh; reg [31:0] kept;"),
        ("fresh <= in_last;", "fresh <= in_last; kept <= in_data;"),
    ],
}


@needs_simulator
@pytest.mark.parametrize("name", LATE)
def test_a_core_that_reads_its_inputs_late_must_say_so(toy, tmp_path, name):
    """Held inputs make it right; `inputs = "sampled"` fails it, and not the core as it was."""
    manifest = toy(name)
    changed(manifest, ('clock = "', 'inputs = "sampled"\nclock = "'))
    was = checked(manifest, tmp_path / "was")
    assert all(check.passed for check in was)
    inputs = next(check for check in was if check.name == "inputs of messages")
    assert inputs.remark == "random after the clock that takes them"
    changed(next(path for path in manifest.parent.glob("*.*v")), *LATE[name])
    core = read_core(manifest)
    with pytest.raises(WrongOutputError, match='that reads them later needs inputs = "held"'):
        measure_clocks(core, core.chosen({}), tmp_path / "late")
    changed(manifest, ('"sampled"', '"held"'))
    measure_clocks(read_core(manifest), core.chosen({}), tmp_path / "held")


def test_another_length_has_the_blocks_of_its_algorithm() -> None:
    """HMAC-SHA1 of 64 bytes has three blocks; what a core does not take is refused by name."""
    core = with_messages(find_core("hmac_sha1"), 64)
    assert (core.workload.message_bytes, core.workload.blocks_per_message) == (64, 3)
    # The two hashes of this core work side by side, so that its blocks are those of one hash.
    assert with_messages(find_core("hmac_sha256"), 64).workload.blocks_per_message == 2
    with pytest.raises(UsageError, match=r"--message 29: aes128_serial: .* multiples of 16 bytes"):
        with_messages(find_core("aes128_serial"), 29)
    with pytest.raises(UsageError, match=r"how many blocks of mine .*\[workload\]"):
        with_messages(find_core("siphash").model_copy(update={"algorithm": "mine"}), 29)
