# SPDX-License-Identifier: Apache-2.0
"""The gate's answer as Markdown, JUnit, Bencher Metric Format and the action's JSON."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from joulemark.analyse.gate import GateCode
from joulemark.analyse.gate_report import GateFailure, GateLine, GateReport, Span
from joulemark.report.gate import action_json, bencher, junit, markdown

HOSTILE = 'a|b <c> & "d" *e* \x07 [f](g)'  # fmt: skip


def line(name: str, code: GateCode, verdict: str) -> GateLine:
    """A line of a trial that took 100 ns before and 110 ns after."""
    return GateLine(
        implementation=name,
        workload="64 B",
        old=Span(100.0, 99.0, 101.0),
        new=Span(110.0, 109.0, 111.0),
        ratio=Span(1.1, 1.08, 1.12),
        verdict=verdict,
        code=code,
    )


REPORT = GateReport(
    title=f"new {HOSTILE} against old",
    code=GateCode.REGRESSED,
    reasons=("It is slower.",),
    failures=(GateFailure("sha1/mine@new", f"crash: {HOSTILE}"),),
    lines=(
        line("sha256/slow", GateCode.REGRESSED, "slower"),
        line("sha256/noisy", GateCode.TOO_NOISY, "too noisy"),
        line("sha256/same", GateCode.OK, "equal"),
    ),
    unit="ns",
    evidence="measured",
)
NOTHING = GateReport("new against old", GateCode.NOTHING_MEASURED, ("None.",), (), (), "ns",
                     "measured")  # fmt: skip


def test_markdown_begins_with_the_answer_and_has_one_table() -> None:
    """Text from outside neither breaks the table nor becomes markup."""
    text = markdown.render(REPORT)
    first, *rest = text.splitlines()
    assert first.startswith("**regressed**: new a\\|b \\<c\\> & ")
    table = [row for row in rest if row.startswith("|")]
    assert len(table) == 5
    assert all(row.replace("\\|", "").count("|") == 7 for row in table)
    assert "| sha256/slow | 64 B | 100 | 110 | +10 % \\[" not in text
    assert "| sha256/slow | 64 B | 100 | 110 | +10 % [+8 %, +12 %] | slower |" in text
    assert text.rstrip().endswith("Evidence: measured.")
    assert "|" not in markdown.render(NOTHING)


def test_junit_has_a_case_for_each_trial_and_each_failure() -> None:
    """Slower is a failure, too noisy an error, a crash a failure; counts agree; text survives."""
    root = ET.fromstring(junit.render(REPORT))
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    kinds = {case.get("classname"): [part.tag for part in case] for case in suite}
    assert kinds == {"sha256/slow": ["failure"], "sha256/noisy": ["error"], "sha256/same": [],
                     "sha1/mine@new": ["failure"]}  # fmt: skip
    assert suite.get("name") == REPORT.title.replace("\x07", "?")


def test_junit_of_nothing_is_not_green() -> None:
    """A report of nothing has one case with an error, as an empty file would look like a pass."""
    (suite,) = ET.fromstring(junit.render(NOTHING))
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")


def test_bencher_metric_format() -> None:
    """A benchmark has a measure, and that a value with both ends, as the JSON schema says."""
    found = json.loads(bencher.render(REPORT))
    assert list(found) == ["sha256/slow, 64 B", "sha256/noisy, 64 B", "sha256/same, 64 B"]
    assert found["sha256/slow, 64 B"] == {
        "latency": {"value": 110.0, "lower_value": 109.0, "upper_value": 111.0}
    }
    assert json.loads(bencher.render(NOTHING)) == {}


def test_action_json() -> None:
    """The action reads an array of objects with name, unit, number, and strings for people."""
    first = json.loads(action_json.render(REPORT))[0]
    assert {name: type(value) for name, value in first.items()} == {
        "name": str, "unit": str, "value": float, "range": str, "extra": str,
    }  # fmt: skip
    assert (first["name"], first["unit"], first["value"]) == (
        "sha256/slow, 64 B", "ns/message", 110.0,
    )  # fmt: skip
