# SPDX-License-Identifier: Apache-2.0
"""The harness on the real clock: each mode shows the cost that it exists to show.

The margins are far below the real effects, so that a busy machine does not turn the tests red.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from joulemark import _core

pytestmark = pytest.mark.timing

KEY = bytes(range(16))


def ours(algorithm: str, variant: str) -> _core.Implementation:
    """One of our kernels; skips where this CPU cannot run it."""
    names = {
        (implementation.algorithm, implementation.variant): implementation
        for implementation in _core.builtin_plugin().implementations()
    }
    found = names.get((algorithm, variant))
    if found is None:
        pytest.skip(f"this architecture has no {algorithm}/{variant}")
    if found.missing_features:
        pytest.skip(f"this CPU lacks {', '.join(found.missing_features)}")
    return found


@pytest.fixture(autouse=True)
def awake() -> None:
    """The core has left its lowest clock, from which some CPUs take milliseconds to rise."""
    begin_ns = _core.monotonic_ns()
    while _core.monotonic_ns() - begin_ns < 50_000_000:
        pass


def ns_per_message(
    implementation: _core.Implementation, size: int, mode: Mapping[str, bool]
) -> float:
    """CPU time in the fastest of twenty short windows: what else the machine does only adds."""
    loop = _core.Loop(implementation, KEY, size, **mode)
    messages, _ = loop.calibrate(500_000)
    _, samples = loop.visit(messages, messages // 4, messages, [977 * i for i in range(20)])
    return min(sample["thread_cpu_ns"] / messages for sample in samples)


def times_as_much(implementation: _core.Implementation, size: int, **mode: bool) -> float:
    """Cost of a message in this mode over its cost in the plain loop, measured in turn.

    A busy second thread of the core takes time from the plain loop before it takes any from a loop
    that waits, so each of the two has five chances to run undisturbed.
    """
    pairs = [
        (ns_per_message(implementation, size, mode), ns_per_message(implementation, size, {}))
        for _ in range(5)
    ]
    return min(with_mode for with_mode, _ in pairs) / min(plain for _, plain in pairs)


def test_latency_keeps_messages_from_overlapping(faulty_plugin: Callable[[str], Path]) -> None:
    """Tags that are chains of multiplications overlap when independent and cannot when chained."""
    (chain,) = _core.load_plugin(str(faulty_plugin("MULTIPLIES_ONLY"))).implementations()
    assert times_as_much(chain, 16, latency=True) > 1.3


def test_cold_messages_come_from_memory() -> None:
    """A message that was flushed costs a trip to memory more than one in the cache."""
    assert times_as_much(ours("siphash-2-4", "portable"), 64, cold=True) > 1.2


def test_fresh_keys_pay_for_their_set_up() -> None:
    """HMAC sets its key up with two blocks, as many as a short message costs."""
    assert times_as_much(ours("hmac-sha1", "portable"), 16, fresh_key=True) > 1.2


def test_calibration_fills_the_window() -> None:
    """The number of messages found takes about the time that was asked for."""
    implementation = ours("siphash-2-4", "portable")
    loop = _core.Loop(implementation, KEY, 1024)
    messages, message_ps = loop.calibrate(200_000)
    visit, samples = loop.visit(messages, 0, messages, [0] * 9)
    fastest_ns = min(sample["thread_cpu_ns"] for sample in samples)
    assert 100_000 < fastest_ns < 400_000
    assert 0.5 < message_ps * messages / 1000 / fastest_ns < 2
    assert visit["visit_wall_ns"] >= sum(sample["wall_ns"] for sample in samples)


def test_interruptions_do_not_spoil_calibration() -> None:
    """Beside two busy loops on its CPU, counts of messages differ less than three times.

    Once they differed by up to 240 times: calibration ended at the first stretch that had been
    interrupted, and fixed windows far too short. A second thread of the core that comes and goes
    makes a difference of up to two times, which is right.
    """
    cpu = max(os.sched_getaffinity(0))
    allowed = os.sched_getaffinity(0)
    loops = [
        subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c", "while True: pass"])
        for _ in range(2)
    ]
    try:
        os.sched_setaffinity(0, {cpu})
        implementation = ours("siphash-2-4", "portable")
        counts = [_core.Loop(implementation, KEY, 1024).calibrate(200_000)[0] for _ in range(40)]
    finally:
        os.sched_setaffinity(0, allowed)
        for each in loops:
            each.kill()
            each.wait()
    assert max(counts) < 3 * min(counts)


@pytest.fixture(scope="module")
def chains(
    compiler: str, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    """Long chains of instructions, timed apart from the harness's probe."""
    output = tmp_path_factory.mktemp("chains") / "chains.so"
    sources = ("tests/measure/chains.c", "harness/clock/tsc.c")
    command = [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-Iharness", "-o", str(output)]
    subprocess.run([*command, *sources], cwd=repository, check=True)
    library = ctypes.CDLL(str(output))
    for name in ("fastest_adds", "fastest_aes_rounds"):
        if hasattr(library, name):
            getattr(library, name).restype = ctypes.c_uint64
            getattr(library, name).argtypes = [ctypes.c_uint64, ctypes.c_uint]
    return library


def test_probe_does_not_count_its_fences(chains: ctypes.CDLL) -> None:
    """The probe's chain takes an eighth of the ticks of a chain of eight times as many additions.

    The fences of its readings, were they in it, would be about 0.9 % of its ticks (0.8 % on Zen 3)
    and 0.1 % of the longer chain's. Most pairs decide: what disturbs a few, or moves the clock
    between them, does not.
    """
    ratios = []
    for _ in range(200):
        probe = _core.core_chain_ticks(5)
        if probe is None:
            pytest.skip("this architecture has no time-stamp counter")
        ratios.append(8 * probe / chains.fastest_adds(8 * _core.CHAIN_ADDS, 5))
    step = 1 / probe  # of a counter that ticks slowly
    assert statistics.median(ratios) == pytest.approx(1, abs=0.004 + step)


def test_core_cycles_of_a_loop_are_those_of_its_instructions(chains: ctypes.CDLL) -> None:
    """Dependent AES-CMAC takes the ten rounds of each block, and little more.

    How many core cycles a round takes is this CPU's own figure.
    """
    loop = _core.Loop(ours("cmac-aes128", "aesni"), KEY, 16384, True)
    messages, _ = loop.calibrate(200_000)
    rounds, cycles = [], []
    for _ in range(40):
        steps = 4 * _core.CHAIN_ADDS
        rounds.append(chains.fastest_aes_rounds(steps, 5) / chains.fastest_adds(steps, 5))
        _, samples = loop.visit(messages, 0, messages, [0] * 8)
        for sample in samples:
            before, after = sample["chain_ticks_before"], sample["chain_ticks_after"]
            ticks = sample["tsc_ticks"]
            assert before is not None
            assert after is not None
            assert ticks is not None
            ratio = 2 * sample["chain_adds"] / (before + after)
            cycles.append(ticks * ratio / messages / (16384 / 16))
    least = 10 * statistics.median(rounds)
    assert 0.99 * least < statistics.median(cycles) < 1.25 * least


def test_loop_itself_costs_less_than_four_core_cycles(chains: ctypes.CDLL) -> None:
    """The loop without a call, in the best of nine windows of 100 000 messages."""
    cycle_ns = min(chain_ns(chains, 1_000_000) for _ in range(9)) / 1_000_000
    best_ns = min(_core.loop_without_call_ns(100_000) for _ in range(9)) / 100_000
    assert 0 < best_ns < 4 * cycle_ns


def chain_ns(chains: ctypes.CDLL, adds: int) -> int:
    """CPU time of a chain of so many additions."""
    begin_ns = _core.thread_cpu_ns()
    chains.fastest_adds(adds, 1)
    return _core.thread_cpu_ns() - begin_ns


def test_clock_probe_is_steady_and_plausible() -> None:
    """The add chain runs at a clock between 0.1 and 10 GHz, in most probes at the same."""
    probes, begin = [], (_core.monotonic_ns(), _core.tsc_ticks())
    while _core.monotonic_ns() - begin[0] < 20_000_000:
        probes.append(_core.core_chain_ticks(5))
    if begin[1] is None:
        pytest.skip("this architecture has no time-stamp counter")
    known = [probe for probe in probes if probe is not None]
    ticks, wall_ns = _core.tsc_ticks(), _core.monotonic_ns() - begin[0]
    assert ticks is not None
    cycle_ns = statistics.median(known) / _core.CHAIN_ADDS * wall_ns / (ticks - begin[1])
    assert 0.1 < cycle_ns < 10
    low, _, high = statistics.quantiles(known, n=4)
    assert high < 1.2 * low
