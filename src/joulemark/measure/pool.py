# SPDX-License-Identifier: Apache-2.0
"""Worker processes of one run: one per source and twin, checked before use, replaced on death."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from joulemark import _core
from joulemark.catalogue.vectors import vectors
from joulemark.errors import ImplementationError, ProcessEndedError, WrongOutputError
from joulemark.measure.inventory import OPEN_LIMIT_S, Inventory
from joulemark.measure.selection import base_name, twin_number
from joulemark.measure.worker.client import RefusalError, WorkerClient
from joulemark.measure.worker.correctness import (
    case_words,
    check_batches,
    check_outputs,
    finding_sentence,
    trial_key,
)
from joulemark.measure.worker.messages import OpenSource, Request
from joulemark.measure.worker.run_messages import (
    Check,
    Checked,
    ComputeBatches,
    ComputeOutputs,
    OutputCase,
    Replay,
    TrialRun,
)
from joulemark.measure.worker.sources import ImplementationSource
from joulemark.records import Coverage, Finding, FindingKind, ImplementationFacts, JsonObject
from joulemark.records.trial import Trial, plain_name
from joulemark.reference import every_length_digest

# The thorough check: asks a worker for the native check, and tells its finding in words.
#
# `harness/check` holds an implementation to our portable kernel of its algorithm, in the worker
# that runs it. A portable kernel is held to the readable reference at every short length, and to
# itself in all other cases. So is code whose algorithm has no portable kernel of ours; its lengths
# up to a bound (`correctness`) are held to the reference, and longer ones to nothing.

_RUN_CPU_S_EACH = 0.15
_RUN_CPU_S = 6.0
"""CPU time for all implementations of a run together, beside the part of the check that is always
made (20 to 200 ms each)."""
_RUN_LIMIT_S = 5.0
_WHILE_CHECKED = "while checked: "
"""Begin of the last words of the native check, which name its current case."""


@dataclass(frozen=True, slots=True)
class CheckEffort:
    """How long the check of one implementation may take."""

    cpu_s: float = 0.1
    """CPU time; every short length and one pass of all kinds of cases are always checked."""
    limit_s: float = 60.0
    """Wall time after which the implementation counts as hung."""
    seed: int = 1
    """The same seed gives the same cases."""
    huge: bool = False
    """Whether messages over 4 GiB are checked too."""


def effort_of_run(implementations: int, hang_limit_s: float) -> CheckEffort:
    """The effort of a run that times so many implementations: less for each if there are many."""
    cpu_s = min(_RUN_CPU_S_EACH, _RUN_CPU_S / max(implementations, 1))
    return CheckEffort(cpu_s=cpu_s, limit_s=2 * hang_limit_s + _RUN_LIMIT_S)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The check of one implementation that found no fault."""

    implementation: str
    vectors: int
    """Number of published vectors."""
    coverage: Coverage
    seconds: float
    """CPU time of the native check."""
    reads_on: bool
    """Whether a library read past the end of its message, and was checked with memory behind it."""
    held_to: str
    """The name of the code with whose outputs its outputs were compared."""

    @property
    def text(self) -> str:
        """A line that says what was checked, and that it was right."""
        of = self.coverage
        parts = [
            _count(self.vectors, "published vector"),
            _count(of.lengths, "length"),
            f"{of.long_lengths} more to {of.longest_bytes:,} bytes".replace(",", " ")
            if of.long_lengths
            else "",
            _count(of.alignments, "alignment"),
            _count(of.keys, "key") if of.key_lengths else "",
            _count(of.key_lengths, "key length") if of.key_lengths > 1 else "",
            _count(of.streams, "split stream"),
            _count(of.batches, "batch"),
            _count(of.structured, "structured message"),
            f"{_count(of.thread_calls, 'call')} of two threads" if of.thread_calls else "",
        ]
        text = ", ".join(part for part in parts if part)
        note = "; it reads past the end of its message" if self.reads_on else ""
        return f"{text}, held to {self.held_to}: right, {self.seconds:.1f} s{note}"

    def as_dict(self) -> JsonObject:
        """Field names and values for JSON; the fields of the coverage stand among the others."""
        values: JsonObject = {}
        for name, value in asdict(self).items():
            values |= value if name == "coverage" else {name: value}
        return values


def _count(number: int, noun: str) -> str:
    if not number:
        return ""
    plural = noun[:-2] + "ches" if noun.endswith("ch") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}".replace(",", " ")


def checked_line(reports: Sequence[CheckReport]) -> str:
    """The sentence of a run about the check of all its implementations."""
    if not reports:
        return "checked: nothing"
    low, high = (pick(report.coverage.calls for report in reports) for pick in (min, max))
    calls = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    names = reports[0].implementation if len(reports) == 1 else f"{len(reports)} implementations"
    reading_on = [report.implementation for report in reports if report.reads_on]
    seconds = sum(report.seconds for report in reports)
    reads = "reads" if len(reading_on) == 1 else "read"
    note = f"; {', '.join(reading_on)} {reads} past the end of a message" if reading_on else ""
    return (
        f"checked: {names} {'is' if len(reports) == 1 else 'are'} right (published vectors, every "
        f"length to {_core.EVERY_LENGTH} bytes, 64 alignments, keys, streams, batches; "
        f"{calls.replace(',', ' ')} calls each, {seconds:.1f} s){note}"
    )


def replay_command(implementation: str, source: ImplementationSource, *options: str) -> str:
    """The command that shows a finding again."""
    words = ["joulemark", "test", implementation]
    if source.from_user and source.known is None and source.path:
        words += ["--plugin", source.path]
    return shlex.join([*words, *options])


def check_thoroughly(
    client: WorkerClient, name: str, facts: ImplementationFacts, effort: CheckEffort
) -> CheckReport:
    """Runs the native check in the worker that holds the implementation.

    A library that reads past the end of its message is checked again with memory behind every
    message: its outputs may be right, and nobody here can mend it. So is code that may read on. The
    caller then closes `client`, since the call that read on was broken off in it.
    """
    answer = _ask(client, name, effort, slack=False)
    finding = answer.finding
    source = client.source
    reads_on = (
        finding is not None
        and finding.verdict is FindingKind.TOUCHED_BEYOND_MESSAGE
        and source.kind == "plugin"
        and (source.may_read_on or not source.from_user)
    )
    if reads_on:
        fresh = WorkerClient(source, None)
        try:
            fresh.ask(OpenSource(), limit_s=effort.limit_s)
            answer = _ask(fresh, name, effort, slack=True)
        finally:
            fresh.close()
        finding = answer.finding
    if finding is not None:
        refused = finding.verdict in (FindingKind.REFUSED_KEY, FindingKind.REFUSED_MESSAGE)
        kind = RefusalError if refused else WrongOutputError
        if source.passing:
            raise kind(finding_sentence(finding))
        raise kind(f"{finding_sentence(finding)}; {_how_to_repeat(name, source, finding, effort)}")
    _hold_to_reference(name, facts, answer.every_sha256)
    return CheckReport(
        implementation=facts.implementation,
        vectors=len(vectors(name.split("/", 1)[0])),
        coverage=answer.coverage,
        seconds=answer.cpu_s,
        reads_on=reads_on,
        held_to=answer.held_to,
    )


def _ask(client: WorkerClient, name: str, effort: CheckEffort, *, slack: bool) -> Checked:
    cpu_ns = round(effort.cpu_s * 1e9)
    request = Check(name, effort.seed, cpu_ns, huge=effort.huge, slack=slack)
    try:
        return client.ask(request, limit_s=effort.limit_s)
    except ProcessEndedError as error:
        if not error.said_last.startswith(_WHILE_CHECKED):
            raise
        line = error.said_last.removeprefix(_WHILE_CHECKED)
        if client.source.passing:
            raise type(error)(f"{error.what}, at {case_words(line)}", signal=error.signal) from None
        again = replay_command(name, client.source, "--replay", line)
        raise type(error)(f"{error.what}; replay: {again}", signal=error.signal) from None


def replay(source: ImplementationSource, name: str, line: str, limit_s: float) -> Finding | None:
    """Repeats one case in a new worker, and returns its finding."""
    client = WorkerClient(source, None)
    try:
        client.ask(OpenSource(), limit_s=limit_s)
        return client.ask(Replay(name, line), limit_s=limit_s).finding
    finally:
        client.close()


def _how_to_repeat(
    name: str, source: ImplementationSource, finding: Finding, effort: CheckEffort
) -> str:
    """The command that shows a finding: of its input alone, if that does."""
    long = finding.message_bytes > 1 << 28  # seconds to repeat: not tried
    try:
        shows = long or replay(source, name, finding.line, effort.limit_s) is not None
    except ImplementationError:
        shows = True
    if shows:
        return "replay: " + replay_command(name, source, "--replay", finding.line)
    return (
        "in a fresh process this input alone is right, so it depends on the calls before it: "
        f"{replay_command(name, source, '--seed', str(effort.seed))} makes them"
    )


def _hold_to_reference(name: str, facts: ImplementationFacts, sha256: str | None) -> None:
    """Compares a portable kernel's outputs of every length with those of the readable reference."""
    if sha256 is None:
        return
    algorithm = name.split("/", 1)[0]
    expected = every_length_digest(algorithm, facts.key_bytes, _core.EVERY_LENGTH, _core.message)
    if expected is not None and sha256 != expected:
        raise WrongOutputError(
            f"the outputs of all lengths to {_core.EVERY_LENGTH} bytes are not those of the "
            "readable reference"
        )


A = TypeVar("A")

CHECK_LIMIT_S = 60.0
"""Seconds in which an implementation must compute its vectors, which are short messages."""


class WorkerPool:
    """Workers by source and twin. A worker times nothing that it has not checked itself.

    Args:
        inventory: what there is.
        cpu: CPU that every worker is pinned to; None leaves them free.
        effort: effort of the thorough check, which is made once for each implementation; every
            worker checks the published vectors and some lengths again.
        variables: variables of the workers' environment, beside ours.
    """

    def __init__(
        self,
        inventory: Inventory,
        cpu: int | None,
        *,
        effort: CheckEffort | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._inventory = inventory
        self._cpu = cpu
        self._variables = variables
        self._effort = effort or CheckEffort()
        self.reports: dict[str, CheckReport] = {}
        """Reports of thorough checks without a fault, by name without twins."""
        self._clients: dict[tuple[str, int], WorkerClient] = {}
        self._checked: dict[tuple[str, int], set[str]] = {}

    @property
    def cpu(self) -> int | None:
        """CPU that the workers are pinned to."""
        return self._cpu

    def ask(self, implementation: str, request: Request[A], *, limit_s: float) -> A:
        """Asks the worker that runs an implementation, after checking the implementation there."""
        return self._ready(implementation).ask(request, limit_s=limit_s)

    def outputs(self, implementation: str, cases: Sequence[OutputCase]) -> Sequence[str | None]:
        """Outputs of an implementation for each case, in hexadecimal; None for a refused case."""
        request = ComputeOutputs(self.plain_name(implementation), tuple(cases))
        return self.ask(implementation, request, limit_s=CHECK_LIMIT_S).outputs

    def check(self, implementation: str) -> CheckReport:
        """Checks an implementation, unless that was done, and returns the report."""
        self._ready(implementation)
        return self.reports[self._resolved_name(implementation)]

    def _ready(self, implementation: str) -> WorkerClient:
        """The worker that runs an implementation and has checked it."""
        source = self._inventory.source_of(implementation)
        key = (source.name, twin_number(implementation))
        client = self._client(source, key)
        name = self.plain_name(implementation)
        if name in self._checked[key]:
            return client
        # Each of two builds is checked, though their sources give both the same name.
        resolved = self._resolved_name(implementation)
        if resolved not in self.reports:
            report = self._check_thoroughly(client, name, implementation)
            self.reports[resolved] = report
            if report.reads_on:  # the call that read on was broken off: a new worker is needed
                client.kill()
                return self._ready(implementation)
        self._check(client, implementation, name)
        self._checked[key].add(name)
        return client

    def _check_thoroughly(
        self, client: WorkerClient, name: str, implementation: str
    ) -> CheckReport:
        facts = self._inventory.facts_of(self._resolved_name(implementation))
        try:
            return check_thoroughly(client, name, facts, self._effort)
        except ImplementationError:
            # A call may have been broken off, and other code of the source is still to be run.
            client.kill()
            raise

    def _client(self, source: ImplementationSource, key: tuple[str, int]) -> WorkerClient:
        """The live worker of that key, started and opened if there is none."""
        client = self._clients.get(key)
        if client is None or not client.alive:
            if client is not None:
                client.close()
            client = self._clients[key] = WorkerClient(source, self._cpu, self._variables)
            self._checked[key] = set()
            try:
                self._inventory.require_same(source, client.ask(OpenSource(), limit_s=OPEN_LIMIT_S))
            except ImplementationError:
                client.kill()  # or the worker would count as opened
                raise
        return client

    def plain_name(self, implementation: str) -> str:
        """The name in the source's table: without a twin or a build, and with `auto` resolved."""
        return plain_name(self._resolved_name(implementation))

    def _resolved_name(self, implementation: str) -> str:
        """The name without the suffix of a twin, and with `auto` resolved."""
        base = base_name(implementation)
        chosen = self._inventory.facts[base].chosen
        return base if chosen is None else f"{base.split('/', 1)[0]}/{chosen}"

    def trial_run(self, trial: Trial) -> TrialRun:
        """A trial as the worker's requests carry it."""
        key = trial_key(self._inventory.facts_of(trial.implementation))
        return TrialRun(replace(trial, implementation=self.plain_name(trial.implementation)), key)

    def _check(self, client: WorkerClient, implementation: str, name: str) -> None:
        def ask_outputs(cases: Sequence[OutputCase]) -> Sequence[str | None]:
            return client.ask(ComputeOutputs(name, tuple(cases)), limit_s=CHECK_LIMIT_S).outputs

        facts = self._inventory.facts_of(implementation)
        check_outputs(facts, ask_outputs)
        if facts.batch_calls:

            def ask_batches(key: bytes, cases: Sequence[Sequence[int]]) -> Sequence[str | None]:
                request = ComputeBatches(name, key, tuple(map(tuple, cases)))
                return client.ask(request, limit_s=CHECK_LIMIT_S).outputs

            check_batches(facts, ask_batches)

    def ask_own(self, request: Request[A], *, limit_s: float) -> A:
        """Asks the worker of our own kernels a request that needs no check (clocks, the loop)."""
        own = next(s for s in self._inventory.sources.values() if s.kind == "builtin")
        return self._client(own, (own.name, 1)).ask(request, limit_s=limit_s)

    def close(self) -> None:
        """Ends every worker; the next request to it starts a new one."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        self._checked.clear()
