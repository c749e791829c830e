# SPDX-License-Identifier: Apache-2.0
"""The gate's answer for other programs: JSON of two services, JUnit's XML, Markdown."""

from __future__ import annotations

import json
import re
from typing import Final
from xml.etree import ElementTree as ET

from joulemark.analyse.gate_outcome import AT_THRESHOLD, GateCode
from joulemark.analyse.gate_report import GateLine, GateReport, Span, workload_words
from joulemark.report.draw import markdown, plain
from joulemark.report.sheet import Notes, Sheet, text_table
from joulemark.units import format_percent

# The JSON that benchmark-action/github-action-benchmark reads as `customSmallerIsBetter`.
#
# Its README, "Custom benchmarks": an array of objects with `name`, `unit` and `value`, and strings
# `range` and `extra` for people.
#
# The last object counts the figures that the new code does not have any more and names them. It is
# 0 where none is missing, so that the action, which divides new by old values, alarms at the
# first.


def action_json(report: GateReport) -> bytes:
    """The whole file: the figures of the new code."""
    content: list[dict[str, str | float]] = [
        {
            "name": line.name,
            "unit": f"{report.unit}/message",
            "value": line.new.value,
            "range": f"{line.new.low:.5g} to {line.new.high:.5g}",
            "extra": f"{line.verdict}, {line.ratio.value:.4f} times the old code's; "
            f"{report.evidence}",
        }
        for line in report.lines
    ]
    content.append(
        {
            "name": "figures missing in the new code",
            "unit": "figures",
            "value": len(report.lost),
            "range": "",
            "extra": " ".join(sentence for _, sentence in report.lost) or "none",
        }
    )
    return (json.dumps(content, indent=2) + "\n").encode()


# Bencher Metric Format: a value and the ends of its interval by benchmark and measure.
#
# Written after the format's JSON schema (bencher.dev, reference, "Bencher Metric Format"). The
# built-in measure `latency` is in nanoseconds.
#
# The format has no word for a benchmark without a figure. So the measure `missing` is 1 for each
# figure that the new code does not have any more, and the benchmark `joulemark check` has their
# number, which is 0 where none is missing: a threshold on it sees what vanished.

WHOLE: Final = "joulemark check"
_MISSING: Final = "missing"


def bencher_json(report: GateReport) -> bytes:
    """The whole file: the figures of the new code."""
    measure = "latency" if report.unit == "ns" else report.unit
    content: dict[str, dict[str, dict[str, float]]] = {
        line.name: {
            measure: {
                "value": line.new.value,
                "lower_value": line.new.low,
                "upper_value": line.new.high,
            }
        }
        for line in report.lines
    }
    for name, _ in report.lost:
        content.setdefault(name, {})[_MISSING] = {"value": 1.0}
    content[WHOLE] = {_MISSING: {"value": float(len(report.lost))}}
    return (json.dumps(content, indent=2) + "\n").encode()


# JUnit's XML, as pages of tests show it: one test case per trial.
#
# There is no standard behind the name; these are the elements that GitLab's documentation of unit
# test reports and Jenkins' schema share. A trial that is slower, or has no figure any more, is a
# `failure`, one that is too noisy an `error`: it was not answered. A failure that the answer does
# not rest on is `skipped`. The file is green if and only if the answer is ok.

_SUITE: Final = "joulemark check"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Signs that XML 1.0 (section 2.2) cannot hold, however they are escaped."""


def junit_xml(report: GateReport) -> bytes:
    """The whole file."""
    suites = ET.Element("testsuites", name=_SUITE)
    suite = ET.SubElement(suites, "testsuite", name=_clean(report.title))
    for line in report.lines:
        case = ET.SubElement(
            suite, "testcase", classname=_clean(line.implementation), name=_clean(line.workload)
        )
        if line.code is GateCode.REGRESSED:
            _add(case, "failure", line.verdict, _sentence(line, report.unit))
        elif line.code is not GateCode.OK:
            kind = line.verdict if line.verdict == AT_THRESHOLD else line.code.words
            _add(case, "error", kind, _sentence(line, report.unit))
    for lost in report.vanished:
        where = "in the new code" if lost.workload is None else workload_words(lost.workload)
        case = ET.SubElement(
            suite, "testcase", classname=_clean(lost.implementation), name=_clean(where)
        )
        _add(case, "failure", lost.reason, lost.sentence)
    for failure in report.failures:
        case = ET.SubElement(suite, "testcase", classname=_clean(failure.name), name="runs")
        _add(case, "failure" if failure.decides else "skipped", failure.reason, failure.sentence)
    red = suite.findall("testcase/failure") or suite.findall("testcase/error")
    if not red and (report.code is not GateCode.OK or not len(suite)):
        case = ET.SubElement(suite, "testcase", classname=_SUITE, name=report.answer)
        _add(case, "error", report.answer, " ".join(report.reasons))
    counts = {
        "tests": "testcase",
        "failures": "testcase/failure",
        "errors": "testcase/error",
        "skipped": "testcase/skipped",
    }
    for attribute, path in counts.items():
        suite.set(attribute, str(len(suite.findall(path))))
    ET.indent(suites)
    text: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add(case: ET.Element, kind: str, message: str, text: str) -> None:
    ET.SubElement(case, kind, message=_clean(message), type=kind).text = _clean(text)


def _sentence(line: GateLine, unit: str) -> str:
    """The figures in a sentence."""
    ends = [format_percent(end - 1) for end in (line.ratio.low, line.ratio.high)]
    return (
        f"{line.name}: {line.verdict}; {line.old.value:.5g} {unit} per message became "
        f"{line.new.value:.5g}, a change of {format_percent(line.ratio.value - 1)} "
        f"({ends[0]} to {ends[1]})"
    )


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)


def gate_markdown(report: GateReport) -> str:
    """The whole text."""
    unit = f"{report.unit}/message"
    table = text_table(
        "",
        ("implementation", "message", f"old, {unit}", f"new, {unit}", "change", "verdict"),
        [
            (
                line.implementation,
                line.workload,
                f"{line.old.value:.5g}",
                f"{line.new.value:.5g}",
                _change(line.ratio),
                line.verdict,
            )
            for line in report.lines
        ],
        numbers=(2, 3, 4),
        notes=(*report.reasons, *(failure.sentence for failure in report.failures)),
    )
    effort = f", {report.effort}" if report.effort else ""
    evidence = Notes("", [f"Evidence: {report.evidence}{effort}."], listed=False)
    answer = f"**{plain(report.headline)}**: {plain(report.title)}"
    return f"{answer}\n\n{markdown(Sheet('', [table, evidence]))}"


# Markdown for a job summary or a comment: the answer in the first line, then one table.


def _change(ratio: Span) -> str:
    """The change with its interval; exact figures have none."""
    if ratio.low == ratio.high:
        return _signed(ratio.value)
    return f"{_signed(ratio.value)} [{_signed(ratio.low)}, {_signed(ratio.high)}]"


def _signed(ratio: float) -> str:
    return ("+" if ratio > 1 else "") + format_percent(ratio - 1)
