# SPDX-License-Identifier: Apache-2.0
"""The gate's answer as Markdown, JUnit, Bencher Metric Format and the action's JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from joulemark.analyse.gate_outcome import GateCode, Vanished
from joulemark.analyse.gate_report import GateFailure, GateLine, GateReport, Span
from joulemark.records.trial import Workload
from joulemark.report.gate import action_json, bencher_json, gate_markdown, junit_xml, ratio_picture

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
    text = gate_markdown(REPORT)
    first, *rest = text.splitlines()
    assert first.startswith("**regressed**: new a\\|b \\<c\\> \\& ")
    table = [row for row in rest if row.startswith("|")]
    assert len(table) == 5
    assert all(row.replace("\\|", "").count("|") == 7 for row in table)
    assert "| sha256/slow | 64 B | 100 | 110 | +10 % \\[" not in text
    assert "| sha256/slow | 64 B | 100 | 110 | +10 % [+8 %, +12 %] | slower |" in text
    assert text.rstrip().endswith("Evidence: measured.")
    assert "|" not in gate_markdown(NOTHING)


LOST = (
    Vanished("sha256/gone", None),
    Vanished("sha256/same", Workload(1024, batch=4), "has no figure in the new build"),
)
ALLOWED = replace(
    line("sha256/slower", GateCode.OK, "10 % slower, allowed"), allowed=True
)  # fmt: skip


@pytest.mark.parametrize("code", [code for code in GateCode if code not in (2, 6)])
@pytest.mark.parametrize("decides", [False, True])
@pytest.mark.parametrize("vanished", [(), LOST])
@pytest.mark.parametrize("lines", [(), REPORT.lines[2:]])
def test_junit_is_green_if_and_only_if_the_answer_is_ok(
    code: GateCode, decides: bool, vanished: tuple[Vanished, ...], lines: tuple[GateLine, ...]
) -> None:
    """Whatever made the answer red is red in the file; what did not is not."""
    if code is GateCode.OK and (decides or vanished):
        return
    failures = tuple(replace(failure, decides=decides) for failure in REPORT.failures)
    report = replace(REPORT, code=code, vanished=vanished, lines=lines, failures=failures)
    (suite,) = ET.fromstring(junit_xml(report))
    red = int(suite.get("failures", "")) + int(suite.get("errors", ""))
    assert (red == 0) == (code is GateCode.OK)
    assert len(suite) == int(suite.get("tests", "")) > 0


def test_every_form_names_what_vanished() -> None:
    """JUnit has a failed case, Bencher a measure and the action a count for each lost figure."""
    report = replace(REPORT, vanished=LOST)
    (suite,) = ET.fromstring(junit_xml(report))
    failed = {(case.get("classname"), case.get("name")) for case in suite
              if case.find("failure") is not None}  # fmt: skip
    assert {("sha256/gone", "in the new code"), ("sha256/same", "1 KiB, batch of 4")} <= failed
    found = json.loads(bencher_json(report))
    for name in ("sha256/gone", "sha256/same, 1 KiB, batch of 4", "sha1/mine@new"):
        assert found[name] == {"missing": {"value": 1.0}}
    assert found["joulemark check"] == {"missing": {"value": 3.0}}
    last = json.loads(action_json(report))[-1]
    assert (last["name"], last["value"]) == ("figures missing in the new code", 3)
    for gone in LOST:
        assert gone.sentence in last["extra"]
    fine = replace(REPORT, failures=())
    assert json.loads(action_json(fine))[-1]["value"] == 0
    assert json.loads(bencher_json(fine))["joulemark check"] == {"missing": {"value": 0.0}}


def test_an_allowed_slow_down_is_in_the_first_line() -> None:
    """The answer stays `ok` for programs; people read how much was allowed."""
    report = replace(REPORT, code=GateCode.OK, failures=(), lines=(ALLOWED, REPORT.lines[2]))
    assert report.answer == "ok"
    assert gate_markdown(report).startswith("**ok: 10 % slower, allowed**: ")
    worse = replace(ALLOWED, verdict="20 % slower, allowed", ratio=Span(1.2, 1.19, 1.21))
    assert replace(report, lines=(ALLOWED, worse)).headline == "ok: up to 20 % slower, allowed"


def test_junit_has_a_case_for_each_trial_and_each_failure() -> None:
    """Slower is a failure, too noisy an error, a crash a failure; counts agree; text survives."""
    root = ET.fromstring(junit_xml(REPORT))
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "1")
    kinds = {case.get("classname"): [part.tag for part in case] for case in suite}
    assert kinds == {"sha256/slow": ["failure"], "sha256/noisy": ["error"], "sha256/same": [],
                     "sha1/mine@new": ["failure"]}  # fmt: skip
    assert suite.get("name") == REPORT.title.replace("\x07", "?")


def test_junit_of_nothing_is_not_green() -> None:
    """A report of nothing has one case with an error, as an empty file would look like a pass."""
    (suite,) = ET.fromstring(junit_xml(NOTHING))
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")


@pytest.mark.parametrize(("code", "missing"), [(2, 1), (3, 1), (4, 1), (6, 0)])
def test_services_see_a_report_of_nothing(code: int, missing: int) -> None:
    """One figure is missing, that of the whole check; a job lets equal files pass."""
    report = replace(NOTHING, code=GateCode(code))
    assert json.loads(bencher_json(report)) == {"joulemark check": {"missing": {"value": missing}}}
    (counted,) = json.loads(action_json(report))
    assert counted["value"] == missing
    assert counted["extra"] == ("Nothing was measured: None." if missing else "none")


def test_bencher_metric_format() -> None:
    """A benchmark has a measure, and that a value with both ends, as the JSON schema says."""
    found = json.loads(bencher_json(REPORT))
    assert list(found)[:3] == ["sha256/slow, 64 B", "sha256/noisy, 64 B", "sha256/same, 64 B"]
    assert found["sha256/slow, 64 B"] == {
        "latency": {"value": 110.0, "lower_value": 109.0, "upper_value": 111.0}
    }


def test_action_json() -> None:
    """The action reads an array of objects with name, unit, number, and strings for people."""
    first = json.loads(action_json(REPORT))[0]
    assert {name: type(value) for name, value in first.items()} == {
        "name": str, "unit": str, "value": float, "range": str, "extra": str,
    }  # fmt: skip
    assert (first["name"], first["unit"], first["value"]) == (
        "sha256/slow, 64 B", "ns/message", 110.0,
    )  # fmt: skip


def test_the_picture_has_a_bar_for_each_trial() -> None:
    """The worst comes first; change, interval, no change and threshold stand at their places."""
    slow, same = (
        replace(REPORT.lines[0], ratio=ratio, implementation=name, threshold=0.02)
        for name, ratio in (
            ("md5/slow`", Span(1.03, 1.02, 1.05)), ("md5/same", Span(1.0, 0.99, 1.01))
        )
    )  # fmt: skip
    (text,) = ratio_picture(replace(REPORT, lines=(same, slow)))
    fence, scale, first, second, _, key, end = text.splitlines()
    assert (fence, end) == ("```text", "```")
    assert scale.split() == ["-1.3", "%", "same", "+5.3", "%"]
    assert first.startswith("md5/slow', 64 B  ")
    assert first.endswith("  +3 %")
    bars = [row[len("md5/slow`, 64 B  ") :][:41] for row in (first, second)]
    assert [bar.index("●") for bar in bars] == [26, 8]
    assert (bars[0].index("├"), bars[0].rindex("┤")) == (20, 38)
    assert bars[0].index("│") == 8
    assert bars[1].index("┊") == 20
    assert scale[len("md5/slow`, 64 B  ") :].index("same") == 7
    assert "├─┤ its interval" in key
    assert text in gate_markdown(replace(REPORT, lines=(same, slow)))


def test_the_picture_of_changes_beyond_its_axis() -> None:
    """A bar beyond the axis ends in an arrow; the picture is never wider than a small screen."""
    far = tuple(
        replace(REPORT.lines[0], ratio=ratio, implementation=f"md5/{number}")
        for number, ratio in enumerate([Span(3.0, 1.5, 9.0), Span(0.1, 0.01, 0.9)] * 20)
    )
    (text,) = ratio_picture(replace(REPORT, lines=far))
    rows = text.splitlines()
    assert "▶  +200 %" in rows[2]
    assert rows[25].split()[3].startswith("◀")
    assert rows[26] == "16 more, which changed less, are in the table"
    assert max(map(len, rows)) <= 80
    assert ratio_picture(NOTHING) == []
