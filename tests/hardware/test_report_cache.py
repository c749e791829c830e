# SPDX-License-Identifier: Apache-2.0
"""Reports are kept under a hash of the contents that they were made from."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from joulemark.errors import UsageError
from joulemark.hardware.flow.cache import CACHE_VARIABLE, ReportCache, default_folder, report_key
from joulemark.hardware.flow.request import flow
from joulemark.hardware.manifest import read_core
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport


def report(**figures):
    """A report with these figures and no others."""
    return CoreReport(
        core="c", title="t", algorithm="a", configuration=None, parameters={}, target="generic",
        device="d", evidence=dict.fromkeys(figures, "modelled"),
        figures=dict.fromkeys(CORE_FIGURES) | figures,
        reasons={name: "no" for name in CORE_FIGURES if name not in figures}, settings={},
    )  # fmt: skip


def test_what_is_kept_is_found():
    """A cache without a folder keeps nothing and raises no error."""
    ReportCache(None).put("0" * 64, report(area_ge=1.0))
    assert ReportCache(None).get("0" * 64) is None


def test_a_report_survives(tmp_path):
    """Every field comes back from a file in a folder that the cache has made."""
    cache = ReportCache(tmp_path / "new" / "place")
    cache.put("ab" * 32, report(area_ge=12.5))
    assert cache.get("ab" * 32) == report(area_ge=12.5)
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"core": 1}', b"\xff\xfe"])
def test_a_damaged_entry_is_as_good_as_none(tmp_path, damage):
    """A damaged entry is read as missing, without an error, and can be replaced."""
    cache = ReportCache(tmp_path)
    cache.put("ab" * 32, report(area_ge=12.5))
    next(tmp_path.rglob("*.json")).write_bytes(damage)
    assert cache.get("ab" * 32) is None
    cache.put("ab" * 32, report(area_ge=1.0))
    assert cache.get("ab" * 32) == report(area_ge=1.0)


def test_a_cache_that_cannot_be_written_is_refused(tmp_path):
    """The message names the folder and the option that helps."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--no-cache"):
        ReportCache(tmp_path / "file").put("ab" * 32, report(area_ge=1.0))


def test_another_placer_is_not_kept_as_the_answer_of_the_first(tmp_path):
    """Else a machine that was once slow would always give the other placer's figures."""
    cache = ReportCache(tmp_path)
    made = report(fmax_hz=83e6)
    cache.put("ab" * 32, made.model_copy(update={"settings": {"fallback_seeds": [2]}}))
    assert cache.get("ab" * 32) is None
    cache.put("ab" * 32, made.model_copy(update={"settings": {"fallback_seeds": []}}))
    assert cache.get("ab" * 32) is not None


def test_the_key_follows_the_content(toy):
    """Sources, model, manifest, parameters and options change the key; the folder does not."""
    manifest = toy("toy_mac")

    def key(parameters=None, **options):
        core = read_core(manifest)
        return report_key(core, core.chosen(parameters or {}), flow(**options))

    first = key(target="generic")
    assert key(target="generic") == first
    different = {key({"WIPE": 1}, target="generic"), key(target="ecp5")}
    different |= {key(seeds=3), key(placer="static")}
    for name in ("toy_mac.v", "model.py", "toy_mac.toml"):
        path = manifest.parent / name
        text = path.read_text()
        path.write_text(text + ("// more\n" if name.endswith(".v") else "# more\n"))
        if name == "toy_mac.toml":
            path.write_text(text.replace("bits of rotation", "rotation"))
        different.add(key(target="generic"))
        path.write_text(text)
    assert len(different - {first}) == 7
    elsewhere = manifest.parent.rename(manifest.parent.with_name("elsewhere"))
    moved = read_core(Path(elsewhere) / "toy_mac.toml")
    assert report_key(moved, moved.chosen({}), flow("generic")) == first


@pytest.mark.parametrize(
    "name", ["const.inc", "parts/sbox.dat", "a/mix.v", "b/mix.v", "tables.py", "deep/more/p.vh"]
)
def test_the_key_follows_every_file_that_is_read(toy, name):
    """Includes of any name, contents of memories, files of one base name, what a model imports."""
    manifest = toy("toy_mac")
    folder = manifest.parent
    for made in (
        "a/mix.v",
        "b/mix.v",
        "deep/more/p.vh",
        "parts/sbox.dat",
        "const.inc",
        "tables.py",
    ):
        (folder / made).parent.mkdir(parents=True, exist_ok=True)
        (folder / made).write_text("// one\n")
    (folder / "const.inc").write_text('`define ROM "parts/sbox.dat"\n')
    source = folder / "toy_mac.v"
    source.write_text('`include "const.inc"\n' + source.read_text())
    text = manifest.read_text().replace(
        'sources = ["toy_mac.v"]',
        'sources = ["toy_mac.v", "a/mix.v", "b/mix.v"]\ninclude_folders = ["deep"]',
    )
    manifest.write_text(text)

    def key():
        core = read_core(manifest)
        return report_key(core, core.chosen({}), flow("generic"))

    first = key()
    path = folder / name
    path.write_text(path.read_text() + "// more\n")
    assert key() != first


def test_a_missing_model_is_named(toy):
    """The manifest names a model beside the sources; the error names the missing file."""
    core = read_core(manifest := toy("toy_mac"))
    (manifest.parent / "model.py").unlink()
    with pytest.raises(UsageError, match=r"model\.py cannot be read \(No such file"):
        report_key(core, core.chosen({}), flow("generic"))


def test_the_key_follows_the_library(toy, tmp_path):
    """Another library of the same name asks for another report."""
    core = read_core(toy("toy_mac"))
    library = tmp_path / "cells.lib"
    keys = set()
    for text in ("library (a) {}", "library (b) {}"):
        library.write_text(text)
        keys.add(report_key(core, core.chosen({}), flow(None, str(library))))
    assert len(keys) == 2


def test_every_figure_is_there_or_explained():
    """Each of the model's figures has a name in `evidence` or in `reasons`."""
    made = report(area_ge=1.0)
    assert set(made.evidence) | set(made.reasons) == set(CORE_FIGURES)


def test_a_report_of_schema_2_reads_in_hertz():
    """JSON of schema 2 may lie in a file; a field that no schema has is refused."""
    old = report(fmax_hz=1.0).model_dump(mode="json")
    old |= old.pop("figures") | {"absent": old.pop("reasons")}
    old |= {"schema_version": 2, "fmax_mhz": 83.0, "settings": {"fmax_by_seed_mhz": [83.0]}}
    old["evidence"] = {"fmax_mhz": "modelled"}
    del old["fmax_hz"]
    read = CoreReport.model_validate(old)
    assert (read.schema_version, read.figures["fmax_hz"]) == (4, 83e6)
    assert read.reasons["area_ge"] == "no"
    assert set(read.figures) == set(CORE_FIGURES)
    assert (read.evidence, read.settings) == (
        {"fmax_hz": "modelled"}, {"fmax_by_seed_hz": [83e6]},
    )  # fmt: skip
    with pytest.raises(ValidationError, match="made_up"):
        CoreReport.model_validate(old | {"made_up": 1.0})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_figure_is_a_number(value):
    """Infinity and NaN have no place in JSON."""
    with pytest.raises(ValidationError, match="finite"):
        report(area_ge=value)


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    """For every command that keeps reports, those without an option for it among them."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.setenv(CACHE_VARIABLE, "")
    assert default_folder().parts[-2:] == ("joulemark", "cores")
