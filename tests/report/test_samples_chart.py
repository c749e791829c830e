# SPDX-License-Identifier: Apache-2.0
"""The strips of samples, and the histograms that they are drawn from."""

from __future__ import annotations

import fake_results as fake
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.analyse.estimate import histogram
from joulemark.records.figures import AbsenceKind
from joulemark.report.charts import samples
from joulemark.report.page.html import render_html


@given(st.lists(st.floats(1e-9, 1e-3), min_size=1, max_size=200))
def test_each_sample_is_counted_once(values: list[float]) -> None:
    """Whatever the times are, none is lost: it is in a bin or outside."""
    found = histogram(values)
    assert sum(found.counts) + found.outside == len(values)
    assert found.width > 0


def test_a_far_sample_does_not_flatten_the_others() -> None:
    """One sample of ten times the median stays outside; the others fill several bins."""
    near = [1e-7 * (1 + 0.001 * place) for place in range(20)]
    found = histogram([*near, 1e-6])
    assert found.outside == 1
    assert histogram(near).outside == 0
    assert sum(count > 0 for count in found.counts) >= 6
    assert found.low == near[0]


def test_equal_samples_are_one_bin() -> None:
    """A clock that gives the same time at each sample gives one full bin."""
    assert histogram([2e-7] * 5).counts[0] == 5


def test_each_implementation_has_a_strip() -> None:
    """A row for each result, with its bins relative to the median."""
    spec = samples.build(fake.with_histograms(fake.small()))
    assert spec is not None
    rows = spec["data"]["values"]
    assert {row["name"] for row in rows} == {"shani", "shani_x2"}
    assert all(sum(row["counts"]) + row["outside"] == 60 for row in rows)
    assert rows[1]["low_bin"] == pytest.approx(-0.01, abs=1e-5)
    assert rows[0]["low"] == pytest.approx(-fake.HALF_WIDTH, abs=1e-5)


def test_results_without_samples_have_no_strips() -> None:
    """Results of a file may have no samples; then the page leaves the section out."""
    assert samples.build(fake.small()) is None
    assert samples.missing(fake.small()).kind is AbsenceKind.NOT_ASKED


def test_histograms_are_in_no_json() -> None:
    """The published JSON has samples or nothing."""
    assert "histogram" not in fake.with_histograms(fake.small()).model_dump_json()


def test_strips_add_little_to_a_page() -> None:
    """A trial adds 1.4 kB to a page, 90 B of it for its strip."""
    results = fake.many(40)
    trials = len(results.results)
    plain, drawn = (len(render_html(page)) for page in (results, fake.with_histograms(results)))
    assert drawn - plain < 90 * trials + 3000
    assert drawn < 470_000 + 1400 * trials
