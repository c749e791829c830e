# SPDX-License-Identifier: Apache-2.0
"""The gate's answer for other programs: JSON of two services, JUnit's XML, Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as ET

from joulemark.analyse.gate_outcome import AT_THRESHOLD, GateCode
from joulemark.analyse.gate_report import WHOLE, GateLine, GateReport, Span, workload_words
from joulemark.foreign import visible
from joulemark.report import Notes, Sheet, text_table
from joulemark.report.draw import markdown, plain
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
# number, which is 0 where none is missing: a threshold on it sees what vanished, and that a check
# was refused or measured nothing.

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


# A picture of signs. A comment on a pull request shows no SVG and no image embedded in it; its
# diagrams (mermaid) have no intervals, and stay code in mail. A block of signs is the same in all.

_AXIS_SIGNS: Final = 41
_MOST_BARS: Final = 24
_WIDEST: Final = (0.5, 2.0)
"""Ends of the axis at most, new over old; a bar beyond them ends in an arrow."""
_FENCE: Final = "```"


def ratio_picture(report: GateReport) -> list[str]:
    """A block of Markdown with a bar for the change of each trial, the worst first; or nothing."""
    lines = sorted(report.lines, key=lambda line: line.ratio.high, reverse=True)[:_MOST_BARS]
    if not lines:
        return []
    ends = [line.ratio.low for line in lines] + [line.ratio.high for line in lines]
    ends += [1.0, *(1 + line.threshold for line in lines)]
    low, high = max(min(ends), _WIDEST[0]), min(max(ends), _WIDEST[1])
    margin = (high - low) / 20 or 0.01
    axis = _Axis(low - margin, high + margin)
    names = [visible(line.name).replace("`", "'") for line in lines]
    width = max(map(len, names))
    left, right = _signed(axis.low), _signed(axis.high)
    heads = f"{left}{'same'.center(axis.at(1.0) * 2 + 1 - 2 * len(left)).rstrip()}"
    rows = [
        f"{name:{width}}  {axis.bar(line)}  {_signed(line.ratio.value)}"
        for name, line in zip(names, lines, strict=True)
    ]
    more = len(report.lines) - len(lines)
    rows += [f"{more} more, which changed less, are in the table"] if more else []
    key = (
        "new against old: ● change, ├─┤ its interval, │ no change, ┊ threshold"
        if any(line.ratio.low < line.ratio.high for line in lines)
        else "new against old: ● change, │ no change, ┊ threshold"
    )
    scale = f"{'':{width}}  {heads:{_AXIS_SIGNS - len(right)}}{right}"
    return ["\n".join([f"{_FENCE}text", scale, *rows, "", key, _FENCE])]


@dataclass(frozen=True, slots=True)
class _Axis:
    """Places of ratios in a row of signs."""

    low: float
    high: float

    def at(self, ratio: float) -> int:
        """The place of a ratio, from 0 on; the nearest one for a ratio beyond the axis."""
        share = (ratio - self.low) / (self.high - self.low)
        return min(max(round(share * (_AXIS_SIGNS - 1)), 0), _AXIS_SIGNS - 1)

    def bar(self, line: GateLine) -> str:
        """The row of a trial."""
        signs = [" "] * _AXIS_SIGNS
        signs[self.at(1 + line.threshold)] = "┊"
        signs[self.at(1.0)] = "│"
        first, last = self.at(line.ratio.low), self.at(line.ratio.high)
        signs[first : last + 1] = "─" * (last + 1 - first)
        signs[first], signs[last] = "├", "┤"
        signs[self.at(line.ratio.value)] = "●"
        if line.ratio.low < self.low:
            signs[first] = "◀"
        if line.ratio.high > self.high:
            signs[last] = "▶"
        return "".join(signs)


# Markdown for a job summary or a comment: the answer in the first line, a picture, then one table.


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
    parts = [answer, *ratio_picture(report), markdown(Sheet("", [table, evidence]))]
    return "\n\n".join(parts)


def _change(ratio: Span) -> str:
    """The change with its interval; exact figures have none."""
    if ratio.low == ratio.high:
        return _signed(ratio.value)
    return f"{_signed(ratio.value)} [{_signed(ratio.low)}, {_signed(ratio.high)}]"


def _signed(ratio: float) -> str:
    return ("+" if ratio > 1 else "") + format_percent(ratio - 1)
