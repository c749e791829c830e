# SPDX-License-Identifier: Apache-2.0
"""Sends batches of messages through a core in RTL simulation: a plan goes in, a record comes out.

One run of the simulator carries out the whole plan, so that a core is compiled and started once for
thousands of messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from joulemark.errors import HangError, ImplementationError, UsageError, WrongOutputError
from joulemark.hardware.core.driven import DrivenCore
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.manifest_advice import (
    PULSED,
    advice,
    longest_clocks,
    promised_clocks,
    protocol_of,
)
from joulemark.hardware.tools import verilator

_IDLE_PERIODS = 4
_CLASS_NAME = re.compile(r"\b(?:joulemark\.errors\.)?[A-Z]\w*(?:Error|Exception): ")


@dataclass(frozen=True, slots=True)
class RegisterStart:
    """The values of registers that neither the reset nor the source has set."""

    words: str
    arguments: tuple[str, ...] = ()
    """Arguments of a program by Verilator, which gives such registers 0 without any."""


ZEROS: Final = RegisterStart("registers at 0")
_NO_ASSERTIONS: Final = "+verilator+noassert"
"""Assertions are for registers that the reset has set, and some are checked before it."""
ONES: Final = RegisterStart("registers at 1", (_NO_ASSERTIONS, "+verilator+rand+reset+1"))


def random_start(seed: int) -> RegisterStart:
    """Random values, the same for the same seed."""
    return RegisterStart(
        f"registers at random values (seed {seed})",
        (_NO_ASSERTIONS, "+verilator+rand+reset+2", f"+verilator+seed+{seed}"),
    )


@dataclass(frozen=True, slots=True)
class KeyedMessages:
    """Messages that go in one after another with one key."""

    key: bytes | None
    """None for a core without a key. The core is given a key only if it differs from the last."""
    messages: tuple[bytes, ...]
    idle_periods: int = _IDLE_PERIODS
    """Clock periods after the batch; with 4, no batch shortens the next."""
    reset: bool = False
    """Whether the core is reset first, and given its key again."""


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The results of one batch, and the periods in which its words moved."""

    begin: int
    """The period in which the first word could be offered."""
    end: int
    """The period after the last result."""
    taken: tuple[int, ...]
    """Periods at whose end a word went in; empty if the adapter does not report them."""
    offered: tuple[int, ...]
    """Periods in which a word of a result was first seen."""
    messages: tuple[bytes, ...]
    results: tuple[bytes, ...]
    expected: tuple[bytes, ...]
    """Results by the adapter's reference."""
    key_clocks: int
    """Clocks of the last key set-up so far; 0 if there was none."""

    @property
    def clocks(self) -> int:
        """Clocks from the first chance to offer a word to the last result taken."""
        return self.end - self.begin

    @property
    def latency_clocks(self) -> int:
        """Edges after the one that takes the last word, to the one after which a result is there.

        The clocks of the whole batch if the adapter does not report the periods of words.
        """
        if self.taken and self.offered:
            first_out = next((clock for clock in self.offered if clock >= self.taken[-1]), None)
            if first_out is not None:
                # A word is taken by the edge at the end of its period.
                return max(0, first_out - self.taken[-1] - 1)
        return self.clocks


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """The record of a plan that was carried out, wholly or in part."""

    batches: tuple[BatchAnswer, ...]
    """Batches that were done before the plan ended."""
    ended: UsageError | ImplementationError | None
    """The error that stopped the plan before its end, or None."""
    reset_end: int
    key_clocks: int
    start: RegisterStart
    values: Mapping[str, Sequence[str]]
    """Hexadecimal values of each port that was asked for, by period."""

    def _started(self, core: Core) -> str:
        """What the values of registers at the start tell, if this run had others than zeros."""
        if self.start == ZEROS:
            return ""
        unnamed = ", and the manifest names no reset" if core.reset is None else ""
        return (
            f"; this run began with {self.start.words}: a register that the reset does not set"
            f"{unnamed} decides the result, and the source must reset it or set it before its use"
        )

    def require_right(self, core: Core, program: Path) -> None:
        """Refuses a plan that was stopped, or in which a result was wrong."""
        answers = [
            (batch, index, result == expected)
            for batch in self.batches
            for index, (result, expected) in enumerate(
                zip(batch.results, batch.expected, strict=True)
            )
        ]
        wrong = next((answer for answer in answers if not answer[2]), None)
        if wrong is not None:
            batch, index, _ = wrong
            lengths = {True: set[int](), False: set[int]()}
            for each, place, is_right in answers:
                lengths[is_right].add(len(each.messages[place]))
            always = lengths[True] - lengths[False]
            raise WrongOutputError(
                f"{core.name} gives {batch.results[index].hex()} for {_message(batch, index)}; "
                f"the reference says {batch.expected[index].hex()}"
                + (
                    f"; right at {spans(always)} bytes, wrong at {spans(lengths[False])}"
                    if always
                    else ""
                )
                + ("" if always or self.start != ZEROS else advice(core, program))
                + self._started(core)
            )
        if self.ended is not None:
            raise type(self.ended)(f"{self.ended}{self._started(core)}")


def compile_core(core: Core, parameters: Mapping[str, int], folder: Path) -> Path:
    """Compiles the program that simulates a core, with few optimisations: its runs are short."""
    return verilator.build(
        core,
        parameters,
        folder / "verilator",
        warnings_are_errors=False,
        visible=(),
        extra=("-CFLAGS", "-O1"),
    )


def drive(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    program: Path,
    batches: Sequence[KeyedMessages],
    *,
    ports: Sequence[str] = (),
    name: str = "run",
    start: RegisterStart = ZEROS,
    timeout_s: float = 600.0,
) -> PlanAnswer:
    """Carries out a plan.

    Args:
        core: the core.
        parameters: parameters that it was compiled with.
        folder: folder for plan, record and log.
        program: the program that `compile_core` returned.
        batches: the plan.
        ports: ports whose value in every period is wanted.
        name: beginning of the names of the files.
        start: values of registers that nothing has set yet.
        timeout_s: wall time after which the simulation is ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan, record = (folder / f"{name}_{part}.json" for part in ("plan", "record"))
    record.unlink(missing_ok=True)
    longest = longest_clocks(core, parameters)
    _write_plan(plan, core, parameters, batches, ports, longest, record, program, start)
    done = verilator.run(
        program,
        core,
        [],
        environment={
            "JOULEMARK_PLAN": str(plan.resolve()),
            "COCOTB_TEST_MODULES": "joulemark.hardware.drive.recording",
        },
        arguments=start.arguments,
        folder=folder / f"{name}_run",
        timeout_s=timeout_s,
    )
    if not record.exists():
        raise ImplementationError(
            f"{core.name} did not finish its workload: {_why(done.log)}", done.log
        )
    answer: dict[str, Any] = json.loads(record.read_text("utf-8"))
    return PlanAnswer(
        batches=tuple(
            _batch_answer(sent, batch)
            for sent, batch in zip(batches, answer["batches"], strict=False)
        ),
        ended=_error(core, parameters, program, batches, answer["ended"], longest, start),
        reset_end=int(answer.get("reset_end", 0)),
        key_clocks=int(answer.get("key_clocks", 0)),
        start=start,
        values=answer.get("values", {}),
    )


def _write_plan(
    plan: Path,
    core: Core,
    parameters: Mapping[str, int],
    batches: Sequence[KeyedMessages],
    ports: Sequence[str],
    longest: int,
    record: Path,
    program: Path,
    start: RegisterStart,
) -> None:
    """Writes the plan for `recording`, which writes its answer to the file `record`."""
    content = {
        "core": asdict(DrivenCore.of(core)) | {"folder": str(core.folder)},
        "parameters": dict(parameters),
        "ports": list(ports),
        "batches": [
            {
                "key": None if batch.key is None else batch.key.hex(),
                "messages": [message.hex() for message in batch.messages],
                "idle": batch.idle_periods,
                "reset": batch.reset,
            }
            for batch in batches
        ],
        "inputs": [name for name in verilator.input_ports(program) if name != core.clock],
        "resets": 1 if start == ZEROS else 2,
        "longest_clocks": longest,
        "record": str(record.resolve()),
    }
    plan.write_text(json.dumps(content), "utf-8")


def spans(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of three and more by their ends: `0, 1, 15 to 17`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _message(batch: BatchAnswer, index: int) -> str:
    """A message of a batch in words."""
    size = f"a message of {len(batch.messages[index])} bytes"
    number = len(batch.messages)
    return size if number == 1 else f"{size}, number {index + 1} of {number} back to back"


def _batch_answer(sent: KeyedMessages, batch: Mapping[str, Any]) -> BatchAnswer:
    numbers = {name: tuple(batch[name]) for name in ("taken", "offered")}
    texts = {name: tuple(map(bytes.fromhex, batch[name])) for name in ("results", "expected")}
    return BatchAnswer(**{**batch, **numbers, **texts, "messages": sent.messages})


def _error(
    core: Core,
    parameters: Mapping[str, int],
    program: Path,
    batches: Sequence[KeyedMessages],
    ended: Mapping[str, Any] | None,
    longest: int,
    start: RegisterStart,
) -> UsageError | ImplementationError | None:
    """The error that `ended` in a record stands for; None for a plan that reached its end."""
    if ended is None:
        return None
    if ended["kind"] == "usage":
        return UsageError(ended["text"])
    if ended["kind"] != "hung":
        text = ended["text"]
        return ImplementationError(text if core.name in text else f"{core.name}: {text}")
    low = " and ".join(ended["low"])
    what = f"{low} stayed low" if low else "no word went in and no result came out"
    messages = batches[ended["batch"]].messages
    number, next_result = len(messages), min(ended["results"], len(messages) - 1)
    promised = promised_clocks(core, parameters)
    promise = (
        f"the manifest promises {promised}"
        if promised and core.workload.longest_clocks is None
        else "longest_clocks in [workload] sets the limit"
    )
    # In streams, results are counted by their words, of which a message may have several.
    counted = number == 1 or protocol_of(core) in PULSED
    size = len(messages[next_result])
    place = f", in message {next_result + 1} of {number}, of {size} bytes" if counted else ""
    return HangError(
        f"{core.name} does not finish: {what} for {longest} clocks{place} ({promise})"
        + ("" if start != ZEROS else advice(core, program, hung_after=ended["results"]))
    )


def _why(log: Path) -> str:
    """The last error in the log of a simulation, without the name of its class."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    errors = [line for line in lines if "Error" in line and "cocotb" not in line]
    return _CLASS_NAME.sub("", errors[-1])[:200] if errors else "the simulation stopped"
