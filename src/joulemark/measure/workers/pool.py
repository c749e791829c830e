# SPDX-License-Identifier: Apache-2.0
"""Worker processes of one run: one per source and twin, checked before use, replaced on death."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from joulemark.errors import ImplementationError
from joulemark.measure.planning.trials import base_name, twin_number
from joulemark.measure.worker_messages.base import OpenSource, Request
from joulemark.measure.worker_messages.runs import (
    ComputeBatches,
    ComputeOutputs,
    OutputCase,
    TrialRun,
)
from joulemark.measure.workers.client import WorkerClient
from joulemark.measure.workers.correctness import check_batches, check_outputs, trial_key
from joulemark.measure.workers.inventory import OPEN_LIMIT_S, Inventory
from joulemark.measure.workers.plugin_workshop import ImplementationSource
from joulemark.measure.workers.thorough import CheckEffort, CheckReport, check_thoroughly
from joulemark.records.trial import Trial, plain_name

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
