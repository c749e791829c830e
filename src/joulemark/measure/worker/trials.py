# SPDX-License-Identifier: Apache-2.0
"""The worker's side of runs: computes outputs, checks them, and takes windows of time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from joulemark import _core
from joulemark.judging import window_was_interrupted
from joulemark.measure.worker.messages import Request, output_text, sha256_text
from joulemark.measure.worker.run_messages import (
    Calibrate,
    Calibrated,
    Check,
    Checked,
    Checksum,
    Checksummed,
    Clocks,
    ComputeBatches,
    ComputeOutputs,
    LoopSeries,
    MeasureLoop,
    OutputCase,
    Outputs,
    ReadClocks,
    Replay,
    Replayed,
    TrialRun,
    TriedAsSupercop,
    TryAsSupercop,
    Visit,
    Visited,
)
from joulemark.records import Coverage, Finding, FindingKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, KeySetup, Mode, mix_lengths

if TYPE_CHECKING:
    from joulemark.measure.worker.meter_session import MeterSession


# The messages of a trial: their lengths, places and keys.
#
# The worker hands lengths and keys to the harness. The parent, which must know the right outputs,
# derives the same here, and places messages by the rule of `harness/batch.c`.

_ALIGN_BYTES = 64
"""Each message starts at a multiple of this from the start of its batch."""


def cycle_lengths(size_bytes: int, batch: int, mix: str) -> tuple[int, ...]:
    """Lengths of the messages of a trial's smallest window, in order."""
    return mix_lengths(mix, batch) if mix else (size_bytes,) * batch


def distinct_keys(key: bytes, count: int) -> list[bytes]:
    """Keys of one length, all different: the number of the message in the last two bytes.

    Args:
        key: at least 2 bytes.
        count: 1 to 65536; the first key is `key` itself.
    """
    end = int.from_bytes(key[-2:], "big")
    return [key[:-2] + (end ^ number).to_bytes(2, "big") for number in range(count)]


def message_starts(lengths: Sequence[int]) -> list[int]:
    """The places of the messages of one batch, in bytes from the first.

    They follow each other, each on a separate cache line, an empty message too.
    """
    starts, free = [], 0
    for length in lengths:
        starts.append(free)
        free += max(-(-length // _ALIGN_BYTES), 1) * _ALIGN_BYTES
    return starts


# Runs the native check (`harness/check`) on the implementations of a worker.


def portable_kernel(algorithm: str) -> _core.Implementation | None:
    """Our portable kernel of an algorithm, which every worker has, or None."""
    for implementation in _core.builtin_plugin().implementations():
        if (implementation.algorithm, implementation.variant) == (algorithm, "portable"):
            return implementation
    return None


def _finding(found: Mapping[str, Any] | None) -> Finding | None:
    """The record of a finding of the native check."""
    if found is None:
        return None
    shown = {"got": found["got"].hex(), "expected": found["expected"].hex()}
    values = {**found, **shown, "verdict": FindingKind(found["verdict"])}
    return Finding(**{field.name: values[field.name] for field in fields(Finding)})


class NativeChecks:
    """Checks implementations against our portable kernels.

    Args:
        implementations: by name; the mapping may be filled later.
    """

    def __init__(self, implementations: Mapping[str, _core.Implementation]) -> None:
        self._implementations = implementations
        self._checkers: dict[str, _core.Checker] = {}

    def _checker(self, name: str) -> tuple[_core.Checker, bool]:
        """The check of an implementation, and whether that is itself the kernel it is held to."""
        implementation = self._implementations[name]
        trusted = portable_kernel(implementation.algorithm) or implementation
        itself = (trusted.algorithm, trusted.variant) == (
            implementation.algorithm,
            implementation.variant,
        )
        return _core.Checker(implementation, trusted), itself

    def check(self, request: Check) -> Checked:
        """Holds an implementation to our portable kernel of its algorithm, if there is one."""
        checker, itself = self._checker(request.implementation)
        started_s = time.thread_time()
        coverage, finding = checker.run(request.seed, request.cpu_ns, request.huge, request.slack)
        every = None
        if itself and finding is None:
            every = sha256_text(_core.every_output(self._implementations[request.implementation]))
        return Checked(
            finding=_finding(finding),
            coverage=Coverage(**coverage),
            cpu_s=time.thread_time() - started_s,
            held_to="the readable reference" if itself else "our portable kernel",
            every_sha256=every,
        )

    def replay(self, request: Replay) -> Replayed:
        """Repeats one case."""
        return Replayed(_finding(self._checker(request.implementation)[0].replay(request.line)))

    def spot(self, name: str, number: int) -> Finding | None:
        """Checks one short message, whose length and place `number` chooses.

        That takes two calls and two key set-ups, so it can be done after timed windows.
        """
        if name not in self._checkers:
            self._checkers[name], _ = self._checker(name)
        return _finding(self._checkers[name].spot(number))


A = TypeVar("A")
Case = TypeVar("Case")

_KEPT_LOOP_BYTES = 256 << 20
"""Most message memory of trials that are kept ready between samples."""


def _interrupted(window: Mapping[str, Any]) -> bool:
    names = ("wall_ns", "thread_cpu_ns", "voluntary_switches", "involuntary_switches")
    return window_was_interrupted(*(window[name] for name in names))


def _sum(visit: Mapping[str, Any], more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Adds the counters of a visit and of windows taken again; None if a counter is missing."""
    if not visit:
        return more
    return {
        name: None if visit[name] is None or value is None else visit[name] + value
        for name, value in more.items()
    }


def _output(
    implementation: _core.Implementation, key: bytes, message: bytes, nonce: bytes
) -> bytes:
    """Digest, tag or encrypted blocks of one message."""
    if implementation.kind == "hash":
        return implementation.digest(message)
    if implementation.kind == "cipher":
        return implementation.encrypt(key, message)
    state = _core.KeyState(implementation, key)
    try:
        if nonce:
            if not implementation.nonce_bytes_min <= len(nonce) <= implementation.nonce_bytes_max:
                raise _core.MessageLengthError(f"no nonces of {len(nonce)} bytes")
            state.set_nonce(nonce)
        return state.tag(message)
    finally:
        state.wipe()


def _output_or_none(compute: Callable[[Case], bytes], case: Case) -> str | None:
    """An output; None where the implementation does not take messages of the case's length."""
    try:
        return output_text(compute(case))
    except _core.MessageLengthError:
        return None


class Trials:
    """Answers requests about runs of the implementations of one source.

    Args:
        implementations: by name; may be filled again later.
    """

    def __init__(self, implementations: Mapping[str, _core.Implementation]) -> None:
        self._implementations = implementations
        self._loops: OrderedDict[TrialRun, tuple[_core.Loop, int]] = OrderedDict()
        self._meter_session: MeterSession | None = None
        self._checks = NativeChecks(self._implementations)
        self._answers: dict[type[Request[Any]], Callable[[Any], Any]] = {
            ComputeOutputs: self._outputs,
            ComputeBatches: self._batches,
            Check: self._checks.check,
            Checksum: self._checksum,
            TryAsSupercop: self._try_as_supercop,
            Replay: self._checks.replay,
            Calibrate: self._calibrate,
            Visit: self._visit,
            MeasureLoop: self._loop_series,
            ReadClocks: self._clocks,
        }

    def answer(self, request: Request[A]) -> A:
        """The answer to one request."""
        answer: A = self._answers.get(type(request), self._seldom)(request)
        return answer

    def _outputs(self, request: ComputeOutputs) -> Outputs:
        """Computes the output of each case, for comparison by the parent."""
        implementation = self._implementations[request.implementation]

        def compute(case: OutputCase) -> bytes:
            message = case.message * case.repeat
            if case.pattern_bytes is not None:
                message = _core.message(case.pattern_bytes)
            return _output(implementation, case.key, message, case.nonce)

        return Outputs(tuple(_output_or_none(compute, case) for case in request.cases))

    def _batches(self, request: ComputeBatches) -> Outputs:
        """Computes the outputs of several messages in one call for each case."""
        implementation = self._implementations[request.implementation]

        def compute(lengths: tuple[int, ...]) -> bytes:
            keys = distinct_keys(request.key, len(lengths))
            messages = [
                _core.message(length, start)
                for length, start in zip(lengths, message_starts(lengths), strict=True)
            ]
            return b"".join(_core.tag_batch(implementation, keys, messages))

        return Outputs(tuple(_output_or_none(compute, lengths) for lengths in request.cases))

    def _checksum(self, request: Checksum) -> Checksummed:
        """Computes the checksum of SUPERCOP's test of the operation."""
        checksum = _core.supercop_checksum(
            self._implementations[request.implementation],
            request.key_bytes,
            request.output_bytes,
            request.big,
        )
        return Checksummed(checksum.hex())

    def _try_as_supercop(self, request: TryAsSupercop) -> TriedAsSupercop:
        """Makes SUPERCOP's whole test of the operation."""
        checksum, fault, message_bytes = _core.supercop_try(
            self._implementations[request.implementation], request.key_bytes, request.output_bytes
        )
        return TriedAsSupercop(checksum.hex(), fault, message_bytes)

    def _loop(self, run: TrialRun) -> _core.Loop:
        if run in self._loops:
            self._loops.move_to_end(run)
            return self._loops[run][0]
        workload = run.trial.workload
        cold, batch = workload.cache is Cache.COLD, workload.batch
        lengths = cycle_lengths(workload.size_bytes, batch, workload.mix)
        key_count = batch if workload.key_setup is KeySetup.DISTINCT else 1
        keys = distinct_keys(run.key, key_count) if key_count > 1 else [run.key]
        loop = _core.Loop(
            self._implementations[run.trial.implementation],
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

    def _calibrate(self, request: Calibrate) -> Calibrated:
        """How many messages fill a window."""
        loop = self._loop(request.run)
        count, message_ps = loop.calibrate(request.window_ns)
        return Calibrated(count, message_ps, output_text(loop.output()))

    def _visit(self, request: Visit) -> Visited:
        """Takes a window at each placement, and one at a spare placement for each interrupted one.

        The answer has all windows, those taken again last.
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
        return Visited(
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

    def _seldom(self, request: Request[A]) -> A:
        """The answer to a request of a kind that most workers never get, and so do not import."""
        from joulemark.measure.worker import meter_session  # noqa: PLC0415 - see `worker`

        if type(request) in meter_session.ANSWERS:
            answer: A = meter_session.ANSWERS[type(request)](request, self._implementations)
            return answer
        if self._meter_session is None:
            self._meter_session = meter_session.MeterSession(self._loop)
        return self._meter_session.answer(request)

    def _loop_series(self, request: MeasureLoop) -> LoopSeries:
        """Times the loop alone, and the loop with an empty call in it."""
        count, rounds = request.messages, range(request.rounds)
        loop = _core.Loop(_core.nothing(), b"", 16)
        return LoopSeries(
            count,
            tuple(_core.loop_without_call_ns(count) for _ in rounds),
            tuple(loop.visit(count // 10, 0, count, [0])[1][0]["wall_ns"] for _ in rounds),
        )

    def _clocks(self, _request: ReadClocks) -> Clocks:
        """Reads the resolution of the counters, and whether each is there, in this process."""
        return Clocks(
            monotonic_step_ns=_core.monotonic_step_ns(1000),
            tsc=_core.tsc_ticks() is not None,
            run_queue=_core.run_queue_wait_ns() is not None,
            perf_cycles_reason=_core.open_perf_cycles(),
            chain_adds=_core.CHAIN_ADDS,
            chain_ticks=_core.core_chain_ticks(20),
        )
