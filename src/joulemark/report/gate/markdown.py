# SPDX-License-Identifier: Apache-2.0
"""Markdown for a job summary or a comment: the answer in the first line, then one table."""

from __future__ import annotations

from joulemark.analyse.gate_report import GateReport, Span
from joulemark.units import format_percent


def render(report: GateReport) -> str:
    """The whole text."""
    lines = [f"**{report.headline}**: {_escaped(report.title)}", ""]
    if report.lines:
        unit = f"{report.unit}/message"
        lines += [
            f"| implementation | message | old, {unit} | new, {unit} | change | verdict |",
            "|---|---|---:|---:|---:|---|",
        ]
        lines += [
            f"| {_escaped(line.implementation)} | {_escaped(line.workload)} "
            f"| {line.old.value:.5g} | {line.new.value:.5g} "
            f"| {_change(line.ratio)} | {line.verdict} |"
            for line in report.lines
        ]
        lines.append("")
    sentences = (*report.reasons, *(failure.sentence for failure in report.failures))
    lines += [f"- {_escaped(text)}" for text in sentences]
    effort = f", {report.effort}" if report.effort else ""
    lines += ["", f"Evidence: {report.evidence}{effort}."]
    return "\n".join(lines) + "\n"


def _change(ratio: Span) -> str:
    """The change with its interval; exact figures have none."""
    if ratio.low == ratio.high:
        return _signed(ratio.value)
    return f"{_signed(ratio.value)} [{_signed(ratio.low)}, {_signed(ratio.high)}]"


def _signed(ratio: float) -> str:
    return ("+" if ratio > 1 else "") + format_percent(ratio - 1)


def _escaped(text: str) -> str:
    """Text that Markdown does not read as anything else, and that stays in its cell."""
    for mark in "\\`*_|<>[]#":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())
