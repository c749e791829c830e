# SPDX-License-Identifier: Apache-2.0
"""tools/core_cycles.py makes counts of a store into a file that the catalogue reads again."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tool_scripts import tool

from joulemark.budget.counts import CountSeries, series_of_sheet
from joulemark.catalogue.protocols import CoreCycles
from joulemark.records.figures import Evidence
from joulemark.store.repository import Store

SHEET: dict[str, Any] = {
    "id": "a_core", "title": 'The "core"', "notes": ["One.", "Two."], "evidence": "modelled",
    "document": "own", "how": "by hand", "spread": 0.3, "spread_reason": "a guess of this test",
    "documents": {"own": "Ours", "paper": "A paper"},
    "count": [
        {"algorithm": "cmac-aes128", "variant": "old", "message_bytes": 33, "core_cycles": 7000},
        {"algorithm": "cmac-aes128", "variant": "best", "message_bytes": 33, "core_cycles": 1900,
         "step_core_cycles": 600, "evidence": "published", "document": "paper"},
        {"algorithm": "hmac-sha1", "variant": "old", "message_bytes": 33, "core_cycles": 9000},
    ],
}  # fmt: skip
FOUND = CountSeries(
    implementation="cmac-aes128/small", counts={33: 5000, 16: 2000}, step_core_cycles=None,
    evidence=Evidence.SIMULATED, source="run 4 of the store: simavr 1.6, gcc 7",
    key_core_cycles=300, key_state_bytes=176,
)  # fmt: skip


def test_counts_of_a_store_take_the_place_of_others() -> None:
    """Counts of a store replace those of the same algorithm, except published counts."""
    core_cycles = tool("core_cycles")
    text = core_cycles.toml_of(core_cycles.merged(SHEET, [FOUND]))
    sheet = CoreCycles.model_validate(tomllib.loads(text))
    found = {series.implementation: series for series in series_of_sheet(sheet)}
    assert sorted(found) == ["cmac-aes128/best", "cmac-aes128/small", "hmac-sha1/old"]
    small = found["cmac-aes128/small"]
    assert (small.counts, small.key_core_cycles, small.key_state_bytes) == (
        {16: 2000, 33: 5000}, 300, 176,
    )  # fmt: skip
    assert small.evidence is Evidence.SIMULATED
    assert small.source == "Our kernels, simavr 1.6, gcc 7"
    assert found["hmac-sha1/old"].evidence is Evidence.MODELLED
    assert found["cmac-aes128/best"].source == "A paper"
    assert (sheet.title, sheet.notes, sheet.spread) == ('The "core"', ["One.", "Two."], 0.3)


def test_no_document_is_left_over() -> None:
    """With all own counts replaced, the file names our kernels and published documents alone."""
    core_cycles = tool("core_cycles")
    only = {**SHEET, "count": SHEET["count"][:2]}
    assert [*core_cycles.merged(only, [FOUND])["documents"]] == ["paper", "firmware"]


def test_a_store_without_such_counts_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store without such counts gives one sentence, and no file is written."""
    core_cycles, path = tool("core_cycles"), str(tmp_path / "empty.db")
    with Store.open(path):
        pass
    monkeypatch.setattr("sys.argv", ["core_cycles.py", path, "serv"])
    monkeypatch.setattr(core_cycles, "FOLDER", tmp_path)
    assert core_cycles.main() == 2
    assert capsys.readouterr().err == f"{path} has no counts of mcu:serv\n"
