# SPDX-License-Identifier: Apache-2.0
"""The chart of batches: the engine beside libraries that take batches."""

from __future__ import annotations

from typing import Any

import fake_results as fake

from joulemark.analyse import Result, ResultSet
from joulemark.records.figures import AbsenceKind
from joulemark.report.charts import batches
from joulemark.report.words import groups

WHOLE = ("avx2_x8", "engine", "ipsec_mb_burst", "ipsec_mb_job", "avx2_x16", "avx2_x32")
PROVIDERS = {"ipsec_mb_burst": "ipsec_mb", "ipsec_mb_job": "ipsec_mb", "openssl_evp": "openssl",
             "nettle_mac": "nettle"}  # fmt: skip


def one(variant: str, batch: int, size: int = 64) -> Result:
    """A trial of one variant; variants in `WHOLE` are cheaper in batches."""
    provider = PROVIDERS.get(variant, "joulemark")
    at_once = variant in WHOLE
    names = [*WHOLE, *PROVIDERS]
    cost = (100.0 + names.index(variant)) / (batch if at_once else 1)
    found = fake.result(fake.Fake(f"hmac-sha256/{variant}", provider, cost, 0.0), size)
    return found.model_copy(update={"batch": batch, "batch_calls": at_once if batch > 1 else None})


def run(sizes: tuple[int, ...] = (64,), calls: tuple[int, ...] = (1, 16, 128)) -> ResultSet:
    """Every implementation at every batch."""
    names = list(dict.fromkeys([*WHOLE, *PROVIDERS]))
    found = [one(name, batch, size) for name in names for batch in calls for size in sizes]
    return fake.result_set(found)


def rows(results: ResultSet) -> list[dict[str, Any]]:
    """The rows that the chart draws."""
    chart = batches.build(results)
    assert chart is not None
    spec = chart
    return spec["data"]["values"]


def test_without_batches_there_is_no_chart() -> None:
    """Without batches nobody asked for the chart, so the page leaves the section out."""
    assert batches.build(fake.realistic()) is None
    assert batches.missing(fake.realistic()).kind is AbsenceKind.NOT_ASKED


def test_the_engine_stands_beside_libraries_that_take_batches() -> None:
    """The chart picks the engine, though another variant of ours is faster, the best library that
    takes whole batches and the best that takes messages one by one.
    """
    picked = {row["variant"] for row in rows(run()) if row["picked"]}
    assert picked == {"engine", "ipsec_mb_burst", "openssl_evp"}


def test_single_use_and_all_batches_are_one_line() -> None:
    """All batches belong to one workload; the last point of a line has the name of the line."""
    engine = [row for row in rows(run()) if row["variant"] == "engine"]
    assert {row["workload"] for row in engine} == {"throughput, hot cache, key kept"}
    assert [row["batch"] for row in engine] == [1, 16, 128]
    assert [row.get("label") for row in engine] == [None, None, "Joulemark engine"]
    last = next(row for row in rows(run()) if row["variant"] == "openssl_evp" and "label" in row)
    assert last["label"] == "openssl_evp, one by one"


def test_lengths_without_a_batch_are_left_out() -> None:
    """A length that was measured one message at a time has nothing to show here."""
    results = run()
    single = [one("engine", 1, 4096)]
    results = results.model_copy(update={"results": [*results.results, *single]})
    assert {row["bytes"] for row in rows(results)} == {64}


def test_workloads_stand_in_the_order_of_their_batches() -> None:
    """The batch of 16 stands before that of 128, in tables and in the answer."""
    labels = list(dict.fromkeys(group.workload for group in groups(run())))
    assert [label.rpartition("kept")[2] for label in labels] == [
        "", ", batch of 16", ", batch of 128",
    ]  # fmt: skip
