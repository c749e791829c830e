# SPDX-License-Identifier: Apache-2.0
"""The parent's side of a worker process: start, ask, give up, kill."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TypeVar, get_args

from joulemark.errors import CrashError, HangError, ImplementationError, MessageLengthError
from joulemark.foreign import ForeignError, visible
from joulemark.foreign.records import parse_json, record_from_json, sample_from
from joulemark.measure.worker.messages import Refusal, RefusalKind, Request, encode
from joulemark.measure.worker.run_messages import Visited
from joulemark.measure.worker.sources import ImplementationSource
from joulemark.processes import signal_name
from joulemark.processes.child import KeptChild, module_command, named_variables
from joulemark.processes.keeper import ready_within

A = TypeVar("A")

# Checks the types of workers' answers: foreign code runs there, and may write on the pipe.
#
# The table of a plugin comes this way too.


def decode_answer(request: Request[A], line: bytes) -> A | Refusal:
    """The answer to a request, or its refusal."""
    values = parse_json(line)
    if not isinstance(values, dict):
        raise ForeignError("no JSON object")
    if "error" in values:
        return record_from_json(Refusal, values)
    answer = record_from_json(_answer_type(request), values)
    if isinstance(answer, Visited):
        for sample in values["samples"]:
            sample_from(sample)
    reason = request.why_not_of(answer)
    if reason is not None:
        raise ForeignError(reason)
    return answer


def _answer_type(request: Request[A]) -> type[A]:
    """The `A` of a class that is a `Request[A]`."""
    (base,) = type(request).__orig_bases__  # type: ignore[attr-defined]
    (kind,) = get_args(base)
    found: type[A] = kind
    return found


_STOP_WAIT_S = 2.0
_LAST_WORDS_WAIT_S = 1.0
_LONGEST_LIMIT_S = 1e8
"""Three years; select(2) refuses times that no clock can hold."""
_LONGEST_ANSWER_BYTES = 16 << 20
_LAST_WORDS_BYTES = 4096
"""Most bytes of last words; the longest are the line of a case of the check."""


class RefusalError(ImplementationError):
    """A live worker answered that the request cannot be carried out."""


class WorkerClient:
    """One worker process and the pipes to it. Not thread-safe.

    Args:
        source: the source that the worker loads.
        cpu: CPU to which it is pinned; None leaves it free.
        variables: variables of its environment, beside those that `named_variables` names.
    """

    def __init__(
        self,
        source: ImplementationSource,
        cpu: int | None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.source = source
        self._last_words = TemporaryFile()  # noqa: SIM115 - closed by close()
        self._ended = ExitStack()
        requests_read, self._requests = os.pipe()
        self._answers, answers_write = os.pipe()
        command = [
            *module_command("joulemark.measure.worker.start"),
            source.kind,
            str(-1 if cpu is None else cpu),
            str(requests_read),
            str(answers_write),
            str(-1 if source.memory_bytes is None else source.memory_bytes),
        ]
        places = [str(Path(source.path).absolute())] if source.path else []
        variables = dict(variables or {})
        if source.confined:
            folder = TemporaryDirectory(prefix="joulemark-confined-", ignore_cleanup_errors=True)
            places.append(self._ended.enter_context(folder))
            variables["TMPDIR"] = places[-1]
        self._child = KeptChild(
            command + places,
            output=self._last_words,
            pass_fds=(requests_read, answers_write),
            environment=named_variables(variables),
        )
        os.close(requests_read)
        os.close(answers_write)
        os.set_blocking(self._requests, False)  # a worker that reads no more must not hold us up
        self._pending = bytearray()

    def ask(self, request: Request[A], *, limit_s: float) -> A:
        """Sends one request and returns its answer."""
        limit_s = min(limit_s, _LONGEST_LIMIT_S)
        self._write_line(encode(request), limit_s)
        answer = self._answer(request, self._read_line(limit_s))
        if isinstance(answer, Refusal):
            of_length = answer.kind is RefusalKind.MESSAGE_LENGTH
            raise (MessageLengthError if of_length else RefusalError)(answer.error)
        return answer

    def _answer(self, request: Request[A], line: bytes) -> A | Refusal:
        """Decodes the answer in a line; only code that writes on foreign pipes can spoil a line."""
        try:
            return decode_answer(request, line)
        except ForeignError as error:
            self.kill()
            raise CrashError(
                f"its process wrote on the pipe of its answers, or its table is wrong ({error}); "
                "it was ended"
            ) from None

    def _write_line(self, line: bytes, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while line:
            left = deadline - time.monotonic()
            if left <= 0 or not ready_within(self._requests, left, writable=True):
                raise self._hang(limit_s)
            try:
                line = line[os.write(self._requests, line) :]
            except BrokenPipeError:
                raise self._crash() from None

    def _read_line(self, limit_s: float) -> bytes:
        deadline = time.monotonic() + limit_s
        looked_at = 0
        while (end := self._pending.find(b"\n", looked_at)) < 0:
            looked_at = len(self._pending)
            if looked_at > _LONGEST_ANSWER_BYTES:
                self.kill()
                raise CrashError(
                    "its process wrote without end on the pipe of its answers; it was ended"
                )
            left = deadline - time.monotonic()
            if left <= 0 or not ready_within(self._answers, left):
                raise self._hang(limit_s)
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise self._crash()
            self._pending += chunk
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        return line

    def _hang(self, limit_s: float) -> HangError:
        self._child.signal(signal.SIGTERM)  # the check then prints its current case
        self.kill(grace_s=_LAST_WORDS_WAIT_S)
        return HangError(
            f"no answer within {limit_s:.0f} s; its process was ended", self._last_line()
        )

    def _crash(self) -> CrashError:
        self.kill(grace_s=_STOP_WAIT_S)
        code = self._child.code
        name = signal_name(-code) if code is not None and code < 0 else ""
        how = f"signal {name}" if name else f"exit code {code}"
        return CrashError(f"its process died ({how})", self._last_line(), name)

    def _last_line(self) -> str:
        """The last line that the ended process printed; empty if it printed none."""
        end = self._last_words.seek(0, os.SEEK_END)
        self._last_words.seek(max(0, end - _LAST_WORDS_BYTES))
        words = self._last_words.read(_LAST_WORDS_BYTES).decode("utf-8", "replace").split("\n")
        lines = [line.strip() for line in words if line.strip()]
        return visible(lines[-1]) if lines else ""

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return not self._child.ended_within(0)

    def kill(self, *, grace_s: float = 0.1) -> None:
        """Ends the process and whatever it started, in whatever session, and waits for it."""
        self._child.ended_within(grace_s)
        self._child.end()

    def close(self) -> None:
        """Lets the worker end by itself, or else ends it. May be called twice."""
        if self._requests >= 0:
            os.close(self._requests)
            os.close(self._answers)
            self._requests = self._answers = -1
        self.kill(grace_s=_STOP_WAIT_S)
        self._last_words.close()
        self._ended.close()
