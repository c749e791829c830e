# SPDX-License-Identifier: Apache-2.0
"""The JSON that benchmark-action/github-action-benchmark reads as `customSmallerIsBetter`.

Its README, "Custom benchmarks": an array of objects with `name`, `unit` and `value`, and strings
`range` and `extra` for people.

The last object counts the figures that the new code does not have any more and names them. It is 0
where none is missing, so that the action, which divides new by old values, alarms at the first.
"""

from __future__ import annotations

import json

from joulemark.analyse.gate_report import GateReport


def render(report: GateReport) -> bytes:
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
