# SPDX-License-Identifier: Apache-2.0
"""The charts of energy: both intervals, lines of equal power, one kind of figure in a picture."""

from __future__ import annotations

import math
from typing import Any

import fake_energy as energy
import fake_results as fake
import pytest

from joulemark.analyse import Result, ResultSet
from joulemark.records.figures import Evidence
from joulemark.report.charts import energy_per_byte, energy_time
from joulemark.report.charts.energy_time import iso_power
from joulemark.report.drawing import ticks

BOTH = [
    pytest.param(module_type, id=module_type.__name__[-11:])
    for module_type in (energy_time, energy_per_byte)
]


def spec(results: ResultSet, module: Any = energy_time) -> dict[str, Any]:
    """A chart as plain data."""
    return module.build(results)


def rows(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the points."""
    return chart["data"]["values"]


def layers(chart: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Layers with one kind of mark."""
    return [layer for layer in chart["layer"] if layer["mark"]["type"] == kind]


def parameter(chart: dict[str, Any], name: str) -> Any:
    """Value of one parameter of a chart."""
    return next(param for param in chart["params"] if param["name"] == name)


def test_a_point_for_each_implementation_and_length() -> None:
    """Every result has one point with its energy and time, in nanojoules and nanoseconds."""
    results = energy.with_energy(fake.realistic())
    found = rows(spec(results))
    assert len(found) == len(results.results)
    first = next(entry for entry in found if entry["name"] == "shani" and entry["bytes"] == 64)
    assert first["time"] == pytest.approx(97.2)
    assert (first["time_low"], first["time_high"]) == (
        pytest.approx(0.99 * 97.2),
        pytest.approx(1.01 * 97.2),
    )
    assert first["value"] == pytest.approx(97.2 * energy.NET_W)
    assert 0 in {entry["bytes"] for entry in found}


def test_both_intervals_are_drawn() -> None:
    """Each point has an interval of energy upwards and an interval of time sideways."""
    upright, flat = layers(spec(energy.with_energy(fake.small())), "errorbar")
    assert upright["mark"]["orient"] == "vertical"
    assert (upright["encoding"]["y"]["field"], upright["encoding"]["y2"]["field"]) == (
        "low",
        "high",
    )
    assert flat["mark"]["orient"] == "horizontal"
    assert (flat["encoding"]["x"]["field"], flat["encoding"]["x2"]["field"]) == (
        "time_low",
        "time_high",
    )


def test_both_axes_are_logarithmic_everywhere() -> None:
    """Points, intervals and lines of equal power share two logarithmic axes."""
    for layer in spec(energy.with_energy(fake.small()))["layer"]:
        assert layer["encoding"]["x"]["scale"]["type"] == "log"
        assert layer["encoding"]["y"]["scale"]["type"] == "log"


def power_lines(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the lines of equal power."""
    (rule,) = layers(chart, "rule")
    return chart["datasets"][rule["data"]["name"]]


def test_lines_of_equal_power_span_the_points() -> None:
    """Round powers lie on both sides of every point, and each line keeps its power."""
    lines = power_lines(spec(energy.with_energy(fake.small())))
    lines = [line for line in lines if line["shown"] == ""]
    assert [line["label"] for line in lines] == ["5 W", "10 W", "20 W"]
    for line in lines:
        assert line["value"] / line["time"] == pytest.approx(line["power_w"])
        assert line["value_end"] / line["time_end"] == pytest.approx(line["power_w"])


@pytest.mark.parametrize("watts", [0.0003, 1.0, 1.9, 3.0, 4.99, 700.0])
def test_one_point_lies_between_two_lines(watts: float) -> None:
    """Around a single point of any power there is a line above and a line below."""
    point = {"algorithm": "a", "workload": "w", "bytes": 64, "time": 100.0}
    point |= {"time_low": 99.0, "time_high": 101.0}
    point |= {"value": 100.0 * watts, "low": 99.0 * watts, "high": 101.0 * watts}
    found = [row["power_w"] for row in iso_power([point]) if row["shown"] == 64]
    assert min(found) < watts <= max(found) or min(found) <= watts < max(found)
    assert len(found) <= 3


def test_many_powers_are_thinned_to_decades() -> None:
    """Over many decades of power, lines stand only at powers of ten."""
    point = {"algorithm": "a", "workload": "w", "bytes": 64, "time": 1.0}
    point |= {"time_low": 1.0, "time_high": 1.0}
    data = [point | {"value": value, "low": value, "high": value} for value in (0.002, 3.0, 4000.0)]
    found = [row["power_w"] for row in iso_power(data)]
    assert all(math.log10(entry) == pytest.approx(round(math.log10(entry))) for entry in found)
    assert (min(found), max(found)) == (0.001, 10_000.0)


def test_lines_follow_the_selection() -> None:
    """The lines of one algorithm and workload are filtered like its points."""
    chart = spec(energy.with_energy(fake.realistic()))
    (rule,) = layers(chart, "rule")
    filters = [entry["filter"] for entry in rule["transform"]]
    of_points = [entry["filter"] for entry in chart["transform"]]
    assert filters[:2] == of_points[:2]
    assert (filters[2], of_points[2]) == (
        "datum.shown === size",
        "size === '' || datum.bytes === size",
    )
    assert {power_line["shown"] for power_line in power_lines(chart)} == {"", *fake.SIZES}
    assert {power_line["algorithm"] for power_line in power_lines(chart)} == {
        row["algorithm"] for row in rows(chart)
    }


def test_grid_has_steps_for_a_part_of_the_range() -> None:
    """Where a part of many decades can be shown by itself, lines also stand at 2 and 5."""
    wide = [{"low": 1.0, "high": 1e6}]
    assert 20.0 in ticks(wide, always_steps=True)
    assert 20.0 not in ticks(wide)
    assert 20.0 in ticks([{"low": 1.0, "high": 100.0}])


def test_all_lengths_are_shown_first() -> None:
    """The dropdown of lengths starts at all of them; with one length there is none."""
    size = parameter(spec(energy.with_energy(fake.small())), "size")
    assert size["value"] == ""
    assert size["bind"]["options"] == ["", 64, 4096]
    assert size["bind"]["labels"] == ["all lengths", "64 B", "4 KiB"]
    result_set = fake.result_set([fake.result(fake.HMAC_SHA256[0], 64)])
    assert "bind" not in parameter(spec(energy.with_energy(result_set)), "size")


def test_tooltip_names_domain_meter_and_method() -> None:
    """The tooltip of a point names the domain, the meter and the method."""
    chart = spec(energy.with_energy(fake.small()))
    (points,) = layers(chart, "point")
    fields = {entry["field"] for entry in points["encoding"]["tooltip"]}
    assert {"source", "meter", "method", "text", "time_text", "energy_evidence"} <= fields
    item = rows(chart)[0]
    assert (item["source"], item["meter"], item["method"]) == ("package-0", "powercap", "edges")


def test_each_axis_names_its_own_evidence() -> None:
    """With simulated joules over measured time each axis title has its own evidence word."""
    chart = spec(energy.with_energy(fake.small(), evidence=Evidence.SIMULATED))
    (points,) = layers(chart, "point")
    assert points["encoding"]["x"]["title"] == "time per message (measured)"
    assert points["encoding"]["y"]["title"] == "energy per message, net of deep idle (simulated)"
    assert set(parameter(chart, "evidence_of")["value"].values()) == {
        "energy simulated, time measured"
    }


@pytest.mark.parametrize("module", BOTH)
def test_two_evidences_never_share_a_picture(module: Any) -> None:
    """Measured and simulated joules of one workload are two choices of the dropdown."""
    small = fake.small()
    simulated = energy.with_energy(small, evidence=Evidence.SIMULATED).results[0]
    results = energy.with_energy(small)
    results = results.model_copy(update={"results": [simulated, *results.results[1:]]})
    chart = spec(results, module)
    by_workload: dict[str, set[str]] = {}
    for row in rows(chart):
        by_workload.setdefault(row["workload"], set()).add(row["evidence"])
    assert len(parameter(chart, "workload")["bind"]["options"]) == 2
    assert all(len(kinds) == 1 for kinds in by_workload.values())


def of_other_domain(result: Result) -> Result:
    """The same result with the cores as its headline."""
    domains = [
        domain.model_copy(update={"headline": domain.name == "core"}) for domain in result.energy
    ]
    return result.model_copy(update={"energy": domains})


@pytest.mark.parametrize("module", BOTH)
def test_two_domains_never_share_a_picture(module: Any) -> None:
    """Energy of a package and energy of its cores are two choices of the dropdown."""
    results = energy.with_energy(fake.small())
    found = [of_other_domain(results.results[0]), *results.results[1:]]
    chart = spec(results.model_copy(update={"results": found}), module)
    options = parameter(chart, "workload")["bind"]["options"]
    assert sorted(option.rsplit(", ", 1)[1] for option in options) == ["core", "package-0"]
    assert set(parameter(chart, "source_of")["value"].values()) == {"core", "package-0"}
    assert "source_of[workload]" in chart["title"]["text"]["expr"]


@pytest.mark.parametrize("module", BOTH)
def test_without_a_meter_the_reason_stands_in_its_place(module: Any) -> None:
    """Without energy the reason that the results carry stands in place of the chart."""
    assert module.build(fake.small()) is None
    assert module.missing(fake.small()).sentence == fake.NO_JOULES


@pytest.mark.parametrize("module", BOTH)
def test_refused_energy_is_not_drawn_and_says_why(module: Any) -> None:
    """Figures withheld for their error leave the reason in place of the picture."""
    results = energy.with_energy(fake.small(), refused=[energy.HEADLINE])
    assert module.build(results) is None
    assert module.missing(results).sentence == energy.TOO_UNCERTAIN


@pytest.mark.parametrize("module", BOTH)
def test_modelled_joules_are_no_energy_of_a_meter(module: Any) -> None:
    """Joules from a stated power are never drawn as if a meter had given them."""
    assert module.build(energy.with_model(fake.small())) is None


@pytest.mark.parametrize("module", BOTH)
def test_an_interval_touching_zero_is_said(module: Any) -> None:
    """Where no figure fits on a logarithmic axis, a sentence in place of the picture says so."""
    wide = fake.figure(1e-9, Evidence.MEASURED, half_width=1.0)
    results = energy.with_energy(fake.small())
    found = [
        result.model_copy(update={"joules_per_message": wide, "joules_per_byte": wide})
        for result in results.results
    ]
    results = results.model_copy(update={"results": found})
    assert module.build(results) is None
    assert "touches zero" in module.missing(results).text


def test_energy_per_byte_is_a_curve_of_lengths() -> None:
    """Energy per byte is drawn against length with its evidence and domain."""
    chart = spec(energy.with_energy(fake.realistic()), energy_per_byte)
    assert 0 not in {row["bytes"] for row in rows(chart)}
    assert chart["layer"][0]["encoding"]["y"]["title"] == (
        "energy per byte, net of deep idle (measured)"
    )
    tooltip = layers(chart, "point")[0]["encoding"]["tooltip"]
    assert "source" in {entry["field"] for entry in tooltip}
