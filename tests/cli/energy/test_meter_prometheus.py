# SPDX-License-Identifier: Apache-2.0
"""`joulemark meter --prometheus`, read back by a small parser written here."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from joulemark.cli.meter_output import PrometheusFile, exposition
from joulemark.measure.meter_choice import LiveFigure
from joulemark.meters.simulated.daemon import start
from joulemark.records.energy_window import Domain, DomainKind, Quantity
from joulemark.report import ReportError

METRIC = "joulemark_energy_joules_total"
SOON = 60.0
SIGNS = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def parsed(text):
    """Reads a text exposition as metadata and samples by labels; fails on any other text.

    A sample is a name, labels in braces and a number; in a label's value a backslash stands only
    before a backslash, a quotation mark or an n. Metadata come before the samples, once each.
    """
    assert text.endswith("\n")
    metadata, samples = {}, {}
    for line in text.splitlines():
        if line.startswith("#"):
            word, name, rest = re.fullmatch(r"# (HELP|TYPE) ([a-z_]+) (.+)", line).groups()
            assert (name, word) not in metadata
            assert not samples
            metadata[name, word] = rest
            continue
        name, inside, value = re.fullmatch(r"([a-z_]+)\{(.*)\} (\S+)", line).groups()
        label = r'([a-z_]+)="((?:[^"\\]|\\[\\"n])*)"'
        assert re.fullmatch(f"{label}(?:,{label})*", inside)
        labels = frozenset(
            (key, re.sub(r"\\.", lambda found: SIGNS[found[0]], escaped))
            for key, escaped in re.findall(label, inside)
        )
        assert (name, "TYPE") in metadata
        assert labels not in samples
        samples[labels] = float(value)
    return metadata, samples


def figure(place, energy_j, name="core"):
    """Makes the figure that a refresh has of a domain."""
    domain = Domain(place, name, DomainKind.CORE, Quantity.ENERGY, 1e-6, 1e-6)
    return LiveFigure(domain, 1.0, energy_j, 0, None)


def labelled(place, name="core", meter="powercap", evidence="measured"):
    """Makes the labels of one sample."""
    return frozenset({("meter", meter), ("domain", place), ("name", name), ("evidence", evidence)})


def test_every_domain_with_energy_is_a_counter():
    """Energy has every digit, help and type; a domain without energy is absent and not 0."""
    text = exposition([figure("a:0", 1 / 3), figure("a:1", None)], "powercap", "measured")
    metadata, samples = parsed(text)
    assert metadata[METRIC, "TYPE"] == "counter"
    assert "do not add them up" in metadata[METRIC, "HELP"]
    assert samples == {labelled("a:0"): 1 / 3}


def test_values_of_labels_are_escaped():
    """Quotation marks, backslashes and line ends in names from an instrument are escaped."""
    name, meter = 'a "b" \\n\nc', "external:C:\\x.csv"
    text = exposition([figure("x", 2.0, name)], meter, "simulated")
    assert parsed(text)[1] == {labelled("x", name, meter, "simulated"): 2.0}


def test_without_any_figure_the_text_is_whole():
    """Without a figure the text is help and type alone."""
    metadata, samples = parsed(exposition([], "powercap", "measured"))
    assert len(metadata) == 2
    assert samples == {}


def test_it_is_renewed_at_each_refresh_and_goes_at_the_end(tmp_path):
    """The file is alone in its folder at any time, readable for others, and gone afterwards."""
    path = tmp_path / "joules.prom"
    path.write_text("left by an earlier command\n")
    refreshes = [(0.5, [figure("x", 1.0)]), (1.0, [figure("x", 2.5)])]
    seen = []
    file = PrometheusFile(path, "powercap", "measured")
    for _ in file.record(iter(refreshes), stays=False):
        assert names(tmp_path) == ["joules.prom"]
        assert path.stat().st_mode & 0o777 == 0o666 & ~mask()
        seen.append(parsed(path.read_text())[1][labelled("x")])
    assert seen == [1.0, 2.5]
    assert names(tmp_path) == []


def names(folder):
    """Names of all files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def mask():
    """Mask of this process for the permissions of new files."""
    found = os.umask(0)
    os.umask(found)
    return found


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    """On a full disk the old file stays whole, and one sentence says why."""
    path = tmp_path / "joules.prom"
    file = PrometheusFile(path, "powercap", "measured")
    two = [(0.5, [figure("x", 1.0)]), (1.0, [figure("x", 2.0)])]
    refreshes = file.record(iter(two), stays=True)
    next(refreshes)

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("joulemark.report.os.fsync", full)
    with pytest.raises(ReportError, match="the disk is full"):
        next(refreshes)
    assert names(tmp_path) == ["joules.prom"]
    assert parsed(path.read_text())[1] == {labelled("x"): 1.0}


@pytest.mark.parametrize("place", ["nowhere/joules.prom", "folder"])
def test_a_place_that_cannot_be_written_is_refused(refused, tmp_path, place):
    """A missing folder or a folder in the file's place is refused, and no file is left."""
    (tmp_path / "folder").mkdir()
    with start("update_ms=20") as meter:
        line = refused("meter", meter, "--once", "--prometheus", tmp_path / place)
    assert line.startswith(f"joulemark: {tmp_path / place} cannot be written: ")
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == []


def test_once_leaves_the_file(run, tmp_path):
    """`--once` leaves the file, as a timer of the system needs it."""
    path = tmp_path / "joules.prom"
    with start("static_w=10,update_ms=20") as meter:
        done = run("meter", meter, "--once", "--json", "--prometheus", path)
    assert done.exit_code == 0, done.output
    samples = parsed(path.read_text())[1]
    assert {dict(labels)["evidence"] for labels in samples} == {"simulated"}
    assert {dict(labels)["meter"] for labels in samples} == {meter}
    assert {dict(labels)["domain"] for labels in samples} == {"intel-rapl:0", "intel-rapl:0:0"}
    assert all(joules > 0 for joules in samples.values())


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_rises_until_it_is_stopped_and_goes_then(tmp_path, stop):
    """The counter rises until SIGINT or SIGTERM, and then the file is gone."""
    path = tmp_path / "joules.prom"
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", "meter", "simulated:update_ms=20",
         "--interval", "0.2", "--prometheus", str(path)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    key = ("domain", "intel-rapl:0")
    seen = [0.0]
    deadline = time.monotonic() + SOON
    try:
        while len(seen) < 4:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
            samples = parsed(path.read_text())[1] if path.exists() else {}
            joules = next((value for labels, value in samples.items() if key in labels), 0.0)
            assert joules >= seen[-1]
            if joules > seen[-1]:
                seen.append(joules)
        process.send_signal(stop)
        _, errors = process.communicate(timeout=SOON)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors) == (0, "")
    assert names(tmp_path) == []
