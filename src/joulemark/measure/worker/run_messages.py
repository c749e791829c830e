# SPDX-License-Identifier: Apache-2.0
"""Messages about runs of an implementation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from joulemark.measure.worker.messages import ELSEWHERE, Count, Request, Sentence, within
from joulemark.records import Coverage, Finding
from joulemark.records.sample import GatherWindow, RawSample, SessionsWindow
from joulemark.records.trial import Trial

# Messages about many sessions at once, and about gatherers of their messages.


@dataclass(frozen=True, slots=True)
class SessionsRan:
    """A window, and tags that the sessions computed."""

    window: SessionsWindow
    tags: str
    """Hexadecimal: the last tag of each session, one after the other."""


@dataclass(frozen=True)
class RunSessions(Request[SessionsRan]):
    """Asks for one window of sessions."""

    implementation: str
    keys: bytes
    """Keys of the sessions, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Lengths of the messages in turn, in bytes."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int


@dataclass(frozen=True, slots=True)
class Gathered:
    """A window, and the messages and tags of the last batch of each gatherer."""

    window: GatherWindow
    last: tuple[tuple[int, int, int], ...]
    """Session, length in bytes and nonce of each of these messages."""
    tags: str
    """Hexadecimal: the tags of these messages, one after the other."""


@dataclass(frozen=True)
class Gather(Request[Gathered]):
    """Asks for one window of gatherers."""

    implementation: str
    keys: bytes
    """Keys of the sessions, one after the other, of one length."""
    sessions: int
    lengths: tuple[int, ...]
    """Lengths of the messages in turn, in bytes."""
    gaps_ps: tuple[int, ...]
    """Gaps between arrivals at one gatherer, in turn; empty: messages always wait."""
    senders: tuple[int, ...]
    """Numbers that choose the session of each message in turn."""
    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Messages that arrive in a second at all gatherers, for the record."""
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of an implementation."""

    outputs: tuple[str | None, ...]
    """`output_text` of each case; None if the implementation refuses messages of that length."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The finding of one case, if it has one."""

    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The coverage of the native check, and the fault that it found."""

    finding: Finding | None
    coverage: Coverage
    cpu_s: Annotated[float, within(ge=0)]
    held_to: Sentence
    """The name of the code with whose outputs these were compared."""
    every_sha256: str | None
    """SHA-256 of the outputs of every length of a portable kernel without a fault; else None."""


@dataclass(frozen=True, slots=True)
class Checksummed:
    """A checksum of SUPERCOP."""

    checksum: Annotated[str, within(min_length=64, max_length=64)]
    """Hexadecimal."""


@dataclass(frozen=True, slots=True)
class TriedAsSupercop:
    """A checksum, and the fault for which SUPERCOP would refuse the code."""

    checksum: Annotated[str, within(min_length=64, max_length=64)]
    """Hexadecimal; of no use where there is a fault."""
    fault: Sentence | None
    """The end of a sentence about the implementation; None without a fault."""
    message_bytes: Count
    """Length of the message that showed the fault."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """How many messages fill a window."""

    messages: Annotated[int, within(ge=1, le=2**53)]
    message_ps: Annotated[float, within(gt=0)]
    output: str
    """`output_text` of the trial's smallest window."""


@dataclass(frozen=True, slots=True)
class Visited:
    """The raw samples of a visit."""

    samples: Annotated[tuple[RawSample, ...], within(min_length=1)]
    output: str
    spot: Finding | None
    """The fault of one more message, checked after the windows; None without a fault."""


@dataclass(frozen=True, slots=True)
class LoopSeries:
    """Raw series of the harness's own loop, in ns for `messages` messages each."""

    messages: Annotated[int, within(ge=1)]
    without_call_ns: tuple[Count, ...]
    empty_call_ns: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Clocks:
    """Resolution and availability of the counters, seen from a pinned process."""

    monotonic_step_ns: Count
    tsc: bool
    run_queue: bool
    perf_cycles_reason: str | None
    """Why core cycles cannot be counted; None if they can."""
    chain_adds: Count
    chain_ticks: int | None


@dataclass(frozen=True)
class OutputCase:
    """A key and a message: `message` repeated, or the harness's message of `pattern_bytes`."""

    key: bytes = b""
    message: bytes = b""
    repeat: int = 1
    pattern_bytes: int | None = None
    nonce: bytes = b""
    """Nonce, for an algorithm with nonces; empty for the zeros that a key begins with."""


@dataclass(frozen=True)
class ComputeOutputs(Request[Outputs]):
    """Asks for the output of each case."""

    implementation: str
    cases: tuple[OutputCase, ...]


@dataclass(frozen=True)
class ComputeBatches(Request[Outputs]):
    """Asks for the outputs of batches of messages of these lengths in bytes, a call for each."""

    implementation: str
    key: bytes
    """Key of the first message, from which the others are made (`distinct_keys`)."""
    cases: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Check(Request[Checked]):
    """Asks for the native check."""

    implementation: str
    seed: int
    cpu_ns: int
    huge: bool
    """Whether messages over 4 GiB are checked too."""
    slack: bool
    """Whether there is memory behind every message."""


@dataclass(frozen=True)
class Checksum(Request[Checksummed]):
    """Asks for the checksum that SUPERCOP would compute."""

    implementation: str
    key_bytes: int
    output_bytes: int
    """Bytes that are taken of each output."""
    big: bool
    """Whether it is checksumbig, of more and longer messages."""


@dataclass(frozen=True)
class TryAsSupercop(Request[TriedAsSupercop]):
    """Asks for checksumsmall and SUPERCOP's tests of behaviour, of code in the layout of eBACS."""

    implementation: str
    key_bytes: int
    output_bytes: int


@dataclass(frozen=True)
class Replay(Request[Replayed]):
    """Asks for one case of the native check."""

    implementation: str
    line: str


@dataclass(frozen=True)
class TrialRun:
    """A trial as a worker runs it."""

    trial: Trial
    """The trial; its implementation has the name of the source's table."""
    key: bytes


@dataclass(frozen=True)
class Calibrate(Request[Calibrated]):
    """Asks how many messages fill a window."""

    run: TrialRun
    window_ns: int


@dataclass(frozen=True)
class Visit(Request[Visited]):
    """Asks for a window at each placement, and one at a spare one for each interrupted window."""

    run: TrialRun
    round_index: int
    position: int
    generation: int
    messages: int
    """Messages of each window."""
    warm_up: int
    """Messages before the first window."""
    settle: int
    """Messages before each later one."""
    placements: tuple[int, ...]
    spare_placements: tuple[int, ...]

    def why_not_of(self, answer: Visited) -> str | None:
        """See `Request`: samples have the place in the run of the visit that took them."""
        own = (self.round_index, self.position, self.generation)
        places = ((taken.round_index, taken.position, taken.generation) for taken in answer.samples)
        return None if all(place == own for place in places) else ELSEWHERE


@dataclass(frozen=True)
class MeasureLoop(Request[LoopSeries]):
    """Asks for the cost of the harness's own loop."""

    messages: int
    rounds: int


@dataclass(frozen=True)
class ReadClocks(Request[Clocks]):
    """Asks for the counters, for the doctor."""
