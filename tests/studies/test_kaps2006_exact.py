# SPDX-License-Identifier: Apache-2.0
"""kaps2006 on paper and in firmware: Table 2 value by value, both cross-overs, an ATmega128L."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_cores import each, reproduced, without_tools

from joulemark.records.core_report import StoredCoreReport
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store
from joulemark.studies.kaps2006.conclusion import crossings, differing_payloads, neighbours, table_2
from joulemark.studies.kaps2006.page import ranges
from joulemark.studies.kaps2006.paper import COMMAND, Firmware, firmware_of, kaps2006
from joulemark.studies.kaps2006.study import STUDY
from joulemark.studies.study import Ground, StudyOutcome


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StudyOutcome:
    """The outcome of the command without options, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return reproduced(STUDY, each(without_tools))


def test_every_value_of_table_2() -> None:
    """Energies, powers and times within 0.2 %; an energy of a bit to its two digits."""
    values = table_2(kaps2006())
    assert len(values) == 24
    for table_value in values:
        if table_value.quantity == "energy of a bit":
            assert table_value.rounds_to_printed, table_value
        else:
            assert abs(table_value.off) <= 2e-3, table_value
        assert table_value.exact == pytest.approx(table_value.published), (
            "29 bytes are padded within their block"
        )


def test_table_2_by_hand() -> None:
    """Three blocks of AES: 3 x 534 clocks at 500 kHz by 23.83 uW."""
    found = {
        (table_value.service, table_value.quantity, table_value.algorithm): table_value
        for table_value in table_2(kaps2006())
    }
    assert found["mac", "energy", "AES"].published == pytest.approx(23.83e-6 * 3 * 534 / 500e3)
    assert found["both", "time", "SHA-1"].published == pytest.approx(4 * 405 / 500e3)
    bit = found["encryption", "energy of a bit", "SHA-1"]
    assert bit.published == pytest.approx(26.73e-6 * 2 * 405 / 500e3 / (29 * 8))


def test_the_cross_over_on_both_sides() -> None:
    """The paper says 17; its formula gives 9, since 8 + 9 bytes of MAC are two blocks of AES."""
    paper = kaps2006()
    found = crossings(paper)
    assert found == {
        ("mac", False): 13, ("mac", True): 13, ("encryption", False): 1, ("encryption", True): 1,
        ("both", False): 9, ("both", True): 9,
    }  # fmt: skip
    sides = {neighbour.payload_bytes: (neighbour.aes_blocks, neighbour.sha1_blocks)
             for neighbour in neighbours(paper, exact=False)}  # fmt: skip
    # 8 bytes: CBC-MAC over 16, one block, and one to encrypt; HMAC 2 and SHACAL-1 1.
    assert sides == {8: (2, 3), 9: (3, 3), 16: (3, 3), 17: (4, 3)}


def test_payloads_where_the_formula_is_short() -> None:
    """The payloads are 56 to 64 bytes under the MAC, less headers of 4 and 8 bytes."""
    assert differing_payloads(kaps2006().packet) == {
        "mac": [*range(52, 61)], "encryption": [], "both": [*range(48, 57)],
    }  # fmt: skip
    assert ranges([1, 2, 3, 7, 9, 10]) == "1 to 3, 7, 9 to 10"
    assert ranges([]) == "none"


def test_the_first_sentence_is_the_cross_over(outcome: StudyOutcome) -> None:
    """The finding that needs no core stands first."""
    assert outcome.summary.startswith(
        "By the paper's own figures SHA-1 takes less energy for authentication and encryption "
        "from 9 bytes of payload on, not from 17 (2 blocks of AES and 3 of SHA-1 at 8 bytes, "
        "3 and 3 at 9). Every energy, power and time of its Table 2 follows from Table 1 within "
        "0.19 %."
    )
    titles = [table.title for table in outcome.tables]
    assert titles[2:-2] == [
        "Table 2, every value",
        "The cross-over of authentication and encryption",
        "Where the formula and the exact count differ",
        "The same packets in firmware on an ATmega128L",
    ]
    assert [len(table.rows) for table in outcome.tables[2:-2]] == [24, 8, 3, 15]
    assert outcome.data["crossover_bytes"]["as published"] == 9
    assert outcome.data["differing_payloads_bytes"]["both"][0] == 48


def test_figures_are_drawn_as_published_and_exact(outcome: StudyOutcome) -> None:
    """The lines part where the padding does not fit: at 52 bytes of an authenticated payload."""
    spec = outcome.charts[0].spec
    assert spec is not None
    lines: dict[str, dict[int, float]] = {}
    for point in spec["data"]["values"]:
        if point["core"] == "SHA-1":
            lines.setdefault(point["source"], {})[point["payload"]] = point["energy"]
    published, exact = lines["as published"], lines["exact, published energies"]
    assert [at for at in published if published[at] != exact[at]] == [*range(52, 61)]
    assert [chart.name for chart in outcome.charts] == [
        "fig3_mac", "fig4_encryption", "fig5_both", "firmware",
    ]  # fmt: skip


def counted(cycles: int) -> SimpleNamespace:
    """A count of firmware."""
    return SimpleNamespace(
        core_cycles=cycles, key_core_cycles=None, state_bytes=None, evidence="simulated",
        compiler="gcc 7", simulator="simavr 1.6",
    )  # fmt: skip


class FirmwareStore:
    """One run with counts that make sums easy."""

    def runs(self) -> list[Any]:
        """Every run."""
        return [SimpleNamespace(id=3)]

    def firmware_counts(self, _run_id: int) -> dict[Trial, SimpleNamespace]:
        """CBC-MAC 100 a block, AES 90, HMAC-SHA-1 700 a block, SHACAL-1 600."""
        counts = {
            "cbc-mac-aes128/x": {5: 100, 33: 300, 37: 300}, "aes128/x": {16: 90, 32: 180},
            "hmac-sha1/x": {5: 1400, 64: 2100}, "shacal1/x": {20: 600, 40: 1200},
        }  # fmt: skip
        return {
            Trial(name, Workload(size_bytes=size), "mcu:atmega128"): counted(cycles)
            for name, sizes in counts.items()
            for size, cycles in sizes.items()
        }


def test_firmware_from_the_store() -> None:
    """Core cycles of the store, joules by 3 V x 8 mA at 7.3728 MHz."""
    found = firmware_of(FirmwareStore())
    assert isinstance(found, Firmware)
    assert found.from_store
    assert found.sources == ["run 3 of the store: simavr 1.6, gcc 7 (simulated)"]
    paper = kaps2006()
    both = found.packet(paper.packet, "both", 29)  # MAC over 37 bytes, 2 blocks of either cipher
    assert both is not None
    assert (both.aes_core_cycles, both.sha1_core_cycles) == (300 + 180, 1400 + 1200)
    assert both.aes_j == pytest.approx(480 * 3 * 8e-3 / 7.3728e6)
    padded = found.packet(paper.packet, "mac", 52)  # 56 bytes: one block of SHA-1 more
    assert padded is not None
    assert padded.sha1_core_cycles == 2100


def test_firmware_without_a_store(outcome: StudyOutcome) -> None:
    """Shipped counts are used and called so, with the command that makes counts of our own."""
    found = firmware_of()
    assert isinstance(found, Firmware)
    assert not found.from_store
    (note,) = (name for name in outcome.notes if name.startswith("Firmware"))
    assert "those that come with Joulemark" in note
    assert COMMAND in note
    rows = {(row[0], row[1]): row for row in outcome.tables[-3].texts()}
    assert rows["authentication", "29"][2:4] == ["9048", "43866"]
    # 3 V x 8 mA / 7.3728 MHz = 3.255 nJ: 9 048 cycles are 29.5 uJ.
    assert rows["authentication", "29"][4] == "29.5 µJ"


def test_cores_from_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports in cells at 500 kHz are taken without --hardware; those at another clock are not."""
    monkeypatch.chdir(tmp_path)
    with Store.open("joulemark.db") as store:
        for core, joules, hertz in (
            ("sha1_latch", 5e-9, 500e3), ("aes128_latch", 2e-9, 500e3),
            ("sha1_serial", 5e-9, 100e6), ("aes128_serial", 2e-9, 500e3),
        ):  # fmt: skip
            figures = {
                "clocks_per_block": 300, "energy_per_block_without_trees_j": joules,
                "leakage_w": 1e-6, "dynamic_w": 2e-6, "period_without_trees_s": 1e-8,
            }  # fmt: skip
            store.add_core_report(
                StoredCoreReport(
                    core=core, algorithm="sha1", target="asic", parameters={}, figures=figures,
                    evidence=dict.fromkeys(figures, "modelled"),
                    settings={"device": "a library", "clock_hz": hertz}, digest=core,
                    joulemark_version="1", made_at="2026-01-02T03:04:05+00:00",
                )
            )  # fmt: skip
    found = reproduced(STUDY, each(without_tools))
    conclusion = next(claim for claim in found.claims if claim.id == "conclusion")
    assert conclusion.ground is Ground.PUBLISHED, "the paper's two designs are not in the store"
    assert "one of two designs" in conclusion.why
    assert "authentication 6 nJ with AES and 10 nJ with SHA-1" in found.summary
    assert next(claim for claim in found.claims if claim.id == "sha1-clocks").ground is Ground.NONE
    assert "our designs" in str(found.charts[0].spec)
    assert "its designs here" not in str(found.charts[0].spec)
