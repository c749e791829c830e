# SPDX-License-Identifier: Apache-2.0
"""Bencher Metric Format: a value and the ends of its interval by benchmark and measure.

Written after the format's JSON schema (bencher.dev, reference, "Bencher Metric Format"). The
built-in measure `latency` is in nanoseconds.

The format has no word for a benchmark without a figure. So the measure `missing` is 1 for each
figure that the new code does not have any more, and the benchmark `joulemark check` has their
number, which is 0 where none is missing: a threshold on it sees what vanished.
"""

from __future__ import annotations

import json
from typing import Final

from joulemark.analyse.gate_report import GateReport

WHOLE: Final = "joulemark check"
_MISSING: Final = "missing"


def render(report: GateReport) -> bytes:
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
