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

__all__ = [
    "BatchAnswer",
    "KeyedMessages",
    "PlanAnswer",
    "compiled",
    "drive",
]

_IDLE_PERIODS = 4
"""Between batches, so that one cannot shorten the next."""
_CLASS_NAME = re.compile(r"\b(?:joulemark\.errors\.)?[A-Z]\w*(?:Error|Exception): ")


@dataclass(frozen=True, slots=True)
class KeyedMessages:
    """Messages that go in one after another, and the key that they go in with."""

    key: bytes | None
    """None for a core without a key; given to the core where it is another than before."""
    messages: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """What became of one batch."""

    begin: int
    """The period in which the first word could be offered, `end` the one after the last result."""
    end: int
    taken: tuple[int, ...]
    """Periods at whose end a word went in; empty if the adapter does not say."""
    offered: tuple[int, ...]
    """Periods in which a word of a result was first seen."""
    results: tuple[bytes, ...]
    expected: tuple[bytes, ...]
    """What the adapter's reference says."""
    key_clocks: int
    """Of the last key set-up up to here; 0 without one."""


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """What became of a plan."""

    batches: tuple[BatchAnswer, ...]
    """Those that were done before the end."""
    ended: UsageError | ImplementationError | None
    """What stopped the plan before its end."""
    reset_end: int
    key_clocks: int
    values: Mapping[str, Sequence[str]]
    """Hexadecimal value by port that was asked for and period."""

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


def compiled(core: Core, parameters: Mapping[str, int], folder: Path) -> Path:
    """The program that simulates a core; its short runs ask little of the C++ compiler.

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
        parameters: those it was compiled with.
        folder: for plan, record and log.
        program: what `compiled` returned.
        batches: the plan.
        ports: whose values are wanted in every period.
        name: of the files.
        timeout_s: wall time after which the simulation is ended.

    Raises:
        ImplementationError: the simulation crashed or took too long.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan, written = (folder / f"{name}_{part}.json" for part in ("plan", "record"))
    written.unlink(missing_ok=True)
    longest = longest_clocks(core, parameters)
    _write_plan(plan, core, parameters, batches, ports, longest, written)
    done = verilator.run(
        program, core, [],
        environment={"JOULEMARK_PLAN": str(plan.resolve()),
                     "COCOTB_TEST_MODULES": "joulemark.hardware.drive.recording"},
        folder=folder / f"{name}_run", timeout_s=timeout_s,
    )  # fmt: skip
    if not written.exists():
        raise ImplementationError(
            f"{core.name} did not finish its workload: {_why(done.log)}", done.log
        )
    said: dict[str, Any] = json.loads(written.read_text("utf-8"))
    return PlanAnswer(
        batches=tuple(_answered(batch) for batch in said["batches"]),
        ended=_ended(core, parameters, program, batches, said["ended"], longest),
        reset_end=int(said.get("reset_end", 0)),
        key_clocks=int(said.get("key_clocks", 0)),
        values=said.get("values", {}),
    )


def _write_plan(
    plan: Path, core: Core, parameters: Mapping[str, int], batches: Sequence[KeyedMessages],
    ports: Sequence[str], longest: int, record: Path,
) -> None:  # fmt: skip
    """The plan as `recording` reads it; what comes of it goes to the file `record`."""
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


def _answered(said: Mapping[str, Any]) -> BatchAnswer:
    results, expected = (
        tuple(bytes.fromhex(digits) for digits in said[name]) for name in ("results", "expected")
    )
    return BatchAnswer(
        said["begin"], said["end"], tuple(said["taken"]), tuple(said["offered"]), results, expected,
        said["key_clocks"],
    )  # fmt: skip


def _ended(
    core: Core, parameters: Mapping[str, int], program: Path, batches: Sequence[KeyedMessages],
    said: Mapping[str, Any] | None, longest: int,
) -> UsageError | ImplementationError | None:  # fmt: skip
    if said is None:
        return None
    if said["kind"] == "usage":
        return UsageError(said["text"])
    if said["kind"] != "hung":
        text = said["text"]
        return ImplementationError(text if core.name in text else f"{core.name}: {text}")
    low = " and ".join(said["low"])
    what = f"{low} stayed low" if low else "no word went in and no result came out"
    number = len(batches[said["batch"]].messages)
    promised = promised_clocks(core, parameters)
    promise = (
        f"the manifest promises {promised}" if promised and core.workload.longest_clocks is None
        else "longest_clocks in [workload] sets the limit"
    )  # fmt: skip
    # In streams, results are counted by their words, of which a message may have several.
    counted = number == 1 or protocol_of(core) in PULSED
    place = f", in message {min(said['results'] + 1, number)} of {number}" if counted else ""
    return HangError(
        f"{core.name} does not finish: {what} for {longest} clocks{place} ({promise})"
        f"{advice(core, program, hung_after=said['results'])}"
    )


def _why(log: Path) -> str:
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    named_ones = [line for line in lines if "Error" in line and "cocotb" not in line]
    return _CLASS_NAME.sub("", named_ones[-1])[:200] if named_ones else "the simulation stopped"
