# SPDX-License-Identifier: Apache-2.0
"""`joulemark export`: a stored run as a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.analyse.results import ResultSet
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, RUN_OPTION, STORE_OPTION
from joulemark.cli.shared.stored_results import stored_results
from joulemark.environment.facts import NAMING_KEYS
from joulemark.errors import UsageError
from joulemark.report.export import exporter
from joulemark.report.files import write_atomically
from joulemark.report.words import algorithms, only


class Format(StrEnum):
    """Kinds of files; each is a module of `joulemark.report.export`, which a test checks."""

    JSON = "json"
    CSV = "csv"
    CORES_CSV = "cores_csv"
    MARKDOWN = "markdown"
    SVG = "svg"
    PNG = "png"


_PICTURES = {Format.SVG, Format.PNG}
_SUFFIXES = {
    ".json": Format.JSON,
    ".csv": Format.CSV,
    ".md": Format.MARKDOWN,
    ".svg": Format.SVG,
    ".png": Format.PNG,
}


def export(
    *,
    run: Annotated[int | None, RUN_OPTION] = None,
    format_: Annotated[
        Format | None,
        typer.Option(
            "--format", help="Kind of file; the ending of --output decides unless given, else JSON."
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Export this algorithm alone; a picture always shows one.",
            autocompletion=algorithm_names,
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="With JSON: every raw sample of each result too.")
    ] = False,
    no_machine: Annotated[
        bool,
        typer.Option(
            "--no-machine",
            help="Leave out which machine it was: the digest and the name that tell it from its "
            "equals.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write here.  [default: standard output]"
        ),
    ] = None,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Export a stored run as JSON, CSV, Markdown or a picture.

    Estimates are computed from the stored samples each time. Pictures show time against message
    length.
    """
    chosen = format_ or (_SUFFIXES.get(output.suffix.lower()) if output else Format.JSON)
    if chosen is None:
        raise UsageError(f"the ending of {output} names no format; give one with --format")
    if raw and chosen is not Format.JSON:
        raise UsageError("--raw goes with JSON only; the other formats have no place for samples")
    if output is None and chosen in _PICTURES and typer.get_text_stream("stdout").isatty():
        raise UsageError(f"a {chosen} picture is not for a terminal; name a file with --output")
    results = stored_results(store, run, raw=raw)
    if no_machine:
        results = _without_machine(results)
    data = _rendered(results, chosen, algorithm)
    if output is None:
        typer.echo(data, nl=False)
        return

    write_atomically(output, data)
    typer.echo(f"{output} written", err=True)


def _without_machine(results: ResultSet) -> ResultSet:
    """The results without the facts by which a machine can be told from its equals."""
    if "environment" not in results.context:  # reports of cores alone
        return results
    environment = dict(results.context["environment"])
    reasons = dict(environment.get("reasons", {}))
    for key in NAMING_KEYS:
        environment[key] = None
        reasons[key] = "left out of this export"
    known = {**results.context, "environment": {**environment, "reasons": reasons}}
    return results.model_copy(update={"context": known})


def _rendered(results: ResultSet, chosen: Format, algorithm: str | None) -> bytes:
    if algorithm is not None:
        drawn = chosen in _PICTURES
        reported = () if drawn else (core_report.algorithm for core_report in results.core_reports)
        known = sorted({*algorithms(results.results), *reported})
        if algorithm not in known:
            raise UsageError(
                f"this run has no figure of '{algorithm}'; it has "
                f"{', '.join(known) or 'none at all'}"
            )
        results = only(results, algorithm)
    return exporter(chosen).render(results, algorithm)


COMMAND: Final = Command(
    export,
    (
        "joulemark export > run.json",
        "joulemark export --run 3 --format markdown",
        "joulemark export --format cores_csv > cores.csv",
        "joulemark export --algorithm hmac-sha256 --output hmac.png",
    ),
)
