# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML, as pages of tests show it: one test case per trial.

There is no standard behind the name; these are the elements that GitLab's documentation of unit
test reports and Jenkins' schema share. A trial that is slower, or has no figure any more, is a
`failure`, one that is too noisy an `error`: it was not answered. A failure that the answer does not
rest on is `skipped`. The file is green if and only if the answer is ok.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

from joulemark.analyse.gate_outcome import AT_THRESHOLD, GateCode
from joulemark.analyse.gate_report import GateLine, GateReport, workload_words
from joulemark.units import format_percent

_SUITE: Final = "joulemark check"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Signs that XML 1.0 (section 2.2) cannot hold, however they are escaped."""


def render(report: GateReport) -> bytes:
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
