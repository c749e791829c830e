# SPDX-License-Identifier: Apache-2.0
"""Lists every implementation that can be run here, and why others cannot."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from joulemark.catalogue import FAMILY, every_algorithm
from joulemark.errors import (
    CrashError,
    HangError,
    ImplementationError,
    MessageLengthError,
    UnavailableError,
    UsageError,
    WrongOutputError,
)
from joulemark.foreign import ForeignError, visible
from joulemark.measure.cores import CoreImplementation, find_cores
from joulemark.measure.selection import base_name, select, twin_number
from joulemark.measure.worker.client import RefusalError, WorkerClient, decode_answer
from joulemark.measure.worker.messages import OpenEach, Opened, OpenSource, SourcePlace, TableEntry
from joulemark.measure.worker.sources import (
    ImplementationSource,
    installed_sources,
    plugin_source,
    user_plugin_sources,
)
from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.reference import fixed_key_bytes

# Compares a plugin's table with the catalogue, before anything is planned with the plugin.
#
# Otherwise a key, an output or a block of another length than the algorithm's would be found by a
# check that cannot even begin, in the middle of a run that others share.


def contradiction(facts: ImplementationFacts) -> str | None:
    """Why code with these facts cannot be run, as the end of a sentence; None if it can."""
    name = facts.implementation.split("/", 1)[0]
    algorithm = every_algorithm().get(name)
    if algorithm is None:
        return (
            f"'{name}' is not in the catalogue, so its output cannot be checked; "
            f"add catalogue/algorithms/{name}.toml and vectors"
        )
    if facts.kind != algorithm.kind:
        return f"its table calls {name} a {facts.kind}, which is a {algorithm.kind}"
    for what, found, right in (
        ("a block", facts.block_bytes, algorithm.block_bytes),
        ("an output", facts.output_bytes, algorithm.output_bytes),
    ):
        if found != right:
            return f"its table has {what} of {found} bytes, and {name} has {what} of {right}"
    return None if facts.kind == "hash" else _key_contradiction(name, facts)


def _key_contradiction(name: str, facts: ImplementationFacts) -> str | None:
    used, least, most = facts.key_bytes, facts.key_bytes_min, facts.key_bytes_max
    if used < least or (most is not None and used > most):
        return f"its table uses a key of {used} bytes, and takes {least} to {most}"
    fixed = fixed_key_bytes(name)
    if fixed is not None and used != fixed:
        return f"its table uses a key of {used} bytes, and {name} has keys of {fixed}"
    return None


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""Allowed names: twins, builds and patterns are written with `#`, `@` and `* ? [`."""
OPEN_LIMIT_S = 20.0
"""Seconds in which a source must be loaded."""
_TOGETHER_LIMIT_S = 4.0
"""Seconds for a source among others; a source that takes longer is opened by itself."""
_FORKING = ImplementationSource(
    "joulemark", "the process that lists sources", "builtin", None, None
)
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
    sources: dict[str, ImplementationSource] = field(default_factory=dict)
    """Sources by provider name."""
    tables: dict[str, Opened] = field(default_factory=dict)
    """Statement of each opened source about itself, without its files, by its name."""
    firmware: dict[str, ImplementationFacts] = field(default_factory=dict)
    """Implementations on the firmware targets of this run, by name."""
    libraries: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    """Source -> files of other libraries that it is linked with."""

    @cached_property
    def found_cores(self) -> tuple[dict[str, CoreImplementation], list[Failure]]:
        """Hardware cores by name, and why others cannot be simulated; read when first needed."""
        return find_cores()

    @property
    def cores(self) -> dict[str, CoreImplementation]:
        """Hardware cores by name; they run in a simulator and nowhere else."""
        return self.found_cores[0]

    @property
    def missing_cores(self) -> list[Failure]:
        """Cores that cannot be simulated here, with the remedy."""
        return self.found_cores[1]

    def require_same(self, source: ImplementationSource, about: Opened) -> None:
        """Compares a source that was opened again with its statement in this inventory."""
        if self.tables.get(source.name, about) != about.itself:
            raise ImplementationError(
                f"{source.title} was replaced, or its table changes from one process to the next: "
                "what it says of itself now is not what was planned with"
            )

    def source_of(self, implementation: str) -> ImplementationSource:
        """The source of an implementation, or of a twin of it."""
        return self.sources[self.facts[base_name(implementation)].provider]

    def missing_source(self, pattern: str) -> Failure | None:
        """The source that a pattern names and that cannot be used here, with the remedy; else None.

        A source is named by its whole name, alone (`openssl`) or at the start of a variant of a
        known algorithm (`hmac-sha256/openssl_oneshot`). A misspelt `blake3-kyed` names none.
        """
        base = base_name(pattern)
        algorithm, slash, variant = base.partition("/")
        family = base.startswith(FAMILY)
        if slash and not (family or fnmatch.filter(every_algorithm(), algorithm)):
            return None
        for failure in self.unavailable:
            name = failure.implementation.removeprefix("*/")
            if failure.kind is not FailureKind.UNAVAILABLE or name == failure.implementation:
                continue
            source = self.sources.get(name)
            few = source.algorithms if source is not None and slash and not family else ()
            if few and not fnmatch.filter(few, algorithm):
                continue
            asked = variant if slash else algorithm
            if asked == name or variant.startswith((f"{name}_", f"{name}*")):
                return failure
        return None

    def missing_for(self, algorithms: Iterable[str]) -> list[Failure]:
        """All that cannot be used here, but for libraries that have none of these algorithms."""
        wanted = set(algorithms)
        return [
            failure
            for failure in self.unavailable
            if (source := self.sources.get(failure.implementation.removeprefix("*/"))) is None
            or not source.algorithms
            or wanted & set(source.algorithms)
        ]

    def spoilt_plugins(self) -> list[str]:
        """Why kept plugins, whose implementations are not known therefore, cannot be used."""
        return [
            failure.reason
            for failure in self.unavailable
            if (source := self.sources.get(failure.implementation.removeprefix("*/"))) is not None
            and source.is_spoilt
        ]

    def facts_of(self, implementation: str) -> ImplementationFacts:
        """Facts of an implementation, twin or core, under the name that was asked for."""
        facts = self.facts.get(base_name(implementation)) or self.firmware.get(implementation)
        if facts is None:
            return self.cores[implementation].facts
        return replace(facts, implementation=implementation)


def failure_of(implementation: str, error: Exception, size_bytes: int | None = None) -> Failure:
    """The failure that an error means."""
    kind = _KIND_OF.get(type(error), FailureKind.ERROR)
    return Failure(implementation, kind, str(error), size_bytes)


_OF_THE_ENTRY: Final = {field.name for field in fields(TableEntry)} & {
    field.name for field in fields(ImplementationFacts)
}
"""Facts that have the name of the table entry's field."""


def _facts(source: ImplementationSource, about: Opened, entry: TableEntry) -> ImplementationFacts:
    return ImplementationFacts(
        implementation=f"{entry.algorithm}/{entry.variant}",
        provider=source.name,
        library_version=about.library_version,
        compiler=about.compiler,
        flags=about.flags,
        library_files=about.library_files,
        **{name: getattr(entry, name) for name in _OF_THE_ENTRY},
    )


def _refusal(inventory: Inventory, entry: TableEntry, facts: ImplementationFacts) -> str | None:
    """Why an implementation cannot be used; None if it can."""
    if not (_NAME.fullmatch(entry.variant) and _NAME.fullmatch(entry.algorithm)):
        return (
            "its name holds something else than letters, digits and . _ + -, and the other "
            "signs have a meaning here or none on a screen"
        )
    if entry.missing_features:
        return f"needs {', '.join(entry.missing_features)}, which this CPU does not offer"
    reason, taken = contradiction(facts), inventory.facts.get(facts.implementation)
    if reason is None and taken is not None:
        return f"{taken.provider} has an implementation of this name already"
    return reason


def _add_source(inventory: Inventory, source: ImplementationSource, about: Opened) -> None:
    """Adds the implementations of a source, and its statement about itself."""
    inventory.tables[source.name] = about.itself
    inventory.libraries[source.name] = tuple(map(Path, about.library_places))
    best: dict[str, ImplementationFacts] = {}
    for entry in about.implementations:
        facts = _facts(source, about, entry)
        name, reason = facts.implementation, _refusal(inventory, entry, facts)
        if reason is not None:
            inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, reason))
        else:
            inventory.facts[name] = facts
            best[entry.algorithm] = facts
    for lack in about.lacks:
        name = f"{lack.algorithm}/{lack.variant}"
        inventory.unavailable.append(Failure(name, FailureKind.UNAVAILABLE, lack.reason))
    if source.kind == "builtin":
        for algorithm, facts in best.items():
            name = f"{algorithm}/auto"
            chosen = facts.implementation.split("/", 1)[1]
            inventory.facts[name] = replace(facts, implementation=name, chosen=chosen)


def _open_together(sources: Sequence[ImplementationSource]) -> dict[str, Opened]:
    """The statements of installed sources about themselves, by name, from forks of one worker.

    A source without a usable statement is missing: when it is opened alone it gives the reason.
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
        request = OpenEach(tuple(places.values()), _TOGETHER_LIMIT_S)
        limit_s = OPEN_LIMIT_S + len(places) * _TOGETHER_LIMIT_S
        lines = client.ask(request, limit_s=limit_s).lines
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


def take_inventory(
    sources: Sequence[ImplementationSource], *, limit_s: float = OPEN_LIMIT_S
) -> Inventory:
    """Opens every source in a separate process and lists what it offers.

    A source with a known statement is not opened; it is held to that statement when it is run.

    The last variant of an algorithm that this CPU can run is what `auto` stands for: tables list
    variants from the one for every machine to the preferred one.
    """
    inventory = Inventory()
    together = _open_together(sources)
    for source in sources:
        inventory.sources[source.name] = source
        if source.unavailable is not None:
            inventory.unavailable.append(
                Failure(f"*/{source.name}", FailureKind.UNAVAILABLE, source.unavailable)
            )
            continue
        about = source.known or together.get(source.name)
        if about is not None:
            _add_source(inventory, source, about)
            continue
        client = WorkerClient(source, None)
        try:
            _add_source(inventory, source, client.ask(OpenSource(files=True), limit_s=limit_s))
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


def inventory_of(
    plugins: Sequence[str] | None = None, *, software: bool = True, kept_in: Path | None = None
) -> Inventory:
    """Opens every installed source, the plugins that this user keeps, and the plugins named.

    Each is opened in a separate process, except a kept one whose offers were noted down. Plugins
    are kept in the usual folder unless `kept_in` names another.
    """
    sources = installed_sources() if software else []
    if software:
        sources += user_plugin_sources({source.name for source in sources}, kept_in)
    for path in plugins or ():
        sources.append(plugin_source(path, [source.name for source in sources]))
    return take_inventory(sources)


def select_here(
    patterns: Sequence[str], inventory: Inventory, absent: Iterable[str] = ()
) -> list[str]:
    """The implementations that the patterns name, as `select`."""
    known = [*inventory.facts, *absent]
    chosen: list[str] = []
    for pattern in patterns:
        try:
            chosen += select([pattern], known)
        except UsageError as error:
            source = inventory.missing_source(pattern)
            if source is None and (spoilt := inventory.spoilt_plugins()):
                raise UsageError(f"{error}; a kept plugin cannot be used: {spoilt[0]}") from error
            if source is None:
                raise
            name = source.implementation.removeprefix("*/")
            raise UnavailableError(f"{name} is unavailable: {source.reason}") from error
    return sorted(dict.fromkeys(chosen), key=lambda name: (twin_number(name), name))


def refuse_broken_plugins(inventory: Inventory, plugins: Sequence[str]) -> None:
    """Raises `UnavailableError` for a named plugin that cannot be loaded."""
    for path in plugins:
        for failure in inventory.unavailable:
            if failure.implementation == f"*/{visible(Path(path).stem)}":
                raise UnavailableError(f"plugin {path} cannot be used: {failure.reason}")
