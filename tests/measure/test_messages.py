# SPDX-License-Identifier: Apache-2.0
"""Messages between the process that measures and its workers arrive with their meaning."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from joulemark.foreign import ForeignError
from joulemark.measure.worker import messages, meter_session, run_messages
from joulemark.measure.worker import messages as openings
from joulemark.measure.worker import run_messages as sessions
from joulemark.measure.worker.client import decode_answer
from joulemark.measure.worker.messages import decode_request, encode
from joulemark.records.energy_window import (
    Domain,
    DomainKind,
    DomainTrace,
    EnergyWindow,
    Fault,
    Quantity,
    TraceFault,
    TracePoint,
    WindowKind,
    WindowRequest,
)
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, KeySetup, Mode, Trial, Workload

DOMAIN = Domain("p", "package-0", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 6.1e-5, package=0)
SAMPLE = RawSample(
    round_index=3, position=4, generation=5, messages=1000, wall_start_ns=1, wall_ns=200_000,
    thread_cpu_ns=200_100, tsc_ticks=1, perf_core_cycles=None, voluntary_switches=0,
    involuntary_switches=0, run_queue_wait_ns=None, machine_busy_ns=None, machine_steal_ns=None,
    chain_adds=1, chain_ticks_before=1, chain_ticks_after=1,
)  # fmt: skip
RUN = run_messages.TrialRun(
    Trial("a/b", Workload(64, Mode.LATENCY, Cache.COLD, KeySetup.DISTINCT, 4, "imix")), b"\0\xff"
)
METERED = meter_session.MeteredDomains("powercap", "/sys", "/proc", (DOMAIN,))
VISIT = run_messages.Visit(RUN, 3, 4, 5, 1000, 10, 2, placements=(7, 8), spare_placements=())
WINDOW = meter_session.TakeWindow(
    METERED, WindowKind.LOAD, WindowRequest(10**9, {"p": 0.001}, 5, round_index=2, attempt=1),
    meter_session.MessageRun(RUN, 12.5, 99),
)  # fmt: skip
REQUESTS = [
    messages.OpenSource(files=True),
    openings.OpenEach(
        (openings.SourcePlace("plugin", "a.so"), openings.SourcePlace("python", None)), 1.5
    ),
    run_messages.ComputeOutputs("a/b", (run_messages.OutputCase(b"\1", b"\2\3", 4),
                                    run_messages.OutputCase(pattern_bytes=9))),
    run_messages.ComputeBatches("a/b", b"key", ((1, 2), ())),
    run_messages.Check("a/b", 1, 2, huge=True, slack=False),
    run_messages.Replay("a/b", "one key=0+10"),
    run_messages.Checksum("a/b", 32, 16, big=True),
    run_messages.TryAsSupercop("a/b", 32, 16),
    sessions.RunSessions("a/b", b"\0\xff", 2, (64, 0), (0, 1), 10, 1000),
    sessions.Gather("a/b", b"\0\xff", 2, (64, 0), (5, 7), (2**32 - 1, 0), 64, 20_000, 1e5, (0, 1),
                     10, 1000),
    sessions.Gather("a/b", b"\0\xff", 2, (64,), (), (1,), 64, 0, None, (0,), 10, 1000),
    run_messages.Calibrate(RUN, 200_000),
    VISIT,
    run_messages.MeasureLoop(1000, 15),
    meter_session.ObserveMeter(METERED, 3.0),
    WINDOW,
    replace(WINDOW, load=None, kind=WindowKind.DEEP_IDLE),
    run_messages.ReadClocks(),
]  # fmt: skip
TAKEN = EnergyWindow(
    WindowKind.LOAD, 2, 0, 1, 0, 10, 20, 30, 40, 50, 60, None, None, None, 0,
    (DomainTrace("p", (TracePoint(1, 2, 3),)),
     DomainTrace("q", fault=TraceFault(Fault.STUCK, "it stands: still"))),
)  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda entry: type(entry).__name__)
def test_a_worker_understands_what_was_asked(request_: messages.Request[object]) -> None:
    """A request of any kind, with all types of field in it, arrives equal to the request sent."""
    line = encode(request_)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    understood = decode_request(line.decode())
    assert understood == request_
    assert repr(understood) == repr(request_)  # members of enumerations, not only their words


def test_every_request_is_tried_above() -> None:
    """The requests above are all that exist, so that a new request cannot be forgotten."""
    assert {type(open_source) for open_source in REQUESTS} == set(messages.Request.__subclasses__())


def visited(**changes: int) -> run_messages.Visited:
    """An answer to VISIT."""
    return run_messages.Visited((replace(SAMPLE, **changes),), "00", None)


def test_answers_are_what_the_worker_said() -> None:
    """Samples, windows with traces and faults, and refusals arrive equal to the answers sent."""
    assert decode_answer(VISIT, encode(visited())) == visited()
    taken = meter_session.Metered(TAKEN, "00")
    assert decode_answer(WINDOW, encode(taken)) == taken
    refusal = messages.Refusal("too long", messages.RefusalKind.MESSAGE_LENGTH)
    assert decode_answer(VISIT, encode(refusal)) == refusal


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"round_index": 0}, "another place"),
        ({"position": 9}, "another place"),
        ({"generation": 0}, "another place"),
        ({"wall_ns": -5}, "wall_ns is -5"),
        ({"messages": 0}, "messages is 0"),
        ({"thread_cpu_ns": 2**63}, "thread_cpu_ns is "),
    ],
)
def test_samples_of_elsewhere_or_nowhere_are_refused(changes: dict[str, int], says: str) -> None:
    """Foreign code may write on the pipe; no sample of it reaches another round's place."""
    with pytest.raises(ForeignError, match=says):
        decode_answer(VISIT, encode(visited(**changes)))


@pytest.mark.parametrize(
    "taken",
    [
        meter_session.Metered(replace(TAKEN, attempt=0), "00"),
        meter_session.Metered(replace(TAKEN, kind=WindowKind.ACTIVE_IDLE), "00"),
        meter_session.Metered(TAKEN, None),
    ],
)
def test_a_window_that_was_not_asked_for_is_refused(taken: meter_session.Metered) -> None:
    """A window of another attempt or kind, or a load's window without an output, is refused."""
    with pytest.raises(ForeignError, match="it is "):
        decode_answer(WINDOW, encode(taken))


def test_a_visit_is_no_longer_than_its_counters_need() -> None:
    """A visit holds the name and digits of each counter, few signs around them, no repetition."""
    line = encode(visited())
    counters = SAMPLE.as_dict()
    written = sum(len(name) + len(json.dumps(value)) + 4 for name, value in counters.items())
    assert len(line) <= written + len('{"samples":[{}],"output":"00","spot":null}\n')


def imported_by(module: str, unwanted: set[str]) -> bytes:
    """Which of these a process has imported that imports a module as a worker does, as text."""
    code = (
        "import sys; from joulemark.processes import leave_inspect_unread; "
        "leave_inspect_unread(); "
        f"import {module}; print({unwanted} & {{*sys.modules}})"
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=60
    ).stdout


def test_a_worker_imports_little() -> None:
    """Pydantic takes longer than all the rest; whoever lists a source asks for no trial.

    A trial of one length needs no numbers by chance, fractions or SHA-256 of Python's; `ast` and
    `dis` belong to `inspect`, and from Python 3.14 on `dataclasses` needs `ast` itself.
    """
    never = {"pydantic", "annotated_types", "dis"}
    if sys.version_info < (3, 14):
        never.add("ast")
    of_workers = {*never, "joulemark.records.trial"}
    assert imported_by("joulemark.measure.worker.worker", of_workers) == b"set()\n"
    of_trials = {*never, "fractions", "hashlib", "random"}
    assert imported_by("joulemark.measure.worker.trials", of_trials) == b"set()\n"
