# SPDX-License-Identifier: Apache-2.0
"""`joulemark runs`, `export` and `report` on stored runs."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys

import pytest
from fake_store import PORTABLE, SHANI, store_with

from joulemark.analyse import ResultSet
from joulemark.cli.results import Format
from joulemark.report.export import formats

READING = [("runs",), ("results",), ("export",), ("report",), ("compare", "a", "b"),
           ("compare", "--runs", "1", "2"), ("check", "--baseline", "1")]  # fmt: skip


@pytest.fixture
def store(tmp_path):
    """A store with a finished run and a stopped run, in which an implementation was wrong."""
    return store_with(
        tmp_path / "joulemark.db", {}, {"seed": 2, "broken": (SHANI,), "finished": False}
    )


@pytest.mark.parametrize("arguments", READING)
def test_reading_makes_no_store(refused, tmp_path, arguments):
    """A command that reads refuses a missing store and makes none."""
    assert "joulemark bench" in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", READING)
def test_a_file_that_is_no_store_is_refused(refused, tmp_path, arguments):
    """A file that is no store is refused and left as it was."""
    file = tmp_path / "joulemark.db"
    file.write_bytes(b"a letter to my aunt")
    assert "not a Joulemark database" in refused(*arguments)
    assert file.read_bytes() == b"a letter to my aunt"


def test_runs_are_listed(run, store):
    """One line per run, with its state and only the failures that matter."""
    lines = run("runs").stdout.splitlines()
    assert len(lines) == 3
    assert lines[1].split()[0] == "1"
    assert " finished " in lines[1]
    assert " unfinished " in lines[2]
    entries = json.loads(run("runs", "--json").stdout)["runs"]
    assert [entry["id"] for entry in entries] == [1, 2]
    assert [entry["failures"] for entry in entries] == [0, 1]
    assert entries[0]["samples"] == 3 * 2 * 24
    assert entries[0]["algorithms"] == ["hmac-sha256"]


def test_the_store_comes_from_the_environment_or_the_option(run, store, tmp_path, monkeypatch):
    """The option wins over JOULEMARK_STORE, and that over ./joulemark.db."""
    other = store_with(tmp_path / "other.db", {})
    monkeypatch.setenv("JOULEMARK_STORE", str(other))
    assert len(json.loads(run("runs", "--json").stdout)["runs"]) == 1
    assert len(json.loads(run("runs", "--json", "--store", store).stdout)["runs"]) == 2


def test_an_empty_store_is_no_error(run, tmp_path):
    """An empty store gives a hint on standard error and nothing on standard output."""
    store_with(tmp_path / "joulemark.db")
    result = run("runs")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "joulemark bench" in result.stderr
    assert json.loads(run("runs", "--json").stdout)["runs"] == []


@pytest.mark.parametrize("arguments", [("export",), ("report",), ("compare", "a", "b")])
def test_an_empty_store_has_nothing_to_export(refused, tmp_path, arguments):
    """The refusal of an empty store says which command comes first."""
    store_with(tmp_path / "joulemark.db")
    assert "joulemark bench" in refused(*arguments)


def test_samples_after_results_alone(run, tmp_path):
    """A file with samples takes the place of the same run without, and stays in its place."""
    there = store_with(tmp_path / "there.db", {})
    for name, words in (("whole", ["--raw"]), ("plain", [])):
        (tmp_path / name).write_text(run("export", "--store", there, *words).stdout)
    for name, samples in (("plain", 0), ("whole", 144), ("plain", 144)):
        assert run("import", name).exit_code == 0
        [only] = json.loads(run("runs", "--json").stdout)["runs"]
        assert (only["samples"], only["published"]) == (samples, not samples)
        assert only["algorithms"] == ["hmac-sha256"]


@pytest.mark.parametrize("command", ["export", "report"])
def test_a_run_that_is_not_there_is_refused(refused, store, command):
    """A missing run is refused by its number."""
    assert "there is no run 99" in refused(command, "--run", 99)


@pytest.mark.usefixtures("store")
def test_export_reads_back(run):
    """The JSON of the chosen run is read back; --raw adds the samples."""
    result = run("export", "--run", 1)
    assert result.exit_code == 0, result.output
    found = ResultSet.model_validate_json(result.stdout)
    assert found.context["run"]["id"] == 1
    assert all(shown_result.samples is None for shown_result in found.results)
    raw = ResultSet.model_validate_json(run("export", "--run", 1, "--raw").stdout)
    assert all(len(shown_result.samples or ()) == 24 for shown_result in raw.results)


def test_export_leaves_out_which_machine_it_was(run, tmp_path):
    """`--no-machine` leaves out digest and name of the machine, with the reason, and no more."""
    naming = {"machine_digest": "00112233445566aa", "machine_name": "node 7"}
    store_with(tmp_path / "joulemark.db", {"environment": naming})
    whole, part = (json.loads(run("export", *words).stdout) for words in ((), ("--no-machine",)))
    known = whole["context"]["environment"]
    assert {key: known[key] for key in naming} == naming
    left = part["context"]["environment"]
    assert {key: left[key] for key in naming} == dict.fromkeys(naming)
    assert left["reasons"] == dict.fromkeys(naming, "left out of this export")
    assert {**left, **naming, "reasons": {}} == known
    assert part["results"] == whole["results"]
    assert "node 7" not in run("export", "--no-machine", "--format", "markdown").stdout


@pytest.mark.usefixtures("store")
def test_export_withholds_what_failed(run):
    """A wrong implementation of the latest run has a failure and no figure."""
    found = ResultSet.model_validate_json(run("export").stdout)
    assert SHANI not in {result.implementation for result in found.results}
    assert SHANI in {failure.implementation for failure in found.failures}


def test_formats_are_those_of_the_exporters():
    """The command offers every exporter, and nothing else."""
    assert sorted(export.value for export in Format) == formats()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("name", "start"),
    [("out.json", b"{"), ("out.csv", b"algorithm,"), ("out.md", b"# "), ("out.svg", b"<svg"),
     ("out.png", b"\x89PNG")],
)  # fmt: skip
def test_the_ending_decides_the_format(run, tmp_path, name, start):
    """The ending of --output decides the format; standard output stays empty."""
    result = run("export", "--run", 1, "--output", name)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    assert (tmp_path / name).read_bytes().startswith(start)
    assert name in result.stderr


@pytest.mark.usefixtures("store")
def test_one_algorithm_alone(run, refused):
    """--algorithm limits the export; a name without figures is refused with those there are."""
    assert run("export", "--algorithm", "hmac-sha256", "--format", "csv").exit_code == 0
    assert "hmac-sha256" in refused("export", "--algorithm", "poly1305")


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "options",
    [("--format", "pdf"), ("--output", "x.foo"), ("--raw", "--format", "csv"), ("--run", "two"),
     ("--run", "1", "--output", "no/such/folder/x.csv"), ("--output", ".")],
)  # fmt: skip
def test_exports_that_make_no_sense(refused, options):
    """Each export that makes no sense is refused in one sentence."""
    refused("export", *options)


@pytest.mark.usefixtures("store")
def test_the_report_is_one_page(run, tmp_path):
    """The report is the page `report.html` by default."""
    result = run("report", "--run", 1)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    page = (tmp_path / "report.html").read_text("utf-8")
    packed = page.partition('id="results-gzip">')[2].partition("</script>")[0]
    assert PORTABLE in gzip.decompress(base64.b64decode(packed)).decode()
    assert page.lower().startswith("<!doctype html>")


@pytest.mark.usefixtures("store")
def test_a_report_that_cannot_be_written_is_refused(refused):
    """A report in a missing folder is refused, and the sentence names the folder."""
    assert "nowhere" in refused("report", "--output", "nowhere/report.html")


def test_reading_commands_do_not_draw(store):
    """`runs` imports neither numpy nor altair."""
    code = (
        "import sys; from joulemark.cli.app import app\n"
        f"try: app(['runs', '--store', {str(store)!r}], prog_name='joulemark')\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'altair'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stderr.strip() == b"[]"
