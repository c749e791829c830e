# SPDX-License-Identifier: Apache-2.0
"""Tables that GitHub, GitLab and a mail reader show well: one per algorithm and workload."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from joulemark.analyse import ResultFailure, ResultSet
from joulemark.report import Facts, Notes, Part, Sheet
from joulemark.report.circumstances import SIMULATED, cpu_name, has_run, started
from joulemark.report.columns import is_simulated, reasons
from joulemark.report.draw import markdown
from joulemark.report.tables import MODELS, core_sheets, domain_table, rankings
from joulemark.report.words import TIED, TIED_MEANING, DoubtNumbers, Group, groups
from joulemark.units import format_bytes

SUFFIX = ".md"
SUMMARY = "tables for issues, commits and documentation"
_FIGURES = "Each figure is a median with its 95 % interval and the word for how it was obtained."


def render(results: ResultSet, algorithm: str | None) -> bytes:  # noqa: ARG001 - already applied
    """The document, UTF-8."""
    return markdown(document(results)).encode()


def document(results: ResultSet) -> Sheet:
    """All tables, warnings and reasons of a run."""
    run = f"{started(results)}, {cpu_name(results)}.\n" if has_run(results) else ""
    return Sheet("Joulemark results", [*_parts(results)], f"{run}{_FIGURES}")


def _parts(results: ResultSet) -> Iterator[Part]:
    numbers = DoubtNumbers()
    if is_simulated(results.results):
        yield Notes("", [SIMULATED], warning=True, listed=False)
    together = groupby(groups(results), key=lambda group: (group.algorithm, group.workload))
    for (name, workload), members in together:
        yield Sheet(f"{name}: {workload}", [*_of_workload(list(members), numbers)])
    if cores := core_sheets(results):
        yield Sheet("Hardware cores", cores, MODELS)
    yield Notes("Warnings", [f"!{number} {text}" for number, text in numbers.legend()])
    yield Notes("Warnings about the run", results.warnings)
    absent = reasons(result for result in results.results if result.size_bytes)
    yield Notes("Figures that could not be had", absent)
    yield Facts("Without a figure", [_failure(failure) for failure in results.failures])


def _of_workload(members: list[Group], numbers: DoubtNumbers) -> Iterator[Part]:
    yield rankings(members, numbers)
    if any(group.tied(group.results[0]) for group in members):
        yield Notes("", [f"{TIED} {TIED_MEANING}"], listed=False)
    if (energy := domain_table(members, paged=False)) is not None:
        yield energy


def _failure(failure: ResultFailure) -> tuple[str, str]:
    size = failure.size_bytes
    where = "" if size is None else f" at {format_bytes(size)}"
    return failure.implementation, f"{failure.kind.value}{where} - {failure.reason}"
