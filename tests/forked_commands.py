# SPDX-License-Identifier: Apache-2.0
"""`joulemark` in a forked process without its imports, which take most of a short command's time.

A server, started by the first call, has imported the modules of commands, and forks for each
command. The request names the arguments, folder, environment, CPUs and standard files of the child,
which ends as the command does. Tests of how a process starts, is ended or is signalled run
`COMMAND` itself.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

from forked_workers import forked_child, worker_server
from joulemark.measure import inventory, pool
from joulemark.measure.worker import client
from joulemark.measure.worker.sources import installed_sources
from known_libraries import known_client
from known_schema import know_the_schema

__all__ = ["COMMAND", "run_joulemark"]

COMMAND = [sys.executable, "-m", "joulemark.cli.entry"]
"""The command as users start it."""
_ENTRY = COMMAND[-1]
_IMPORTED = (
    "joulemark.cli.bench",
    "joulemark.cli.measuring",
    "joulemark.store.migrations",
)
"""Modules whose import takes most of a command's time."""
_MOST_BYTES = 1 << 20
_CHECKS = {
    "add": "joulemark.own_code.adding",
    "test": "joulemark.cli.testing",
    "tune": "joulemark.own_code.making",
}
"""Module of each command in which the CPU time of its checks is stated."""


def run_joulemark(
    *arguments: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str | bytes | None = None,  # noqa: A002 - as subprocess.run
    text: bool = False,
    timeout_s: float = 120.0,
    without: Sequence[str] = (),
    check_cpu_s: float = 0.0,
    own_workers: bool = False,
) -> subprocess.CompletedProcess[Any]:
    """Runs the command and returns its exit code and output.

    Args:
        arguments: of the command.
        cwd: folder in which the command runs; None: ours.
        env: environment of the command; None: ours.
        input: standard input; None: nothing.
        text: whether output is text rather than bytes.
        timeout_s: seconds after which the command is killed.
        without: methods that do nothing in the command, as `package.module:Class.method`, such as a
            wait that is not the test's subject.
        check_cpu_s: CPU time of the check of each implementation, beyond the part that is always
            done. Before code is timed, a user's command takes 0.15.
        own_workers: whether all its workers are below it, as a user's are; see `forked_workers`.

    Raises:
        subprocess.TimeoutExpired: the command took longer than `timeout_s`.
    """
    words = [str(argument) for argument in arguments]
    given = input.encode() if isinstance(input, str) else input or b""
    with (
        tempfile.TemporaryFile() as reads,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        reads.write(given)
        reads.seek(0)
        code = _asked(
            {"words": words, "folder": str(cwd or Path.cwd()),
             "environment": dict(os.environ if env is None else env), "without": without,
             "check_cpu_s": check_cpu_s, "cpus": sorted(os.sched_getaffinity(0)),
             "workers": None if own_workers else worker_server()},
            (reads, output, errors), timeout_s,
        )  # fmt: skip
        said = [_read(file, text) for file in (output, errors)]
    if code is None:
        raise subprocess.TimeoutExpired(["joulemark", *words], timeout_s, *said)
    return subprocess.CompletedProcess(["joulemark", *words], code, *said)


def _read(file: IO[bytes], text: bool) -> Any:
    file.seek(0)
    content = file.read()
    return content.decode() if text else content


def _asked(request: dict[str, Any], files: tuple[IO[bytes], ...], timeout_s: float) -> int | None:
    """The exit code; None if the command had to be killed."""
    server = _server(os.getpid())
    socket.send_fds(server, [json.dumps(request).encode()], [file.fileno() for file in files])
    child = json.loads(server.recv(_MOST_BYTES))
    server.settimeout(timeout_s)
    try:
        code: int = json.loads(server.recv(_MOST_BYTES))
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        server.settimeout(None)
        server.recv(_MOST_BYTES)
        return None
    finally:
        server.settimeout(None)
    return code


@cache
def _server(_owner: int) -> socket.socket:
    """Our end of the line to the server of this process, which ends when the line is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()],
            # Threads of a pool would not exist after a fork.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )  # fmt: skip

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(line: socket.socket) -> None:
    for name in _IMPORTED:
        import_module(name)
    know_the_schema()
    inventory.WorkerClient = known_client  # type: ignore[assignment, misc]
    inventory.take_inventory(installed_sources())
    gc.freeze()  # or a collection in a child would copy all that both share
    while True:
        said, files, _, _ = socket.recv_fds(line, _MOST_BYTES, 3)
        if not said:
            return
        child = os.fork()
        if child == 0:
            line.close()
            _become_command(json.loads(said), files)
        for file in files:
            os.close(file)
        line.send(json.dumps(child).encode())
        _, status = os.waitpid(child, 0)
        with suppress(BrokenPipeError):
            line.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def _become_command(request: Mapping[str, Any], files: list[int]) -> NoReturn:
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    os.sched_setaffinity(0, request["cpus"])
    sys.argv[1:] = request["words"]
    sys.path[0] = request["folder"]  # as `python -m` has it
    for method in request["without"]:
        _leave_out(method)
    pool._RUN_CPU_S_EACH = request["check_cpu_s"]
    if module := _CHECKS.get(next(iter(request["words"]), "")):
        import_module(module)._CPU_S = request["check_cpu_s"]
    if request["workers"] is not None:
        client.KeptChild = partial(forked_child, request["workers"])  # type: ignore[misc]
    code: object = 0
    try:
        runpy.run_module(_ENTRY, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for file in (sys.stdout, sys.stderr):
        file.flush()
    # A usual end would tear down all modules, which takes as long as to import some.
    os._exit(code if isinstance(code, int) else int(code is not None))


def _leave_out(method: str) -> None:
    module, path = method.split(":")
    owner, name = path.split(".")
    changed = getattr(import_module(module), owner)
    if not callable(getattr(changed, name)):
        raise TypeError(f"{method} is no method")
    setattr(changed, name, lambda *_: None)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv.pop())))
