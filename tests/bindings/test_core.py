# SPDX-License-Identifier: Apache-2.0
"""The native module as Python sees it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from joulemark import _core


def portable(algorithm: str) -> _core.Implementation:
    """Our portable implementation of an algorithm."""
    return next(
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if (implementation.algorithm, implementation.variant) == (algorithm, "portable")
    )


NOT_COMPARABLE = (
    "metaclass differs",
    "is not a function",
    'is inconsistent, stub does not have *args parameter "args"',
)
"""Complaints of stubtest about every class and function that nanobind made.

Their arguments are not compared: a function without any is `(*args)` to Python 3.13, and has no
signature before.
"""


def test_stub_agrees_with_the_binary() -> None:
    """The stub for type checkers has the contents of the compiled module."""
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--concise", "joulemark._core"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    said = done.stdout.splitlines()
    assert "joulemark._core.builtin_plugin is not a function" in said, "the stub was not read"
    assert [line for line in said if not line.endswith(NOT_COMPARABLE)] == []
    assert not done.stderr


def test_methods_of_another_kind_are_refused() -> None:
    """A hash has no key, a MAC no digest, and a cipher takes whole blocks."""
    with pytest.raises(ValueError, match="only a hash"):
        portable("hmac-sha256").digest(b"")
    with pytest.raises(ValueError, match="only a MAC"):
        _core.KeyState(portable("sha256"), b"key")
    with pytest.raises(ValueError, match="only a cipher"):
        portable("sha256").encrypt(bytes(16), bytes(16))
    with pytest.raises(ValueError, match="whole number of blocks"):
        portable("aes128").encrypt(bytes(16), bytes(17))
    with pytest.raises(ValueError, match="whole blocks"):
        _core.Loop(portable("aes128"), bytes(16), 0)


def test_loop_refuses_an_empty_window() -> None:
    """A window of no messages has no duration per message, a visit of no windows none at all."""
    loop = _core.Loop(portable("siphash-2-4"), bytes(16), 8)
    with pytest.raises(ValueError, match="at least one message"):
        loop.visit(0, 0, 0, [0])
    with pytest.raises(ValueError, match="at least one window"):
        loop.visit(0, 0, 1, [])


def test_output_of_a_sample_is_the_tag() -> None:
    """The timed loop leaves the tag of the harness's message, in every mode."""
    implementation, key = portable("siphash-2-4"), bytes(range(16))
    for size in (0, 1, 64, 5000):
        tag = _core.KeyState(implementation, key).tag(_core.message(size))
        for latency in (False, True):
            for cold in (False, True):
                for fresh in (False, True):
                    loop = _core.Loop(implementation, key, size, latency, cold, fresh)
                    _, windows = loop.visit(3, 2, 11, [0xABCDE, 0, 0x12345])
                    assert loop.output() == tag
                    assert [counters["messages"] for counters in windows] == [11] * 3


def test_python_implementation_that_fails_is_an_error() -> None:
    """An exception, or an output of the wrong length, is reported and not read."""

    def raises(_key: object, _message: bytes) -> bytes:
        raise OSError

    def short(_key: object, _message: bytes) -> bytes:
        return b"short"

    for run in (raises, short):
        implementation = _core.python_implementation("siphash-2-4", "x", "", 8, 8, 16, bytes, run)
        with pytest.raises(RuntimeError, match="reported a failure"):
            _core.KeyState(implementation, bytes(16)).tag(b"")


def test_constant_time_comparison() -> None:
    """Equal values, one different bit anywhere, different lengths, and empty values."""
    tag = bytes(range(16))
    assert _core.equal_constant_time(tag, bytes(tag))
    for index in range(16):
        other = bytearray(tag)
        other[index] ^= 0x80
        assert not _core.equal_constant_time(tag, bytes(other))
    assert not _core.equal_constant_time(tag, tag[:-1])
    assert _core.equal_constant_time(b"", b"")


def test_a_stretch_computes_what_a_sample_does() -> None:
    """Messages without counters give the same tag; none at all leaves it as it was."""
    loop = _core.Loop(portable("siphash-2-4"), bytes(16), 100)
    loop.visit(0, 0, 1, [0])
    tag = loop.output()
    loop.run(0)
    assert loop.output() == tag
    loop.run(50)
    assert loop.output() == tag


def test_pause_keeps_the_core_awake_for_as_long_as_asked() -> None:
    """CPU time passes with wall time, and 0 ends at once."""
    start, cpu = _core.monotonic_ns(), _core.thread_cpu_ns()
    _core.pause_for_ns(20_000_000)
    assert _core.monotonic_ns() - start >= 20_000_000
    assert _core.thread_cpu_ns() - cpu > 1_000_000
    _core.pause_for_ns(0)


def test_machine_counters_grow() -> None:
    """Both counters come from /proc/stat, and neither ever falls."""
    busy, steal = _core.machine_busy_ns(), _core.machine_steal_ns()
    assert busy is not None
    assert steal is not None
    _core.pause_for_ns(30_000_000)
    later = _core.machine_busy_ns()
    assert later is not None
    assert later >= busy
