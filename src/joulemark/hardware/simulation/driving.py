# SPDX-License-Identifier: Apache-2.0
"""Sends batches of messages through a core in RTL simulation: a plan goes in, a record comes out.

One run of the simulator carries out the whole plan, so that a core is compiled and started once for
thousands of messages.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from joulemark.errors import HangError, ImplementationError, UsageError, WrongOutputError
from joulemark.hardware.bench.adapter import BatchRecord, DrivenCore, DrivePlan, PlanEnd, PlanRecord
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import verilator
from joulemark.hardware.simulation.cocotb_runs import run

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
    stopped: float | None = None
    """Before that reset, the messages go in with all bits inverted, and are given up after this
    part of the clocks of the batch before, 0 to 1 and at least a clock; None: they do not."""


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
    stopped: bool = False
    """Whether the reset before it came in the middle of other messages."""

    @property
    def clocks(self) -> int:
        """Clocks from the first chance to offer a word to the last result taken."""
        return self.end - self.begin

    @property
    def latency_clocks(self) -> int:
        """Edges after the one that takes the last word, to the one after which a result is there.

        The clocks of the whole batch if the adapter does not report the periods of words.
        """
        last = self.taken[-1] if self.taken else math.inf
        first_out = next((clock for clock in self.offered if clock >= last), None)
        # A word is taken by the edge at the end of its period.
        return self.clocks if first_out is None else max(0, first_out - self.taken[-1] - 1)


@dataclass(frozen=True, slots=True)
class PlanAnswer:
    """The record of a plan that was carried out, wholly or in part."""

    batches: tuple[BatchAnswer, ...]
    """Batches that were done before the plan ended."""
    ended: UsageError | ImplementationError | None
    """The error that stopped the plan before its end, or None."""
    reset_end: int
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
            (batch, index, result == batch.expected[index])
            for batch in self.batches
            for index, result in enumerate(batch.results)
        ]
        wrong = [(batch, index) for batch, index, is_right in answers if not is_right]
        if wrong:
            # The shortest tells most; a reset in the middle may be why, where nothing else is.
            batch, index = min(
                wrong, key=lambda found: (found[0].stopped, len(found[0].messages[found[1]]))
            )
            lengths = {True: set[int](), False: set[int]()}
            for each, place, is_right in answers:
                lengths[is_right].add(len(each.messages[place]))
            always = lengths[True] - lengths[False]
            by_length = f"; right at {spans(always)} bytes, wrong at {spans(lengths[False])}"
            raise WrongOutputError(
                f"{core.name} gives {batch.results[index].hex()} for {_message(batch, index)}; "
                f"the reference says {batch.expected[index].hex()}"
                + (_STOPPED if batch.stopped else by_length if always else "")
                + (_SAMPLED if core.inputs == "sampled" else "")
                + self._started(core),
                hint=""
                if always or batch.stopped or self.start != ZEROS
                else advice(core, program),
            )
        if isinstance(self.ended, ImplementationError):
            raise type(self.ended)(f"{self.ended.what}{self._started(core)}", hint=self.ended.hint)
        if self.ended is not None:
            raise UsageError(f"{self.ended}{self._started(core)}")


_STOPPED: Final = (
    "; the core was reset in the middle of the message before: a register that the reset does not "
    "set decides the result, and the source must reset it or set it before its use"
)
_SAMPLED: Final = (
    '; the manifest says inputs = "sampled", so inputs are random after the clock that takes them: '
    'a core that reads them later needs inputs = "held"'
)


def compile_core(core: Core, parameters: Mapping[str, int], folder: Path) -> Path:
    """Compiles the program that simulates a core, with few optimisations: its runs are short."""
    place, options = folder / "verilator", ("-CFLAGS", "-O1")
    return verilator.build(
        core, parameters, place, extra=options, warnings_are_errors=False, visible=()
    )


def compile_netlist(netlist: Path, core: Core, folder: Path) -> Path:
    """Compiles the program that simulates a netlist of a core that Yosys wrote.

    A netlist has a hundred thousand nets, and runs for some hundred clocks: Verilator may optimise
    away all but its ports, and the C++ compiler optimises nothing. With four SHA-256 stages of 98
    kGE that takes 67 s, and more than 10 minutes if the nets stay visible and -O1 is asked for
    (CPU time, AMD Zen 3, GCC 12).
    """
    ports = verilator.netlist_ports(netlist, core.top)
    place, options = folder / "verilator", ("-CFLAGS", "-O0")
    return verilator.build(
        core, {}, place, extra=options, warnings_are_errors=False, visible=(), ports=ports
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
    scramble: bool = True,
    timeout_s: float = 600.0,
) -> PlanAnswer:
    """Carries out a plan in the program that `compile_core` returned.

    Values of `ports` are read in every period. `name` begins the names of the files. `start` has
    the values of registers that nothing has set yet. With `scramble`, inputs become random once
    they are taken, if the manifest says that the core samples them. After `timeout_s` of wall time
    the simulation is ended.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place, record = (folder / f"{name}_{part}.json" for part in ("plan", "record"))
    record.unlink(missing_ok=True)
    plan: DrivePlan = {
        "core": DrivenCore.of(core),
        "parameters": dict(parameters),
        "ports": list(ports),
        "batches": [
            {
                "key": None if batch.key is None else batch.key.hex(),
                "messages": [message.hex() for message in batch.messages],
                "idle": batch.idle_periods,
                "reset": batch.reset,
                "stopped": batch.stopped,
            }
            for batch in batches
        ],
        "inputs": [port for port in verilator.input_ports(program) if port != core.clock],
        "scramble": scramble and core.inputs == "sampled",
        "resets": 1 if start == ZEROS else 2,
        "longest_clocks": longest_clocks(core, parameters),
        "record": str(record.resolve()),
    }
    place.write_text(json.dumps(plan, default=_plain), "utf-8")
    done = run(
        program,
        core,
        [],
        environment={
            "JOULEMARK_PLAN": str(place.resolve()),
            "COCOTB_TEST_MODULES": "joulemark.hardware.simulation.recording",
        },
        arguments=start.arguments,
        folder=folder / f"{name}_run",
        timeout_s=timeout_s,
    )
    if not record.exists():
        raise ImplementationError(
            f"{core.name} did not finish its workload: {_why(done.log)}", done.log
        )
    answer: PlanRecord = json.loads(record.read_text("utf-8"))
    ended = answer["ended"]
    return PlanAnswer(
        batches=tuple(
            _batch_answer(sent, batch)
            for sent, batch in zip(batches, answer["batches"], strict=False)
        ),
        ended=None if ended is None else _error(core, program, plan, ended),
        reset_end=answer["reset_end"],
        start=start,
        values=answer["values"],
    )


def _plain(value: DrivenCore | Path) -> object:
    """A value of a plan that JSON does not have."""
    return asdict(value) if isinstance(value, DrivenCore) else str(value)


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


def _batch_answer(sent: KeyedMessages, batch: BatchRecord) -> BatchAnswer:
    return BatchAnswer(
        begin=batch["begin"],
        end=batch["end"],
        taken=tuple(batch["taken"]),
        offered=tuple(batch["offered"]),
        messages=sent.messages,
        results=tuple(map(bytes.fromhex, batch["results"])),
        expected=tuple(map(bytes.fromhex, batch["expected"])),
        key_clocks=batch["key_clocks"],
        stopped=sent.stopped is not None,
    )


def _error(
    core: Core, program: Path, plan: DrivePlan, ended: PlanEnd
) -> UsageError | ImplementationError:
    """The error that ended a plan."""
    if ended["kind"] == "usage":
        return UsageError(ended["text"])
    if ended["kind"] != "hung":
        text = ended["text"]
        return ImplementationError(text if core.name in text else f"{core.name}: {text}")
    low = " and ".join(ended["low"])
    what = f"{low} stayed low" if low else "no word went in and no result came out"
    batch = plan["batches"][ended["batch"]]
    messages, stopped = batch["messages"], batch["stopped"] is not None
    number, next_result = len(messages), min(ended["results"], len(messages) - 1)
    promised = promised_clocks(core, plan["parameters"])
    promise = (
        f"the manifest promises {promised}"
        if promised and core.workload.longest_clocks is None
        else "longest_clocks in [workload] sets the limit"
    )
    # In streams, results are counted by their words, of which a message may have several.
    counted = number == 1 or protocol_of(core) in PULSED
    size = len(bytes.fromhex(messages[next_result]))
    place = f", in message {next_result + 1} of {number}, of {size} bytes" if counted else ""
    return HangError(
        f"{core.name} does not finish: {what} for {plan['longest_clocks']} clocks{place} "
        f"({promise})" + (_STOPPED if stopped else ""),
        hint=""
        if stopped or plan["resets"] > 1
        else advice(core, program, hung_after=ended["results"]),
    )


def _why(log: Path) -> str:
    """The last error in the log of a simulation, without the name of its class."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    errors = [line for line in lines if "Error" in line and "cocotb" not in line]
    return _CLASS_NAME.sub("", errors[-1])[:200] if errors else "the simulation stopped"


# Clocks that a manifest promises, and entries of it that may make the core hang or err.

_LONGEST_CLOCKS = 100_000
"""Clocks without a word in or out after which a core hangs if its manifest promises nothing."""
_LEAST_CLOCKS, _TIMES_PROMISED = 1000, 64
"""The same if it promises clocks: a fixed part, and a multiple of the promise."""
PULSED = ("init_next", "start_done")
"""Protocols whose cores begin on a pulse."""
_KEY_PULSE: Final = re.compile(
    r"init|expand|sched|key.*(ld|load|start|valid|we|wr|set|en)|(ld|load|start|set|wr).*key|^k?ld|load",
    re.IGNORECASE,
)
"""Names of inputs whose pulse often has a core take or expand its key."""


def longest_clocks(core: Core, parameters: Mapping[str, int]) -> int:
    """Clocks without a word in or out after which a core hangs.

    The manifest's own number, else many times what it promises for these parameters.
    """
    if core.workload.longest_clocks is not None:
        return core.workload.longest_clocks
    promised = promised_clocks(core, parameters)
    return _LEAST_CLOCKS + _TIMES_PROMISED * promised if promised else _LONGEST_CLOCKS


def promised_clocks(core: Core, parameters: Mapping[str, int]) -> int | None:
    """The largest number of clocks that the manifest promises for these parameters."""
    promised = core.promised(parameters)
    if promised is None:
        return None
    return max(filter(None, (promised.clocks_per_block, promised.latency_clocks)), default=None)


def protocol_of(core: Core) -> str | None:
    """Protocol that the manifest's table names; None if a Python file drives the core."""
    return None if isinstance(core.adapter, str) else core.adapter.get("protocol")


def advice(core: Core, program: Path, *, hung_after: int | None = None) -> str:
    """Sentence parts about entries of the manifest's table that may make a core hang or err.

    Empty if no entry is suspect. `hung_after` is the number of results before the core hung; None
    for a wrong result.
    """
    if isinstance(core.adapter, str):
        return ""
    ports, idle = core.adapter.get("ports", {}), core.adapter.get("idle", {})
    known = {core.clock, core.reset, *ports.values()}
    inputs = [port for port in verilator.input_ports(program) if port not in known]
    said = of_key = _key_advice(core.adapter, inputs)
    spare = [port for port in inputs if port not in idle]
    if spare:
        said += f"; inputs without a role stay 0: {', '.join(spare)}"
        levels = [port for port in spare if not (of_key and _KEY_PULSE.search(port))]
        if levels:
            said += f"; idle = {{ {levels[0]} = 1 }} in [adapter] would give one a value"
    protocol = protocol_of(core)
    if protocol == "start_done" and hung_after != 0 and core.adapter.get("start_with_done", True):
        said += "; a core that takes no start in the clock of done needs start_with_done = false"
    if protocol in PULSED and hung_after is None and not core.adapter.get("settle_clocks"):
        said += "; a core that keeps its inputs in a register first needs settle_clocks = 1"
    return said


def _key_advice(table: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """What the table may lack to get a key in; `inputs` play no part, but may be idle."""
    ports = table.get("ports", {})
    protocol = table.get("protocol")
    if not table.get("key_bytes") or {"key_init", "key_valid"} & ports.keys():
        return ""
    # Most ciphers have no first block that differs from others: their init is of the key.
    if protocol == "init_next" and ports.get("init") and table.get("padding", "none") == "none":
        return (
            f"; if a pulse of {ports['init']} expands the key, the core is no init_next: give it "
            f'protocol = "start_done" with key_init = "{ports["init"]}", '
            f'start = "{ports.get("next", "next")}", and done and key_ready'
        )
    pulses = [port for port in inputs if _KEY_PULSE.search(port)]
    if pulses and protocol in PULSED:
        return (
            f"; if a pulse of {pulses[0]} has the core take or expand its key, ports needs "
            f'key_init = "{pulses[0]}", with key_ready, the output that is high then'
        )
    if protocol == "valid_ready" and pulses:
        return f'; if {pulses[0]} has the core take its key, ports needs key_valid = "{pulses[0]}"'
    return ""
