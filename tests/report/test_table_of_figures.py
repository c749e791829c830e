# SPDX-License-Identifier: Apache-2.0
"""The table of figures against the fields of results, and against the outputs that show them."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from joulemark.analyse import DomainEnergy, Figure, Result
from joulemark.records.figures import FIGURES, Evidence, FigureGroup, figure_kind
from joulemark.report.columns import COLUMNS
from joulemark.report.export import csv
from joulemark.report.words import UNIT_TEXT

OF_A_DOMAIN = {FigureGroup.ENERGY, FigureGroup.DOMAIN}


def figures_of(model: type[BaseModel]) -> set[str]:
    """Names of the fields of a model that hold a figure or None."""
    return {name for name, field in model.model_fields.items() if field.annotation == Figure | None}


def test_every_figure_of_a_result_is_in_the_table() -> None:
    """The table has exactly the figures of a result, so that a new one cannot be forgotten."""
    listed = {kind.field for kind in FIGURES if kind.group is not FigureGroup.DOMAIN}
    assert listed == figures_of(Result)


def test_every_figure_of_a_domain_is_in_the_table() -> None:
    """The table has every figure of a domain, also those of a result's headline domain."""
    assert {kind.field for kind in FIGURES if kind.group in OF_A_DOMAIN} == figures_of(DomainEnergy)


def test_names_are_of_one_figure() -> None:
    """No two figures share a field, a heading or a column of CSV."""
    for names in (
        [kind.field for kind in FIGURES],
        [kind.heading for kind in FIGURES],
        [kind.csv_stem for kind in FIGURES if kind.csv_stem],
    ):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", FIGURES, ids=lambda kind: kind.field)
def test_a_figure_is_written_with_its_unit(kind) -> None:
    """Joules, watts and seconds carry their unit; counts are named by the heading."""
    figure = Figure(
        median=2e-9,
        low=2e-9,
        high=2e-9,
        minimum=2e-9,
        quartile_1=2e-9,
        quartile_3=2e-9,
        mad=0.0,
        samples=1,
        evidence=Evidence.MEASURED,
    )
    text = UNIT_TEXT[kind.unit](figure)
    named = {"s": "ns", "J": "nJ", "W": "nW", "J\N{MIDDLE DOT}s": "nJ\N{MIDDLE DOT}s"}
    assert (named.get(kind.unit.value, "0") in text) or text == "0"


def test_every_figure_of_a_result_is_exported() -> None:
    """CSV has a column of each figure, and each column of the page is a figure of a result."""
    stems = {**csv._ALWAYS, **csv._WHERE_PRESENT}
    assert stems.keys() == figures_of(Result)
    assert {column.field for column in COLUMNS} <= figures_of(Result)
    assert figure_kind("watts").heading == "Power (gross)"
