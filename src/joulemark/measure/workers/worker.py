# SPDX-License-Identifier: Apache-2.0
"""The child process that runs implementations: one source per process, pinned to one CPU.

It reads requests from one pipe and writes answers to another, one JSON object a line, and does
nothing in between, so that it costs nothing while another implementation is measured. It imports
as little as possible. What the code under test prints goes elsewhere.

`joulemark.measure.workers.messages` has the requests and answers.
"""

from __future__ import annotations

import os
import resource
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from joulemark import _core
from joulemark.errors import JoulemarkError
from joulemark.judging.interrupted import window_was_interrupted
from joulemark.measure.workers import messages
from joulemark.measure.workers.batches import cycle_lengths, distinct_keys, message_starts
from joulemark.measure.workers.library_files import library_files, mapped_libraries
from joulemark.measure.workers.lines import decode_request, encode
from joulemark.measure.workers.native_check import NativeChecks
from joulemark.measure.workers.output import output_text
from joulemark.processes.keeper import become_kept
from joulemark.records.implementation import LibraryFile
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, KeySetup, Mode

if TYPE_CHECKING:
    from joulemark.measure.workers.desk import EnergyDesk

__all__ = ["Worker", "main"]

A = TypeVar("A")
Case = TypeVar("Case")

_KEPT_LOOP_BYTES = 256 << 20
"""Message memory of trials kept ready between samples."""
_PRINTED_BYTES = 16 << 20
"""Of what the code under test prints, which lies in a temporary file; the rest is lost."""


def _entry(implementation: _core.Implementation) -> messages.TableEntry:
    return messages.TableEntry(
        **{one.name: getattr(implementation, one.name) for one in fields(messages.TableEntry)}
    )


def _files(kind: str, path: str | None) -> tuple[LibraryFile, ...]:
    """Files of the outside library that was loaded; none of our own kernels."""
    if kind == "python":
        path = getattr(sys.modules.get("_hashlib"), "__file__", None)  # hashlib imports it
    return () if path is None else library_files(Path(path), mapped_libraries())


def _interrupted(window: Mapping[str, Any]) -> bool:
    names = ("wall_ns", "thread_cpu_ns", "voluntary_switches", "involuntary_switches")
    return window_was_interrupted(*(window[name] for name in names))


def _sum(visit: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
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


def _taken(compute: Callable[[Case], bytes], case: Case) -> str | None:
    """An output; None where the implementation does not take messages of the case's length."""
    try:
        return output_text(compute(case))
    except _core.MessageLengthError:
        return None


class Worker:
    """Answers requests about the implementations of one source."""

    def __init__(self, kind: str, path: str | None) -> None:
        self._kind = kind
        self._path = path
        self._found: dict[str, _core.Implementation] = {}
        self._loops: OrderedDict[messages.TrialRun, tuple[_core.Loop, int]] = OrderedDict()
        self._desk: EnergyDesk | None = None
        self._checks = NativeChecks(self._found)
        self._answers: dict[type[messages.Request[Any]], Callable[[Any], Any]] = {
            messages.OpenSource: self._open,
            messages.ComputeOutputs: self._outputs,
            messages.ComputeBatches: self._batches,
            messages.Check: self._checks.check,
            messages.Replay: self._checks.replay,
            messages.Calibrate: self._calibrate,
            messages.Visit: self._visit,
            messages.MeasureLoop: self._loop_series,
            messages.ReadClocks: self._clocks,
        }

    def answer(self, request: messages.Request[A]) -> A:
        """The answer to one request."""
        answer: A = self._answers.get(type(request), self._energy)(request)
        return answer

    def _open(self, request: messages.OpenSource) -> messages.Opened:
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
        self._found.clear()
        self._found |= {f"{one.algorithm}/{one.variant}": one for one in found}
        return messages.Opened(
            **about,
            implementations=tuple(map(_entry, found)),
            library_files=_files(self._kind, self._path) if request.files else (),
        )

    def _outputs(self, request: messages.ComputeOutputs) -> messages.Outputs:
        """What an implementation computes, for comparison by the parent."""
        implementation = self._found[request.implementation]

        def compute(case: messages.OutputCase) -> bytes:
            message = case.message * case.repeat
            if case.pattern_bytes is not None:
                message = _core.message(case.pattern_bytes)
            return _output(implementation, case.key, message)

        return messages.Outputs(tuple(_taken(compute, case) for case in request.cases))

    def _batches(self, request: messages.ComputeBatches) -> messages.Outputs:
        """What an implementation computes for several messages in one call."""
        implementation = self._found[request.implementation]

        def compute(lengths: tuple[int, ...]) -> bytes:
            keys = distinct_keys(request.key, len(lengths))
            messages = [
                _core.message(length, start)
                for length, start in zip(lengths, message_starts(lengths), strict=True)
            ]
            return b"".join(_core.tag_batch(implementation, keys, messages))

        return messages.Outputs(tuple(_taken(compute, lengths) for lengths in request.cases))

    def _loop(self, run: messages.TrialRun) -> _core.Loop:
        if run in self._loops:
            self._loops.move_to_end(run)
            return self._loops[run][0]
        workload = run.trial.workload
        cold, batch = workload.cache is Cache.COLD, workload.batch
        lengths = cycle_lengths(workload.size_bytes, batch, workload.mix)
        key_count = batch if workload.key_setup is KeySetup.DISTINCT else 1
        keys = distinct_keys(run.key, key_count) if key_count > 1 else [run.key]
        loop = _core.Loop(
            self._found[run.trial.implementation],
            b"".join(keys),
            workload.size_bytes,
            latency=workload.mode is Mode.LATENCY,
            cold=cold,
            fresh_key=workload.key_setup is KeySetup.FRESH,
            batch=batch,
            key_count=key_count,
            lengths=list(lengths) if workload.mix else [],
        )
        self._loops[run] = (loop, max(batch * max(lengths), 8 << 20 if cold else 0))
        while sum(size for _, size in self._loops.values()) > _KEPT_LOOP_BYTES:
            if len(self._loops) == 1:
                break
            self._loops.popitem(last=False)
        return loop

    def _calibrate(self, request: messages.Calibrate) -> messages.Calibrated:
        """How many messages fill a window."""
        loop = self._loop(request.run)
        count, message_ps = loop.calibrate(request.window_ns)
        return messages.Calibrated(count, message_ps, output_text(loop.output()))

    def _visit(self, request: messages.Visit) -> messages.Visited:
        """A window at each placement, and one at a spare placement for each interrupted one.

        All that were taken are given out, those taken again last.
        """
        loop = self._loop(request.run)
        placements, spare = request.placements, request.spare_placements
        visit: Mapping[str, Any] = {}
        windows: list[Mapping[str, Any]] = []
        while placements:
            more, taken = loop.visit(
                request.settle if windows else request.warm_up,
                request.settle,
                request.messages,
                list(placements),
            )
            visit = _sum(visit, more)
            windows += taken
            wanting = sum(map(_interrupted, taken))
            placements, spare = spare[:wanting], spare[wanting:]
        return messages.Visited(
            samples=tuple(
                RawSample(
                    round_index=request.round_index,
                    position=request.position,
                    generation=request.generation,
                    window_index=index,
                    **window,
                    **visit,
                )
                for index, window in enumerate(windows)
            ),
            output=output_text(loop.output()),
            spot=self._checks.spot(request.run.trial.implementation, request.placements[0]),
        )

    def _energy(self, request: messages.Request[A]) -> A:
        """The answer to a request about energy, from a desk that most workers never import."""
        if self._desk is None:
            from joulemark.measure.workers.desk import EnergyDesk  # noqa: PLC0415 - only if asked

            self._desk = EnergyDesk(self._loop)
        return self._desk.answer(request)

    def _loop_series(self, request: messages.MeasureLoop) -> messages.LoopSeries:
        """Raw series of the loop alone, and of the loop with an empty call in it."""
        count, rounds = request.messages, range(request.rounds)
        loop = _core.Loop(_core.nothing(), b"", 16)
        return messages.LoopSeries(
            count,
            tuple(_core.loop_without_call_ns(count) for _ in rounds),
            tuple(loop.visit(count // 10, 0, count, [0])[1][0]["wall_ns"] for _ in rounds),
        )

    def _clocks(self, _request: messages.ReadClocks) -> messages.Clocks:
        """Resolution and availability of the counters, seen from a pinned process."""
        return messages.Clocks(
            monotonic_step_ns=_core.monotonic_step_ns(1000),
            tsc=_core.tsc_ticks() is not None,
            run_queue=_core.run_queue_wait_ns() is not None,
            perf_cycles_reason=_core.open_perf_cycles(),
            chain_adds=_core.CHAIN_ADDS,
            chain_ticks=_core.core_chain_ticks(20),
        )


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
    with os.fdopen(read_fd, encoding="utf-8") as requests, os.fdopen(write_fd, "wb") as answers:
        _core.open_perf_cycles()
        for line in requests:
            try:
                said = encode(worker.answer(decode_request(line)))
            except _core.MessageLengthError as error:
                said = encode(messages.Refusal(str(error), messages.RefusalKind.MESSAGE_LENGTH))
            except (ValueError, RuntimeError, MemoryError, KeyError, JoulemarkError) as error:
                why = "not enough memory" if isinstance(error, MemoryError) else str(error)
                said = encode(messages.Refusal(why or type(error).__name__))
            answers.write(said)
            answers.flush()


if __name__ == "__main__":
    main()
