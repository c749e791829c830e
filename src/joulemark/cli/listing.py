# SPDX-License-Identifier: Apache-2.0
"""`joulemark list` and `joulemark show`: what can be run here, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from joulemark.catalogue.algorithms import (
    DERIVED_FAMILY,
    FAMILY,
    AlgorithmFacts,
    algorithms,
    every_algorithm,
)
from joulemark.catalogue.vectors import bibliography, vectors
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    ALGORITHM_ARGUMENT,
    JSON_OPTION,
    PATTERN_ARGUMENT,
    PLUGIN_OPTION,
    inventory_of,
)
from joulemark.cli.shared.terminal import columns, heading, paragraph, print_json, terminal_width
from joulemark.errors import UsageError
from joulemark.mac_files import key_lengths
from joulemark.measure.planning.trials import select
from joulemark.measure.workers.inventory import Inventory
from joulemark.records.failure import Failure
from joulemark.records.trial import HOST, RTL

LISTING_VERSION = 1
"""Version of the JSON that `list` and `show` print."""


class Listing:
    """Algorithms and their implementations, available or not, as far as patterns select them.

    Args:
        inventory: what there is.
        patterns: as for `joulemark.measure.planning.trials.select`; none means everything.

    Raises:
        UsageError: a pattern matches nothing.
    """

    def __init__(self, inventory: Inventory, patterns: list[str]) -> None:
        self._inventory = inventory
        self._catalogue = every_algorithm()
        self._missing = {
            failure.implementation: failure
            for failure in (*inventory.unavailable, *inventory.missing_cores)
            if not failure.implementation.startswith("*/")
        }
        here = [*inventory.facts, *inventory.cores]
        known = [*here, *(name for name in self._missing if name not in inventory.facts)]
        chosen = set(select(patterns or ["*"], known))
        self._rows: dict[str, list[str]] = {}
        for name in known:
            if name in chosen:
                self._rows.setdefault(name.split("/", 1)[0], []).append(name)
        if not patterns:
            self._rows |= {name: [] for name in algorithms() if name not in self._rows}

    def algorithms(self) -> list[dict[str, Any]]:
        """The entries of the algorithms as JSON values, by name."""
        return [self._algorithm(name) for name in sorted(self._rows)]

    def _algorithm(self, name: str) -> dict[str, Any]:
        facts: AlgorithmFacts | None = self._catalogue.get(name)
        auto = self._inventory.facts.get(f"{name}/auto")
        return {
            "algorithm": name,
            "title": facts.title if facts else name,
            "kind": facts.kind if facts else None,
            "status": facts.status if facts else "not in the catalogue",
            "status_reason": facts.status_reason if facts else None,
            "auto": auto.chosen if auto else None,
            "implementations": [self._implementation(row) for row in self._rows[name]],
        }

    def _implementation(self, name: str) -> dict[str, Any]:
        target = RTL if self._is_core(name) else HOST
        core = self._inventory.cores.get(name)
        facts = core.facts if core else self._inventory.facts.get(name)
        if facts is None:
            failure = self._missing[name]
            return {
                "implementation": name,
                "target": target,
                "available": False,
                "reason": failure.reason,
            }
        return {**facts.as_dict(), "target": target, "available": True, "reason": None}

    def _is_core(self, name: str) -> bool:
        missing = (missing_core.implementation for missing_core in self._inventory.missing_cores)
        return name in self._inventory.cores or name in missing

    def providers(self) -> list[dict[str, Any]]:
        """Every provider as JSON values, with a reason where it cannot be used."""
        reasons = _by_provider(self._inventory.unavailable)
        cores = _by_provider(self._inventory.missing_cores)
        return [
            *(_provider(name, f"hardware core {name}", why) for name, why in cores.items()),
            *(
                _provider(name, source.title, reasons.get(name))
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


def _provider(name: str, title: str, reason: str | None) -> dict[str, Any]:
    return {"provider": name, "title": title, "available": reason is None, "reason": reason}


def take_listing(patterns: list[str], plugins: list[str] | None) -> Listing:
    """Opens every source, and selects by the patterns."""
    return Listing(inventory_of(plugins), patterns)


def list_implementations(
    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None,
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List algorithms and what implements them here.

    What cannot be run is listed too, with the reason and the package or CPU feature that would
    bring it. Each provider is opened in a separate process.
    """
    listing = take_listing(patterns or [], plugin)
    if as_json:
        print_json(
            {
                "schema_version": LISTING_VERSION,
                "algorithms": listing.algorithms(),
                "providers": listing.providers(),
            }
        )
        return
    for algorithm in listing.algorithms():
        _print_algorithm(algorithm)
    if not patterns:
        heading("HMAC over every other hash")
        columns([(f"{FAMILY}{DERIVED_FAMILY}", "lists it: hmac-keccak-256, for instance")])
        heading("For microcontrollers")
        columns([("'*/mcu*'", "lists variants for registers of 8 and 32 bits, which run here too")])
    missing = [provider for provider in listing.providers() if not provider["available"]]
    if missing:
        heading("Not available")
        columns([(provider["title"], provider["reason"]) for provider in missing], prose=(1,))


def _print_algorithm(algorithm: dict[str, Any]) -> None:
    auto = f"; auto is {algorithm['auto']} here" if algorithm["auto"] else ""
    heading(f"{algorithm['algorithm']}  ({algorithm['title']}): {algorithm['status']}{auto}")
    rows = []
    missing: dict[str, list[str]] = {}
    for implementation in algorithm["implementations"]:
        variant = implementation["implementation"].split("/", 1)[1]
        if not implementation["available"]:
            missing.setdefault(implementation["reason"], []).append(variant)
        elif implementation["target"] == RTL:
            rows.append((variant, f"hardware core, simulated ({RTL}): {implementation['flags']}"))
        elif implementation["chosen"]:
            rows.append((variant, f"stands for {implementation['chosen']} on this CPU"))
        else:
            batches = "; takes batches" if implementation["batch_calls"] else ""
            timing = "; not constant-time" if implementation["constant_time"] is False else ""
            rows.append((variant, provider_text(implementation) + batches + timing))
    rows += [(names[0], f"unavailable: {why}") for why, names in missing.items() if len(names) == 1]
    columns(rows or ([] if missing else [("no implementation here", "")]), prose=(1,))
    for why, names in missing.items():
        if len(names) > 1:
            text = f"unavailable: {', '.join(names)}: {why}"
            paragraph(text, terminal_width() or len(text) + 4, "  ", "    ")


def provider_text(listed: dict[str, Any]) -> str:
    """Provider and version, without saying a name twice."""
    provider, version = str(listed["provider"]), str(listed["library_version"])
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

_WIDTH = 96


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
    entry = take_listing([algorithm], plugin).algorithms()[0]
    entry |= _catalogue_facts(entry["algorithm"])
    if as_json:
        print_json({"schema_version": LISTING_VERSION, **entry})
        return
    heading(f"{entry['algorithm']}: {entry['title']}")
    if "standard" in entry:
        _print_facts(entry)
    else:
        typer.echo("Not in the catalogue, so its output cannot be checked and it is not timed.")
    for implementation in entry["implementations"]:
        typer.echo("")
        heading(implementation["implementation"])
        columns(_implementation_rows(implementation), prose=(1,))


def _catalogue_facts(name: str) -> dict[str, Any]:
    facts = every_algorithm().get(name)
    if facts is None:
        return {}
    cited = bibliography()
    elsewhere = {"id", "title", "references"}
    return {
        **{field: value for field, value in asdict(facts).items() if field not in elsewhere},
        "references": [
            {
                "id": reference,
                **(cited[reference].model_dump(mode="json") if reference in cited else {}),
            }
            for reference in facts.references
        ],
        "vector_cases": len(vectors(name)),
    }


def _print_facts(entry: dict[str, Any]) -> None:
    paragraph(entry["summary"], _WIDTH)
    paragraph(f"Status: {entry['status']}. {entry['status_reason']}", _WIDTH)
    rows = [
        ("Standard", entry["standard"]),
        ("Claimed security", f"{entry['security_bits']} bits"),
        ("Block", f"{entry['block_bytes']} bytes"),
        ("Output", f"{entry['output_bytes']} bytes"),
    ]
    if entry["key_bytes"]:
        sizes = " or ".join(str(size) for size in entry["key_bytes"])
        rows.append(("Usual key", f"{sizes} bytes"))
    if entry["forgery"]:
        rows.append(("Forgery", entry["forgery"]))
    if entry["one_time_key"]:
        rows.append(("Key use", "one message only: a second one lets anyone forge"))
    if entry["one_length"]:
        rows.append(("Key use", "messages of one length only: two lengths let anyone forge"))
    sources = ", ".join(entry["vectors"])
    cases = f"{entry['vector_cases']} published cases ({sources})"
    rows.append(("Test vectors", cases if sources else "none published; its hash has some"))
    if entry["auto"]:
        rows.append(("auto on this CPU", entry["auto"]))
    columns(rows, indent=0, prose=(1,))
    typer.echo("")
    heading("References")
    for reference in entry["references"]:
        text = f"{reference['id']} (not in the bibliography)"
        if "title" in reference:
            authors = "; ".join(reference["authors"])
            text = f"{authors}: {reference['title']} ({reference['year']}). {reference['url']}"
        paragraph(text, _WIDTH, "  ", "    ")


_TIMING: Final = {
    True: "claimed: no branch and no address depends on keys or messages",
    False: "no: branches or addresses depend on keys or messages",
    None: "no claim: nobody has checked it",
}
"""What an implementation says of its time, in words."""


def _implementation_rows(implementation: dict[str, Any]) -> list[tuple[str, str]]:
    if not implementation["available"]:
        return [("unavailable", implementation["reason"])]
    if implementation["target"] == RTL:
        return [
            ("hardware core", implementation["note"]),
            ("parameters", implementation["flags"] or "none"),
            ("available", f"bench --target {RTL}, by {implementation['compiler']}"),
        ]
    if implementation["chosen"]:
        return [("stands for", f"{implementation['chosen']} on this CPU")]
    rows = [("provider", provider_text(implementation))]
    if implementation["note"]:
        rows.append(("note", implementation["note"]))
    rows += [
        ("library file", f"{file['name']}, SHA-256 {file['sha256'][:16]}...")
        for file in implementation["library_files"]
    ]
    rows.append(("built by", f"{implementation['compiler']} {implementation['flags']}".strip()))
    rows.append(
        ("needs", ", ".join(implementation["cpu_features"]) or "no CPU feature in particular")
    )
    if implementation["lanes"] > 1:
        rows.append(("messages at once", str(implementation["lanes"])))
    if implementation["kind"] == "mac":
        taken = (
            "several messages in one call"
            if implementation["batch_calls"]
            else "one message a call"
        )
        rows.append(("batches", taken))
    rows.append(("constant time", _TIMING[implementation["constant_time"]]))
    if implementation["kind"] != "hash":
        rows.append(
            ("key", key_lengths(implementation["key_bytes_min"], implementation["key_bytes_max"]))
        )
    return rows


SHOW: Final = Command(
    show,
    (
        "joulemark show hmac-sha256",
        "joulemark show hmac-sha256/shani",
        "joulemark show poly1305 --json",
    ),
)
