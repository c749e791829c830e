# SPDX-License-Identifier: Apache-2.0
"""westermann2010: the audit of its tables, the judging, and a small measurement."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from typer.testing import CliRunner

from joulemark.analyse import Figure
from joulemark.analyse.verdict import Comparison
from joulemark.analyse.verdict import Verdict as VersionVerdict
from joulemark.catalogue import algorithms
from joulemark.cli.app import app
from joulemark.environment import capture
from joulemark.measure.inventory import inventory_of
from joulemark.records.figures import Evidence
from joulemark.records.trial import HOST, Workload
from joulemark.store.repository import Store
from joulemark.studies.equipment import CpuEquipment, render_page
from joulemark.studies.study import ClaimAnswer, ClaimVerdict
from joulemark.studies.westermann2010.claims import answers
from joulemark.studies.westermann2010.measurement import (
    MeasuredFunction,
    WestermannFindings,
    WestermannWork,
    measure,
)
from joulemark.studies.westermann2010.page import tables
from joulemark.studies.westermann2010.paper import (
    BITS,
    correlations,
    energy_error,
    power_spread,
    rank_correlation,
    westermann2010,
)
from joulemark.studies.westermann2010.study import STUDY, page

pytestmark = pytest.mark.usefixtures("quick_workers")
PAPER = westermann2010()
MESSAGE_BYTES = PAPER.experiment.message_bytes


def figure(value: float) -> Figure:
    """A figure with an interval of one percent either way."""
    return Figure(
        median=value, low=value * 0.99, high=value * 1.01, minimum=value * 0.98,
        quartile_1=value * 0.99, quartile_3=value * 1.01, mad=value * 0.01,
        evidence=Evidence.MEASURED, samples=10,
    )  # fmt: skip


def as_published(*, watts: bool = False) -> WestermannFindings:
    """A machine on which everything takes the time, and perhaps the power, of the paper."""
    functions = [
        MeasuredFunction(
            name=row.name, bits=row.bits, implementation=f"{row.algorithm}/auto",
            candidate=row.candidate, message_seconds=figure(row.seconds / 1024),
            message_joules=figure(row.watts * row.seconds / 1024) if watts else None,
            message_bytes=MESSAGE_BYTES, messages=1024,
        )
        for row in PAPER.published
    ]  # fmt: skip
    pairs = [
        compared(function, other)
        for bits in BITS
        for function in functions
        for other in functions
        if function.bits == other.bits == bits and function.name < other.name
    ]
    versions = [
        compared(function, other)
        for function in functions
        for other in functions
        if function.name == other.name and function.bits < other.bits
    ]
    return WestermannFindings(
        functions=functions, pairs=pairs, versions=versions, absent=[], missing=[],
        no_energy=None if watts else "no energy meter", window_s=1.0, rounds=10, run_id=1,
        warnings=[],
    )  # fmt: skip


def compared(one: MeasuredFunction, other: MeasuredFunction) -> Comparison:
    """The comparison of two values, told apart if they differ by two percent."""
    ratio = (other.seconds or 1.0) / (one.seconds or 1.0)
    verdict = (
        VersionVerdict.SLOWER
        if ratio > 1.02
        else VersionVerdict.FASTER
        if ratio < 0.98
        else VersionVerdict.NO_DIFFERENCE
    )
    return Comparison(
        one.implementation, other.implementation, Workload(MESSAGE_BYTES), HOST, ratio,
        ratio * 0.99, ratio * 1.01, 0.99, 0.001, 0.01, 10, 10, verdict,
    )  # fmt: skip


def judged(found: WestermannFindings) -> dict[str, ClaimAnswer]:
    """The answers to all claims."""
    return {name: answer() for name, answer in answers(PAPER, found).items()}


def test_the_tables_are_whole() -> None:
    """17 and 15 rows, 14 candidates in each, all of them in the catalogue."""
    assert [len(PAPER.table(bits)) for bits in BITS] == [17, 15]
    assert [len(PAPER.table(bits, candidates=True)) for bits in BITS] == [14, 14]
    assert {function.algorithm for function in PAPER.published} <= algorithms().keys()


def test_the_correlations_of_the_paper_do_not_follow() -> None:
    """Spearman's coefficients of the paper's rows differ from the printed ones."""
    values = correlations(PAPER)
    found = [round(value, 2) for bits in BITS for value in
             (values[bits].all_rows, values[bits].candidates)]  # fmt: skip
    assert found == [-0.03, -0.25, -0.37, -0.38]


def test_its_energies_follow() -> None:
    """Energies agree with times and powers within the printed digits."""
    assert 0 < energy_error(PAPER) < 0.001
    assert power_spread(PAPER, 256) == pytest.approx(14.56 / 11.92 - 1)


def test_rank_correlation_against_known_values() -> None:
    """Orders, reversed orders and ties at their mean rank; values without an order are refused."""
    assert rank_correlation([1, 5, 9], [2, 3, 4]) == 1
    assert rank_correlation([1, 5, 9], [4, 3, 2]) == -1
    assert rank_correlation([1, 2, 3, 4], [1, 2, 2, 4]) == pytest.approx(4.5 / (5 * 4.5) ** 0.5)
    with pytest.raises(ValueError, match="no order"):
        rank_correlation([1, 2], [3, 3])
    with pytest.raises(ValueError, match="have no pairs"):
        rank_correlation([1, 2], [3])


def test_on_the_machine_of_the_paper_its_measured_claims_hold() -> None:
    """Where the paper contradicts its rows, the claim is contradicted; one rests on lost series."""
    verdicts = {name: answer.verdict for name, answer in judged(as_published(watts=True)).items()}
    contradicted = {"correlation-256", "correlation-512", "bmw-512-lead"}
    assert {n for n, v in verdicts.items() if v is ClaimVerdict.CONTRADICTED} == contradicted
    assert {n for n, v in verdicts.items() if v is ClaimVerdict.UNTESTED} == {"skein-differs-most"}
    assert {n for n, v in verdicts.items() if v is ClaimVerdict.FAILS} == {"other-work"}
    assert verdicts.keys() == {claim.id for claim in PAPER.claims}


def test_another_order_does_not_hold() -> None:
    """With ECHO made faster than SHA-256 the claim fails."""
    found = as_published()
    quick = {"echo-256/auto", "sha256/auto"}
    pairs = [
        replace(
            pair,
            verdict=VersionVerdict.FASTER
            if pair.baseline == "sha256/auto"
            else VersionVerdict.SLOWER,
        )
        if {pair.baseline, pair.contender} == quick
        else pair
        for pair in found.pairs
    ]
    answer = judged(replace(found, pairs=pairs))["slower-than-sha256"]
    assert answer.verdict is ClaimVerdict.FAILS
    assert "echo is faster than sha256" in answer.why
    assert judged(found)["slower-than-sha256"].verdict is ClaimVerdict.HOLDS


def test_versions_that_were_not_told_apart_are_no_difference_and_no_equality() -> None:
    """A pair that was too noisy says nothing; a shown difference of JH contradicts the paper."""
    found = as_published()

    def with_verdict(name: str, verdict: VersionVerdict) -> ClaimAnswer:
        versions = [
            replace(pair, verdict=verdict) if pair.baseline == name else pair
            for pair in found.versions
        ]
        return judged(replace(found, versions=versions))["versions"]

    [jh] = {f.implementation for f in found.functions if (f.name, f.bits) == ("jh", 256)}
    assert judged(found)["versions"].verdict is ClaimVerdict.HOLDS
    noisy = with_verdict(jh, VersionVerdict.TOO_NOISY)
    assert noisy.verdict is ClaimVerdict.UNTESTED
    assert "Not told for jh." in noisy.why
    assert with_verdict(jh, VersionVerdict.SLOWER).verdict is ClaimVerdict.FAILS
    assert with_verdict(jh, VersionVerdict.EQUAL).verdict is ClaimVerdict.HOLDS


def test_ten_times_is_judged_by_its_interval() -> None:
    """SHAvite-3 takes 10.2 times as long by the paper; twenty times would not be "about 10"."""
    found = as_published()
    assert judged(found)["tenfold"].verdict is ClaimVerdict.HOLDS
    slower = [
        replace(row, message_seconds=figure(2 * row.seconds / 1024))
        if (row.name, row.bits) == ("shavite", 512) and row.seconds
        else row
        for row in found.functions
    ]
    answer = judged(replace(found, functions=slower))["tenfold"]
    assert answer.verdict is ClaimVerdict.FAILS
    assert "20." in answer.why


def widened(found: WestermannFindings, name: str, bits: int, share: float) -> WestermannFindings:
    """The same findings with an interval of this share either way around one function's figures."""

    def wide(figure: Figure | None) -> Figure | None:
        if figure is None:
            return None
        ends = {"low": figure.median * (1 - share), "high": figure.median * (1 + share)}
        return figure.model_copy(update=ends)

    functions = [
        replace(
            row,
            message_seconds=wide(row.message_seconds),
            message_joules=wide(row.message_joules),
        )
        if (row.name, row.bits) == (name, bits)
        else row
        for row in found.functions
    ]
    return replace(found, functions=functions)


@pytest.mark.parametrize(
    ("claim", "name", "bits"),
    [
        ("tenfold", "shavite", 512),
        ("lowest-power", "md5", 256),
        ("lowest-power", "skein", 256),
        ("bmw-512-md5", "bmw", 512),
    ],
)
def test_a_wide_interval_holds_no_claim(claim: str, name: str, bits: int) -> None:
    """The medians of the paper with an interval of a half either way tell nothing."""
    found = as_published(watts=True)
    assert judged(found)[claim].verdict is ClaimVerdict.HOLDS
    answer = judged(widened(found, name, bits, 0.5))[claim]
    assert answer.verdict is ClaimVerdict.UNTESTED
    assert answer.why.endswith("The intervals are too wide to tell.")


def test_a_lower_power_of_another_function_refutes() -> None:
    """SHA-1 at a tenth of its power takes less than MD5 beyond both intervals."""
    found = as_published(watts=True)
    low = [
        replace(row, message_joules=figure(0.1 * row.message_joules.median))
        if row.name == "sha1" and row.message_joules
        else row
        for row in found.functions
    ]
    answer = judged(replace(found, functions=low))["lowest-power"]
    assert answer.verdict is ClaimVerdict.FAILS


def test_ends_that_are_not_told_apart_are_open() -> None:
    """ECHO may be slower than SHAvite-3 if the two were too noisy to tell."""
    found = as_published()
    pairs = [
        replace(pair, verdict=VersionVerdict.TOO_NOISY)
        if {pair.baseline, pair.contender} == {"echo-512/auto", "shavite3-512/auto"}
        else pair
        for pair in found.pairs
    ]
    assert judged(replace(found, pairs=pairs))["tenfold"].verdict is ClaimVerdict.UNTESTED


def test_a_cited_figure_is_held_against_the_paper_that_printed_it() -> None:
    """kaps2006's hash takes 0.338 nJ a byte: 132 times less than SHA-1 here, not 30."""
    answer = judged(as_published())["other-work"]
    assert "0.338 nJ a byte" in answer.why
    assert "is 132." in answer.why


def test_without_a_function_its_claims_are_not_tested() -> None:
    """In a build without the candidates the audit of the paper stands."""
    found = as_published()
    few = replace(found, functions=found.functions[:1], pairs=[], versions=[], absent=["echo-256"])
    verdicts = {name: answer.verdict for name, answer in judged(few).items()}
    for name in ("faster-than-sha1", "slower-than-sha256", "slower-than-sha512", "versions"):
        assert verdicts[name] is ClaimVerdict.UNTESTED
    assert verdicts["correlation-256"] is ClaimVerdict.CONTRADICTED


def test_the_page_has_all_tables_and_figures() -> None:
    """Two tables of each length, the lengths, the audit; Fig. 2 to 4 with three parts each."""
    found = as_published(watts=True)
    shown = page(PAPER, found)
    assert len(shown.tables) == 6
    assert [chart.name for chart in shown.charts] == [
        f"fig{number}_{part}" for number in (2, 3, 4) for part in ("time", "power", "energy")
    ]
    assert all(chart.spec for chart in shown.charts)
    first = tables(PAPER, found)[0].texts()
    assert [row[0] for row in first[:3]] == ["bmw", "md5", "blake"]
    assert first[0][1] == "1"
    assert first[0][-1] == "1: 40.90 s"
    assert {row[0]: row[5] for row in first}["fugue"] == "-"
    energy = tables(PAPER, found)[2].texts()
    assert energy[0] == ["md5", "1: 11.1 W", "1: 27.4 nJ", "1: 11.09 W", "1: 27.37 nJ"]


def test_a_small_study_from_end_to_end(tmp_path: Path) -> None:
    """Every function of this build is measured, judged and drawn."""
    with Store.open(str(tmp_path / "store.db")) as store:
        equipment = CpuEquipment(
            inventory=inventory_of(software=True), store=store, environment=capture(),
            folder=tmp_path,
        )  # fmt: skip
        few = [
            function
            for function in PAPER.published
            if function.name in {"sha256", "sha512", "keccakc"}
        ]
        small = PAPER.model_copy(
            update={
                "published": few,
                "experiment": PAPER.experiment.model_copy(update={"message_bytes": 1 << 16}),
            }
        )
        found = measure(small, WestermannWork(scale=1e-6, rounds=6, as_published=False), equipment)
    assert {function.name for function in found.functions} == {"sha256", "sha512", "keccakc"}
    assert len(found.pairs) == 2
    assert len(found.versions) == 1
    assert found.verdict(("sha256", 256), ("keccakc", 256)) is not False
    assert found.absent == []


@pytest.mark.parametrize(
    "arguments", [("--scale", "0"), ("--scale", "2"), ("--rounds", "1"), ("--rounds", "9999")]
)
def test_work_that_makes_no_sense(arguments, tmp_path, monkeypatch) -> None:
    """The command refuses in one sentence before anything is measured."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["reproduce", "westermann2010", *arguments])
    assert result.exit_code == 2
    assert f"joulemark: {arguments[0]} {float(arguments[1]):g}: give " in result.stderr


def test_the_page_stands_alone() -> None:
    """The page loads nothing, as every study's page does."""
    there = replace(STUDY, measure=lambda *_: as_published(watts=True))
    outcome = there.reproduce(STUDY.options(), None, machine="test")
    text = render_page(outcome)
    assert outcome.counts in unescape(text)
    assert "<script src" not in text
