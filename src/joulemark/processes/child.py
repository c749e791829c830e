# SPDX-License-Identifier: Apache-2.0
"""Child processes: the one way to start them, to wait for them, and to end all that they started.

A `Child` is a program of others. A `KeptChild` runs foreign code in a program of ours, behind a
keeper (`joulemark.processes.keeper`): nothing of it outlives this process, however that ends.
"""

from __future__ import annotations

import errno
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from joulemark.processes.keeper import adopt_orphans, end_adopted, end_tree, ready_within

# The environment variables that a process which we start gets: those named here, no others.
#
# A compiler, a simulator or a worker may run a stranger's code, and a shell's environment is full
# of secrets: passwords of stores, tokens of services, keys. So variables are handed on by name.

FURTHER: Final = "JOULEMARK_PASS_ON"
"""Variable in which users name further variables, separated by commas."""

_NAMED: Final = frozenset(
    word
    for line in (
        # The user, folders, language and terminal.
        "PATH HOME USER LOGNAME SHELL TMPDIR TZ TERM COLUMNS LINES NO_COLOR",
        "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR",
        "LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME",
        # The loader and the C library; libraries that choose their code by variables; threads.
        "LD_LIBRARY_PATH LD_PRELOAD LD_BIND_NOW GLIBC_TUNABLES MALLOC_ARENA_MAX MALLOC_PERTURB_",
        "OPENSSL_CONF OPENSSL_MODULES OPENSSL_ia32cap OPENSSL_armcap GNUTLS_CPUID_OVERRIDE",
        "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS",
        # Python and its environments.
        "PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX",
        "PYTHONSAFEPATH PYTHONUTF8 PYTHONWARNINGS PYTHONNOUSERSITE VIRTUAL_ENV CONDA_PREFIX",
        # Compilers and builds.
        "CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH COMPILER_PATH",
        "CPLUS_INCLUDE_PATH LIBRARY_PATH GCC_EXEC_PREFIX SOURCE_DATE_EPOCH SDKROOT",
        "PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR CMAKE_PREFIX_PATH",
        "CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_BUILD_PARALLEL_LEVEL",
        "CCACHE_DIR CCACHE_BASEDIR CCACHE_CONFIGPATH CCACHE_DISABLE CCACHE_NOHASHDIR",
        "CCACHE_SLOPPINESS OBJCACHE",
        # Sanitizers, valgrind and tools for cores.
        "ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH",
        "VALGRIND_LIB VALGRIND_OPTS VERILATOR_ROOT VERILATOR_BIN YOWASP_CACHE_DIR",
        # Ours. The address of a store and that of a scheduler are not among them.
        f"JOULEMARK_MACHINE JOULEMARK_PLUGINS JOULEMARK_DEBUG JOULEMARK_RANDOM_MESSAGES {FURTHER}",
    )
    for word in line.split()
)


def named_variables(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Those of our variables that are named here or in `FURTHER`, and `more`."""
    named = _NAMED.union(word.strip() for word in os.environ.get(FURTHER, "").split(","))
    return {name: value for name, value in os.environ.items() if name in named} | dict(more or {})


@contextmanager
def only_named_variables() -> Iterator[None]:
    """Hides all other variables from processes that a library starts within the block.

    To be entered where no other thread reads the environment.
    """
    before = dict(os.environ)
    for name in before.keys() - named_variables().keys():
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(before)


_LOOK_S: Final = 0.002
_KEEPER_END_WAIT_S: Final = 6.0
"""Wait for the end of a keeper: more than it spends on ending the processes below it."""


def module_command(module: str) -> list[str]:
    """The command that runs a module of ours in another process of this Python."""
    # -P: a file of the user's folder must not stand for a library's module.
    return [sys.executable, "-P", "-m", module]


_BUSY_S: Final = 2.0
"""How long a program may be busy: far longer than a child is between its fork and its exec."""


def _started(arguments: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a program, again while the kernel calls its file busy (execve(2), ETXTBSY).

    A file that we have just written is busy while a child of another thread, which has not yet
    come to its own program, holds our descriptor of it.
    """
    end_s = time.monotonic() + _BUSY_S
    while True:
        try:
            return subprocess.Popen(arguments, **options)
        except OSError as error:
            if error.errno != errno.ETXTBSY or time.monotonic() > end_s:
                raise
        time.sleep(0.01)


class Child:
    """A process that has ended, with all that it started, when `end` returns.

    Args:
        arguments: the program and its arguments.
        output: file for its output; None throws the output away.
        errors: file for its errors; None: as `output`.
        reads: file for its input; None: it has no input.
        folder: where it runs; None: here.
        environment: its variables; None: those of ours that `named_variables` names.
        options: other options of `subprocess.Popen`.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        output: IO[Any] | None = None,
        errors: IO[Any] | None = None,
        reads: IO[Any] | int | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        self._process = _started(
            arguments,
            stdin=subprocess.DEVNULL if reads is None else reads,
            stdout=subprocess.DEVNULL if output is None else output,
            stderr=subprocess.STDOUT if errors is None else errors,
            cwd=folder,
            env=named_variables() if environment is None else environment,
            **options,
        )

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Exit code, or minus the signal that ended it; None until `wait` or `end` returns."""
        return self._process.returncode

    def wait(self, timeout_s: float | None = None) -> int:
        """Waits for its end and returns its exit code."""
        if timeout_s is None and self._process.returncode is None:
            # waitpid(2) would sleep on after a signal that came just before it.
            handle = os.pidfd_open(self.pid)
            try:
                ready_within(handle, None)
            finally:
                os.close(handle)
        return self._process.wait(timeout_s)

    def ended_within(self, limit_s: float) -> bool:
        """Whether it ends within the limit; it is not reaped, so that its number stays taken."""
        deadline = time.monotonic() + limit_s
        while self._process.returncode is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_S)
        return True

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal. It never reaps, as `Popen.send_signal` may, and so `end` still works."""
        if self._process.returncode is None:
            os.kill(self.pid, number)

    def stop(self) -> None:
        """Ends it and what it started, from any thread, also while another thread waits for it."""
        if self._process.returncode is None:
            end_tree(self.pid)

    def end(self) -> None:
        """Ends it and what it started, unless that has happened, and reaps it."""
        self.stop()
        self._process.wait()


class KeptChild(Child):
    """A process of ours that calls `become_kept` before anything else, and so ends with us.

    It leads a session and a process group. Its input, or a descriptor that it inherits, is a pipe
    that stays open as long as we live: by the end of the pipe the keeper knows that we are gone.

    Args:
        arguments: see `module_command`.
        first_line: the first line to be read from its input; None: it has no input.
        pass_fds: descriptors that it inherits.
        options: as `Child`.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        first_line: bytes | None = None,
        pass_fds: Collection[int] = (),
        environment: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        adopt_orphans()
        self._mark = f"JOULEMARK_CHILD={secrets.token_hex(16)}"
        name, token = self._mark.split("=")
        variables = {**(named_variables() if environment is None else environment), name: token}
        super().__init__(
            arguments,
            environment=variables,
            reads=None if first_line is None else subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            **options,
        )
        if self._process.stdin is not None and first_line is not None:
            with suppress(BrokenPipeError):  # it has ended already
                self._process.stdin.write(first_line)
                self._process.stdin.flush()

    def stop(self) -> None:
        """Lets the keeper end all processes below it, and then itself."""
        with suppress(ProcessLookupError):
            self.signal(signal.SIGHUP)

    def end(self) -> None:
        """Ends what the process left behind, then the process, and reaps it.

        A keeper that ends has ended all processes below it. Should it not end in time, the
        processes of its group are ended here, and those that left the group are found by the mark
        in their environment.
        """
        if self._process.returncode is None:
            self.stop()
            self.ended_within(_KEEPER_END_WAIT_S)
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.returncode == -signal.SIGKILL:
            end_adopted(self._mark)
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
