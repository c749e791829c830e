# SPDX-License-Identifier: Apache-2.0
"""`joulemark list` and `joulemark show`: what can be run here, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.catalogue import DERIVED_FAMILY, FAMILY, AlgorithmFacts, algorithms, every_algorithm
from joulemark.catalogue.vectors import bibliography, vectors
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    ALGORITHM_ARGUMENT,
    JSON_OPTION,
    PATTERN_ARGUMENT,
    PLUGIN_OPTION,
)
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text
from joulemark.errors import UsageError
from joulemark.mac_files import key_lengths
from joulemark.measure.inventory import Inventory, inventory_of
from joulemark.measure.selection import select
from joulemark.records import Failure, ImplementationFacts
from joulemark.records.trial import HOST, RTL
from joulemark.report import NONE

LISTING_VERSION = 1
"""Version of the JSON that `list` and `show` print."""


@dataclass(frozen=True, slots=True)
class ListedImplementation:
    """An implementation, or the reason why it cannot be run here."""

    name: str
    target: str
    facts: ImplementationFacts | None
    reason: str

    def as_dict(self) -> Mapping[str, JsonValue]:
        """Values for JSON."""
        there = self.facts is not None
        return {
            **({"implementation": self.name} if self.facts is None else self.facts.as_dict()),
            "target": self.target,
            "available": there,
            "reason": None if there else self.reason,
        }


@dataclass(frozen=True, slots=True)
class ListedAlgorithm:
    """An algorithm and its implementations."""

    name: str
    facts: AlgorithmFacts | None
    """None: the catalogue lacks it."""
    auto: str | None
    """The variant that `auto` stands for here."""
    implementations: tuple[ListedImplementation, ...]

    @property
    def title(self) -> str:
        """Its title, or its name for lack of one."""
        return self.facts.title if self.facts else self.name

    @property
    def kind(self) -> str | None:
        """Hash, MAC or cipher; None if the catalogue lacks it."""
        return self.facts.kind if self.facts else None

    @property
    def status(self) -> str:
        """Its status in words."""
        return self.facts.status if self.facts else "not in the catalogue"

    def as_dict(self) -> dict[str, JsonValue]:
        """Values for JSON."""
        return {
            "algorithm": self.name,
            "title": self.title,
            "kind": self.kind,
            "status": self.status,
            "status_reason": self.facts.status_reason if self.facts else None,
            "auto": self.auto,
            "implementations": [{**listed.as_dict()} for listed in self.implementations],
        }


class Listing:
    """Algorithms and their implementations, available or not, as far as patterns select them.

    No pattern means everything; one that matches nothing is a `UsageError`.
    """

    def __init__(self, inventory: Inventory, patterns: list[str]) -> None:
        self._inventory = inventory
        self._catalogue = every_algorithm()
        self._missing = {
            failure.implementation: failure.reason
            for failure in (*inventory.unavailable, *inventory.missing_cores)
            if not failure.implementation.startswith("*/")
        }
        self._cores = {*inventory.cores, *(core.implementation for core in inventory.missing_cores)}
        here = [*inventory.facts, *inventory.cores]
        known = [*here, *(name for name in self._missing if name not in inventory.facts)]
        chosen = set(select(patterns or ["*"], known))
        self._rows: dict[str, list[str]] = {}
        for name in known:
            if name in chosen:
                self._rows.setdefault(name.split("/", 1)[0], []).append(name)
        if not patterns:
            self._rows |= {name: [] for name in algorithms() if name not in self._rows}

    def algorithms(self) -> list[ListedAlgorithm]:
        """The algorithms, by name."""
        inventory = self._inventory
        found = []
        for name in sorted(self._rows):
            facts, auto = self._catalogue.get(name), inventory.facts.get(f"{name}/auto")
            rows = tuple(map(self._implementation, self._rows[name]))
            found.append(ListedAlgorithm(name, facts, auto.chosen if auto else None, rows))
        return found

    def _implementation(self, name: str) -> ListedImplementation:
        core, facts = self._inventory.cores.get(name), self._inventory.facts.get(name)
        target = RTL if name in self._cores else HOST
        facts = core.facts if core else facts
        return ListedImplementation(name, target, facts, self._missing.get(name, ""))

    def providers(self) -> list[tuple[str, str, str | None]]:
        """Name and title of every provider, and the reason if it cannot be used."""
        reasons = _by_provider(self._inventory.unavailable)
        cores = _by_provider(self._inventory.missing_cores)
        return [
            *((name, f"hardware core {name}", why) for name, why in cores.items()),
            *(
                (name, source.title, reasons.get(name))
                for name, source in self._inventory.sources.items()
            ),
        ]


def _by_provider(failures: Iterable[Failure]) -> dict[str, str]:
    """Provider -> why none of its implementations can be used."""
    return {
        failure.implementation.removeprefix("*/"): failure.reason
        for failure in failures
        if failure.implementation.startswith("*/")
    }


def list_implementations(
    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None,
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List algorithms and what implements them here.

    A line for each algorithm. With a pattern, a line for each implementation: what cannot be run is
    listed too, with the reason and the package or CPU feature that would bring it. Each provider is
    opened in a separate process.
    """
    listing = Listing(inventory_of(plugin), patterns or [])
    if as_json:
        print_json(
            {
                "schema_version": LISTING_VERSION,
                "algorithms": [algorithm.as_dict() for algorithm in listing.algorithms()],
                "providers": [
                    {"provider": name, "title": title, "available": why is None, "reason": why}
                    for name, title, why in listing.providers()
                ],
            }
        )
        return
    if patterns:
        for algorithm in listing.algorithms():
            _print_algorithm(algorithm)
    else:
        _print_overview(listing.algorithms())
    missing = [(title, why) for _, title, why in listing.providers() if why is not None]
    if missing:
        heading("Not available")
        columns(missing, prose=(1,))


_KINDS: Final = {"mac": "MACs", "hash": "Hashes", "cipher": "Block ciphers", None: "Others"}
"""Kind of an algorithm -> heading; None: the catalogue lacks it."""
_FURTHER: Final = (
    ("joulemark list hmac-sha256", "its implementations, and why others cannot run here"),
    ("joulemark list '*'", "those of all algorithms"),
    ("joulemark list '*/mcu*'", "variants for registers of 8 and 32 bits, which run here too"),
    (f"joulemark list {FAMILY}{DERIVED_FAMILY}", "HMAC over every other hash"),
)


def _print_overview(found: Sequence[ListedAlgorithm]) -> None:
    """Prints a line for each algorithm: status, the choice of `auto`, and how many can be run."""
    for kind, title in _KINDS.items():
        rows = [
            (
                algorithm.name,
                algorithm.status,
                algorithm.auto or NONE,
                str(sum(listed.facts is not None for listed in algorithm.implementations)),
                str(sum(listed.facts is None for listed in algorithm.implementations)),
            )
            for algorithm in found
            if algorithm.kind == kind
        ]
        if rows:
            heading(title)
            columns(
                [("algorithm", "status", "auto here", "run here", "cannot"), *rows], right=(3, 4)
            )
    heading("More")
    columns(_FURTHER, prose=(1,))


def _print_algorithm(algorithm: ListedAlgorithm) -> None:
    auto = f"; auto is {algorithm.auto} here" if algorithm.auto else ""
    heading(f"{algorithm.name}  ({algorithm.title}): {algorithm.status}{auto}")
    rows = []
    missing: dict[str, list[str]] = {}
    for listed in algorithm.implementations:
        variant, facts = listed.name.split("/", 1)[1], listed.facts
        if facts is None:
            missing.setdefault(listed.reason, []).append(variant)
        elif listed.target == RTL:
            rows.append((variant, f"hardware core, simulated ({RTL}): {facts.flags}"))
        elif facts.chosen:
            rows.append((variant, f"is {facts.chosen} on this CPU"))
        else:
            batches = "; takes batches" if facts.batch_calls else ""
            timing = "; not constant-time" if facts.constant_time is False else ""
            rows.append((variant, _provider_text(facts) + batches + timing))
    rows += [(names[0], f"unavailable: {why}") for why, names in missing.items() if len(names) == 1]
    columns(rows or ([] if missing else [("no implementation here", "")]), prose=(1,))
    for why, names in missing.items():
        if len(names) > 1:
            print_text(f"  unavailable: {', '.join(names)}: {why}")


def _provider_text(facts: ImplementationFacts) -> str:
    """Provider and version, without saying a name twice."""
    provider, version = facts.provider, facts.library_version
    return version if version.lower().startswith(provider) else f"{provider} {version}"


LIST: Final = Command(
    list_implementations,
    (
        "joulemark list",
        "joulemark list 'hmac-*' siphash-2-4",
        "joulemark list --plugin ./mine.so --json",
    ),
)

# `joulemark show`: everything known about one algorithm.


def show(
    algorithm: Annotated[str, ALGORITHM_ARGUMENT],
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Show one algorithm: standard, status, sizes, sources, test vectors, implementations.

    A slash and a variant after the name shows that implementation alone.
    """
    if algorithm.startswith(FAMILY) or any(sign in algorithm for sign in "*?["):
        raise UsageError(
            f"'{algorithm}' is a pattern; show takes one name, joulemark list takes patterns"
        )
    entry = Listing(inventory_of(plugin), [algorithm]).algorithms()[0]
    facts = entry.facts
    if as_json:
        known = {} if facts is None else _catalogue_facts(facts)
        print_json({"schema_version": LISTING_VERSION, **entry.as_dict(), **known})
        return
    heading(f"{entry.name}: {entry.title}")
    if facts is None:
        print_text("Not in the catalogue, so its output cannot be checked and it is not timed.")
    else:
        _print_facts(facts, entry.auto)
    for listed in entry.implementations:
        typer.echo("")
        heading(listed.name)
        columns(_implementation_rows(listed), prose=(1,))


def _catalogue_facts(facts: AlgorithmFacts) -> Mapping[str, JsonValue]:
    cited = bibliography()
    elsewhere = {"id", "title", "references"}
    references: list[JsonValue] = [
        {
            "id": reference,
            **(cited[reference].model_dump(mode="json") if reference in cited else {}),
        }
        for reference in facts.references
    ]
    return {
        **{field: value for field, value in asdict(facts).items() if field not in elsewhere},
        "references": references,
        "vector_cases": len(vectors(facts.id)),
    }


def _print_facts(facts: AlgorithmFacts, auto: str | None) -> None:
    print_text(facts.summary)
    print_text(f"Status: {facts.status}. {facts.status_reason}")
    rows = [
        ("Standard", facts.standard),
        ("Claimed security", f"{facts.security_bits} bits"),
        ("Block", f"{facts.block_bytes} bytes"),
        ("Output", f"{facts.output_bytes} bytes"),
    ]
    if facts.key_bytes:
        rows.append(("Usual key", f"{' or '.join(map(str, facts.key_bytes))} bytes"))
    further = (("Forgery", facts.forgery), ("Approved by NIST", facts.nist))
    rows += [(title, text) for title, text in further if text]
    if facts.one_time_key:
        rows.append(("Key use", "one message only: a second one lets anyone forge"))
    if facts.one_length:
        rows.append(("Key use", "messages of one length only: two lengths let anyone forge"))
    sources = ", ".join(facts.vectors)
    cases = f"{len(vectors(facts.id))} published cases ({sources})"
    rows.append(("Test vectors", cases if sources else "none published; its hash has some"))
    if auto:
        rows.append(("auto on this CPU", auto))
    columns(rows, indent=0, prose=(1,))
    typer.echo("")
    heading("References")
    cited = bibliography()
    for reference in facts.references:
        text = f"{reference} (not in the bibliography)"
        if (source := cited.get(reference)) is not None:
            text = f"{'; '.join(source.authors)}: {source.title} ({source.year}). {source.url}"
        print_text(f"  - {text}")


_TIMING: Final = {
    True: "claimed: no branch and no address depends on keys or messages",
    False: "no: branches or addresses depend on keys or messages",
    None: "no claim: nobody has checked it",
}
"""What an implementation says of its time, in words."""


def _implementation_rows(listed: ListedImplementation) -> list[tuple[str, str]]:
    facts = listed.facts
    if facts is None:
        return [("unavailable", listed.reason)]
    if listed.target == RTL:
        return [
            ("hardware core", facts.note or ""),
            ("parameters", facts.flags or "none"),
            ("available", f"bench --target {RTL}, by {facts.compiler}"),
        ]
    if facts.chosen:
        return [("chooses", f"{facts.chosen} on this CPU")]
    rows = [("provider", _provider_text(facts))]
    if facts.note:
        rows.append(("note", facts.note))
    rows += [
        ("library file", f"{file.name}, SHA-256 {file.sha256[:16]}...")
        for file in facts.library_files
    ]
    rows.append(("built by", f"{facts.compiler} {facts.flags}".strip()))
    rows.append(("needs", ", ".join(facts.cpu_features) or "no CPU feature in particular"))
    if facts.lanes > 1:
        rows.append(("messages at once", str(facts.lanes)))
    if facts.kind == "mac":
        several = "several messages in one call" if facts.batch_calls else "one message a call"
        rows.append(("batches", several))
    rows.append(("constant time", _TIMING[facts.constant_time]))
    if facts.kind != "hash":
        rows.append(("key", key_lengths(facts.key_bytes_min, facts.key_bytes_max)))
    return rows


SHOW: Final = Command(
    show,
    (
        "joulemark show hmac-sha256",
        "joulemark show hmac-sha256/shani",
        "joulemark show poly1305 --json",
    ),
)
