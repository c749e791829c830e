# SPDX-License-Identifier: Apache-2.0
"""Synthetic results for the report tests; the numbers are invented and mean nothing.

Every figure follows one formula (a fixed cost and a cost per byte for each implementation), so
that tests can predict it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from joulemark.analyse import Figure, Result, ResultFailure, ResultSet
from joulemark.analyse.estimate import histogram
from joulemark.records import FailureKind
from joulemark.records.figures import Evidence
from joulemark.records.trial import Cache, KeySetup, Mode
from joulemark.report.page import DIGITS

CLOCK_HZ = 2.5e9
TICK_HZ = 2.0e9
HALF_WIDTH = 0.01
"""Half the interval, as a fraction of the median."""
SIZES = (0, 8, 64, 576, 1536, 4096, 65536, 1048576)
NO_JOULES = "no energy counter: this machine has no RAPL domain that may be read"


@dataclass(frozen=True, slots=True)
class Fake:
    """One invented implementation."""

    implementation: str
    provider: str
    fixed_ns: float
    ns_per_byte: float


HMAC_SHA256 = (
    Fake("hmac-sha256/shani", "joulemark", 62.0, 0.55),
    Fake("hmac-sha256/shani_x2", "joulemark", 78.0, 0.41),
    Fake("hmac-sha256/avx2_x8", "joulemark", 310.0, 0.62),
    Fake("hmac-sha256/avx512_x16", "joulemark", 402.0, 0.34),
    Fake("hmac-sha256/portable", "joulemark", 390.0, 3.1),
    Fake("hmac-sha256/openssl", "openssl", 301.0, 0.57),
    Fake("hmac-sha256/libgcrypt", "libgcrypt", 344.0, 0.59),
    Fake("hmac-sha256/cryptopp", "cryptopp", 187.0, 0.58),
    Fake("hmac-sha256/nettle", "nettle", 225.0, 0.66),
    Fake("hmac-sha256/mbedtls", "mbedtls", 690.0, 4.3),
    Fake("hmac-sha256/python", "python", 1350.0, 0.57),
)
OTHERS = (
    Fake("siphash-2-4/portable", "joulemark", 6.0, 0.62),
    Fake("siphash-2-4/cryptopp", "cryptopp", 11.0, 0.71),
    Fake("blake2s-keyed/portable", "joulemark", 98.0, 1.4),
    Fake("blake2s-keyed/avx2", "joulemark", 71.0, 0.98),
    Fake("blake2s-keyed/openssl", "openssl", 260.0, 1.02),
    Fake("hmac-sha1/portable", "joulemark", 280.0, 1.6),
    Fake("hmac-sha1/shani", "joulemark", 55.0, 0.6),
    Fake("hmac-sha1/openssl", "openssl", 290.0, 0.62),
)


def figure(median: float, evidence: Evidence, *, half_width: float = HALF_WIDTH) -> Figure:
    """A figure whose interval is `half_width` of its median to either side."""
    return Figure(
        median=median,
        low=median * (1 - half_width),
        high=median * (1 + half_width),
        minimum=median * (1 - 2 * half_width),
        quartile_1=median * (1 - half_width / 2),
        quartile_3=median * (1 + half_width / 2),
        mad=median * half_width / 2,
        evidence=evidence,
        samples=31,
    )


def result(
    fake: Fake,
    size_bytes: int,
    *,
    cycles: Evidence | None = Evidence.MODELLED,
    mode: Mode = Mode.THROUGHPUT,
    target: str = "host",
    time: Evidence = Evidence.MEASURED,
    warnings: Sequence[str] = (),
    chosen: str | None = None,
) -> Result:
    """One invented trial; `cycles` None leaves the cycle figures out, with a reason."""
    latency = 1.3 if mode is Mode.LATENCY else 1.0
    seconds = latency * (fake.fixed_ns + fake.ns_per_byte * size_bytes) * 1e-9
    reasons = {"joules_per_byte": NO_JOULES}
    if size_bytes == 0:
        reasons |= dict.fromkeys(
            ("tsc_ticks_per_byte", "core_cycles_per_byte"), "a message of zero bytes"
        )
    if cycles is None:
        reasons["core_cycles_per_byte"] = "no cycle counter: the kernel forbids it"
        reasons["core_cycles_per_message"] = "no cycle counter: the kernel forbids it"
    return Result(
        algorithm=fake.implementation.split("/", maxsplit=1)[0],
        implementation=fake.implementation,
        chosen=chosen,
        provider=fake.provider,
        target=target,
        size_bytes=size_bytes,
        batch=1,
        mode=mode,
        cache=Cache.HOT,
        key_setup=KeySetup.KEPT,
        evidence=time,
        seconds_per_message=figure(seconds, time),
        thread_cpu_seconds_per_message=figure(seconds * 0.99, time),
        bytes_per_second=size_bytes / seconds,
        tsc_ticks_per_message=figure(seconds * TICK_HZ, time),
        tsc_ticks_per_byte=figure(seconds * TICK_HZ / size_bytes, time) if size_bytes else None,
        core_cycles_per_message=figure(seconds * CLOCK_HZ, cycles) if cycles else None,
        core_cycles_per_byte=(
            figure(seconds * CLOCK_HZ / size_bytes, cycles) if cycles and size_bytes else None
        ),
        joules_per_byte=None,
        reasons=reasons,
        warnings=list(warnings),
    )


def result_set(
    results: Iterable[Result],
    failures: Iterable[ResultFailure] = (),
    warnings: Iterable[str] = (),
) -> ResultSet:
    """A run around some results, with an invented context."""
    found = list(results)
    return ResultSet(
        context={
            "run": {
                "id": 7,
                "started_at": "2026-01-02T03:04:05Z",
                "finished_at": "2026-01-02T03:06:01Z",
                "joulemark_version": "0.1.0",
                "study": "synthetic",
                "seed": 20260102,
                "rounds": 31,
            },
            "environment": {
                "cpu_model": "Synthetic CPU 9000 (invented for tests)",
                "cpu_count": 2,
                "cpu_features": ["sha_ni", "avx2"],
                "kernel": "Linux 6.1.0-synthetic",
                "governor": None,
                "virtual_machine": "kvm",
            },
            "implementations": {
                item.implementation: {
                    "provider": item.provider,
                    "library_version": "1.2.3",
                    "compiler": "cc 12.2.0",
                    "flags": "-O3",
                }
                for item in found
            },
            "loop": {"seconds_per_message": 1.5e-9},
        },
        results=found,
        failures=list(failures),
        warnings=list(warnings),
    )


def rounded(results: ResultSet) -> ResultSet:
    """The same run with the digits that a page keeps."""
    text = results.model_dump_json()
    kept = json.loads(text, parse_float=lambda digits: float(f"{float(digits):.{DIGITS}g}"))
    return ResultSet.model_validate(kept)


def with_histograms(results: ResultSet) -> ResultSet:
    """The same run as a page has it: each result with an invented histogram of its samples."""
    drawn = []
    for number, found in enumerate(results.results):
        time = found.seconds_per_message
        assert time is not None
        spread = [time.median * (0.99 + 0.001 * (place * number % 31)) for place in range(60)]
        drawn.append(found.model_copy(update={"histogram": histogram(spread)}))
    return results.model_copy(update={"results": drawn})


def in_batches(results: ResultSet, batch: int = 16) -> ResultSet:
    """The same run, and each of its results a second time, measured in batches."""
    update = {"batch": batch, "batch_calls": True}
    again = [shown_result.model_copy(update=update) for shown_result in results.results]
    return results.model_copy(update={"results": [*results.results, *again]})


def small() -> ResultSet:
    """Two implementations, two lengths, nothing doubtful."""
    return result_set(result(fake, size) for fake in HMAC_SHA256[:2] for size in (64, 4096))


def realistic() -> ResultSet:
    """Four algorithms, eight lengths, two modes, warnings and failures."""
    noisy = (
        "Another process used 4 % of this CPU during 6 of 31 samples; close other programs "
        "and measure again."
    )
    results = [
        result(
            fake,
            size,
            mode=mode,
            warnings=[noisy] if fake.provider == "nettle" and size == 64 else [],
        )
        for fake in (*HMAC_SHA256, *OTHERS)
        for mode in (Mode.THROUGHPUT, Mode.LATENCY)
        for size in SIZES
        if mode is Mode.THROUGHPUT or fake.provider == "joulemark"
    ]
    auto = Fake("hmac-sha256/auto", "joulemark", 63.0, 0.552)
    results += [result(auto, size, chosen="shani") for size in SIZES]
    failures = [
        ResultFailure(
            implementation="hmac-sha256/sha512ext",
            kind=FailureKind.UNAVAILABLE,
            reason="needs the CPU feature SHA512, which this CPU does not have",
            size_bytes=None,
        ),
        ResultFailure(
            implementation="hmac-sha256/wolfssl",
            kind=FailureKind.UNAVAILABLE,
            reason="library not found: install libwolfssl-dev and run make again",
            size_bytes=None,
        ),
        ResultFailure(
            implementation="blake2s-keyed/mine",
            kind=FailureKind.WRONG_OUTPUT,
            reason="vector 3 of RFC 7693 gives another tag than published; nothing was timed",
            size_bytes=64,
        ),
    ]
    warnings = [
        (
            "The CPU frequency cannot be read or fixed on this virtual machine; core cycles are "
            "modelled from a clock probe around each sample."
        )
    ]
    return result_set(results, failures, warnings)


def many(implementations: int = 60) -> ResultSet:
    """Results of as many implementations as a large study has, spread over five algorithms."""
    fakes = [
        Fake(f"mac-{i % 5}/variant_{i:02d}", "joulemark" if i % 2 else "lib", 50.0 + i, 0.3 + i / 9)
        for i in range(implementations)
    ]
    return result_set(result(fake, size) for fake in fakes for size in SIZES)
