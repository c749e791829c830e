# SPDX-License-Identifier: Apache-2.0
"""The charts, compared as specifications."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import fake_energy
import fake_results as fake
import pytest

from joulemark.analyse import ResultSet
from joulemark.records.figures import Evidence
from joulemark.records.trial import Mode
from joulemark.report.charts import (
    cycles_per_byte,
    discover,
    nanoseconds_per_message,
    ranking,
    samples,
)

CHARTS = {chart_definition.name: chart_definition for chart_definition in discover()}


def build_of(name: str) -> Any:
    """How a chart is built; some get what they need beside, such as a batch of everything."""
    build = CHARTS[name].build
    needs = {"batches": fake.in_batches, "samples": fake.with_histograms}.get(name)
    return build if needs is None else lambda results: build(needs(results))


BUILDS = [pytest.param(build_of(name), id=name) for name in CHARTS]
OF_ALL_RESULTS = [
    parameter_set for parameter_set in BUILDS if parameter_set.id != "ratio_to_library"
]
"""Charts that need no outside library beside."""


def spec(chart: Any) -> dict[str, Any]:
    """A chart as plain data."""
    return chart


def rows(chart: Any) -> list[dict[str, Any]]:
    """The rows that a chart carries."""
    chosen = spec(chart)
    return chosen["data"]["values"]


def parameter(chart: Any, name: str) -> dict[str, Any]:
    """One parameter of a chart."""
    return next(param for param in spec(chart)["params"] if param["name"] == name)


def test_charts_are_discovered_in_the_order_of_the_page() -> None:
    """Every file in the folder is a chart with title and caption; the ratio comes first."""
    assert list(CHARTS) == [
        "ratio_to_library",
        "nanoseconds_per_message",
        "batches",
        "ranking",
        "energy_per_byte",
        "samples",
        "energy_time",
        "cycles_per_byte",
    ]
    assert all(
        chart_definition.title and chart_definition.caption.endswith(".")
        for chart_definition in CHARTS.values()
    )


@pytest.mark.parametrize("build", BUILDS)
def test_charts_are_vega_lite(build: Any) -> None:
    """Altair, which checks each part by the schema of Vega-Lite, refuses no chart."""
    results = fake_energy.with_energy(fake.realistic())
    assert alt.Chart.from_dict(build(results)).to_dict()


@pytest.mark.parametrize("build", BUILDS)
def test_nothing_measured_gives_no_chart(build: Any) -> None:
    """A run without results has no charts."""
    assert build(fake.result_set([])) is None


def test_absent_cycles_say_why() -> None:
    """Without core cycles there is no cycle chart, and the recorded reason is given."""
    results = fake.result_set([fake.result(fake.HMAC_SHA256[0], 64, cycles=None)])
    assert cycles_per_byte.build(results) is None
    assert cycles_per_byte.missing(results).text == "no cycle counter: the kernel forbids it"
    assert nanoseconds_per_message.build(results) is not None


def test_missing_reason_of_an_empty_run() -> None:
    """A run without results says that nothing was measured."""
    assert "Nothing was measured" in ranking.missing(fake.result_set([])).text


@pytest.mark.parametrize("build", [cycles_per_byte.build, nanoseconds_per_message.build])
def test_curves_are_logarithmic_with_intervals(build: Any) -> None:
    """Both axes are logarithmic and an interval from low to high is drawn for every point."""
    layers = spec(build(fake.realistic()))["layer"]
    interval = next(layer for layer in layers if layer["mark"]["type"] == "errorbar")
    assert interval["encoding"]["y"]["field"] == "low"
    assert interval["encoding"]["y2"]["field"] == "high"
    for layer in layers:
        at_the_edge = "value" in layer["encoding"]["x"]
        assert at_the_edge or layer["encoding"]["x"]["scale"]["type"] == "log"
        assert layer["encoding"]["y"]["scale"]["type"] == "log"


@pytest.mark.parametrize("build", [cycles_per_byte.build, nanoseconds_per_message.build])
def test_zero_bytes_stay_off_the_logarithmic_axis(build: Any) -> None:
    """Zero-byte messages are left out of curves, and the captions say so."""
    assert 0 not in {row["bytes"] for row in rows(build(fake.realistic()))}
    for module in (cycles_per_byte, nanoseconds_per_message):
        assert "Zero-byte messages" in module.CAPTION


def test_your_own_code_comes_first() -> None:
    """The slow code of a user is above ours and libraries, and among the lines that are shown."""
    mine = fake.Fake("hmac-sha256/mine", "mine-hmac-sha256", 5000.0, 50.0)
    codes = (*fake.HMAC_SHA256, mine)
    results = fake.with_histograms(fake.result_set(fake.result(code, 64) for code in codes))
    for build in (ranking.build, samples.build):
        chart = spec(build(results))
        (layer, *_) = chart["layer"]
        assert layer["encoding"]["y"]["sort"]["field"] == "order"
        assert "datum.yours" in json.dumps(chart["transform"])
        assert layer["encoding"]["color"]["scale"]["domain"][0] == "mine"
        assert {row["variant"] for row in rows(build(results)) if row.get("yours")} == {"mine"}
    picked = {row["variant"] for row in rows(nanoseconds_per_message.build(results))
              if row["picked"]}  # fmt: skip
    assert "mine" in picked
    assert "shani" in picked


def test_ranking_keeps_zero_bytes() -> None:
    """The ranking starts its axis at zero and offers zero-byte messages."""
    chart = ranking.build(fake.realistic())
    assert 0 in parameter(chart, "size")["bind"]["options"]
    assert spec(chart)["layer"][0]["encoding"]["x"]["scale"]["zero"] is True


def test_interval_touching_zero_stays_off_the_logarithmic_axis() -> None:
    """A figure whose interval reaches zero is not drawn on a logarithmic axis."""
    result = fake.result(fake.HMAC_SHA256[0], 64)
    figure = fake.figure(1e-9, Evidence.MEASURED, half_width=1.0)
    results = fake.result_set([result.model_copy(update={"seconds_per_message": figure})])
    assert nanoseconds_per_message.build(results) is None
    assert ranking.build(results) is not None


def test_values_are_in_nanoseconds() -> None:
    """Rows carry the median and the interval in the unit of the axis."""
    results = fake.result_set([fake.result(fake.Fake("a/b", "joulemark", 100.0, 0.0), 64)])
    (row,) = rows(nanoseconds_per_message.build(results))
    assert row["value"] == pytest.approx(100.0)
    assert (row["low"], row["high"]) == (pytest.approx(99.0), pytest.approx(101.0))
    assert row["text"] == "100 ns [99, 101]"


def test_evidence_stands_in_axis_title_and_tooltip() -> None:
    """The evidence word is in the axis title, in the tooltip and in the line above the chart."""
    chart = spec(cycles_per_byte.build(fake.small()))
    axes = {layer["encoding"]["y"]["title"] for layer in chart["layer"]}
    assert axes == {"core cycles per byte (modelled)"}
    assert "evidence" in json.dumps([layer["encoding"].get("tooltip") for layer in chart["layer"]])
    assert "evidence_of[workload]" in chart["title"]["text"]["expr"]


def test_two_kinds_of_evidence_never_share_a_picture() -> None:
    """Where one workload has modelled and measured figures, the dropdown separates them."""
    first, second = fake.HMAC_SHA256[:2]
    results = fake.result_set(
        [fake.result(first, 64), fake.result(second, 64, cycles=Evidence.MEASURED)]
    )
    chart = cycles_per_byte.build(results)
    options = parameter(chart, "workload")["bind"]["options"]
    assert sorted(option.rsplit(", ", 1)[1] for option in options) == ["measured", "modelled"]
    by_workload = {row["workload"]: row["evidence"] for row in rows(chart)}
    assert parameter(chart, "evidence_of")["value"] == by_workload


@pytest.mark.parametrize("build", OF_ALL_RESULTS)
def test_dropdowns_choose_algorithm_and_workload(build: Any) -> None:
    """Algorithm and workload are dropdowns; the largest algorithm and workload come first."""
    chart = build(fake_energy.with_energy(fake.realistic()))
    algorithm, workload = parameter(chart, "algorithm"), parameter(chart, "workload")
    assert algorithm["value"] == "hmac-sha256"
    assert algorithm["bind"]["options"] == [
        "blake2s-keyed",
        "hmac-sha1",
        "hmac-sha256",
        "siphash-2-4",
    ]
    assert workload["value"] == "throughput, hot cache, key kept"
    assert workload["bind"]["options"][1] == "latency, hot cache, key kept"


@pytest.mark.parametrize("build", OF_ALL_RESULTS)
def test_no_dropdown_without_a_choice(build: Any) -> None:
    """One algorithm in one workload needs no dropdown."""
    chart = build(fake_energy.with_energy(fake.small()))
    assert "bind" not in parameter(chart, "algorithm")
    assert "bind" not in parameter(chart, "workload")


def test_among_equals_hmac_sha256_is_shown_first() -> None:
    """When two algorithms have as many implementations, hmac-sha256 is preferred."""
    names = ("aaa/one", "hmac-sha256/one", "zzz/one")
    results = fake.result_set(fake.result(fake.Fake(n, "x", 9.0, 1.0), 64) for n in names)
    assert parameter(ranking.build(results), "algorithm")["value"] == "hmac-sha256"


def test_ranking_starts_at_a_length_that_was_measured() -> None:
    """Without 64-byte messages the ranking starts at a length that the algorithm has."""
    results = fake.result_set(fake.result(fake.HMAC_SHA256[0], size) for size in (100, 200))
    assert parameter(ranking.build(results), "size")["value"] == 100


def looks(results: ResultSet, build: Any) -> dict[str, str]:
    """The palette expression of each variant of a chart."""
    scale = spec(build(results))["layer"][0]["encoding"]["color"]["scale"]
    return dict(zip(scale["domain"], (entry["expr"] for entry in scale["range"]), strict=True))


def test_colours_mean_the_same_in_every_chart() -> None:
    """A variant has one colour in the whole report."""
    results = fake.realistic()
    first = looks(results, nanoseconds_per_message.build)
    assert looks(results, ranking.build) == first
    assert looks(results, cycles_per_byte.build) == first


def test_names_never_reach_an_expression() -> None:
    """Texts of results are data only; every expression in a chart is constant text."""
    evil = fake.Fake("x' + alert(1) + '/</script><b>", "p", 9.0, 1.0)
    ours = fake.Fake("x' + alert(1) + '/ours", "joulemark", 9.0, 1.0)
    results = fake.result_set([fake.result(evil, 64), fake.result(evil, 8), fake.result(ours, 64)])
    for name in CHARTS:
        chart = spec(build_of(name)(fake_energy.with_energy(results)))
        chart.pop("data")
        chart.pop("datasets", None)
        chart["params"] = [p for p in chart["params"] if "value" not in p]
        for layer in chart["layer"]:
            for channel in ("color", "shape", "strokeDash"):
                layer["encoding"].get(channel, {}).pop("scale", None)
        assert "alert" not in json.dumps(chart)


def test_target_and_mode_separate_workloads() -> None:
    """Other targets and modes are other workloads, never mixed in one picture."""
    fake_result = fake.HMAC_SHA256[0]
    results = fake.result_set(
        [
            fake.result(fake_result, 64),
            fake.result(fake_result, 64, mode=Mode.LATENCY),
            fake.result(fake_result, 64, target="mcu:atmega128", time=Evidence.SIMULATED),
        ]
    )
    options = parameter(ranking.build(results), "workload")["bind"]["options"]
    assert len(options) == 3
    assert any(option.endswith("on mcu:atmega128") for option in options)
