# SPDX-License-Identifier: Apache-2.0
"""kaps2006: its packets recomputed, and its claims against cores with known figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cores import each, figures, without_tools

from joulemark.studies.core_figures import CoreFigures, CorePoint
from joulemark.studies.files import write_files
from joulemark.studies.kaps2006.claims import PAYLOADS_BYTES
from joulemark.studies.kaps2006.packets import (
    aes_blocks,
    crossover_bytes,
    packet_energies,
    sha1_blocks,
)
from joulemark.studies.kaps2006.paper import Service, kaps2006
from joulemark.studies.kaps2006.reproduce import reproduce
from joulemark.studies.outcome import Ground, StudyOutcome, Verdict

SERVICES: tuple[Service, ...] = ("mac", "encryption", "both")


def paper_like(point: CorePoint) -> CoreFigures:
    """The paper's own Table 1, whoever asks."""
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


def verdicts(outcome: StudyOutcome) -> dict[str, Verdict]:
    """Verdict by claim."""
    return {claim.id: claim.verdict for claim in outcome.claims}


@pytest.fixture(scope="module")
def itself() -> StudyOutcome:
    """The study if our flow gave exactly what the paper printed."""
    return reproduce(each(paper_like), Path("paper.lib"), machine="test")


@pytest.mark.parametrize("service", SERVICES)
def test_table_2_follows_from_table_1(service: Service) -> None:
    """Blocks by energy of a block give the printed energies to the last digit but one."""
    paper = kaps2006()
    printed = next(one for one in paper.published_energy if one.service == service)
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
    assert crossover_bytes(energies, lambda one: one.payload_bytes not in (12, 30)) == 31
    assert crossover_bytes(energies, lambda _: False) is None


def test_the_paper_against_itself(itself: StudyOutcome) -> None:
    """With its own figures every claim holds but the count of blocks and the cross-over."""
    found = verdicts(itself)
    other = {claim: verdict for claim, verdict in found.items() if verdict is not Verdict.HOLDS}
    assert other == dict.fromkeys(("crossover", "blocks"), Verdict.CONTRADICTED)
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

    found = verdicts(reproduce(each(dear), Path("paper.lib"), machine="test"))
    failing = {"sha1-clocks", "similar-area", "thirty-microwatts", "leakage", "power-ratio", "mac",
               "encryption"}  # fmt: skip
    assert {claim for claim, verdict in found.items() if verdict is Verdict.FAILS} == failing


def test_without_cores_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    """Without --hardware the paper's own figures are judged, and its clocks alone are not."""
    outcome = reproduce(None, None, machine="test")
    grounds = {claim.id: claim.ground for claim in outcome.claims}
    assert {claim for claim, ground in grounds.items() if ground is Ground.NONE} == {
        "sha1-clocks", "aes-clocks",
    }  # fmt: skip
    assert set(grounds.values()) == {Ground.NONE, Ground.COMPUTED, Ground.PROVED}
    assert outcome.counts == "Of 12 claims 8 hold, 2 the paper contradicts, 2 not tested."
    (_, text, _) = (path.read_text("utf-8") for path in write_files(outcome, tmp_path))
    assert text.count("--hardware") == 1
    assert not any(set(row[1:]) == {"-"} for table in outcome.tables for row in table.rows)
    assert "50.95 nJ" in {row[2] for row in outcome.tables[1].rows}
    assert outcome.missing == []


def test_missing_tools_are_named() -> None:
    """Each core that could not be done is in the study, with the package."""
    outcome = reproduce(each(without_tools), Path("paper.lib"), machine="test")
    assert all("pip install pyosys" in one for one in outcome.missing)
    assert verdicts(outcome)["sha1-clocks"] is Verdict.UNTESTED


def test_files_are_written(itself: StudyOutcome, tmp_path: Path) -> None:
    """Page, Markdown and figures; three charts drawn; published rows marked as such."""
    paths = write_files(itself, tmp_path)
    assert sorted(path.suffix for path in paths) == [".html", ".json", ".md"]
    assert [chart.name for chart in itself.charts if chart.spec] == [
        "fig3_mac", "fig4_encryption", "fig5_both",
    ]  # fmt: skip
    assert itself.tables[0].rows[0][0] == "SHA-1, published"
    assert "25.45 nJ" in itself.tables[0].rows[3][-1]
