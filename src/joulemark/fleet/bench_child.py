# SPDX-License-Identifier: Apache-2.0
"""Measures a study on this machine in a child process: `python -m joulemark.fleet.bench_child`.

The order comes as a line of JSON on standard input. Progress goes to standard output, a line of
JSON for each step; a refusal is the last line on standard error. Samples go into a store of this
machine, so that a study whose worker ended goes on at the same place.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.analyse.derive import half_width
from joulemark.environment import capture
from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.fleet import alone, own_build, short_build
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.measure.inventory import refuse_broken_plugins, take_inventory
from joulemark.measure.quiet import require_allowed, wait_until_quiet
from joulemark.measure.run_plan import run_plan
from joulemark.measure.runner import SilentObserver
from joulemark.measure.study import Study
from joulemark.measure.worker.sources import (
    ImplementationSource,
    file_sha256,
    installed_sources,
    plugin_source,
)
from joulemark.records import Failure
from joulemark.records.trial import HOST, Trial
from joulemark.store.repository import Store

# Plugins of a command on other machines: each has the same file at the same path, or refuses.
#
# A file is not sent: else any user of a scheduler could put code into a machine's folders. And a
# plugin needs libraries that only its own machine has.


@dataclass(frozen=True, slots=True)
class PluginFile:
    """A plugin on the machine of the command that asks."""

    path: str
    """Absolute path."""
    sha256: str


def plugin_files(paths: Sequence[str]) -> tuple[PluginFile, ...]:
    """The plugins of a command, by path and content."""
    files: dict[str, PluginFile] = {}
    for path in paths:
        source = plugin_source(path, files)
        file = Path(path).resolve()
        files[source.name] = PluginFile(str(file), file_sha256(file))
    return tuple(files.values())


def sources_with(
    plugins: Sequence[PluginFile], sources: Sequence[ImplementationSource]
) -> list[ImplementationSource]:
    """The sources of a machine, followed by the plugins."""
    all_sources = list(sources)
    for plugin in plugins:
        try:
            source = plugin_source(plugin.path, [known.name for known in all_sources])
        except UsageError as error:
            raise UnavailableError(str(error)) from None
        here = file_sha256(Path(plugin.path))
        if here != plugin.sha256:
            raise UnavailableError(
                f"plugin {plugin.path} is another file here, {short_build(here)}, than that of "
                f"whoever asks, {short_build(plugin.sha256)}; copy it"
            )
        all_sources.append(source)
    return all_sources


# The order of a study, and its progress.

_TELL_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class StudyOrder:
    """A study that a machine is to measure."""

    study: Study
    hang_limit_s: float
    """As of `run_plan`."""
    cpu: int | None
    """The CPU to measure on; None for the least busy CPU."""
    wait_quiet_s: float | None
    """Longest wait for a quiet machine, in seconds; None for no wait."""
    plugins: tuple[PluginFile, ...]
    build: str
    """Build of the command that asks; a worker may be older than the last installation."""


@dataclass(frozen=True, slots=True)
class ChildOrder:
    """An order for this process."""

    order: StudyOrder
    store: str
    """File of this machine's samples; made if it is not there."""


class _Teller(SilentObserver):
    """Prints progress at most twice a second."""

    def __init__(self) -> None:
        self._told_s = 0.0

    def started(self, run_id: int, total: int, kept: int) -> None:  # noqa: ARG002 - of the protocol
        _tell(done=kept, total=total, kept=kept)

    def sampled(self, done: int, total: int, trial: Trial) -> None:
        self._step(done, total, f"{trial.implementation}, {trial.workload.text}")

    def metered(self, done: int, total: int, what: str) -> None:
        self._step(done, total, f"energy: {what}")

    def simulated(self, done: int, total: int, trial: Trial) -> None:
        self.sampled(done, total, trial)

    def failed(self, failure: Failure) -> None:
        _tell(failed=f"{failure.implementation}: {failure.kind}: {failure.reason}")

    def _step(self, done: int, total: int, what: str) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s >= _TELL_EVERY_S or done == total:
            self._told_s = now_s
            _tell(done=done, total=total, trial=what)


def _tell(**values: object) -> None:
    print(json.dumps(values), flush=True)


def main() -> int:
    """Reads the order, measures, and returns the exit code."""
    child_order = record_from_json(ChildOrder, parse_json(sys.stdin.readline()))
    try:
        _carry_out(child_order.order, Path(child_order.store))
    except JoulemarkError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    return 0


def _carry_out(order: StudyOrder, store_file: Path) -> None:
    if own_build() != order.build:
        raise UnavailableError(
            "Joulemark was installed again on this machine since its worker started; start the "
            "worker again"
        )
    study = order.study
    store_file.parent.mkdir(parents=True, exist_ok=True)
    waits = False

    def waiting() -> None:
        nonlocal waits
        if not waits:
            _tell(waiting="others of ours work on this machine; it waits for its turn")
        waits = True

    with alone(waiting), Store.open(store_file) as store:
        if any(run.finished_at for run in store.runs()):
            _tell(kept_whole=True)
            return
        require_allowed(order.cpu)
        if order.wait_quiet_s is not None:
            wait_until_quiet(order.wait_quiet_s, lambda _share: None)
        installed = installed_sources() if HOST in study.targets or order.plugins else []
        inventory = take_inventory(sources_with(order.plugins, installed))
        refuse_broken_plugins(inventory, [plugin.path for plugin in order.plugins])
        run_plan(
            store,
            inventory,
            study.plan(inventory),
            capture(),
            study=study.as_dict(),
            observer=_Teller(),
            hang_limit_s=order.hang_limit_s,
            cpu=order.cpu,
            half_width=half_width,
        )


if __name__ == "__main__":
    sys.exit(main())
