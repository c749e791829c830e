# SPDX-License-Identifier: Apache-2.0
"""The child process that runs implementations: one source per process, pinned to one CPU.

It reads requests from one pipe and writes answers to another, one JSON object a line, and does
nothing in between, so that it costs nothing while another implementation is measured. It imports
as little as possible. What the code under test prints goes elsewhere.

Requests (`op`) and answers:
    open      [files] -> provider, library_version, compiler, flags, implementations (facts), and
              where files is true library_files [{name, sha256}] of an outside library
    outputs   implementation, cases [{key, message | pattern_bytes, repeat}] -> outputs (hex)
    batches   implementation, key, cases [lengths] -> outputs (hex) of one call for each case;
              null, in both, for a case whose message lengths the implementation does not take
    check     implementation, and seed, cpu_ns, huge, slack, or replay (a line) -> finding (of the
              smallest input, or null), and coverage, cpu_s, held_to, every_sha256 unless replayed
    calibrate trial, key, window_ns -> messages, message_ps, output
    visit     trial, key, messages, warm_up, settle, placements, spare_placements
              -> samples (counters of each window), output, spot (a finding or null)
    loop_cost messages, rounds -> raw series of the loop alone and with an empty call
    observe_meter meter, sysfs, proc, domains, longest_s -> observations
    energy_window meter, sysfs, proc, domains, kind, window, and for a load trial, key,
              ns_per_message, placement -> window (fields of EnergyWindow), output of a load
    clocks    -> counters for the doctor
An answer with `error` carries one sentence, and `length_not_taken` where the implementation does
not take messages of that length; the worker lives on.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark import _core
from joulemark.errors import JoulemarkError
from joulemark.judging.interrupted import window_was_interrupted
from joulemark.measure.workers.batches import cycle_lengths, distinct_keys, message_starts
from joulemark.measure.workers.library_files import library_files, mapped_libraries
from joulemark.processes.keeper import become_kept

if TYPE_CHECKING:
    from joulemark.measure.windows.desk import EnergyDesk

__all__ = ["Worker", "main", "output_text", "portable_kernel"]

_KEPT_LOOP_BYTES = 256 << 20
"""Message memory of trials kept ready between samples."""
_LONG_OUTPUT_BYTES = 64
_PRINTED_BYTES = 16 << 20
"""Of what the code under test prints, which lies in a temporary file; the rest is lost."""


def output_text(output: bytes) -> str:
    """Hexadecimal, or the SHA-256 of an output too long to send (a cipher's)."""
    if len(output) <= _LONG_OUTPUT_BYTES:
        return output.hex()
    return "sha256:" + hashlib.sha256(output).hexdigest()


def portable_kernel(algorithm: str) -> _core.Implementation | None:
    """Our portable kernel of an algorithm, which every worker has, or None."""
    for one in _core.builtin_plugin().implementations():
        if (one.algorithm, one.variant) == (algorithm, "portable"):
            return one
    return None


def _finding(finding: dict[str, Any] | None) -> dict[str, Any] | None:
    """A finding as JSON carries it."""
    if finding is None:
        return None
    return {**finding, "got": finding["got"].hex(), "expected": finding["expected"].hex()}


def _facts(implementation: _core.Implementation) -> dict[str, Any]:
    names = ("algorithm", "variant", "note", "kind", "cpu_features", "missing_features", "lanes",
             "constant_time", "block_bytes", "output_bytes", "key_bytes_min", "key_bytes_max",
             "key_bytes", "batch_calls")  # fmt: skip
    return {name: getattr(implementation, name) for name in names}


def _files(kind: str, path: str | None) -> list[dict[str, str]]:
    """Files of the outside library that was loaded; none of our own kernels."""
    if kind == "python":
        path = getattr(sys.modules.get("_hashlib"), "__file__", None)  # hashlib imports it
    return [] if path is None else library_files(Path(path), mapped_libraries())


def _interrupted(window: dict[str, Any]) -> bool:
    names = ("wall_ns", "thread_cpu_ns", "voluntary_switches", "involuntary_switches")
    return window_was_interrupted(*(window[name] for name in names))


def _sum(visit: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Counters of a visit and of the windows taken again, together; None where one is missing."""
    if not visit:
        return more
    return {
        name: None if visit[name] is None or value is None else visit[name] + value
        for name, value in more.items()
    }


def _output(implementation: _core.Implementation, key: bytes, message: bytes) -> bytes:
    """Digest, tag or encrypted blocks of one message."""
    if implementation.kind == "hash":
        return implementation.digest(message)
    if implementation.kind == "cipher":
        return implementation.encrypt(key, message)
    state = _core.KeyState(implementation, key)
    try:
        return state.tag(message)
    finally:
        state.wipe()


class Worker:
    """Answers requests about the implementations of one source."""

    def __init__(self, kind: str, path: str | None) -> None:
        self._kind = kind
        self._path = path
        self._found: dict[str, _core.Implementation] = {}
        self._loops: OrderedDict[str, tuple[_core.Loop, int]] = OrderedDict()
        self._desk: EnergyDesk | None = None
        self._checkers: dict[str, _core.Checker] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        answer: dict[str, Any] = getattr(self, "op_" + request["op"])(request)
        return answer

    def op_open(self, request: dict[str, Any]) -> dict[str, Any]:
        """Loads the source and lists what is in it."""
        if self._kind == "python":
            from joulemark.measure.workers import (  # noqa: PLC0415 - only where needed
                python_provider,
            )

            found = python_provider.implementations()
            about = {"provider": python_provider.PROVIDER, "compiler": sys.version.split("[")[-1]
                     .rstrip("]"), "flags": "",
                     "library_version": python_provider.library_version()}  # fmt: skip
        else:
            plugin = _core.builtin_plugin() if self._path is None else _core.load_plugin(self._path)
            found = plugin.implementations()
            about = {name: getattr(plugin, name)
                     for name in ("provider", "library_version", "compiler", "flags")}  # fmt: skip
        self._found = {f"{one.algorithm}/{one.variant}": one for one in found}
        answer = {**about, "implementations": [_facts(one) for one in found]}
        if request.get("files"):
            answer["library_files"] = _files(self._kind, self._path)
        return answer

    def op_outputs(self, request: dict[str, Any]) -> dict[str, Any]:
        """What an implementation computes, for comparison by the parent."""
        implementation = self._found[request["implementation"]]
        outputs: list[str | None] = []
        for case in request["cases"]:
            key = bytes.fromhex(case.get("key", ""))
            if "pattern_bytes" in case:
                message = _core.message(case["pattern_bytes"])
            else:
                message = bytes.fromhex(case["message"]) * case.get("repeat", 1)
            try:
                outputs.append(output_text(_output(implementation, key, message)))
            except _core.MessageLengthError:
                outputs.append(None)
        return {"outputs": outputs}

    def op_batches(self, request: dict[str, Any]) -> dict[str, Any]:
        """What an implementation computes for several messages in one call."""
        implementation = self._found[request["implementation"]]
        outputs: list[str | None] = []
        for lengths in request["cases"]:
            keys = distinct_keys(bytes.fromhex(request["key"]), len(lengths))
            messages = [
                _core.message(length, start)
                for length, start in zip(lengths, message_starts(lengths), strict=True)
            ]
            try:
                tags = _core.tag_batch(implementation, keys, messages)
                outputs.append(output_text(b"".join(tags)))
            except _core.MessageLengthError:
                outputs.append(None)
        return {"outputs": outputs}

    def op_check(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the native check finds, by our portable kernel of the algorithm if there is one."""
        implementation = self._found[request["implementation"]]
        trusted = portable_kernel(implementation.algorithm) or implementation
        checker = _core.Checker(implementation, trusted)
        if "replay" in request:
            return {"finding": _finding(checker.replay(request["replay"]))}
        started_s = time.thread_time()
        coverage, finding = checker.run(
            request["seed"], request["cpu_ns"], request["huge"], request["slack"]
        )
        itself = (trusted.algorithm, trusted.variant) == (
            implementation.algorithm, implementation.variant,
        )  # fmt: skip
        every = None
        if itself and finding is None:
            every = hashlib.sha256(_core.every_output(implementation)).hexdigest()
        return {
            "coverage": coverage,
            "finding": _finding(finding),
            "cpu_s": time.thread_time() - started_s,
            "held_to": "the readable reference" if itself else "our portable kernel",
            "every_sha256": every,
        }

    def _spot_check(self, name: str, number: int) -> dict[str, Any] | None:
        """A finding in one short message whose length and place `number` chooses, or None.

        It costs two calls and two key set-ups, so that it can be done after timed windows.
        """
        if name not in self._checkers:
            implementation = self._found[name]
            trusted = portable_kernel(implementation.algorithm) or implementation
            self._checkers[name] = _core.Checker(implementation, trusted)
        return _finding(self._checkers[name].spot(number))

    def _loop(self, request: dict[str, Any]) -> _core.Loop:
        trial = request["trial"]
        name = json.dumps([trial, request["key"]])
        if name in self._loops:
            self._loops.move_to_end(name)
            return self._loops[name][0]
        cold = trial["cache"] == "cold"
        batch = trial["batch"]
        lengths = cycle_lengths(trial["size_bytes"], batch, trial["mix"])
        key_count = batch if trial["key_setup"] == "distinct" else 1
        keys = (
            distinct_keys(bytes.fromhex(request["key"]), key_count)
            if key_count > 1
            else [bytes.fromhex(request["key"])]
        )
        loop = _core.Loop(
            self._found[trial["implementation"]],
            b"".join(keys),
            trial["size_bytes"],
            latency=trial["mode"] == "latency",
            cold=cold,
            fresh_key=trial["key_setup"] == "fresh",
            batch=batch,
            key_count=key_count,
            lengths=list(lengths) if trial["mix"] else [],
        )
        self._loops[name] = (loop, max(batch * max(lengths), 8 << 20 if cold else 0))
        while sum(size for _, size in self._loops.values()) > _KEPT_LOOP_BYTES:
            if len(self._loops) == 1:
                break
            self._loops.popitem(last=False)
        return loop

    def op_calibrate(self, request: dict[str, Any]) -> dict[str, Any]:
        """How many messages fill a window."""
        loop = self._loop(request)
        messages, message_ps = loop.calibrate(request["window_ns"])
        return {
            "messages": messages,
            "message_ps": message_ps,
            "output": output_text(loop.output()),
        }

    def op_visit(self, request: dict[str, Any]) -> dict[str, Any]:
        """A window at each placement, and one at a spare placement for each interrupted one.

        All that were taken are given out, those taken again last.
        """
        loop = self._loop(request)
        placements, spare = request["placements"], request["spare_placements"]
        visit: dict[str, Any] = {}
        samples: list[dict[str, Any]] = []
        while placements:
            more, taken = loop.visit(
                request["warm_up"] if not samples else request["settle"],
                request["settle"],
                request["messages"],
                placements,
            )
            visit = _sum(visit, more)
            samples += taken
            wanting = sum(map(_interrupted, taken))
            placements, spare = spare[:wanting], spare[wanting:]
        return {
            "samples": [
                {**sample, **visit, "window_index": index} for index, sample in enumerate(samples)
            ],
            "output": output_text(loop.output()),
            "spot": self._spot_check(request["trial"]["implementation"], request["placements"][0]),
        }

    def _energy_desk(self) -> EnergyDesk:
        if self._desk is None:
            from joulemark.measure.windows.desk import EnergyDesk  # noqa: PLC0415 - only if asked

            self._desk = EnergyDesk()
        return self._desk

    def op_observe_meter(self, request: dict[str, Any]) -> dict[str, Any]:
        """How the counters of a meter move."""
        return self._energy_desk().observe(request)

    def op_energy_window(self, request: dict[str, Any]) -> dict[str, Any]:
        """One energy window; an idle one has no output."""
        if request["kind"] != "load":
            return {"window": self._energy_desk().window(request, None)}
        loop = self._loop(request)
        # The fewest messages at this sample's place in memory; the window's stay there.
        loop.visit(0, 0, loop.quantum, [request["placement"]])
        window = self._energy_desk().window(request, loop.run, request["trial"]["batch"])
        return {"window": window, "output": output_text(loop.output())}

    def op_loop_cost(self, request: dict[str, Any]) -> dict[str, Any]:
        """Raw series of the loop alone, and of the loop with an empty call in it."""
        messages, rounds = request["messages"], request["rounds"]
        loop = _core.Loop(_core.nothing(), b"", 16)
        return {
            "messages": messages,
            "without_call_ns": [_core.loop_without_call_ns(messages) for _ in range(rounds)],
            "empty_call_ns": [
                loop.visit(messages // 10, 0, messages, [0])[1][0]["wall_ns"] for _ in range(rounds)
            ],
        }

    def op_clocks(self, _request: dict[str, Any]) -> dict[str, Any]:
        """Resolution and availability of the counters, seen from a pinned process."""
        return {
            "monotonic_step_ns": _core.monotonic_step_ns(1000),
            "tsc": _core.tsc_ticks() is not None,
            "run_queue": _core.run_queue_wait_ns() is not None,
            "perf_cycles_reason": _core.open_perf_cycles(),
            "chain_adds": _core.CHAIN_ADDS,
            "chain_ticks": _core.core_chain_ticks(20),
        }


def main() -> None:
    """Serves requests until the pipe closes: `worker KIND CPU READ_FD WRITE_FD [PATH]`."""
    kind, cpu, read_fd, write_fd = sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:5])
    path = sys.argv[5] if len(sys.argv) > 5 else None
    become_kept(read_fd, write_fd)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    printed = _PRINTED_BYTES if most == resource.RLIM_INFINITY else min(_PRINTED_BYTES, most)
    resource.setrlimit(resource.RLIMIT_FSIZE, (printed, most))
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
    worker = Worker(kind, path)
    with os.fdopen(read_fd, encoding="utf-8") as requests, os.fdopen(write_fd, "w") as answers:
        _core.open_perf_cycles()
        for line in requests:
            try:
                answer = worker.answer(json.loads(line))
                text = json.dumps(answer)
            except _core.MessageLengthError as error:
                text = json.dumps({"error": str(error), "length_not_taken": True})
            except (ValueError, RuntimeError, MemoryError, KeyError, JoulemarkError) as error:
                why = "not enough memory" if isinstance(error, MemoryError) else str(error)
                text = json.dumps({"error": why or type(error).__name__})
            answers.write(text + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
