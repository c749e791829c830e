# SPDX-License-Identifier: Apache-2.0
"""Sends batches of messages through a core in RTL simulation: a plan goes in, a record comes out.

One run of the simulator carries out the whole plan, so that a core is compiled and started once for
thousands of messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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

__all__ = ["BatchAnswer", "KeyedMessages", "PlanAnswer", "compile_core", "drive"]

_IDLE_PERIODS = 4
"""Clock periods between two batches, so that no batch can shorten the next."""
_CLASS_NAME = re.compile(r"\b(?:joulemark\.errors\.)?[A-Z]\w*(?:Error|Exception): ")


@dataclass(frozen=True, slots=True)
class KeyedMessages:
    """Messages that go in one after another with one key."""

    key: bytes | None
    """None for a core without a key. The core is given a key only if it differs from the last."""
    messages: tuple[bytes, ...]


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
    values: Mapping[str, Sequence[str]]
    """Hexadecimal values of each port that was asked for, by period."""

    def require_right(self, core: Core, program: Path) -> None:
        """Refuses a plan that was stopped, or in which a result was wrong.

        Raises:
            UsageError: the manifest's table does not fit the core.
            ImplementationError: the core hangs; as WrongOutputError, a result is wrong.
        """
        for number, batch in enumerate(self.batches):
            for index, (result, expected) in enumerate(
                zip(batch.results, batch.expected, strict=True)
            ):
                if result != expected:
                    raise WrongOutputError(
                        f"{core.name} gives {result.hex()} for message {index} of batch {number}; "
                        f"the reference says {expected.hex()}{advice(core, program)}"
                    )
        if self.ended is not None:
            raise self.ended


def compile_core(core: Core, parameters: Mapping[str, int], folder: Path) -> Path:
    """Compiles the program that simulates a core, with few optimisations: its runs are short.

    Raises:
        UnavailableError: Verilator is not installed.
        ImplementationError: the core does not compile.
    """
    return verilator.build(
        core, parameters, folder / "verilator", warnings_are_errors=False, visible=(),
        extra=("-CFLAGS", "-O1"),
    )  # fmt: skip


def drive(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    program: Path,
    batches: Sequence[KeyedMessages],
    *,
    ports: Sequence[str] = (),
    name: str = "run",
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
        timeout_s: wall time after which the simulation is ended.

    Raises:
        ImplementationError: the simulation crashed or took too long.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan, record = (folder / f"{name}_{part}.json" for part in ("plan", "record"))
    record.unlink(missing_ok=True)
    longest = longest_clocks(core, parameters)
    _write_plan(plan, core, parameters, batches, ports, longest, record)
    done = verilator.run(
        program, core, [],
        environment={"JOULEMARK_PLAN": str(plan.resolve()),
                     "COCOTB_TEST_MODULES": "joulemark.hardware.drive.recording"},
        folder=folder / f"{name}_run", timeout_s=timeout_s,
    )  # fmt: skip
    if not record.exists():
        raise ImplementationError(
            f"{core.name} did not finish its workload: {_why(done.log)}", done.log
        )
    answer: dict[str, Any] = json.loads(record.read_text("utf-8"))
    return PlanAnswer(
        batches=tuple(_batch_answer(batch) for batch in answer["batches"]),
        ended=_error(core, parameters, program, batches, answer["ended"], longest),
        reset_end=int(answer.get("reset_end", 0)),
        key_clocks=int(answer.get("key_clocks", 0)),
        values=answer.get("values", {}),
    )


def _write_plan(
    plan: Path, core: Core, parameters: Mapping[str, int], batches: Sequence[KeyedMessages],
    ports: Sequence[str], longest: int, record: Path,
) -> None:  # fmt: skip
    """Writes the plan for `recording`, which writes its answer to the file `record`."""
    content = {
        "core": asdict(DrivenCore.of(core)) | {"folder": str(core.folder)},
        "parameters": dict(parameters), "ports": list(ports),
        "batches": [
            {
                "key": None if batch.key is None else batch.key.hex(),
                "messages": [message.hex() for message in batch.messages],
            }
            for batch in batches
        ],
        "idle": _IDLE_PERIODS, "longest_clocks": longest, "record": str(record.resolve()),
    }  # fmt: skip
    plan.write_text(json.dumps(content), "utf-8")


def _batch_answer(batch: Mapping[str, Any]) -> BatchAnswer:
    numbers = {name: tuple(batch[name]) for name in ("taken", "offered")}
    texts = {name: tuple(map(bytes.fromhex, batch[name])) for name in ("results", "expected")}
    return BatchAnswer(**{**batch, **numbers, **texts})


def _error(
    core: Core, parameters: Mapping[str, int], program: Path, batches: Sequence[KeyedMessages],
    ended: Mapping[str, Any] | None, longest: int,
) -> UsageError | ImplementationError | None:  # fmt: skip
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
    number = len(batches[ended["batch"]].messages)
    promised = promised_clocks(core, parameters)
    promise = (
        f"the manifest promises {promised}" if promised and core.workload.longest_clocks is None
        else "longest_clocks in [workload] sets the limit"
    )  # fmt: skip
    # In streams, results are counted by their words, of which a message may have several.
    counted = number == 1 or protocol_of(core) in PULSED
    place = f", in message {min(ended['results'] + 1, number)} of {number}" if counted else ""
    return HangError(
        f"{core.name} does not finish: {what} for {longest} clocks{place} ({promise})"
        f"{advice(core, program, hung_after=ended['results'])}"
    )


def _why(log: Path) -> str:
    """The last error in the log of a simulation, without the name of its class."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    errors = [line for line in lines if "Error" in line and "cocotb" not in line]
    return _CLASS_NAME.sub("", errors[-1])[:200] if errors else "the simulation stopped"
