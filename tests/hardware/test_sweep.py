# SPDX-License-Identifier: Apache-2.0
"""Many reports: kept one by one, resumed, and failures that do not stop the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joulemark.hardware.cores import swept_variants
from joulemark.hardware.flow.points import PointOutcome, ReportPoint, run_points
from joulemark.hardware.flow.request import flow
from joulemark.hardware.manifest import read_core
from tool_marks import needs_simulator, needs_yosys

pytestmark = [needs_simulator, needs_yosys]


def misspelt(toy):
    """The toy with a misspelt name, which a simulator refuses at once."""
    manifest = toy("toy_mac")
    source = manifest.with_name("toy_mac.v")
    source.write_text(source.read_text().replace("fresh <= in_last", "fersh <= in_last"))
    return manifest


def points_of(manifest):
    """The points of both values of the toy's parameter on generic gates."""
    core = read_core(manifest)
    return [
        ReportPoint(core, manifest, swept_variant, flow("generic"))
        for swept_variant in swept_variants(core, [])
    ]


def test_reports_are_made_once(toy, tmp_path):
    """All points have a report with every figure explained; a second run makes none."""
    points, seen = points_of(toy("toy_mac")), []
    first = run_points(points, tmp_path / "cache", observe=lambda _one, *n: seen.append(n))
    assert seen == [(1, 2), (2, 2)]
    assert [outcome.kept for outcome in first] == [False, False]
    assert [outcome.report.parameters["WIPE"] for outcome in first] == [0, 1]
    assert first[0].report.figures["clocks_per_block"] == 2
    assert 0 < first[0].report.figures["area_ge"] != first[1].report.figures["area_ge"]
    second = run_points(points, tmp_path / "cache")
    assert [outcome.kept for outcome in second] == [True, True]
    assert [outcome.report for outcome in second] == [outcome.report for outcome in first]


def test_a_point_that_fails_says_why(toy, tmp_path):
    """The outcome has the tool's reason, and the cache keeps nothing of the point."""
    manifest = misspelt(toy)
    outcome = run_points(points_of(manifest)[:1], tmp_path / "cache")[0]
    assert outcome.report is None
    assert "does not compile" in outcome.reason
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_the_longest_begin_first(toy):
    """Place and route begins before mapping, large parameters first; results keep their order."""
    manifest, begun = toy("toy_mac"), []
    core = read_core(manifest)
    points = [
        ReportPoint(core, manifest, (None, {"WIPE": value}), flow(target))
        for target in ("generic", "ecp5") for value in (1, 4, 2)
    ]  # fmt: skip

    def spread(waiting, told):
        for number, point in waiting.items():
            begun.append((point.asked.target, point.variant[1]["WIPE"]))
            told(number, PointOutcome(point, None, "not made", kept=False))

    outcomes = run_points(points, None, spread=spread)
    assert begun == [(target, value) for target in ("ecp5", "generic") for value in (4, 2, 1)]
    assert [outcome.point for outcome in outcomes] == points


def test_files_of_the_working_folder_are_not_modules(toy, tmp_path, monkeypatch):
    """A `json.py` beside the user's sources does not replace Python's own: the simulator is
    reached, and its words are the reason.
    """
    points = points_of(misspelt(toy))[:1]
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(tmp_path)
    assert "does not compile" in run_points(points, None)[0].reason


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGKILL, marks=pytest.mark.exhaustive), signal.SIGINT]
)
def test_a_sweep_that_is_ended_goes_on(toy, tmp_path, number):
    """Finished points are kept, whatever ended the sweep, and no process of it is left running."""
    manifest, cache = toy("toy_mac"), tmp_path / "cache"
    line = [sys.executable, "-m", "joulemark.cli.entry", "core", "sweep", str(manifest), "--target",
            "generic", "--cache", str(cache), "--no-store", "--jobs", "1"]  # fmt: skip
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    sweep = subprocess.Popen(
        line, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 200
    while not list(cache.rglob("*.json")):
        assert time.monotonic() < deadline
        assert sweep.poll() is None
        time.sleep(0.05)
    sweep.send_signal(number)
    _, complaint = sweep.communicate(timeout=30)
    if number == signal.SIGINT:
        assert sweep.returncode == 130
        assert b"the same command goes on" in complaint
    made = []

    def spread(waiting, told):
        made.extend(waiting)
        if number == signal.SIGINT:  # a point that is made is in the tests above
            told(1, PointOutcome(points[1], None, "not made", kept=False))
        else:
            told(1, run_points([waiting[1]], cache)[0])

    points = points_of(manifest)
    outcomes = run_points(points, cache, spread=spread)
    assert [outcome.kept for outcome in outcomes] == [True, False]
    assert outcomes[0].report
    assert made == [1]
    assert outcomes[1].report or number == signal.SIGINT
    assert not left_running(str(manifest), 20)


def left_running(word: str, patience_s: float) -> list[str]:
    """Command lines of processes that name a file, after giving them time to end."""
    until = time.monotonic() + patience_s
    while True:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    text = (entry / "cmdline").read_text("utf-8", "replace")
                except OSError:
                    continue
                if word in text:
                    found.append(text)
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.2)
