# SPDX-License-Identifier: Apache-2.0
"""Workers in forked processes, which need not import the modules of a worker.

The start of a worker takes longer than most of its answers, and the commands that tests run start
thousands of workers. A server, started by the first of them, has imported the modules of workers
and forks for each worker of our kernels and of the libraries installed with them. Plugins of
others, and tests of how a worker starts, ends, or counts as ours, start workers as users do.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

import joulemark
from joulemark.processes.child import KeptChild
from joulemark.processes.keeper import ready_within

__all__ = ["forked_child", "worker_server"]

_MOST_BYTES = 1 << 20
_END_WAIT_S = 6.0
"""Longest wait for a keeper, as in `joulemark.processes.child`."""
_INSTALLED = str(Path(joulemark.__file__).parent) + os.sep


class _ForkedChild:
    """As much of a `KeptChild` as a `WorkerClient` uses; it is a child of the server."""

    def __init__(
        self, server: str, words: Sequence[str], output: IO[Any], pass_fds: Collection[int],
        environment: Mapping[str, str] | None,
    ) -> None:  # fmt: skip
        said = {"words": words, "environment": dict(environment or os.environ),
                "folder": str(Path.cwd()), "cpus": sorted(os.sched_getaffinity(0))}  # fmt: skip
        self._status, write = os.pipe()
        self.code: int | None = None
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
            line.connect(server)
            socket.send_fds(line, [json.dumps(said).encode()], [output.fileno(), write, *pass_fds])
            self.pid = int(line.recv(_MOST_BYTES))
        os.close(write)

    def ended_within(self, limit_s: float) -> bool:
        """Whether the worker has ended within the time."""
        if self.code is None and ready_within(self._status, limit_s):
            self.code = int(os.read(self._status, _MOST_BYTES))
            os.close(self._status)
        return self.code is not None

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the worker's keeper, which passes it on."""
        if not self.ended_within(0):
            os.kill(self.pid, number)

    def end(self) -> None:
        """Ends the worker and all processes that it started."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGHUP)
        if not self.ended_within(_END_WAIT_S):
            os.killpg(self.pid, signal.SIGKILL)
            self.ended_within(_END_WAIT_S)


def forked_child(
    server: str, arguments: Sequence[str], *, output: IO[Any], pass_fds: Collection[int],
    environment: Mapping[str, str] | None = None,
) -> Any:  # fmt: skip
    """Takes the place of `joulemark.measure.worker.client.KeptChild`; `server` is the address."""
    *_, memory = words = arguments[arguments.index("-m") + 2 :][:5]
    path = arguments[arguments.index("-m") + 7 :]
    if memory != "-1" or (path and not path[0].startswith(_INSTALLED)):
        return KeptChild(arguments, output=output, pass_fds=pass_fds, environment=environment)
    return _ForkedChild(server, [*words, *path], output, pass_fds, environment)


def worker_server() -> str:
    """The address of the server of this process, which ends with the process."""
    return _server(os.getpid())


@cache
def _server(_owner: int) -> str:
    address = f"\0joulemark-tests-{secrets.token_hex(16)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())], pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    atexit.register(process.communicate)  # which closes the pipe
    return address


def _serve(listener: socket.socket) -> None:
    """Forks for each request, and writes how the fork ended on the pipe that came with it."""
    gc.freeze()
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(sys.stdin, 0)  # its end, which comes with that of the process that started us
    living: dict[int, tuple[int, int]] = {}
    while True:
        for ready, _ in poll.poll():
            if ready == sys.stdin.fileno():
                return
            if ready in living:
                poll.unregister(ready)
                pid, status = living.pop(ready)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with suppress(BrokenPipeError):
                    os.write(status, str(code).encode())
                os.close(ready)
                os.close(status)
                continue
            line, _ = listener.accept()
            with line:
                said, (output, status, *pipes), _, _ = socket.recv_fds(line, _MOST_BYTES, 4)
                pid = os.fork()
                if pid == 0:
                    _become_worker(json.loads(said), output, pipes)
                line.send(str(pid).encode())
            for file in (output, *pipes):
                os.close(file)
            handle = os.pidfd_open(pid)
            living[handle] = pid, status
            poll.register(handle, select.POLLIN)


def _become_worker(said: Mapping[str, Any], output: int, pipes: Sequence[int]) -> NoReturn:
    from joulemark.measure.worker.start import be_worker

    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        first, second = sorted(pipes)
        os.closerange(3, first)
        os.closerange(first + 1, second)
        os.closerange(second + 1, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.environ.update(said["environment"])
        os.chdir(said["folder"])
        os.sched_setaffinity(0, said["cpus"])
        kind, cpu, _, _, memory, *path = said["words"]
        sys.argv[1:] = [kind, cpu, *map(str, pipes), memory, *path]
        be_worker()
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv.pop())))
