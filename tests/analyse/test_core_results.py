# SPDX-License-Identifier: Apache-2.0
"""Results made of a stored count of clocks and of a stored report of a core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from joulemark.analyse import SCHEMA_VERSION, Result, ResultSet
from joulemark.analyse.assemble import result_set
from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.core_report import ModuleFigures, StoredCoreReport
from joulemark.records.figures import Evidence
from joulemark.records.sample import ClockCount
from joulemark.records.trial import RTL, Mode, Trial, Workload
from joulemark.store.repository import Store

NAME = "sha256/core_sha256_pipeline"
FACTS = ImplementationFacts(
    NAME, "hash", "joulemark", "0.1.0", "Verilator 5.48", "STAGES=4", (), 1,
    constant_time=False, block_bytes=64, output_bytes=32, key_bytes_min=0, key_bytes_max=0,
    key_bytes=0,
)  # fmt: skip
REPORT = StoredCoreReport(
    core="sha256_pipeline", algorithm="sha256", target="asic", parameters={"STAGES": 4},
    figures={"area_ge": 60_000.0, "luts": None}, evidence={"area_ge": "modelled"},
    settings={"clock_hz": 5e5}, digest="d1", joulemark_version="0.1.0",
    made_at="2026-01-02T03:04:05+00:00", modules=[ModuleFigures("u", 1.0, 2.0)],
    reasons={"luts": "standard cells have no LUTs"},
)  # fmt: skip


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store."""
    with Store.open(":memory:") as opened:
        yield opened


def simulated(store: Store, *counts: tuple[Workload, ClockCount], **study: object) -> int:
    """A finished run of one core."""
    run_id = store.begin_run(
        study={"targets": [RTL], **study}, study_digest="x", seed=1, rounds=1,
        environment={"cpu_model": "Model T", "governor": "powersave"}, joulemark_version="0.1.0",
    )  # fmt: skip
    store.add_implementation(run_id, FACTS)
    for workload, count in counts:
        store.add_clock_count(run_id, Trial(NAME, workload, RTL), count)
    store.finish_run(run_id)
    return run_id


def only(results: ResultSet) -> Result:
    """The one result of a run."""
    [result] = results.results
    return result


def test_figures_are_exact_and_simulated(store: Store) -> None:
    """Clocks per message and per byte are exact, called simulated, and the only figures."""
    run_id = simulated(store, (Workload(64), ClockCount(8, 256, 3)))
    result = only(result_set(store, run_id))
    assert (result.target, result.evidence) == (RTL, Evidence.SIMULATED)
    per_message, per_byte = result.clocks_per_message, result.clocks_per_byte
    assert per_message is not None
    assert per_byte is not None
    assert (per_message.low, per_message.median, per_message.high) == (32, 32, 32)
    assert (per_message.mad, per_message.samples, per_message.evidence) == (0, 1, "simulated")
    assert per_byte.median == 0.5
    assert result.key_setup_clocks is not None
    assert result.key_setup_clocks.median == 3
    for name in ("seconds_per_message", "core_cycles_per_byte", "tsc_ticks_per_byte", "watts"):
        assert getattr(result, name) is None
        assert "clocks and no time" in result.reasons[name].text
    assert result.bytes_per_second is None
    assert result.warnings == []


def test_fraction_of_a_clock(store: Store) -> None:
    """Eight messages in seven clocks are seven eighths of a clock each."""
    run_id = simulated(store, (Workload(1), ClockCount(8, 7, None)))
    figure = only(result_set(store, run_id)).clocks_per_message
    assert figure is not None
    assert figure.median == 0.875


def test_empty_message_and_no_key(store: Store) -> None:
    """A message of no bytes has clocks and none for each byte; without a key there is no set-up."""
    run_id = simulated(store, (Workload(0, Mode.LATENCY), ClockCount(1, 65, None)))
    result = only(result_set(store, run_id))
    assert result.clocks_per_message is not None
    assert (result.clocks_per_byte, result.key_setup_clocks) == (None, None)
    assert result.reasons["clocks_per_byte"].text == "a message of 0 bytes has no cost per byte"
    assert result.reasons["key_setup_clocks"].text == "this core takes no key"


def test_nothing_of_the_machine_is_warned_of(store: Store) -> None:
    """Governor and load do not affect a simulation, as nothing was timed."""
    found = result_set(store, simulated(store, (Workload(64), ClockCount(8, 256, None))))
    assert found.warnings == []
    assert found.context["loop"]["seconds_per_message"] is None
    assert "no time" in found.context["loop"]["reason"]
    assert found.schema_version == SCHEMA_VERSION == 9


def test_raw_counts_on_demand(store: Store) -> None:
    """With raw samples the result has the count."""
    run_id = simulated(store, (Workload(64), ClockCount(8, 256, None)))
    assert only(result_set(store, run_id)).samples is None
    raw = only(result_set(store, run_id, raw=True)).samples
    assert raw == [{"messages": 8, "clocks": 256, "key_clocks": None}]


def test_figures_of_a_broken_core_are_withheld(store: Store) -> None:
    """A core that gave a wrong output has no figure, whatever was counted before."""
    run_id = simulated(store, (Workload(64), ClockCount(8, 256, None)))
    store.add_failure(run_id, Failure(NAME, FailureKind.WRONG_OUTPUT, "gives 00", 64))
    found = result_set(store, run_id)
    assert found.results == []
    assert [failure.reason for failure in found.failures] == ["gives 00"]


def test_newest_report_of_each_kind(store: Store) -> None:
    """A later report replaces the earlier one of the same settings; reports of others stay."""
    figures = {"area_ge": 59_000.0, "luts": None}
    newer = REPORT.model_copy(update={"figures": figures, "digest": "d2"})
    other = REPORT.model_copy(update={"settings": {"clock_hz": 1e6}, "digest": "d3"})
    for report in (REPORT, newer, other):
        store.add_core_report(report)
    found = result_set(store, simulated(store)).core_reports
    assert [(report.digest, report.figures["area_ge"]) for report in found] == [
        ("d2", 59e3),
        ("d3", 60e3),
    ]
    assert found[0].reasons == {"luts": "standard cells have no LUTs"}
    assert found[0].made_at.endswith("+00:00")


def test_published_results_read_back(store: Store) -> None:
    """The JSON of cores reads back to the same results."""
    store.add_core_report(REPORT)
    found = result_set(store, simulated(store, (Workload(64), ClockCount(8, 256, 3))), raw=True)
    read = ResultSet.model_validate_json(found.model_dump_json())
    assert read.model_dump(mode="json") == found.model_dump(mode="json")


def test_older_results_had_parts_of_reports(store: Store) -> None:
    """Version 5 had clocks in megahertz, and 8 device and modules among settings and figures."""
    store.add_core_report(REPORT)
    found = result_set(store, simulated(store)).model_dump(mode="json") | {"schema_version": 5}
    [report] = found["core_reports"]
    modules = report.pop("modules")
    for name in ("schema_version", "title", "device"):
        del report[name]
    report |= {
        "figures": {"fmax_mhz": 62.5, "luts": None, "modules": modules},
        "evidence": {"fmax_mhz": "modelled"},
        "settings": {"device": "ecp5", "fmax_by_seed_mhz": [62.5, None]},
    }
    [read] = ResultSet.model_validate(found).core_reports
    assert read.figures == {"fmax_hz": 62.5e6, "luts": None}
    assert read.evidence == {"fmax_hz": "modelled"}
    assert (read.device, read.settings) == ("ecp5", {"fmax_by_seed_hz": [62.5e6, None]})
    assert (read.title, read.modules) == ("", REPORT.modules)
