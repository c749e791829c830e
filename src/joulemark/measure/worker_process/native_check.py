# SPDX-License-Identifier: Apache-2.0
"""Runs the native check (`harness/check`) on the implementations of a worker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from joulemark import _core
from joulemark.measure.worker_messages.output import sha256_text
from joulemark.measure.worker_messages.runs import Check, Checked, Replay, Replayed
from joulemark.records.finding import Coverage, Finding, Verdict

__all__ = ["NativeChecks", "portable_kernel"]


def portable_kernel(algorithm: str) -> _core.Implementation | None:
    """Our portable kernel of an algorithm, which every worker has, or None."""
    for implementation in _core.builtin_plugin().implementations():
        if (implementation.algorithm, implementation.variant) == (algorithm, "portable"):
            return implementation
    return None


def _finding(found: Mapping[str, Any] | None) -> Finding | None:
    """The record of a finding of the native check."""
    if found is None:
        return None
    shown = {"got": found["got"].hex(), "expected": found["expected"].hex()}
    values = {**found, **shown, "verdict": Verdict(found["verdict"])}
    return Finding(**{field.name: values[field.name] for field in fields(Finding)})


class NativeChecks:
    """Checks implementations against our portable kernels.

    Args:
        implementations: by name; the mapping may be filled later.
    """

    def __init__(self, implementations: Mapping[str, _core.Implementation]) -> None:
        self._implementations = implementations
        self._checkers: dict[str, _core.Checker] = {}

    def _checker(self, name: str) -> tuple[_core.Checker, bool]:
        """The check of an implementation, and whether that is itself the kernel it is held to."""
        implementation = self._implementations[name]
        trusted = portable_kernel(implementation.algorithm) or implementation
        itself = (trusted.algorithm, trusted.variant) == (
            implementation.algorithm, implementation.variant,
        )  # fmt: skip
        return _core.Checker(implementation, trusted), itself

    def check(self, request: Check) -> Checked:
        """Holds an implementation to our portable kernel of its algorithm, if there is one."""
        checker, itself = self._checker(request.implementation)
        started_s = time.thread_time()
        coverage, finding = checker.run(request.seed, request.cpu_ns, request.huge, request.slack)
        every = None
        if itself and finding is None:
            every = sha256_text(_core.every_output(self._implementations[request.implementation]))
        return Checked(
            finding=_finding(finding),
            coverage=Coverage(**coverage),
            cpu_s=time.thread_time() - started_s,
            held_to="the readable reference" if itself else "our portable kernel",
            every_sha256=every,
        )

    def replay(self, request: Replay) -> Replayed:
        """Repeats one case."""
        return Replayed(_finding(self._checker(request.implementation)[0].replay(request.line)))

    def spot(self, name: str, number: int) -> Finding | None:
        """Checks one short message, whose length and place `number` chooses.

        That takes two calls and two key set-ups, so it can be done after timed windows.
        """
        if name not in self._checkers:
            self._checkers[name], _ = self._checker(name)
        return _finding(self._checkers[name].spot(number))
