# SPDX-License-Identifier: Apache-2.0
"""Bencher Metric Format: a value and the ends of its interval by benchmark and measure.

Written after the format's JSON schema (bencher.dev, reference, "Bencher Metric Format"). The
built-in measure `latency` is in nanoseconds.
"""

from __future__ import annotations

import json

from joulemark.analyse.gate_report import GateReport

__all__ = ["render"]


def render(report: GateReport) -> bytes:
    """The whole file: the figures of the new code."""
    measure = "latency" if report.unit == "ns" else report.unit
    content = {
        line.name: {
            measure: {
                "value": line.new.value,
                "lower_value": line.new.low,
                "upper_value": line.new.high,
            }
        }
        for line in report.lines
    }
    return (json.dumps(content, indent=2) + "\n").encode()
