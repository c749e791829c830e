# SPDX-License-Identifier: Apache-2.0
"""`joulemark show`: everything known about one algorithm."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from joulemark.catalogue.algorithms import FAMILY, every_algorithm
from joulemark.catalogue.vectors import bibliography, vectors
from joulemark.cli.run.listing import LISTING_VERSION, provider_text, take_listing
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import ALGORITHM_ARGUMENT, JSON_OPTION, PLUGIN_OPTION
from joulemark.cli.shared.terminal import columns, heading, paragraph, print_json
from joulemark.errors import UsageError
from joulemark.mac_files import key_lengths
from joulemark.records.trial import RTL

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


COMMAND: Final = Command(
    show,
    (
        "joulemark show hmac-sha256",
        "joulemark show hmac-sha256/shani",
        "joulemark show poly1305 --json",
    ),
)
