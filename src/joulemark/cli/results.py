# SPDX-License-Identifier: Apache-2.0
"""Stored runs: `joulemark results`, `export`, `report`, `import`, `explore` and `publish`."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.analyse import ResultSet
from joulemark.analyse.assemble import cores_alone, result_set
from joulemark.analyse.importing import ImportedFile, put_into, read_export
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.measuring_options import (
    ALL_OPTION,
    DEFAULT_STORE,
    RUN_OPTION,
    STORE_OPTION,
)
from joulemark.cli.shared.terminal import print_lines, print_text, sentences
from joulemark.environment.facts import NAMING_KEYS
from joulemark.errors import UsageError
from joulemark.explorer import PublishRequest, ServeRequest
from joulemark.foreign import screen_size, visible
from joulemark.report import write_atomically
from joulemark.report.answers import has_answer
from joulemark.report.circumstances import meter_choice
from joulemark.report.draw import sheet_lines
from joulemark.report.export import exporter
from joulemark.report.page.html import write_html
from joulemark.report.screen import LINES, Screen
from joulemark.report.terminal_tables import results_sheet
from joulemark.report.words import algorithms, only
from joulemark.store.repository import Store


def stored_results(
    location: str, number: int | None, *, raw: bool, histograms: bool = False
) -> ResultSet:
    """Results of a run, the latest unless given; of cores if the store holds them alone."""
    with Store.existing(location) as store:
        if number is None and store.latest_run() is None and store.core_reports():
            return cores_alone(store)
        return result_set(store, store.run_or_latest(number).id, raw=raw, histograms=histograms)


def print_results(
    results: ResultSet,
    kind: str | None,
    *,
    all_of_them: bool,
    more: str,
    below: int = 0,
    energy_said: bool = False,
) -> None:
    """Prints results as an export format, or as text if `kind` is None.

    The command `more` shows the long tables, which `all_of_them` shows in any case. `below` is the
    number of lines that follow on the same terminal. With `energy_said`, a sentence on standard
    error says why there are no joules.
    """
    if kind is not None:
        typer.echo(exporter(kind).render(results, None), nl=False)
        return
    if (choice := meter_choice(results)) is not None:
        sentences([visible(choice)])
    size = screen_size()
    if all_of_them or not has_answer(results):
        sheet = results_sheet(results, size.columns, energy_said=energy_said)
        print_lines(sheet_lines(sheet, size.columns))
    else:
        limit = min(size.lines - below, LINES) if sys.stdout.isatty() else LINES
        print_lines(Screen(results, more).lines(size.columns, limit))


def command_for_all(run: int, store: str | None) -> str:
    """The command that shows all results of a run; its store is None if it was not kept."""
    if store is None:
        return "the same command with --all"
    place = "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"
    return f"joulemark results {run} --all{place}"


def page_line(page: Path) -> str:
    """A line with the file of a page, and its address, of which a terminal makes a link."""
    return f"report: {page} ({page.absolute().as_uri()})"


# `joulemark results`: a stored run in the terminal, as `bench` showed it.


def results(
    run: Annotated[
        int | None,
        typer.Argument(
            metavar="[N]", help="Number of the run (see 'joulemark runs'); the latest unless given."
        ),
    ] = None,
    all_of_them: Annotated[bool, ALL_OPTION] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Show a stored run again, as bench did at its end."""
    found = stored_results(store, run, raw=False)
    number = found.context["run"].get("id", 0)
    print_results(found, None, all_of_them=all_of_them, more=command_for_all(number, store))


RESULTS: Final = Command(results, ("joulemark results", "joulemark results 3 --all | less"))


# `joulemark export`: a stored run as a file.


class Format(StrEnum):
    """Kinds of files; each is a module of `joulemark.report.export`, which a test checks."""

    JSON = "json"
    CSV = "csv"
    CORES_CSV = "cores_csv"
    MARKDOWN = "markdown"
    LATEX = "latex"
    SVG = "svg"
    PNG = "png"


_PICTURES = {Format.SVG, Format.PNG}
_SUFFIXES = {
    ".json": Format.JSON,
    ".csv": Format.CSV,
    ".md": Format.MARKDOWN,
    ".tex": Format.LATEX,
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
    print_text(f"{output} written", err=True)


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


EXPORT: Final = Command(
    export,
    (
        "joulemark export > run.json",
        "joulemark export --run 3 --format markdown",
        "joulemark export --algorithm hmac-sha256 --output table.tex",
        "joulemark export --format cores_csv > cores.csv",
        "joulemark export --algorithm hmac-sha256 --output hmac.png",
    ),
)


# `joulemark report`: a stored run as a page.


def report(
    *,
    run: Annotated[int | None, RUN_OPTION] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write here.")
    ] = Path("report.html"),
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Write a stored run as one HTML page with charts, which opens without a network."""
    write_html(stored_results(store, run, raw=False, histograms=True), output)
    print_text(f"{output} written", err=True)


REPORT: Final = Command(
    report, ("joulemark report", "joulemark report --run 3 --output node-a.html")
)


# `joulemark explore` and `joulemark publish`: the whole store in the browser.


def explore(
    *,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes any that is free.")
    ] = 8765,
) -> ServeRequest:
    """Show the whole store in the browser: machines, runs, algorithms, comparisons, histories.

    The server listens on 127.0.0.1 alone and only reads. Each view has an address that can be sent
    to a colleague, and its data as CSV and JSON. Estimates are computed from the samples once, and
    kept in the user's folder of caches. Ctrl-C ends the server.
    """
    return ServeRequest(store, port, partial(print_text, err=True))


EXPLORE: Final = Command(
    explore, ("joulemark explore", "joulemark explore --store ~/lab/nodes.db --port 9000")
)


def publish(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Where the files go: a new folder, an empty one, or one that was published to.",
        ),
    ],
    *,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> PublishRequest:
    """Write the views of the explorer as files for any web server.

    An index, a page for each machine, run, algorithm, history and comparison, and a feed of
    changes. A page has its data, and buttons that save them as CSV and JSON. Links are relative, so
    that the files open from a disk too. A second call writes what has changed, and removes pages of
    runs that are gone.
    """
    return PublishRequest(store, folder, partial(print_text, err=True))


PUBLISH: Final = Command(
    publish, ("joulemark publish site", "joulemark publish site --store ~/lab/nodes.db")
)


# `joulemark import`: runs of other machines into the store.


def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="JSON that 'joulemark export --raw' wrote, of any version."
        ),
    ],
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Add runs that other machines exported to the store, each once.

    Figures are computed again from the raw samples. A file without raw samples is kept too; its
    figures are shown as published. If one file is refused, none is imported.
    """
    read = [read_export(path) for path in files]
    with Store.open(store) as target:
        for path, file in zip(files, read, strict=True):
            print_text(f"{visible(str(path))}: {_outcome_words(file, put_into(target, file))}")


def _outcome_words(file: ImportedFile, number: int | None) -> str:
    if file.content is None:
        return "reports of cores, and no run"
    if number is None:
        return "the store has this run already"
    cpu = visible(str(file.content.environment.get("cpu_model") or "an unknown CPU"))
    if file.content.observations == 0:
        return f"run {number}, of {cpu}, without raw samples: its figures are published"
    return f"run {number}, of {cpu}, {file.content.observations} samples"


IMPORT: Final = Command(
    import_files,
    ("joulemark import node1.json node2.json", "joulemark import --store team.db runs/*.json"),
)
