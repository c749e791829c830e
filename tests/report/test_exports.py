# SPDX-License-Identifier: Apache-2.0
"""Exports: formats, units in names, no cell that a spreadsheet would run, whole files only."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
from pathlib import Path
from typing import Any

import fake_results as fake
import pytest

from joulemark.analyse import ResultSet
from joulemark.errors import UsageError
from joulemark.records.figures import Absence
from joulemark.report import ReportError, write_atomically
from joulemark.report.charts import picture
from joulemark.report.export import exporter, formats
from joulemark.report.words import only

MARKDOWN = """\
# Joulemark results

2 January 2026, 03:04 UTC, Synthetic CPU 9000 (invented for tests).
Each figure is a median with its 95 % interval and the word for how it was obtained.

## hmac-sha256: throughput, hot cache, key kept

| Length | Implementation | Time per message | Minimum, quartiles | Core cycles per byte | TSC ticks per byte | Rate | Times fastest |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| 64 B | shani | 97.2 ns [96.2, 98.2] measured | 95.3 ns, 96.7 ns to 97.7 ns measured | 3.8 [3.76, 3.83] modelled | 3.04 [3.01, 3.07] measured | 658 MB/s measured | 1.00\N{MULTIPLICATION SIGN} |
| 64 B | shani\\_x2 | 104 ns [103, 105] measured | 102 ns, 104 ns to 105 ns measured | 4.07 [4.03, 4.11] modelled | 3.26 [3.22, 3.29] measured | 614 MB/s measured | 1.07\N{MULTIPLICATION SIGN} |
| 4 KiB | shani\\_x2 | 1.76 µs [1.74, 1.77] measured | 1.72 µs, 1.75 µs to 1.77 µs measured | 1.07 [1.06, 1.08] modelled | 0.858 [0.85, 0.867] measured | 2.33 GB/s measured | 1.00\N{MULTIPLICATION SIGN} |
| 4 KiB | shani | 2.31 µs [2.29, 2.34] measured | 2.27 µs, 2.3 µs to 2.33 µs measured | 1.41 [1.4, 1.43] modelled | 1.13 [1.12, 1.14] measured | 1.77 GB/s measured | 1.32\N{MULTIPLICATION SIGN} |

## Figures that could not be had

- Energy: no energy counter: this machine has no RAPL domain that may be read.
"""  # noqa: E501 - a table row is one line


def export(results: ResultSet, name: str, tmp_path: Path, algorithm: str | None = None) -> bytes:
    """The bytes of one export, through the file that users get."""
    path = tmp_path / f"export{exporter(name).SUFFIX}"
    chosen = only(results, algorithm) if algorithm else results
    write_atomically(path, exporter(name).render(chosen, algorithm))
    return path.read_bytes()


def table(data: bytes) -> list[dict[str, str]]:
    """A CSV export, read back."""
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_formats_are_discovered() -> None:
    """Every file in the folder is a format with a suffix and a summary."""
    assert formats() == ["cores_csv", "csv", "json", "latex", "markdown", "png", "svg"]
    assert all(exporter(name).SUFFIX and exporter(name).SUMMARY for name in formats())


def test_markdown_is_as_agreed(tmp_path: Path) -> None:
    """Markdown has a table per algorithm with intervals and evidence words."""
    assert export(fake.small(), "markdown", tmp_path).decode() == MARKDOWN


def test_markdown_escapes_what_would_format(tmp_path: Path) -> None:
    """Signs of Markdown and HTML in names show as they are, and nobody is mentioned."""
    fake_result = fake.Fake("mac/a|b<b>*x*`@octocat", "p", 9.0, 1.0)
    text = export(fake.result_set([fake.result(fake_result, 64)]), "markdown", tmp_path).decode()
    assert "a\\|b\\<b\\>\\*x\\*\\`@<!-- -->octocat" in text


def test_json_reads_back_to_the_same_results(tmp_path: Path) -> None:
    """JSON is the published shape, one line, and loses nothing."""
    data = export(fake.realistic(), "json", tmp_path)
    assert data.endswith(b"}\n")
    assert data.count(b"\n") == 1
    assert ResultSet.model_validate_json(data) == fake.realistic()


def test_csv_has_a_row_per_result_and_units_in_names(tmp_path: Path) -> None:
    """CSV names SI units, repeats the evidence of each figure and gives reasons for gaps."""
    results = fake.realistic()
    rows = table(export(results, "csv", tmp_path))
    assert len(rows) == len(results.results)
    row = rows[2]
    assert row["implementation"] == "hmac-sha256/shani"
    assert row["size_bytes"] == "64"
    assert float(row["time_s_per_message_median"]) == pytest.approx(97.2e-9)
    assert row["time_s_per_message_evidence"] == "measured"
    assert row["core_cycles_per_byte_evidence"] == "modelled"
    assert row["energy_j_per_byte_median"] == ""
    assert row["energy_j_per_byte_missing_because"] == fake.NO_JOULES


def test_csv_keeps_every_digit(tmp_path: Path) -> None:
    """Numbers read back to the very same floating-point values."""
    results = fake.realistic()
    for row, result in zip(table(export(results, "csv", tmp_path)), results.results, strict=True):
        assert result.seconds_per_message is not None
        assert float(row["time_s_per_message_low"]) == result.seconds_per_message.low


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "\uff1d"])
def test_csv_neutralises_formulas(tmp_path: Path, start: str) -> None:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    evil = f"{start}HYPERLINK(1)"
    result = fake.result(fake.Fake(f"{evil}/x", evil, 9.0, 1.0), 64, warnings=[evil], chosen=evil)
    result = result.model_copy(
        update={"reasons": {"joules_per_byte": Absence(evil)}, "target": evil}
    )
    (row,) = table(export(fake.result_set([result]), "csv", tmp_path))
    texts = ("algorithm", "implementation", "chosen", "provider", "target", "warnings")
    for name in (*texts, "energy_j_per_byte_missing_because"):
        assert row[name].startswith("'"), name


def test_svg_is_a_picture_without_addresses(tmp_path: Path) -> None:
    """The vector picture names what it shows and refers to nothing outside."""
    text = export(fake.realistic(), "svg", tmp_path).decode()
    assert text.startswith("<svg")
    for words in ("hmac-sha256", "time per message (measured)", "Synthetic CPU 9000", "openssl"):
        assert words in text
    assert not set(re.findall(r"https?://[^\"' )]+", text)) - {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_png_is_a_picture(tmp_path: Path) -> None:
    """The pixel picture is a PNG of a size fit for a slide."""
    data = export(fake.small(), "png", tmp_path)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") > 1200


def test_chosen_algorithm_is_exported_alone(tmp_path: Path) -> None:
    """A chosen algorithm limits the export, and the picture shows that algorithm."""
    rows = table(export(fake.realistic(), "csv", tmp_path, "siphash-2-4"))
    assert {row["algorithm"] for row in rows} == {"siphash-2-4"}
    assert "siphash-2-4" in export(fake.realistic(), "svg", tmp_path, "siphash-2-4").decode()


def test_picture_shows_the_chosen_algorithm() -> None:
    """A picture of one algorithm starts at that algorithm and has no data of others."""
    spec = picture(fake.realistic(), "siphash-2-4")
    values = {param["name"]: param.get("value") for param in spec["params"]}
    assert values["algorithm"] == "siphash-2-4"
    assert {row["algorithm"] for row in spec["data"]["values"]} == {"siphash-2-4"}


def test_an_unknown_format_is_refused() -> None:
    """The refusal names the formats."""
    with pytest.raises(
        UsageError, match="choose one of cores_csv, csv, json, latex, markdown, png, svg"
    ):
        exporter("xlsx")


def test_picture_of_nothing_is_refused(tmp_path: Path) -> None:
    """A run without times has no picture; the reason is given and no file is left."""
    with pytest.raises(ReportError, match="Nothing was measured"):
        export(fake.result_set([]), "svg", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_folder_is_one_clear_sentence(tmp_path: Path) -> None:
    """A path in a folder that does not exist is refused with the remedy."""
    with pytest.raises(ReportError, match=r"cannot be written: its folder does not exist"):
        write_atomically(tmp_path / "none" / "x.csv", b"new")
    with pytest.raises(ReportError, match="it is a folder"):
        write_atomically(tmp_path, b"new")
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="choose another path"):
        write_atomically(tmp_path / "file" / "x.csv", b"new")


def test_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full, the old file stays as it was and no temporary file is left."""
    path = tmp_path / "x.csv"
    path.write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("joulemark.report.os.fsync", full)
    with pytest.raises(ReportError, match="the disk is full"):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]


def test_denied_folder_is_one_clear_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that may not be written to is refused with the remedy."""

    def denied(*_arguments: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(ReportError, match="permission is denied"):
        write_atomically(tmp_path / "x", b"")


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    """A report can be read by others as far as the umask allows, like any new file."""
    write_atomically(tmp_path / "a", b"x")
    (tmp_path / "b").write_bytes(b"x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
