# SPDX-License-Identifier: Apache-2.0
"""The documents on energy against the code: numbers, reasons, methods, meters, options.

test_docs.py compares each number of docs/method with the constant beside it. The tests here find
numbers that are missing.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

from page_text import method_text

from joulemark.judging.void import VoidReason
from joulemark.measure.planning.energy import METHODS, EnergyPlan
from joulemark.meters.instruments import instruments
from joulemark.meters.simulated.config import HELP
from joulemark.records.domain import CEILING_W

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
METHOD = method_text()
STATED = set(re.findall(r"\| `([\w.]+)` \|$", METHOD, re.MULTILINE))
"""Constants that docs/method names at the end of a row."""
ENERGY_FILES = ("measure/energy/*.py", "measure/windows/*.py", "measure/planning/energy*.py",
                "analyse/*energy*.py", "analyse/window.py", "judging/void.py", "judging/domains.py",
                "judging/window_length.py", "records/domain.py", "meters/mirrors.py",
                "meters/watt_stream.py")  # fmt: skip


def public_numbers(pattern: str) -> Iterator[str]:
    """Full names of the constants in capitals, without versions, that files set to a number."""
    package = REPOSITORY / "src" / "joulemark"
    for path in sorted(package.glob(pattern)):
        module = ".".join(path.relative_to(package).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            target = node.target if isinstance(node, ast.AnnAssign) else None
            target = node.targets[0] if isinstance(node, ast.Assign) else target
            if not isinstance(target, ast.Name) or not target.id[0].isupper():
                continue
            value = getattr(importlib.import_module(f"joulemark.{module}"), target.id)
            if isinstance(value, int | float) and not target.id.endswith("VERSION"):
                yield f"{module}.{target.id}"


def test_method_states_every_number_of_energy() -> None:
    """No public number by which energy is measured or judged is missing from docs/method."""
    numbers = {name for pattern in ENERGY_FILES for name in public_numbers(pattern)}
    assert "judging.void.FEWEST_TICKS" in numbers, "no number was found, so none was checked"
    assert sorted(numbers - STATED) == []


def test_method_states_the_defaults_of_energy() -> None:
    """Every number that a user may set of energy has its default in docs/method."""
    plan = EnergyPlan().as_dict()
    numbers = {
        f"EnergyPlan.{name}" for name, value in plan.items() if isinstance(value, int | float)
    }
    assert sorted(numbers - STATED) == []


def test_method_states_every_reason_for_a_void_window() -> None:
    """The table of void windows has a row for each reason of the code, and no other."""
    section = METHOD.partition("## When a window is void")[2]
    table = section.partition("\n| reason |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([a-zA-Z ]+) \|", table, re.MULTILINE)
    assert sorted(rows) == sorted(reason.value for reason in VoidReason)


def test_method_states_the_ceilings() -> None:
    """The table of highest powers has the ceiling of each kind of domain."""
    for kind, ceiling_w in CEILING_W.items():
        assert f"| {kind.value} | {ceiling_w:g} W |" in METHOD


def test_method_states_the_protocols() -> None:
    """The table of energy methods has the numbers of each protocol."""
    for protocol in METHODS.values():
        cells = (
            f"`{protocol.name}`",
            "the meter's own" if protocol.sample_s is None else f"{protocol.sample_s:g} s",
            f"{protocol.skip_s:g} s",
            f"{protocol.samples or 'as the window is long'}",
            f"{protocol.rest_s:g} s",
            f"{protocol.loads_per_baseline}",
            "yes" if protocol.active_idle else "no",
        )
        assert f"| {' | '.join(cells)} |" in METHOD


def test_meters_are_all_in_the_reference() -> None:
    """docs/reference/meters.md has one row for each instrument, by name, title and preference."""
    text = (DOCS / "reference/meters.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`|]+)` \| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE)
    found = [
        (instrument.NAME, instrument.TITLE, str(instrument.PREFERENCE or "by name"))
        for instrument in instruments()
    ]
    assert rows == found


def test_simulation_options_are_those_of_the_code() -> None:
    """simulate-a-meter.md lists every option of a simulated machine, in the words of the code."""
    text = (DOCS / "how-to/simulate-a-meter.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", text.partition("## Options")[2], re.MULTILINE)
    assert dict(rows) == dict(HELP)
