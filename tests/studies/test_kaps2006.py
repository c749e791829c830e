# SPDX-License-Identifier: Apache-2.0
"""kaps2006: its packets recomputed, and its claims against cores with known figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_cores import each, figures, reproduced, without_memory, without_tools

from joulemark.errors import UsageError
from joulemark.firmware.gate_cpu import CpuFacts
from joulemark.firmware.gates import SRAM, MemoryUse, MessageJoules
from joulemark.hardware.gate.sink import SINK_CATEGORIES
from joulemark.measure.gate_trials import GateFindings, GateRow
from joulemark.records import Failure, FailureKind
from joulemark.studies.equipment import CoreEquipment, write_files
from joulemark.studies.kaps2006.conclusion import PAYLOADS_BYTES
from joulemark.studies.kaps2006.open_cpus import CODE, LENGTHS_BYTES
from joulemark.studies.kaps2006.paper import (
    Service,
    aes_blocks,
    crossover_bytes,
    kaps2006,
    packet_energies,
    sha1_blocks,
)
from joulemark.studies.kaps2006.study import STUDY
from joulemark.studies.papers import (
    CoreFigures,
    CorePoint,
    FirmwarePoint,
    MemoryFigures,
    MemoryPoint,
)
from joulemark.studies.study import ClaimVerdict, Ground, StudyOutcome

SERVICES: tuple[Service, ...] = ("mac", "encryption", "both")
BUILT: dict[str, Any] = {"hardware": True, "liberty": Path("paper.lib")}


def paper_like(point: CorePoint) -> CoreFigures:
    """The figures of the paper's Table 1, for any point."""
    published = kaps2006().core("sha1" if "sha1" in point.core else "aes")
    return figures(
        point,
        clocks_per_block=published.clocks,
        area_ge=published.area_ge,
        storage_ge=published.area_ge / 2,
        period_s=published.critical_path_s,
        leakage_w=published.static_w,
        dynamic_w=published.dynamic_w,
        energy_per_block_j=published.block_j(500e3),
        voltage_v=1.2,
        corner="as published",
    )


def verdicts(outcome: StudyOutcome) -> dict[str, ClaimVerdict]:
    """Verdict by claim."""
    return {claim.id: claim.verdict for claim in outcome.claims}


@pytest.fixture(scope="module")
def itself() -> StudyOutcome:
    """The study if our flow gave exactly what the paper printed."""
    return reproduced(STUDY, each(paper_like), **BUILT)


@pytest.mark.parametrize("service", SERVICES)
def test_table_2_follows_from_table_1(service: Service) -> None:
    """Blocks by energy of a block give the printed energies to the last digit but one."""
    paper = kaps2006()
    printed = next(
        published_energy
        for published_energy in paper.published_energy
        if published_energy.service == service
    )
    (ours,) = packet_energies(
        paper.packet, service, range(29, 30), paper.core("aes").block_j(500e3),
        paper.core("sha1").block_j(500e3), exact=False,
    )  # fmt: skip
    assert ours.aes_j == pytest.approx(printed.aes_j, rel=2e-3)
    assert ours.sha1_j == pytest.approx(printed.sha1_j, rel=2e-3)


def test_blocks_at_their_borders() -> None:
    """One byte more than fits takes one block more, and an empty payload still has a header."""
    packet = kaps2006().packet
    assert [aes_blocks(packet, "mac", size) for size in (0, 12, 13, 28, 29)] == [1, 1, 2, 2, 3]
    assert [aes_blocks(packet, "encryption", size) for size in (0, 1, 16, 17)] == [0, 1, 1, 2]
    assert [sha1_blocks(packet, "encryption", size, exact=True) for size in (0, 20, 21)] == [
        0,
        1,
        2,
    ]
    assert [sha1_blocks(packet, "mac", size, exact=False) for size in (60, 61)] == [2, 3]
    assert [sha1_blocks(packet, "mac", size, exact=True) for size in (51, 52)] == [2, 3]


def test_crossover_is_the_start_of_the_last_stretch() -> None:
    """A payload at which AES wins again moves the cross-over behind it."""
    paper = kaps2006()
    energies = packet_energies(
        paper.packet, "both", PAYLOADS_BYTES, 25.45e-9, 21.65e-9, exact=False
    )
    assert crossover_bytes(energies) == 9
    dear = {12, 30}
    broken = [replace(packet, aes_j=2.0, sha1_j=3.0 if packet.payload_bytes in dear else 1.0)
              for packet in energies]  # fmt: skip
    assert crossover_bytes(broken) == 31
    assert crossover_bytes([replace(packet, aes_j=0.0) for packet in energies]) is None


def test_the_paper_against_itself(itself: StudyOutcome) -> None:
    """With its own figures every claim holds but what its own figures refute, or its arithmetic."""
    found = verdicts(itself)
    other = {
        claim: verdict for claim, verdict in found.items() if verdict is not ClaimVerdict.HOLDS
    }
    assert other == {
        **dict.fromkeys(("crossover", "blocks", "third"), ClaimVerdict.CONTRADICTED),
        **dict.fromkeys(("feldhofer", "iterations"), ClaimVerdict.AGREES),
        "supplies": ClaimVerdict.FAILS,
    }
    why = {claim.id: claim.why for claim in itself.claims}
    assert "47 % more" in why["third"]
    assert "19.7 % more" in why["feldhofer"]
    assert "48.3 % fewer" in why["feldhofer"]
    assert "too little a passive RFID tag and a scavenger on the chip" in why["supplies"]
    assert "fewer at 9 payloads, as many at 4, more at 0" in why["iterations"]
    assert itself.missing == []


def test_cross_over_is_named_as_recomputed(itself: StudyOutcome) -> None:
    """The paper says 17 bytes; its own energies and blocks say 9."""
    why = next(claim.why for claim in itself.claims if claim.id == "crossover")
    assert "put it at 9 bytes, not 17" in why


def test_other_cores_other_verdicts() -> None:
    """A SHA-1 core of four times the energy loses every packet, and leakage no longer dominates."""

    def dear(point: CorePoint) -> CoreFigures:
        found = paper_like(point)
        if "sha1" not in point.core:
            return found.model_copy(update={"leakage_w": 0.1e-6})
        return found.model_copy(
            update={"energy_per_block_j": 90e-9, "clocks_per_block": 406.0, "leakage_w": 0.1e-6,
                    "dynamic_w": 40e-6, "area_ge": 6000.0}
        )  # fmt: skip

    found = verdicts(reproduced(STUDY, each(dear), **BUILT))
    failing = {"sha1-clocks", "similar-area", "thirty-microwatts", "leakage", "power-ratio", "mac",
               "encryption", "times", "supplies", "conclusion"}  # fmt: skip
    assert {claim for claim, verdict in found.items() if verdict is ClaimVerdict.FAILS} == failing


def test_without_cores_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    """Without --hardware the paper's own figures are judged, and its clocks alone are not."""
    outcome = reproduced(STUDY, each(without_tools))
    grounds = {claim.id: claim.ground for claim in outcome.claims}
    assert {claim for claim, ground in grounds.items() if ground is Ground.NONE} == {
        "sha1-clocks", "aes-clocks",
    }  # fmt: skip
    assert set(grounds.values()) == {Ground.NONE, Ground.PUBLISHED, Ground.PROVED}
    assert outcome.counts == (
        "Of 18 claims none was tested here, 12 agree with the paper's own figures, 4 contradict "
        "the paper's own figures, 2 were not tested."
    )
    assert outcome.verdicts["holds"] == 0
    assert outcome.done.startswith("Built here: nothing; not built: the paper's two cores, our two")
    for path in write_files(outcome, tmp_path)[1:]:
        whole = path.read_text("utf-8")
        assert whole.index("Built here: nothing") < whole.index("Of 18 claims none was tested")
    text = next(
        path.read_text("utf-8") for path in write_files(outcome, tmp_path) if path.suffix == ".md"
    )
    assert text.count("--hardware") == 1
    assert not any(set(row[1:]) == {"-"} for table in outcome.tables for row in table.texts())
    assert "50.95 nJ" in {row[2] for row in outcome.tables[1].texts()}
    assert outcome.missing == []


def test_missing_tools_are_named() -> None:
    """The study lists each core that could not be built, with the missing package."""
    outcome = reproduced(STUDY, each(without_tools), **BUILT)
    assert all("pip install pyosys" in name for name in outcome.missing)
    assert verdicts(outcome)["sha1-clocks"] is ClaimVerdict.UNTESTED


def test_files_are_written(itself: StudyOutcome, tmp_path: Path) -> None:
    """The study writes page, Markdown and figures, draws four charts, and marks published rows."""
    paths = write_files(itself, tmp_path)
    assert sorted(path.suffix for path in paths) == [".html", ".json", ".md", ".tex"]
    assert [chart.name for chart in itself.charts if chart.spec] == [
        "fig3_mac", "fig4_encryption", "fig5_both", "firmware",
    ]  # fmt: skip
    assert itself.tables[0].texts()[0][0] == "SHA-1, published"
    assert "25.45 nJ" in itself.tables[0].texts()[3][-1]


def lean(point: CorePoint) -> CoreFigures:
    """The paper's designs as printed; of ours AES at 2 nJ a block and SHA-1 at 5 nJ."""
    found = paper_like(point)
    if "latch" not in point.core:
        return found
    sha1 = "sha1" in point.core
    return found.model_copy(
        update={"energy_per_block_j": 5e-9 if sha1 else 2e-9,
                "clocks_per_block": 300.0 if sha1 else 200.0}
    )  # fmt: skip


def test_the_conclusion_is_judged_by_the_paper_s_designs() -> None:
    """Rebuilt they keep its verdict; where our designs turn it round, the sentence and the first
    screen say so, with figures of our cores.
    """
    outcome = reproduced(STUDY, each(lean), **BUILT)
    claims = {claim.id: claim for claim in outcome.claims}
    assert claims["mac"].verdict is ClaimVerdict.HOLDS
    assert claims["conclusion"].verdict is ClaimVerdict.HOLDS
    assert "one of two designs, not of two algorithms" in claims["conclusion"].why
    assert claims["conclusion"].ground is Ground.MODELLED
    figures_at_29 = (
        "authentication 6 nJ with AES and 10 nJ with SHA-1, encryption 4 nJ with AES and 10 nJ "
        "with SHA-1, both together 10 nJ with AES and 20 nJ with SHA-1"
    )
    assert figures_at_29 in claims["conclusion"].why
    assert figures_at_29 in outcome.summary
    assert "AES takes less energy in all 3 services at 29 bytes" in outcome.summary
    assert "the paper concludes that SHA-1 takes less energy in all 3 services" in outcome.summary
    assert "favour SHA-1" in " ".join(outcome.notes)


def test_a_service_that_depends_on_the_payload_is_named() -> None:
    """AES at 5.1 nJ a block: 17 to 20 bytes are two of its blocks and one of SHACAL-1's."""

    def close(point: CorePoint) -> CoreFigures:
        found = lean(point)
        own_aes = point.core == "aes128_latch"
        return found.model_copy(update={"energy_per_block_j": 2.6e-9}) if own_aes else found

    outcome = reproduced(STUDY, each(close), **BUILT)
    why = next(claim.why for claim in outcome.claims if claim.id == "conclusion")
    assert (
        "AES takes less energy for authentication and both together, for encryption it depends on "
        "the payload for payloads of 17 to 29 bytes"
    ) in why
    assert "AES takes less energy in all 3 services at 29 bytes" in outcome.summary


def test_the_conclusion_that_our_cores_share(itself: StudyOutcome) -> None:
    """With the paper's own figures for our cores nothing turns round."""
    assert verdicts(itself)["conclusion"] is ClaimVerdict.HOLDS
    assert "the paper concludes the same" in itself.summary


def test_times_follow_from_clocks() -> None:
    """Table 2's milliseconds, as printed, from blocks and clocks; ours stand beside them."""
    outcome = reproduced(STUDY, each(lean), **BUILT)
    claim = next(judged_claim for judged_claim in outcome.claims if judged_claim.id == "times")
    assert (claim.verdict, claim.ground) == (ClaimVerdict.HOLDS, Ground.SIMULATED)
    assert "3.20 and 1.62 ms, 2.14 and 1.62 ms, 5.34 and 3.24 ms" in claim.why
    assert "Our own cores take 1.20 and 1.20 ms, 0.80 and 1.20 ms, 2.00 and 2.40 ms" in claim.why
    rows = [row[4:] for row in outcome.tables[1].texts() if row[0] == "mac"]
    assert rows[0] == ["3.20 ms", "1.62 ms"]
    assert rows[-1] == ["1.20 ms", "1.20 ms"]


def latches(point: MemoryPoint) -> MemoryFigures:
    """A memory of 4 nJ a block."""
    assert (point.reads, point.writes, point.clocks) == (320, 80, 405)
    return MemoryFigures(
        area_ge=3000.0, leakage_w=1e-6, energy_j=4e-9, least_j=1e-9, most_j=6e-9, cells={"L": 512}
    )


def test_the_memory_outside_is_counted_in_rows_of_its_own(tmp_path: Path) -> None:
    """Both tables have rows with and without it; verdict and first screen name its energy."""
    outcome = reproduced(STUDY, each(paper_like), latches, **BUILT)
    rows = {row[0]: row for row in outcome.tables[0].texts()}
    assert rows["SHA-1, its design here"][-1] == "21.7 nJ"
    counted = rows["SHA-1, the same with its memory"]
    assert (counted[2], counted[5], counted[-1]) == ("7276", "24 µW", "25.7 nJ")
    packets = {(row[0], row[1]): row for row in outcome.tables[1].texts()}
    alone = packets["mac", "its designs here, padding counted"]
    whole = packets["mac", "its designs here, SHA-1's memory counted"]
    assert (alone[2:4], whole[2:4]) == (["76.35 nJ", "43.30 nJ"], ["76.35 nJ", "51.30 nJ"])
    why = next(claim.why for claim in outcome.claims if claim.id == "mac")
    assert "SHA-1 takes 51.3 nJ (from 45.3 nJ to 55.3 nJ, as its words change)" in why
    assert "takes about 4 nJ more" in outcome.summary
    assert outcome.data["block_memory"]["most_j"] == 6e-9
    assert "512 L" in next(path.read_text("utf-8") for path in write_files(outcome, tmp_path)
                           if path.suffix == ".md")  # fmt: skip


def test_what_is_not_known_of_the_memory_is_one_sentence() -> None:
    """Without a library, or with one that lacks a cell, a sentence stands in for the figure."""
    for liberty, memory, says in (
        (None, latches, "give --liberty FILE"),
        (Path("paper.lib"), without_memory, "it has no latch"),
    ):
        outcome = reproduced(STUDY, each(paper_like), memory, hardware=True, liberty=liberty)
        (note,) = (name for name in outcome.notes if "leave out the memory" in name)
        assert note.endswith(f"400 accesses a block: {says}.")
        assert not any(
            "memory" in "".join(row[:2]) for table in outcome.tables for row in table.texts()
        )
        assert outcome.missing == []


def on_a_cpu(short_j: float, long_j: float, core_cycles: int) -> list[MessageJoules]:
    """A message of 16 and of 80 bytes; one read of the memory in each of the core cycles."""
    return [
        MessageJoules(
            cycles, {**dict.fromkeys(SINK_CATEGORIES, 0.0), "logic": joules}, 0.0,
            {"memory": MemoryUse(SRAM, 0, cycles, 0)},
        )
        for joules, cycles in ((short_j, core_cycles), (long_j, 5 * core_cycles))
    ]  # fmt: skip


def test_blocks_in_firmware_on_open_cpus(tmp_path: Path) -> None:
    """Four blocks of AES and one of SHA-1 more; a CPU without one of both has no row."""
    aes, sha1 = CODE.values()
    rows = [
        GateRow(code, "gate:serv", size, joules)
        for code, messages in (
            (aes, on_a_cpu(100e-9, 500e-9, 1000)), (sha1, on_a_cpu(600e-9, 900e-9, 2000)),
        )
        for size, joules in zip(LENGTHS_BYTES, messages, strict=True)
    ]  # fmt: skip
    facts = CpuFacts(2000, 900, 10, 99, 5e-9, 3e-9, "small", "typical", 1.2, "none", "seed 1", "0")
    failure = Failure(f"{sha1} on gate:ibex", FailureKind.REFUSED, "no room", 80)
    found = GateFindings(rows, {"gate:serv": facts, "gate:ibex": facts}, [failure])
    asked: list[FirmwarePoint] = []

    def firmware(point: FirmwarePoint, _liberty: Path) -> GateFindings:
        asked.append(point)
        return found

    equipment = CoreEquipment(lambda _seeds: each(paper_like), without_memory, firmware)
    options = STUDY.options(**BUILT, open_cpus=True)
    outcome = STUDY.reproduce(options, equipment, machine="test")
    assert asked[0].clock_hz == 500e3
    [cpu] = outcome.data["open_cpus"]
    assert cpu["aes"] == {
        "clocks": 1000, "energy_j": pytest.approx(100e-9),
        "memory_j": pytest.approx(1000 * SRAM.read_j),
    }  # fmt: skip
    assert cpu["sha1"]["energy_j"] == pytest.approx(300e-9)
    assert "firmware on gate:serv" in outcome.done
    assert any("no room" in reason for reason in outcome.missing)
    [table] = [table for table in outcome.tables if "open CPUs" in table.title]
    over = 100e-9 / kaps2006().core("aes").block_j(500e3)
    assert f"{over:.3g}" in str(table.texts())
    [chart] = [chart for chart in outcome.charts if chart.name == "open_cpus"]
    assert "gate:serv" in str(chart)
    write_files(outcome, tmp_path)


def test_open_cpus_need_a_library() -> None:
    """Without cells there is nothing to map a CPU to."""
    with pytest.raises(UsageError, match=r"--open-cpus maps CPUs to cells.*--liberty FILE"):
        reproduced(STUDY, each(paper_like), open_cpus=True)
