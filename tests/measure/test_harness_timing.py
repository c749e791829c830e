# SPDX-License-Identifier: Apache-2.0
"""The harness on the real clock: each mode shows the cost that it exists to show.

The margins are far below the real effects, so that a busy machine does not turn the tests red.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping

import pytest

from joulemark import _core

pytestmark = pytest.mark.timing

KEY = bytes(range(16))


def ours(algorithm: str, variant: str) -> _core.Implementation:
    """One of our kernels; skips where this CPU cannot run it."""
    found = next(
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if (implementation.algorithm, implementation.variant) == (algorithm, variant)
    )
    if found.missing_features:
        pytest.skip(f"this CPU lacks {', '.join(found.missing_features)}")
    return found


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


def test_latency_keeps_messages_from_overlapping() -> None:
    """Short CMACs overlap when independent (about 8 ns each) and cannot when chained (18 ns)."""
    assert times_as_much(ours("cmac-aes128", "aesni"), 16, latency=True) > 1.1


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


def test_probe_does_not_count_its_fences() -> None:
    """Dependent AES-CMAC cannot take fewer core cycles than ten rounds of four a block.

    With the fences of its readings in it, 0.9 % of 8192 additions, the probe made them 39.7. Most
    windows decide: what disturbs one of them, or moves the clock beside it, does not.
    """
    loop = _core.Loop(ours("cmac-aes128", "aesni"), KEY, 16384, True)
    messages, _ = loop.calibrate(200_000)
    cycles = []
    for _ in range(40):
        _, samples = loop.visit(messages, 0, messages, [0] * 8)
        for sample in samples:
            before, after = sample["chain_ticks_before"], sample["chain_ticks_after"]
            if None in {before, after, sample["tsc_ticks"]}:
                pytest.skip("this architecture has no time-stamp counter")
            ratio = 2 * sample["chain_adds"] / (before + after)
            cycles.append(sample["tsc_ticks"] * ratio / messages / (16384 / 16))
    assert statistics.median(cycles) >= 39.9


def test_loop_itself_costs_less_than_a_nanosecond() -> None:
    """The loop without a call, in the best of nine windows of 100 000 messages."""
    best_ns = min(_core.loop_without_call_ns(100_000) for _ in range(9)) / 100_000
    assert 0 < best_ns < 1


def test_clock_probe_is_steady_and_plausible() -> None:
    """The add chain runs at a core clock between a fifth of the TSC's rate and five times it."""
    probes = [_core.core_chain_ticks(5) for _ in range(20)]
    if probes[0] is None:
        pytest.skip("this architecture has no time-stamp counter")
    known = [probe for probe in probes if probe is not None]
    ratio = _core.CHAIN_ADDS / statistics.median(known)
    assert 0.2 < ratio < 5
    assert max(known) < 2 * min(known)
