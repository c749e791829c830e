# SPDX-License-Identifier: Apache-2.0
"""Names at the ends of lines: the lines that have a name, and the height of the name."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from joulemark.report.drawing.curve import GAP, label_ends, spread


def row(variant: str, provider: str, value: float, size: int = 64) -> dict[str, Any]:
    """One picked point of a chart, with an interval of 10 % either way."""
    return {
        "variant": variant, "name": variant, "provider": provider, "bytes": size, "value": value,
        "low": 0.9 * value, "high": 1.1 * value, "picked": True,
    }  # fmt: skip


def test_labels_that_are_far_apart_stay_where_their_lines_end() -> None:
    """No label is moved without need."""
    assert spread([0.0, 100.0, 250.5], 372) == pytest.approx([0.0, 100.0, 250.5])


def test_labels_that_would_touch_are_moved_apart_evenly() -> None:
    """Of three labels at one height the middle one stays, and the others move up and down."""
    assert spread([100.0, 100.0, 100.0], 372) == pytest.approx([100 - GAP, 100, 100 + GAP])


@pytest.mark.parametrize("wanted", [[0, 1, 2, 3, 4, 5], [367, 368, 369, 370, 371, 372],
                                    [0, 2, 180, 181, 371, 372]])  # fmt: skip
def test_labels_never_overlap_nor_leave_the_chart(wanted: list[float]) -> None:
    """Labels keep their distance and stay within the chart at the upper and lower edge."""
    places = spread(wanted, 372)
    assert all(after - before >= GAP - 1e-9 for before, after in itertools.pairwise(places))
    assert places[0] >= 0
    assert places[-1] <= 372


def test_the_last_point_of_each_picked_line_has_the_label() -> None:
    """Our label says Joulemark; the short label of a provider's only line is the provider."""
    data = [
        row("shani", "joulemark", 100.0), row("shani", "joulemark", 400.0, 1024),
        row("openssl_oneshot", "openssl", 300.0), row("openssl_oneshot", "openssl", 500.0, 1024),
        row("nettle_a", "nettle", 700.0), row("nettle_b", "nettle", 900.0),
        row("python", "python", 9000.0) | {"picked": False},
    ]  # fmt: skip
    label_ends(data, "bytes")
    labelled = {(row["label"], row["short"], row["bytes"]) for row in data if "label" in row}
    assert labelled == {
        ("Joulemark shani", "Joulemark", 1024),
        ("openssl_oneshot", "openssl", 1024),
        ("nettle_a", "nettle_a", 64),
        ("nettle_b", "nettle_b", 64),
    }
    assert [row["own"] for row in data if "label" in row] == [True, False, False, False]


def test_heights_are_values_of_the_axis_within_the_chart() -> None:
    """Labels of lines that end at one value stand around it, within the range of the data."""
    data = [row(name, name, 100.0) for name in ("a", "b", "c")] + [row("d", "d", 1000.0)]
    label_ends(data, "bytes")
    heights = sorted(entry["label_at"] for entry in data)
    assert heights[0] == pytest.approx(90)
    assert heights == sorted({*heights})
    assert heights[-1] == pytest.approx(1000)


def test_providers_alone_are_not_named_with_each_line() -> None:
    """Labels of a run of ours alone are variants, also at a point whose interval has no width."""
    data = [row("shani", "joulemark", 100.0) | {"low": 100.0, "high": 100.0}]
    label_ends(data, "bytes")
    assert (data[0]["label"], data[0]["short"]) == ("shani", "shani")
    assert data[0]["label_at"] == pytest.approx(100)
