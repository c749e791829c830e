# SPDX-License-Identifier: Apache-2.0
"""michail2005: its arithmetic recomputed, and its claims against cores with known figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cores import each, figures, reproduced, without_tools

from joulemark.studies.equipment import write_files
from joulemark.studies.michail2005.claims import voltage_exponent
from joulemark.studies.michail2005.paper import michail2005, power_ratio
from joulemark.studies.michail2005.study import STUDY
from joulemark.studies.papers import CoreFigures, CorePoint
from joulemark.studies.study import ClaimVerdict, StudyOutcome

PERIODS_NS = {"conventional": 20.0, "merged": 27.0, "precomputed": 17.0, "proposed": 27.0}
LIBRARY = Path("nominal.lib")
LOW = Path("low.lib")
VOLTS = {LIBRARY: 1.2, LOW: 1.08}


def paper_like(point: CorePoint) -> CoreFigures:
    """Cores as the paper says they are: a third longer a period, a tenth more area, twice the
    energy of a clock, and energy with the square of the supply.
    """
    double = point.configuration in {"merged", "proposed"}
    hmac = point.core == "hmac_sha256"
    stages = point.parameters.get("STAGES", 4)
    area = (14_000 + 9_000 * stages) * (1.09 if double else 1) * (2 if hmac else 1)
    area += 20_000 * (stages == 8)  # what eight stages keep of eight messages
    rounds = 80.0 if point.core in {"sha1_pipeline", "sha512_pipeline"} else 64.0
    alone = rounds / 2 if double else rounds
    clocks = {
        "clocks_per_block": alone / stages,
        "latency_clocks": 2 * alone + 1 if hmac else alone,
    }
    if point.target == "ecp5":
        return figures(
            point, **clocks, luts=area / 8, fmax_hz=1e9 / PERIODS_NS[point.configuration]
        )
    path = PERIODS_NS[point.configuration] * 1e-9 * (1.5 if point.liberty == LOW else 1)
    found = {**clocks, "area_ge": area, "critical_path_s": path, "fmax_hz": 1 / path}
    if point.power and point.liberty is not None:
        if point.clock_share is not None:
            point = point.model_copy(update={"clock_hz": point.clock_share / path})
        volts = VOLTS[point.liberty]
        clock_j = 1e-9 * (2 if double else 1) * (volts / 1.2) ** 2
        clock_j *= 0.9 if point.configuration == "proposed" else 1
        found |= {"dynamic_w": clock_j * point.clock_hz, "leakage_w": 1e-6, "voltage_v": volts,
                  "dynamic_no_glitch_w": clock_j * point.clock_hz * 0.7,
                  "energy_per_block_j": clock_j * clocks["clocks_per_block"]}  # fmt: skip
    return figures(point, **found)


def verdicts(outcome: StudyOutcome) -> dict[str, ClaimVerdict]:
    """Verdict by claim."""
    return {claim.id: claim.verdict for claim in outcome.claims}


@pytest.fixture(scope="module")
def itself() -> StudyOutcome:
    """The study if our flow gave about the figures that the paper states."""
    return reproduced(
        STUDY, each(paper_like), liberty=LIBRARY, corner=[LOW], hmac=True, fpga=True, stages=True,
        other_hashes=True,
    )  # fmt: skip


def test_published_figures_recomputed() -> None:
    """Equation 1 gives three of four throughputs; the gains and the saving are not those stated."""
    paper = michail2005()
    assert paper.computed_bit_per_s("sha256", "proposed") == pytest.approx(2310.4e6)
    assert paper.computed_bit_per_s("sha256", "conventional") == pytest.approx(1603.2e6)
    assert paper.printed_gain("sha256") == pytest.approx(0.4157, abs=1e-4)
    assert paper.printed_gain("hmac") == pytest.approx(0.4737, abs=1e-4)
    assert power_ratio(0.5, 0.4, 2.0) == pytest.approx(0.36)
    assert power_ratio(1.0, 0.0, 1.0) == 1.0


def test_the_paper_against_cores_like_its_own(itself: StudyOutcome) -> None:
    """Claims that its cores bear out hold; its arithmetic does not, nor does its HMAC gain."""
    found = verdicts(itself)
    assert found["latency"] is ClaimVerdict.HOLDS
    assert found["levels"] is ClaimVerdict.HOLDS
    assert found["throughput-sha256"] is ClaimVerdict.HOLDS
    assert found["throughput-hmac"] is ClaimVerdict.CONTRADICTED
    assert found["arithmetic"] is ClaimVerdict.CONTRADICTED
    assert found["area-sha256"] is ClaimVerdict.HOLDS
    assert found["writes"] is ClaimVerdict.HOLDS
    assert found["half-clock"] is ClaimVerdict.HOLDS
    assert found["capacitance"] is ClaimVerdict.HOLDS
    assert found["voltage"] is ClaimVerdict.UNTESTED
    assert found["compromise"] is ClaimVerdict.HOLDS
    wrong = {"fifty", "previous", "commercial", "frequency"}
    assert {found[claim] for claim in wrong} == {ClaimVerdict.CONTRADICTED}
    assert itself.missing == []


def test_what_the_paper_says_of_itself_and_of_others() -> None:
    """Six levels for four are +33 %; [7] is +281 %, [10] +48 %, and [8] has the higher clock."""
    outcome = reproduced(STUDY, each(without_tools))
    why = {claim.id: claim.why for claim in outcome.claims}
    assert "2 x 4/6, +33.3 %; its table gives +41.6 %" in why["fifty"]
    assert "606 Mbit/s of [7] are +281.3 %" in why["previous"]
    assert "1500 Mbit/s of [10] are +48.1 %" in why["commercial"]
    assert "82.0 MHz are -57.7 %" in why["frequency"]


def test_eight_stages_may_be_the_better_compromise() -> None:
    """If eight stages give more for their area, the claim does not hold."""

    def light(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        if point.parameters.get("STAGES") != 8:
            return found
        return found.model_copy(update={"area_ge": 60_000.0})

    outcome = reproduced(STUDY, each(light), liberty=LIBRARY, stages=True)
    claim = next(claim for claim in outcome.claims if claim.id == "compromise")
    assert claim.verdict is ClaimVerdict.FAILS
    assert "and 8 the most for its area" in claim.why


def test_stages_are_mapped_only_where_they_are_asked_for() -> None:
    """Without --stages no point has another number of stages, and the claim says what it needs."""
    asked: list[CorePoint] = []

    def noted(point: CorePoint) -> CoreFigures:
        asked.append(point)
        return paper_like(point)

    outcome = reproduced(STUDY, each(noted), liberty=LIBRARY)
    assert not any("STAGES" in point.parameters for point in asked)
    claim = next(claim for claim in outcome.claims if claim.id == "compromise")
    assert claim.verdict is ClaimVerdict.UNTESTED
    assert "give --stages" in claim.why
    assert not any("Stages" in table.title for table in outcome.tables)


def test_each_idea_is_told_apart(itself: StudyOutcome) -> None:
    """Merging alone, precomputation alone and both, each with its own share."""
    why = next(claim.why for claim in itself.claims if claim.id == "throughput-sha256")
    assert "merging alone +48.1 %, precomputation alone +17.6 %, both +48.1 %" in why


def rows_of(outcome: StudyOutcome) -> dict[str, list[str]]:
    """Hash, design and target -> the figures of the method's row."""
    table = next(table for table in outcome.tables if "SHA-1, SHA-256" in table.title)
    return {f"{row[0]}, {row[1]}": row[2:] for row in table.texts()}


def test_the_method_on_other_hashes(itself: StudyOutcome) -> None:
    """SHA-1 and SHA-512 have rows with clocks, frequency, throughput and area beside SHA-256."""
    rows = rows_of(itself)
    assert len(rows) == 3 * (4 + 2)
    assert rows["SHA-512, merged, cells"][:4] == ["10", "37.0 MHz", "3793 Mbit/s", "1.48"]
    assert rows["SHA-1, merged, cells"][2] == "1896 Mbit/s"
    assert rows["SHA-256, conventional, cells"][0] == "16"
    assert rows["SHA-1, conventional, ECP5-85k"][:2] == ["20", "50.0 MHz"]
    assert rows["SHA-512, proposed, ECP5-85k"][-1] == "1.09"


def test_whether_the_gain_carries_over_is_said_of_each_hash() -> None:
    """A hash with half of the gain of SHA-256 has it; one with less does not."""

    def slower(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        if point.core != "sha512_pipeline" or point.configuration != "proposed":
            return found
        assert found.fmax_hz is not None
        return found.model_copy(update={"fmax_hz": found.fmax_hz * 0.8})

    summary = reproduced(STUDY, each(slower), liberty=LIBRARY, other_hashes=True).summary
    assert "In cells both ideas give SHA-1 +48.1 %, SHA-256 +48.1 %, SHA-512 +18.5 %" in summary
    assert "carries over to SHA-1 and the gain does not carry over to SHA-512" in summary


def test_a_loss_carries_over_to_no_hash() -> None:
    """Where SHA-256 loses throughput, a hash that loses less of it has no gain of it."""

    def slower(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        if point.configuration != "proposed" or found.fmax_hz is None:
            return found
        share = 0.5 if point.core == "sha256_pipeline" else 0.6
        return found.model_copy(update={"fmax_hz": found.fmax_hz * share})

    summary = reproduced(STUDY, each(slower), liberty=LIBRARY, other_hashes=True).summary
    assert "SHA-1 -11.1 %, SHA-256 -25.9 %, SHA-512 -11.1 %: SHA-256 has no gain" in summary
    assert "that could carry over (ours, modelled)." in summary
    assert "the gain carries" not in summary


def test_other_hashes_are_built_only_where_they_are_asked_for() -> None:
    """Without --other-hashes no point is of another hash, and no sentence is about one."""
    asked: list[str] = []

    def noted(point: CorePoint) -> CoreFigures:
        asked.append(point.core)
        return paper_like(point)

    outcome = reproduced(STUDY, each(noted), liberty=LIBRARY)
    assert set(asked) == {"sha256_pipeline", "hmac_sha256"}
    assert "carr" not in outcome.summary
    assert "SHA-1" not in outcome.done
    assert not any("SHA-1" in table.title for table in outcome.tables)


def test_voltage_exponent_of_a_square_law() -> None:
    """Energy with the square of the supply has exponent 2; one corner has none."""
    corners = [
        paper_like(
            CorePoint(core="sha256_pipeline", configuration="proposed", target="asic",
                      liberty=library)
        )
        for library in (LIBRARY, LOW)
    ]  # fmt: skip
    assert voltage_exponent(corners) == pytest.approx(2.0)
    assert voltage_exponent(corners[:1]) is None


def test_voltage_without_a_second_corner_says_what_it_needs() -> None:
    """Without a second corner no scaling is guessed."""
    outcome = reproduced(STUDY, each(paper_like), liberty=LIBRARY)
    why = next(claim.why for claim in outcome.claims if claim.id == "voltage")
    assert "--corner" in why
    assert "64 %, not 60 %" in why


def test_without_a_library_only_clocks_are_judged() -> None:
    """Without a library there is no area, power or throughput; the latency is still shown."""

    def clocks_only(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        return figures(
            point, clocks_per_block=found.clocks_per_block, latency_clocks=found.latency_clocks,
            reasons={"area_ge": "no library"},
        )  # fmt: skip

    outcome = reproduced(STUDY, each(clocks_only))
    found = verdicts(outcome)
    assert found.pop("latency") is ClaimVerdict.HOLDS
    assert found.pop("arithmetic") is ClaimVerdict.CONTRADICTED
    for name in ("throughput-hmac", "fifty", "previous", "commercial", "frequency"):
        assert found.pop(name) is ClaimVerdict.CONTRADICTED
    assert set(found.values()) == {ClaimVerdict.UNTESTED}
    assert "--liberty" in outcome.summary


def test_missing_tools_are_named_once_each() -> None:
    """A machine without tools gets a study that says so."""
    outcome = reproduced(STUDY, each(without_tools), liberty=LIBRARY)
    assert len(outcome.missing) == len(set(outcome.missing))
    assert all("pip install pyosys" in name for name in outcome.missing)
    assert verdicts(outcome)["latency"] is ClaimVerdict.UNTESTED


def test_power_at_half_the_clock_follows_from_the_energy_of_a_clock(itself: StudyOutcome) -> None:
    """1.8 nJ a clock at half of 40 MHz are 36 mW; the conventional core takes 1 nJ at 40 MHz."""
    why = next(claim.why for claim in itself.claims if claim.id == "half-clock")
    assert "draws 36 mW, by the energy of its clock, instead of 40 mW" in why
    rows = next(table for table in itself.tables if table.title.startswith("Power")).texts()
    half = next(row for row in rows if row[0].startswith("proposed, half") and "1.2 V" in row[0])
    assert half[1] == "20.0 MHz"
    assert half[-1] == "14.4 nJ"


def test_half_clock_that_the_core_cannot_meet() -> None:
    """A merged core more than twice as slow cannot run at half the clock."""

    def slow(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        if point.configuration != "proposed" or found.critical_path_s is None:
            return found
        path = 2.5 * PERIODS_NS["conventional"] * 1e-9
        slower = found.point.model_copy(update={"clock_hz": 0.8 / path})
        return found.model_copy(
            update={"critical_path_s": path, "fmax_hz": 1 / path, "point": slower}
        )

    found = verdicts(reproduced(STUDY, each(slow), liberty=LIBRARY))
    assert found["half-clock"] is ClaimVerdict.FAILS
    assert found["throughput-sha256"] is ClaimVerdict.FAILS
    assert found["levels"] is ClaimVerdict.FAILS


def test_designs_that_are_compared_are_placed_by_one_placer(itself: StudyOutcome) -> None:
    """With two placers a ratio of clocks is not the designs' alone; tables name the placer."""
    asked: dict[str, set[str | None]] = {}

    def answer(point: CorePoint) -> CoreFigures:
        if point.target == "ecp5":
            asked.setdefault(point.core, set()).add(point.placer)
        return paper_like(point)

    reproduced(STUDY, each(answer), fpga=True, other_hashes=True)
    assert asked == {
        "sha1_pipeline": {"heap"}, "sha256_pipeline": {"heap"}, "sha512_pipeline": {"heap"},
        "hmac_sha256": {"static"},
    }  # fmt: skip
    assert itself.tables[0].caption.endswith("placer is heap.")
    assert itself.tables[1].caption.endswith("placer is static.")


def test_files_and_charts(itself: StudyOutcome, tmp_path: Path) -> None:
    """Both charts are drawn, with published rows beside ours."""
    write_files(itself, tmp_path)
    assert [chart.name for chart in itself.charts if chart.spec] == [
        "worth_of_each_idea", "energy_of_a_block",
    ]  # fmt: skip
    sources = [row[1] for row in itself.tables[0].texts()]
    assert sources.count("published, Xilinx v150bg352") == 2
    assert "modelled, ECP5-85k" in sources
