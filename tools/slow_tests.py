# SPDX-License-Identifier: Apache-2.0
"""Writes `tests/slow.txt`: the tests that `make test` leaves out because of their time.

Run `make test-ci PYTEST_ADDOPTS=--junitxml=FILE`, alone on the machine and better twice, then
`python tools/slow_tests.py FILE... > tests/slow.txt`. A case's time is the least of all reports. A
function is slow if its cases take more than four seconds on average; of a function with more than
a dozen cases each case is judged by itself.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

SLOW_S = 4.0
SEPARATE = 12
"""A function with more cases than this is not left out as a whole."""


KEPT = ("tests/native/test_left_behind.py", "tests/native/test_native.py")
"""Files on secrets and on memory, of which `make test` runs the first build whatever it takes."""


def slow_tests(times_s: dict[tuple[str, str], float]) -> list[str]:
    """The lines of the list, in order.

    Args:
        times_s: time of each case in seconds, by module (`tests.cli.test_x`) and name.
    """
    functions: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (module, case), taken_s in times_s.items():
        functions[module, case.partition("[")[0]][case] = taken_s
    found = set()
    for (module, function), cases in functions.items():
        path = module.replace(".", "/") + ".py"
        if len(cases) > SEPARATE or path in KEPT:
            found |= {
                f"{path}::{case}"
                for case, taken_s in cases.items()
                if taken_s > SLOW_S and not (path in KEPT and "[plain" in case)
            }
        elif sum(cases.values()) > SLOW_S * len(cases):
            found.add(f"{path}::{function}")
    return sorted(found)


def times_of(reports: list[Path]) -> dict[tuple[str, str], float]:
    """The least time of each case in reports in JUnit's format, in seconds."""
    least_s: dict[tuple[str, str], float] = {}
    for report in reports:
        for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own report
            key, taken_s = (case.attrib["classname"], case.attrib["name"]), case.attrib["time"]
            least_s[key] = min(float(taken_s), least_s.get(key, float(taken_s)))
    return least_s


if __name__ == "__main__":
    print("\n".join(slow_tests(times_of([Path(report) for report in sys.argv[1:]]))))
