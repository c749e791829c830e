# SPDX-License-Identifier: Apache-2.0
"""tools/results_tables.py: the tables of real figures in docs/results and README.md."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tool_scripts import tool as script

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.records.figures import Evidence
from joulemark.records.trial import Cache, KeySetup, Mode

BEGIN, END = "<!-- table:begin -->", "<!-- table:end -->"
REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script as a module."""
    return script("results_tables")


def figure(median: float, evidence: Evidence = Evidence.MEASURED) -> Figure:
    """Makes a figure with an interval of 1 % either way."""
    low, high = 0.99 * median, 1.01 * median
    return Figure(median=median, low=low, high=high, minimum=low, quartile_1=low, quartile_3=high,
                  mad=low / 100, evidence=evidence, samples=20)  # fmt: skip


def result(implementation: str, size_bytes: int, seconds: float, **changes: Any) -> Result:
    """Makes a result with core cycles at 3 GHz."""
    cycles = figure(seconds * 3e9 / max(size_bytes, 1), changes.pop("cycles", Evidence.MODELLED))
    algorithm = implementation.split("/", maxsplit=1)[0]
    facts: dict[str, Any] = {
        "algorithm": algorithm, "implementation": implementation, "chosen": None,
        "provider": "joulemark", "target": "host", "size_bytes": size_bytes, "batch": 1,
        "mode": Mode.THROUGHPUT, "cache": Cache.HOT, "key_setup": KeySetup.KEPT,
        "evidence": Evidence.MEASURED, "seconds_per_message": figure(seconds),
        "thread_cpu_seconds_per_message": None, "bytes_per_second": None,
        "tsc_ticks_per_message": None, "tsc_ticks_per_byte": None,
        "core_cycles_per_message": None, "core_cycles_per_byte": cycles, "joules_per_byte": None,
    }  # fmt: skip
    return Result(**{**facts, **changes})


def results(*found: Result, cpu: str = "A CPU") -> ResultSet:
    """Makes a run with the given results."""
    context = {
        "run": {"started_at": "2026-01-02T03:04:05+00:00", "joulemark_version": "9.9",
                "rounds": 20},
        "environment": {"cpu_model": cpu, "kernel_release": "6.1.0", "virtualised": True},
        "implementations": {"a": {"provider": "joulemark", "compiler": "GNU 12"},
                            "b": {"provider": "openssl", "compiler": "GNU 13"}},
    }  # fmt: skip
    return ResultSet(context=context, results=list(found), failures=[], warnings=[])


def rows(text: str) -> list[list[str]]:
    """Cells of the table, without its heading."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_fastest_at_64_bytes_comes_first(tool: ModuleType) -> None:
    """Algorithms stand in their fixed order, and the fastest variant of each stands first."""
    text = tool.table(
        results(
            result("siphash-2-4/portable", 64, 10e-9),
            result("hmac-sha256/portable", 64, 600e-9),
            result("hmac-sha256/shani", 64, 130e-9),
        )
    )
    names = [row[0] for row in rows(text)]
    assert names == ["`hmac-sha256/shani`", "`hmac-sha256/portable`", "`siphash-2-4/portable`"]


def test_units_and_missing_figures(tool: ModuleType) -> None:
    """Seconds become nanoseconds, cycles stay per byte, and a missing figure is a dash."""
    text = tool.table(
        results(
            result("poly1305/portable", 64, 50e-9), result("poly1305/portable", 16384, 16384e-9)
        )
    )
    assert rows(text) == [["`poly1305/portable`", "50 [49.5, 50.5]", "-", "3 [2.97, 3.03]"]]


def test_one_evidence_word_stands_in_the_heading(tool: ModuleType) -> None:
    """A column whose figures share an evidence word has the word once, in the heading."""
    heading = tool.table(results(result("poly1305/portable", 16384, 1e-6))).splitlines()[0]
    assert "core cycles per byte (modelled)" in heading


def test_two_evidence_words_stand_beside_the_figures(tool: ModuleType) -> None:
    """A column of measured and modelled figures has the word in each cell."""
    text = tool.table(
        results(
            result("poly1305/portable", 16384, 1e-6),
            result("poly1305/other", 16384, 1e-6, cycles=Evidence.MEASURED),
        )
    )
    words = {row[3].rsplit(" ", 1)[1] for row in rows(text)}
    assert words == {"modelled", "measured"}


@pytest.mark.parametrize(
    "change",
    [{"mode": Mode.LATENCY}, {"cache": Cache.COLD}, {"key_setup": KeySetup.FRESH}, {"batch": 4},
     {"target": "mcu:atmega128"}, {"chosen": "shani"}],
)  # fmt: skip
def test_other_workloads_are_left_out(tool: ModuleType, change: dict[str, Any]) -> None:
    """Only the usual workload is shown, since the table says so below it."""
    with pytest.raises(ValueError, match="no figure"):
        tool.table(results(result("hmac-sha256/shani", 64, 1e-7, **change)))


def test_twins_are_left_out(tool: ModuleType) -> None:
    """The second copy of an A/A test is not shown as another implementation."""
    with pytest.raises(ValueError, match="no figure"):
        tool.table(results(result("hmac-sha256/shani#2", 64, 1e-7)))


def test_conditions_stand_below(tool: ModuleType) -> None:
    """CPU, kernel, our compiler, date and version stand below, without foreign markup."""
    text = tool.table(
        results(
            result("poly1305/portable", 64, 1e-7, warnings=["Something was doubtful."]),
            result("poly1305/portable", 1024, 1e-6),
            cpu="A <b>CPU</b>",
        )
    )
    line = text.splitlines()[-1]
    for part in ("A &lt;b>CPU&lt;/b> (virtual machine)", "Linux 6.1.0", "GNU 12",
                 "2 January 2026, 03:04 UTC", "Joulemark 9.9", "over 20 samples",
                 "1 of the run's 2 results carry a warning", "Compared with nobody"):  # fmt: skip
        assert part in line
    assert "GNU 13" not in line


def test_only_what_lies_between_the_markers_changes(tool: ModuleType) -> None:
    """Text before and after stays byte for byte, and a second time changes nothing."""
    readme = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = tool.with_table(readme, "new")
    assert once == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    assert tool.with_table(once, "new") == once


@pytest.mark.parametrize("readme", ["none", "<!-- table:end --> <!-- table:begin -->"])
def test_missing_markers_are_refused(tool: ModuleType, readme: str) -> None:
    """A page without both markers in their order is not written over."""
    with pytest.raises(ValueError, match="must hold"):
        tool.with_table(readme, "new")


def pages(tool: ModuleType, root: Path) -> dict[str, Path]:
    """Writes the three documents with empty tables into a folder."""
    found = {name: root / name for name in (tool.README, tool.SINGLE, tool.BATCHES)}
    found[tool.SINGLE].parent.mkdir(parents=True)
    for name, path in found.items():
        mark = "batches" if name == tool.BATCHES else "table"
        path.write_text(f"<!-- {mark}:begin -->\n<!-- {mark}:end -->\n", "utf-8")
    return found


def test_readme_has_the_fastest_of_ours_and_of_the_others(tool: ModuleType) -> None:
    """Each algorithm has at most two rows, copied byte for byte, as is the last line."""
    whole = tool.table(
        results(
            result("poly1305/portable", 64, 20e-9),
            result("poly1305/slow", 64, 30e-9),
            result("poly1305/openssl_mac_rekey", 64, 60e-9),
            result("poly1305/nettle", 64, 50e-9),
            result("siphash-2-4/libsodium", 64, 10e-9),
        )
    )
    short = tool.short_table(f"{BEGIN}\n{whole}\n{END}\n")
    assert [row[0] for row in rows(short)] == [
        "`siphash-2-4/libsodium`",
        "`poly1305/portable`",
        "`poly1305/nettle`",
    ]
    assert set(short.splitlines()) <= set(whole.splitlines())
    assert short.splitlines()[-1] == whole.splitlines()[-1]


def test_readme_shows_rows_of_the_results(tool: ModuleType) -> None:
    """The table of README.md is the choice from the committed page, and has about eight rows."""
    readme = (REPOSITORY / tool.README).read_text("utf-8")
    page = (REPOSITORY / tool.SINGLE).read_text("utf-8")
    assert tool.table_in(readme) == tool.short_table(page)
    assert len(rows(tool.table_in(readme))) == 8
    assert len(rows(page)) > 8


def test_the_page_of_batches_has_its_table(tool: ModuleType) -> None:
    """The table of batches stands between its markers and has a row of an engine."""
    page = (REPOSITORY / tool.BATCHES).read_text("utf-8")
    assert "| `hmac-sha256/engine` |" in tool.table_in(page, "batches")


def test_command_writes_both_documents(tool: ModuleType, tmp_path: Path) -> None:
    """Given an export, the command puts the table into its page and the short one into README."""
    documents, export = pages(tool, tmp_path), tmp_path / "run.json"
    export.write_text(results(result("poly1305/portable", 64, 5e-8)).model_dump_json(), "utf-8")
    assert tool.main([str(export)], root=tmp_path) == 0
    for name in (tool.SINGLE, tool.README):
        assert "`poly1305/portable`" in documents[name].read_text("utf-8")


def test_command_refuses_what_is_no_export(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no export gives exit code 2 and leaves the documents as they were."""
    documents, export = pages(tool, tmp_path), tmp_path / "run.json"
    export.write_text("{}", "utf-8")
    assert tool.main([str(export)], root=tmp_path) == 2
    assert "run.json" in capsys.readouterr().err
    assert documents[tool.README].read_text("utf-8") == f"{BEGIN}\n{END}\n"


def batch(implementation: str, length: int | str, seconds: float, **changes: Any) -> Result:
    """Makes a result of a batch of 64 with distinct keys; a text as length is a mix."""
    mix = length if isinstance(length, str) else ""
    size = 360 if mix else int(length)
    facts: dict[str, Any] = {
        "batch": 64, "key_setup": KeySetup.DISTINCT, "mix": mix, "batch_calls": True,
        "provider": "joulemark" if implementation.endswith("/engine") else "outside",
    }  # fmt: skip
    return result(implementation, size, seconds, **{**facts, **changes})


def test_batches_show_the_engine_and_the_fastest_others(tool: ModuleType) -> None:
    """An outside implementation has a row only if it is the fastest in some column."""
    text = tool.batch_table(
        results(
            batch("hmac-sha256/engine", 64, 25e-9),
            batch("hmac-sha256/engine", "imix", 90e-9),
            batch("hmac-sha256/quick", 64, 60e-9),
            batch("hmac-sha256/quick", "imix", 190e-9),
            batch("hmac-sha256/slow", 64, 61e-9),
            batch("hmac-sha256/mixer", "imix", 180e-9),
            batch("hmac-sha256/mixer", 64, 62e-9),
            batch("hmac-sha256/shared", 64, 1e-9, key_setup=KeySetup.KEPT),
            batch("hmac-sha256/single", 64, 1e-9, batch=1),
            batch("hmac-md5/quick", 64, 1e-9),
        )
    )
    assert [row[0] for row in rows(text)] == [
        "`hmac-sha256/engine`",
        "`hmac-sha256/mixer`",
        "`hmac-sha256/quick`",
    ]
    engine = rows(text)[0][1:]
    assert engine == ["-", "25 [24.8, 25.2]", "-", "-", "-", "90 [89.1, 90.9]"]
    assert "64 B (measured)" in text
    assert "Batches of 64, a key for each message" in text


def test_batches_without_an_engine_are_refused(tool: ModuleType, tmp_path: Path) -> None:
    """A run of single messages cannot fill the table of batches; the page stays as it was."""
    documents, run = pages(tool, tmp_path), tmp_path / "run.json"
    run.write_text(results(result("hmac-sha256/engine", 64, 1e-9)).model_dump_json(), "utf-8")
    before = documents[tool.BATCHES].read_text("utf-8")
    assert tool.main(["--batches", str(run)], root=tmp_path) == 2
    assert documents[tool.BATCHES].read_text("utf-8") == before
