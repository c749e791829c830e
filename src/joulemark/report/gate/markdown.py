# SPDX-License-Identifier: Apache-2.0
"""Markdown for a job summary or a comment: the answer in the first line, then one table."""

from __future__ import annotations

from joulemark.analyse.gate_report import GateReport, Span
from joulemark.report.markdown import markdown, plain
from joulemark.report.sheet import Notes, Sheet, text_table
from joulemark.units import format_percent


def render(report: GateReport) -> str:
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


def _change(ratio: Span) -> str:
    """The change with its interval; exact figures have none."""
    if ratio.low == ratio.high:
        return _signed(ratio.value)
    return f"{_signed(ratio.value)} [{_signed(ratio.low)}, {_signed(ratio.high)}]"


def _signed(ratio: float) -> str:
    return ("+" if ratio > 1 else "") + format_percent(ratio - 1)
