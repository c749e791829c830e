# SPDX-License-Identifier: Apache-2.0
"""What can be run here: every implementation of every source, and why the rest cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from joulemark.errors import (
    CrashError,
    HangError,
    ImplementationError,
    MessageLengthError,
    UnavailableError,
    WrongOutputError,
)
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.text import visible
from joulemark.measure.cores.found import CoreImplementation
from joulemark.measure.planning.trials import base_name
from joulemark.measure.worker_messages.answers import decode_answer
from joulemark.measure.worker_messages.base import Opened, OpenSource, TableEntry
from joulemark.measure.worker_messages.openings import OpenEach, SourcePlace
from joulemark.measure.workers.client import RefusalError, WorkerClient
from joulemark.measure.workers.contradictions import contradiction
from joulemark.measure.workers.sources import Source
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.implementation import ImplementationFacts

__all__ = ["OPEN_LIMIT_S", "Inventory", "failure_of", "refuse_broken_plugins", "take_inventory"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""Twins, builds and patterns are written with `#`, `@` and `* ? [`."""
OPEN_LIMIT_S = 20.0
"""Seconds a source may take to be loaded."""
_TOGETHER_LIMIT_S = 4.0
"""Seconds a source may take among others; one that takes longer is opened by itself."""
_FORKING = Source("joulemark", "the process that lists sources", "builtin", None, None)
_KIND_OF: Mapping[type[Exception], FailureKind] = {
    CrashError: FailureKind.CRASH,
    HangError: FailureKind.HANG,
    WrongOutputError: FailureKind.WRONG_OUTPUT,
    MessageLengthError: FailureKind.REFUSED,
}


@dataclass
class Inventory:
    """Implementations by name, in the order their source lists them, `auto` after its siblings."""

    facts: dict[str, ImplementationFacts] = field(default_factory=dict)
    unavailable: list[Failure] = field(default_factory=list)
    """Sources and implementations that cannot be used, with the remedy."""
    sources: dict[str, Source] = field(default_factory=dict)
    """By provider name."""
    cores: dict[str, CoreImplementation] = field(default_factory=dict)
    """Hardware cores by name; they run in a simulator and nowhere else."""
    tables: dict[str, Opened] = field(default_factory=dict)
    """What each source said of itself when it was opened, by its name; without its files."""
    firmware: dict[str, ImplementationFacts] = field(default_factory=dict)
    """Implementations on the firmware targets of this run, by name."""
    missing_cores: list[Failure] = field(default_factory=list)
    """Cores that cannot be simulated here, with the remedy."""

    def require_same(self, source: Source, about: Opened) -> None:
        """Holds a source that was opened again to what it said when this was taken.

        Raises:
            ImplementationError: it says something else, so that facts and plan are of other code.
        """
        if self.tables.get(source.name, about) != replace(about, library_files=()):
            raise ImplementationError(
                f"{source.title} was replaced, or its table changes from one process to the next: "
                "what it says of itself now is not what was planned with"
            )

    def source_of(self, implementation: str) -> Source:
        """Where an implementation, or a twin of it, comes from."""
        return self.sources[self.facts[base_name(implementation)].provider]

    def facts_of(self, implementation: str) -> ImplementationFacts:
        """Facts of an implementation, twin or core, under the name that was asked for."""
        core = self.cores.get(implementation)
        if core is not None:
            return core.facts
        facts = self.facts.get(base_name(implementation)) or self.firmware[implementation]
        return replace(facts, implementation=implementation)


def failure_of(implementation: str, error: Exception, size_bytes: int | None = None) -> Failure:
    """The record of an error."""
    kind = _KIND_OF.get(type(error), FailureKind.ERROR)
    return Failure(implementation, kind, str(error), size_bytes)


def _facts(source: Source, about: Opened, entry: TableEntry) -> ImplementationFacts:
    return ImplementationFacts(
        implementation=f"{entry.algorithm}/{entry.variant}",
        kind=entry.kind,
        provider=source.name,
        library_version=about.library_version,
        compiler=about.compiler,
        flags=about.flags,
        cpu_features=entry.cpu_features,
        lanes=entry.lanes,
        constant_time=entry.constant_time,
        block_bytes=entry.block_bytes,
        output_bytes=entry.output_bytes,
        key_bytes_min=entry.key_bytes_min,
        key_bytes_max=entry.key_bytes_max,
        key_bytes=entry.key_bytes,
        note=entry.note,
        batch_calls=entry.batch_calls,
        library_files=about.library_files,
    )


def _add_source(inventory: Inventory, source: Source, about: Opened) -> None:
    best: dict[str, ImplementationFacts] = {}
    for entry in about.implementations:
        facts = _facts(source, about, entry)
        name, wrong = facts.implementation, contradiction(facts)
        if not (_NAME.fullmatch(entry.variant) and _NAME.fullmatch(entry.algorithm)):
            reason = (
                "its name holds something else than letters, digits and . _ + -, and the other "
                "signs have a meaning here or none on a screen"
            )
            inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, reason))
        elif entry.missing_features:
            reason = f"needs {', '.join(entry.missing_features)}, which this CPU does not offer"
            inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, reason))
        elif wrong is not None:
            inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, wrong))
        elif name in inventory.facts:
            reason = f"{inventory.facts[name].provider} has an implementation of this name already"
            inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, reason))
        else:
            inventory.facts[name] = facts
            best[entry.algorithm] = facts
    if source.kind == "builtin":
        for algorithm, facts in best.items():
            name = f"{algorithm}/auto"
            chosen = facts.implementation.split("/", 1)[1]
            inventory.facts[name] = replace(facts, implementation=name, chosen=chosen)


def _opened_together(sources: Sequence[Source]) -> dict[str, Opened]:
    """What installed sources say of themselves, by name, from forks of one worker.

    A source that says nothing of use is missing: opened alone it gives the reason.
    """
    places = {
        source.name: SourcePlace(source.kind, source.path)
        for source in sources
        if not (source.unavailable or source.known or source.from_user or source.memory_bytes)
    }
    if len(places) < 2:
        return {}
    client = WorkerClient(_FORKING, None)
    try:
        asked = OpenEach(tuple(places.values()), _TOGETHER_LIMIT_S)
        limit_s = OPEN_LIMIT_S + len(places) * _TOGETHER_LIMIT_S
        lines = client.ask(asked, limit_s=limit_s).lines
    except ImplementationError:
        return {}
    finally:
        client.close()
    opened = {}
    for name, line in zip(places, lines, strict=False):
        with suppress(ForeignError):
            answer = decode_answer(OpenSource(files=True), (line or "").encode())
            if isinstance(answer, Opened):
                opened[name] = answer
    return opened


def take_inventory(sources: Sequence[Source], *, limit_s: float = OPEN_LIMIT_S) -> Inventory:
    """Opens every source in a separate process and lists what it offers.

    A source of which that is known is not opened; it is held to what is known when it is run.

    The last variant of an algorithm that this CPU can run is what `auto` stands for: tables list
    variants from the one for every machine to the preferred one.
    """
    inventory = Inventory()
    together = _opened_together(sources)
    for source in sources:
        inventory.sources[source.name] = source
        if source.unavailable is not None:
            inventory.unavailable.append(
                Failure(f"*/{source.name}", FailureKind.UNAVAILABLE, source.unavailable)
            )
            continue
        said = source.known or together.get(source.name)
        if said is not None:
            _add_source(inventory, source, said)
            inventory.tables[source.name] = replace(said, library_files=())
            continue
        client = WorkerClient(source, None)
        try:
            about = client.ask(OpenSource(files=True), limit_s=limit_s)
            _add_source(inventory, source, about)
            inventory.tables[source.name] = replace(about, library_files=())
        except RefusalError as error:
            reason = f"{source.title} cannot be loaded: {error}"
            inventory.unavailable.append(
                Failure(f"*/{source.name}", FailureKind.UNAVAILABLE, reason)
            )
        except ImplementationError as error:
            inventory.unavailable.append(failure_of(f"*/{source.name}", error))
        finally:
            client.close()
    return inventory


def refuse_broken_plugins(inventory: Inventory, plugins: Sequence[str]) -> None:
    """A plugin that was named and cannot be loaded is not left out in silence."""
    for path in plugins:
        for failure in inventory.unavailable:
            if failure.implementation == f"*/{visible(Path(path).stem)}":
                raise UnavailableError(f"plugin {path} cannot be used: {failure.reason}")
