# SPDX-License-Identifier: Apache-2.0
"""What studies share: equipment for a CPU or for hardware cores, kept parts, and their files."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.environment.facts import Environment
from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, manifest_of
from joulemark.hardware.flow.points import PointOutcome, ReportPoint, run_points
from joulemark.hardware.flow.request import flow
from joulemark.hardware.gate.latch_memory import latch_memory
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import read_core
from joulemark.measure.gate_trials import GateFindings, take_gate_joules
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import EnergyPlan, Plan
from joulemark.measure.run_plan import RunOutcome, run_plan
from joulemark.measure.runner import RunObserver
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport
from joulemark.report import ReportError, write_atomically
from joulemark.report.draw import markdown
from joulemark.report.latex import latex
from joulemark.report.page import render_template
from joulemark.store.repository import Store
from joulemark.studies.papers import (
    CoreFigures,
    CorePoint,
    CoreReporter,
    FirmwarePoint,
    MemoryFigures,
    MemoryPoint,
    MemoryReporter,
)
from joulemark.studies.study import StudyOutcome

FRESH_OPTION: Final[Any] = typer.Option(
    "--fresh", help="Measure everything again instead of going on with what is there."
)


def exit_codes(failures: str) -> str:
    """Returns the lines of help about exit codes.

    Args:
        failures: names what a study may fail to do, and says what is kept then.
    """
    refused = f"refused, or a part that was asked for could not be done: {failures}"
    return (
        "  0    measured, whatever the verdicts are\n"
        + textwrap.fill(refused, 76, initial_indent="  2    ", subsequent_indent=" " * 7)
        + "\n  130  interrupted; the same command goes on\n"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuEquipment:
    """The implementations of this machine, their meter, and the places of the series."""

    inventory: Inventory
    store: Store
    """Keeps the samples of the harness; a run in it is continued."""
    environment: Environment
    """The facts of this machine."""
    folder: Path
    """Existing folder for raw series that the harness does not take."""
    energy: EnergyPlan | None = None
    observer: RunObserver | None = None
    """Is told of the harness's progress."""
    say: Callable[[str], None] = lambda _text: None
    """Is told the name of the part that begins."""
    progress: Callable[[int, int, str], None] = lambda _done, _total, _text: None
    """Is told how much of a part is done, of how much, and what comes; for parts without runs."""

    def run(
        self,
        plan: Plan,
        facts: Mapping[str, str],
        *,
        fresh: bool,
        inventory: Inventory | None = None,
        hang_limit_s: float = 30.0,
    ) -> RunOutcome:
        """Carries a plan of the harness out; `facts` are kept with the run.

        `inventory` has what the plan names in place of the implementations of this machine.
        """
        return run_plan(
            self.store,
            inventory or self.inventory,
            plan,
            self.environment,
            study=facts,
            observer=self.observer,
            fresh=fresh,
            hang_limit_s=hang_limit_s,
        )


def study_facts(study: str, **more: str) -> dict[str, str]:
    """The facts that are kept with a run of a study."""
    return {"study": study, "command": f"joulemark reproduce {study}", **more}


# Raw series of a study's finished parts, kept so that a study that was stopped goes on.
#
# Series of the harness are in the store like any run. Series that a study measures without the
# harness are written here, whole parts at a time, next to the report.

PartFields = dict[str, Any]
"""What was measured in a part of a study: JSON values by name, as its file keeps them."""


class Journal:
    """JSON files in a folder, one per part, each with a question and the measured answer.

    Args:
        folder: existing and writable.
        study: id of the study, with which the names of the files begin.
        fresh: whether to measure again even if a file has the answer.
    """

    def __init__(self, folder: Path, study: str, *, fresh: bool) -> None:
        self._folder = folder
        self._study = study
        self._fresh = fresh

    def path(self, part: str) -> Path:
        """Returns the path of the file of a part."""
        return self._folder / f"{self._study}-{part}.json"

    def part(
        self, part: str, asked: Mapping[str, Any], measure: Callable[[], PartFields]
    ) -> PartFields:
        """Returns the kept answer to the same question, else measures the answer and keeps it.

        Args:
            part: the name of the part.
            asked: the question: JSON values of all that the answer depends on, such as the machine.
            measure: measures the answer, as JSON values.
        """
        question = json.loads(json.dumps(asked))
        answer = None if self._fresh else self._answer(part, question)
        if answer is None:
            answer = measure()
            text = json.dumps({"asked": question, "measured": answer}, allow_nan=False)
            write_atomically(self.path(part), text.encode())
        return answer

    def _answer(self, part: str, question: Any) -> PartFields | None:
        """Returns the answer in the file of a part; None if the file answers another question."""
        try:
            match json.loads(self.path(part).read_text("utf-8")):
                case {"asked": asked, "measured": dict(answer)} if asked == question:
                    return answer
        except (OSError, ValueError):
            pass
        return None


# How a study keeps its time on a machine that others use too.
#
# A window that does not count is taken again, which doubles the time of a study if no window
# counts. So second attempts are made only while the study is on time: while it has taken no longer
# than its functions may take. The page says how many windows do not count.

MOST_ATTEMPTS: Final = 2
"""Most windows that are taken for one that counts."""


class StudyPace:
    """The time of a study beside that which its functions may take.

    Args:
        function_s: seconds that a function may take.
        clock: gives seconds.
    """

    def __init__(self, function_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._function_s = function_s
        self._clock = clock
        self._begun_s = clock()
        self._done = 0

    def attempts(self) -> int:
        """Returns the most windows until one counts, for the function that begins now."""
        late = self._clock() - self._begun_s > self._function_s * self._done
        self._done += 1
        return 1 if late and self._done > 1 else MOST_ATTEMPTS


# What studies of hardware cores share: equipment, an option, exit codes, and the flow.

EXIT_CODES: Final = """\
  0    done, whatever the verdicts are
  2    refused, or a part that was asked for could not be done, such as a core
       whose tools are missing (the rest is shown, and written)
  130  interrupted; finished points are kept and the same command goes on
"""

LIBERTY_OPTION: Final[Any] = typer.Option(
    "--liberty",
    metavar="FILE",
    help="Cell library for area, timing and power; without it there are clocks, and area in "
    "generic gates.",
    show_default=False,
)


def on_netlists(
    point: FirmwarePoint, liberty: Path, say: Callable[[str], None] = lambda _text: None
) -> GateFindings:
    """Maps the CPUs, which are kept, and runs the firmware; `say` is told what begins."""
    asked = flow("asic", str(liberty), clock_hz=point.clock_hz, mappings=1)
    return take_gate_joules(point.implementations, point.targets, point.lengths_bytes, asked, say)


@dataclass(frozen=True, slots=True)
class CoreEquipment:
    """The flow that simulates and maps cores, and a model of memories beside them."""

    flow: Callable[[int], CoreReporter]
    """Number of seeds of the placer on an FPGA, 1 or more -> the flow with so many seeds."""
    memory: MemoryReporter
    firmware: Callable[[FirmwarePoint, Path], GateFindings] = on_netlists
    """Runs firmware on the netlists of open CPUs in a cell library."""


# The core flow for studies: it takes points of a study, and gives the figures of each point.

_RANDOM = 0.5
"""Share of the bits that differ between two random words."""


def reporter(
    folder: Path, *, seeds: int, observe: Callable[[PointOutcome, int, int], None]
) -> CoreReporter:
    """Returns the flow, which keeps every finished point.

    Args:
        folder: folder of the finished points.
        seeds: number of seeds of the placer, for points on an FPGA.
        observe: is told each outcome, how many outcomes there are so far, and how many there will
            be.
    """

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        outcomes = run_points([_point(point, seeds) for point in points], folder, observe=observe)
        return [
            outcome.reason or "no figure"
            if outcome.report is None
            else _figures(point, outcome.report)
            for point, outcome in zip(points, outcomes, strict=True)
        ]

    return report


def _point(point: CorePoint, seeds: int) -> ReportPoint:
    """Returns a study's point as a point of the flow, without a library in generic gates."""
    manifest = manifest_of(point.core)
    core = read_core(manifest)
    if point.target == "ecp5":
        request = flow("ecp5", seeds=seeds, placer=point.placer)
    elif point.liberty is None or not point.mapped:
        request = flow("generic", mapped=point.mapped)
    else:
        request = flow(
            "asic",
            str(point.liberty),
            mapping=point.mapping,
            clock_hz=point.clock_hz,
            clock_share=point.clock_share,
            wire=point.wire,
            power=point.power,
        )
    given = [f"{name}={value}" for name, value in point.parameters.items()]
    return ReportPoint(core, manifest, chosen_variant(core, point.configuration, given), request)


def _figures(point: CorePoint, report: CoreReport) -> CoreFigures:
    """Returns the figures of a report without clock and reset trees, as papers before layout do."""

    def less(whole: float | None, trees: float | None) -> float | None:
        return None if whole is None else whole - (trees or 0.0)

    found = report.figures.get
    figures = {name: found(name) for name in CORE_FIGURES if name in CoreFigures.model_fields}
    period_s = figures["period_s"] = found("period_without_trees_s")
    figures["energy_per_block_j"] = found("energy_per_block_without_trees_j")
    for name in ("dynamic_w", "dynamic_no_glitch_w"):
        figures[name] = less(figures[name], found("clock_tree_w"))
    figures["leakage_w"] = less(figures["leakage_w"], found("trees_leakage_w"))
    if period_s is not None:
        figures["area_ge"] = found("area_without_trees_ge")
        figures["fmax_hz"] = 1 / period_s if period_s else None
    if point.clock_share is not None and "clock_hz" in report.settings:
        point = point.model_copy(update={"clock_hz": report.settings["clock_hz"]})
    return CoreFigures(
        point=point,
        voltage_v=report.settings.get("voltage_v"),
        corner=report.device if report.target == "asic" else None,
        reasons=report.reasons,
        **figures,
    )


def memory_of(point: MemoryPoint) -> MemoryFigures | str:
    """Returns the figures of a memory of a library's latches, or why the library gives none."""
    try:
        memory = latch_memory(read_library(point.liberty), point.words, point.word_bits)
    except UsageError as error:
        return str(error)
    energies_j = [
        memory.energy_j(
            reads=reads, writes=writes, clocks=point.clocks, clock_hz=point.clock_hz, share=share
        )
        for reads, writes, share in (
            (point.reads, point.writes, _RANDOM),
            (point.reads_needed, point.writes_needed, 0.0),
            (point.reads, point.writes, 1.0),
        )
    ]
    return MemoryFigures(
        area_ge=memory.area_ge,
        leakage_w=memory.leakage_w,
        energy_j=energies_j[0],
        least_j=energies_j[1],
        most_j=energies_j[2],
        cells=dict(memory.cells),
    )


def stored_figures(store: Store, point: CorePoint) -> CoreFigures | None:
    """Returns the figures of a core in cells at the point's clock, by its newest stored report.

    None if no report of its configuration has the energy of a block; the library does not matter.
    """
    for report in reversed(store.core_reports()):
        if (
            report.core == point.core
            and (report.configuration or "default") == point.configuration
            and report.target == "asic"
            and report.settings.get("clock_hz") == point.clock_hz
            and report.figures.get("energy_per_block_without_trees_j") is not None
        ):
            return _figures(point, report)
    return None


# The files that a study writes: page, figures, Markdown, LaTeX.

# A study as one HTML file that opens without a network, in the style of every report.

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(outcome: StudyOutcome) -> str:
    """Returns the whole page."""
    data = json.loads(outcome.model_dump_json(exclude={"charts"}))
    return render_template("study.html.j2", outcome.charts, data, _TEMPLATES, outcome=outcome)


def prepare_folder(folder: Path) -> None:
    """Makes the folder, and writes a file there to find out whether that is allowed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(
            f"{folder} cannot be made ({error.strerror}); name another folder with --output"
        ) from error
    trial = folder / ".joulemark-writable"
    write_atomically(trial, b"")
    trial.unlink(missing_ok=True)


def write_files(outcome: StudyOutcome, folder: Path) -> list[Path]:
    """Writes `<study>.json`, `.md`, `.tex` and `.html`, and returns their paths."""
    contents = {
        "json": outcome.model_dump_json(indent=1, exclude={"charts"}) + "\n",
        "md": markdown(outcome.sheet),
        "tex": latex(outcome.sheet),
        "html": render_page(outcome),
    }
    paths = []
    for ending, text in contents.items():
        path = folder / f"{outcome.study}.{ending}"
        write_atomically(path, text.encode())
        paths.append(path)
    return paths
