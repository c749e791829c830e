# SPDX-License-Identifier: Apache-2.0
"""The chart of times over those of the best outside library."""

from __future__ import annotations

from typing import Any

import fake_results as fake
import pytest

from joulemark.analyse import Result, ResultSet
from joulemark.records.figures import AbsenceKind
from joulemark.report.charts import ratio_to_library
from joulemark.report.style import OWN_PROVIDER


def rows(results: ResultSet) -> list[dict[str, Any]]:
    """The rows that the chart draws."""
    chart = ratio_to_library.build(results)
    assert chart is not None
    spec = chart
    return spec["data"]["values"]


def of(provider: str, cost_ns: float, per_byte_ns: float, size: int) -> Result:
    """A result of this length whose time is `cost_ns` and `per_byte_ns` for each byte."""
    return fake.result(fake.Fake(f"sha256/{provider}", provider, cost_ns, per_byte_ns), size)


def test_the_fastest_library_is_one_at_each_length() -> None:
    """The fastest library changes with the length; its ratio is 1, and ours is relative to it."""
    slow_start, fast_start = ("openssl", 300.0, 0.5), ("nettle", 100.0, 1.0)
    ours = (OWN_PROVIDER, 50.0, 0.5)
    found = rows(
        fake.result_set(
            [of(*pace, size) for pace in (slow_start, fast_start, ours) for size in (64, 4096)]
        )
    )
    value = {(row["variant"], row["bytes"]): row["value"] for row in found}
    assert value["nettle", 64] == value["openssl", 4096] == 1
    assert value[OWN_PROVIDER, 64] == pytest.approx((50 + 32) / (100 + 64))
    assert value[OWN_PROVIDER, 4096] == pytest.approx((50 + 2048) / (300 + 2048))
    (entry,) = [row for row in found if (row["variant"], row["bytes"]) == (OWN_PROVIDER, 64)]
    assert entry["low"] < entry["value"] < entry["high"]
    assert entry["text"].startswith("0.50\N{MULTIPLICATION SIGN} of nettle's 164 ns")


def test_a_length_without_a_library_has_no_ratio() -> None:
    """Rows of such a length are left out, and rows of other lengths stay."""
    found = rows(fake.result_set([of("openssl", 300.0, 0.5, 64), of(OWN_PROVIDER, 50.0, 0.5, 64),
                                  of(OWN_PROVIDER, 50.0, 0.5, 1024)]))  # fmt: skip
    assert {row["bytes"] for row in found} == {64}


def test_without_a_library_there_is_no_chart() -> None:
    """Without a library nobody asked for the chart, so the page leaves the section out."""
    alone = fake.result_set([of(OWN_PROVIDER, 50.0, 0.5, 64)])
    assert ratio_to_library.build(alone) is None
    assert ratio_to_library.missing(alone).kind is AbsenceKind.NOT_ASKED
