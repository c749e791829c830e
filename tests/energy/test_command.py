# SPDX-License-Identifier: Apache-2.0
"""The energy of a command: windows in virtual time, and the arithmetic against closed forms."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from joulemark.analyse import Figure
from joulemark.analyse.command_energy import CommandDomain, CommandEnergy, command_energy
from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.measure.energy_run import measure_command, observed_meter
from joulemark.measure.meter_choice import choose_meter
from joulemark.measure.meter_of_run import HOPELESS
from joulemark.measure.plan import EnergyPlan
from joulemark.meters.command import CommandProcess, WindowTools
from joulemark.meters.simulated import FaultKind, SimulatedDomain, SimulatedFault
from joulemark.records.energy_window import (
    CommandPlan,
    CommandRun,
    CommandWindow,
    Domain,
    DomainKind,
    DomainTrace,
    EndedCommand,
    EnergyWindow,
    MeterRecord,
    Quantity,
    TracePoint,
    WindowKind,
)
from joulemark.records.figures import Evidence
from simulated_world import World
from virtual_bench import VirtualBench, WorldActivity, WorldLoad

PACKAGE = "intel-rapl:0"
POLLING_W = 20.0
STATIC_W = 10.0
WORDS = ("encode", "input.wav")


@dataclass
class WorldJob:
    """A virtual command that takes the same time and power each time."""

    world: World
    seconds: float
    watts: float
    status: int = 0
    cpus: float = 1.0
    starts: int = 0
    left_ns: int = 0

    def start(self) -> None:
        """Counts a start, and begins to run."""
        self.starts += 1
        self.left_ns = round(self.seconds * 1e9)

    def wait(self, timeout_ns: int | None) -> EndedCommand | None:
        """Lets virtual time pass until the command ends, or until the limit."""
        step_ns = self.left_ns if timeout_ns is None else min(self.left_ns, timeout_ns)
        self.world.run_load(step_ns, self.watts)
        self.left_ns -= step_ns
        return (
            None
            if self.left_ns
            else EndedCommand(self.status, round(self.seconds * self.cpus * 1e9))
        )

    def stop(self) -> None:
        """Does nothing, since nothing is left to end."""
        self.left_ns = 0


@dataclass
class JobActivity(WorldActivity):
    """Counters of a machine whose command is another process than this thread."""

    job: WorldJob | None = None
    foreign_s: list[float] = field(default_factory=list)
    """CPU time of others, by the number of times that the command was started."""

    def thread_cpu_ns(self) -> int:
        """None of the command's CPU time, since this thread sleeps."""
        return 0

    def machine_busy_ns(self) -> int | None:
        """The command's CPU time on all CPUs, and that of others."""
        assert self.job is not None
        others = sum(self.foreign_s[: self.job.starts])
        return round(1e9 * (self.job.starts * self.job.seconds * self.job.cpus + others))


def rapl(place: str = PACKAGE, **changes: Any) -> SimulatedDomain:
    """A package of 10 W at rest whose counter moves once in a millisecond."""
    return SimulatedDomain(**{"id": place, "name": "package-0", "static_w": STATIC_W, **changes})


def measured(
    root: Path, domains: Sequence[SimulatedDomain], job: dict[str, Any], *,
    faults: Sequence[SimulatedFault] = (), foreign_s: Sequence[float] = (), meter: str = "powercap",
    **plan: Any,
) -> tuple[CommandRun, WorldJob]:  # fmt: skip
    """A virtual command, measured as `joulemark energy` measures it."""
    virtual = VirtualBench(root, domains, faults, meter_name=meter)
    world = virtual.world
    command = WorldJob(world, **job)
    activity = JobActivity(world, job=command, foreign_s=list(foreign_s))
    spin = WorldLoad(world, POLLING_W, ns_per_message=100, kind=WindowKind.ACTIVE_IDLE)
    chosen = choose_meter(meter, world.roots, (0, None))
    bench = WindowTools(chosen.meter, world, activity, spin, command)
    prepared = observed_meter(chosen, bench, EnergyPlan())
    return measure_command(prepared, bench, CommandPlan(**plan)), command


def of(energy: CommandEnergy, domain: str) -> CommandDomain:
    """The figures of one domain."""
    return next(
        command_domain for command_domain in energy.domains if command_domain.domain == domain
    )


def agrees(figure: Figure | None, truth: float, relative: float) -> bool:
    """Whether the interval holds the truth, and the median is close to it."""
    assert figure is not None
    near = abs(figure.median - truth) <= relative * truth
    return near and figure.low <= truth <= figure.high


def test_energy_is_that_of_the_command_alone(tmp_path: Path) -> None:
    """Net energy is the command's own power times its time; gross energy includes rest."""
    run, job = measured(tmp_path, [rapl(jitter=0.02)], {"seconds": 0.5, "watts": 50.0})
    energy = command_energy(run, WORDS)
    package = of(energy, PACKAGE)
    assert agrees(package.net_joules, 25.0, 0.002)
    assert agrees(package.gross_joules, 30.0, 0.002)
    assert agrees(package.watts, 60.0, 0.002)
    assert agrees(package.joule_seconds, 12.5, 0.002)
    assert agrees(package.static_watts, 10.0, 0.002)
    assert energy.seconds is not None
    assert energy.seconds.median == pytest.approx(0.5, rel=1e-4)
    assert energy.cpu_seconds is not None
    assert energy.cpu_seconds.median == pytest.approx(0.5)
    assert (package.windows_kept, package.windows_void) == (5, {})
    assert package.headline
    assert job.starts == 6  # a warm-up and five rounds
    assert energy.evidence is Evidence.SIMULATED
    assert energy.seconds.evidence is Evidence.MEASURED


def test_polling_after_the_end_is_taken_off(tmp_path: Path) -> None:
    """Polling for the edge of a slow counter would add 4 % to the energy, and is taken off."""
    slow = rapl(update_period_s=0.05)
    run, _ = measured(tmp_path, [slow], {"seconds": 0.5051, "watts": 50.0})
    package = of(command_energy(run, WORDS, limit=1.0), PACKAGE)
    assert package.outside_seconds == pytest.approx(0.0449, abs=0.001)
    assert agrees(package.net_joules, 0.5051 * 50.0, 0.005)
    assert agrees(package.gross_joules, 0.5051 * 60.0, 0.005)


def test_a_slower_domain_has_edges_of_its_own(tmp_path: Path) -> None:
    """The platform's counter moves at other moments; its time before the command is taken off."""
    psys = rapl("intel-rapl:1", name="psys", static_w=15.0, load_share=1.1, update_period_s=0.005,
                phase_s=0.0018)  # fmt: skip
    run, _ = measured(tmp_path, [psys, rapl()], {"seconds": 0.15, "watts": 50.0})
    energy = command_energy(run, WORDS, limit=1.0)
    assert agrees(of(energy, "intel-rapl:1").net_joules, 0.15 * 55.0, 0.005)
    assert agrees(of(energy, PACKAGE).net_joules, 0.15 * 50.0, 0.005)
    assert of(energy, PACKAGE).headline
    assert not any(domain.sum_of for domain in energy.domains)


def test_wrap_during_the_command_is_undone(tmp_path: Path) -> None:
    """A counter that wraps while the command runs is read in time, and the wrap is counted."""
    small = rapl(wraps_at_j=20.0, limit_w=100.0)
    run, _ = measured(tmp_path, [small], {"seconds": 0.5, "watts": 50.0})
    assert agrees(of(command_energy(run, WORDS), PACKAGE).net_joules, 25.0, 0.002)
    for taken in run.loads:
        counts = [point.counts for point in taken.window.traces[0].points]
        assert any(later < earlier for earlier, later in pairwise(counts))
        assert len(counts) >= 5 + 2


def test_nothing_is_read_where_no_wrap_can_be_missed(tmp_path: Path) -> None:
    """The meter is not read between start and end of a command too short for a missed wrap."""
    run, _ = measured(tmp_path, [rapl()], {"seconds": 0.5, "watts": 50.0})
    assert [taken.window.reads for taken in run.loads] == [0] * 5


def test_counter_of_unknown_range_is_read_twice_a_minute(tmp_path: Path) -> None:
    """The counter may wrap and end higher than it was, so 100 s of command hold three reads."""
    socket = SimulatedDomain("hwmon0/energy1", "Esocket0", STATIC_W, quantum_j=15.3e-6)
    run, _ = measured(tmp_path, [socket], {"seconds": 100.0, "watts": 50.0}, meter="hwmon",
                      rounds=1)  # fmt: skip
    assert run.headline.wraps_at_counts is None
    assert run.loads[0].window.reads == 3
    energy = command_energy(run, WORDS)
    assert agrees(of(energy, run.headline.id).net_joules, 5000.0, 0.002)


def test_meter_that_vanishes_ends_the_measurement(tmp_path: Path) -> None:
    """Windows before the fault stand, that of the fault is void, and the command goes on."""
    gone = SimulatedFault(7.0, FaultKind.VANISH, PACKAGE)
    run, job = measured(
        tmp_path, [rapl()], {"seconds": 1.0, "watts": 50.0}, faults=[gone], rounds=20
    )
    package = of(command_energy(run, WORDS), PACKAGE)
    assert 2 <= package.windows_kept < 20
    assert package.windows_void == {"vanished": 1}
    assert agrees(package.net_joules, 50.0, 0.002)
    assert job.starts == 1 + package.windows_kept + 1
    assert run.gave_up is not None
    assert run.gave_up.startswith("metering ended after a void window, vanished: ")


def test_meter_that_was_never_there_long_enough_has_no_figure(tmp_path: Path) -> None:
    """Without a kept window every figure is missing, with the reason, and none is zero."""
    gone = SimulatedFault(2.0, FaultKind.VANISH, PACKAGE)
    run, _ = measured(tmp_path, [rapl()], {"seconds": 3.0, "watts": 50.0}, faults=[gone])
    package = of(command_energy(run, WORDS), PACKAGE)
    assert package.windows_kept == 0
    for name in ("gross_joules", "net_joules", "watts", "joule_seconds", "static_watts"):
        assert getattr(package, name) is None
        assert package.reasons[name].sentence


def test_too_short_a_command_is_refused_with_the_number_of_repeats(tmp_path: Path) -> None:
    """The sentence names the period, and the repeats that it asks for are enough."""
    job = {"seconds": 0.004, "watts": 50.0}
    slow = [rapl(update_period_s=0.01)]
    with pytest.raises(UnavailableError, match=r"4 ms.*10 ms.*package-0.*--repeat (\d+)") as caught:
        measured(tmp_path / "short", slow, job)
    repeat = int(str(caught.value).rpartition(" ")[2])
    run, _ = measured(tmp_path / "repeated", slow, job, repeat=repeat)
    energy = command_energy(run, WORDS)
    assert agrees(of(energy, PACKAGE).net_joules, 0.2, 0.02)
    assert agrees(of(energy, PACKAGE).gross_joules, 0.24, 0.02)
    assert energy.seconds is not None
    assert energy.seconds.median == pytest.approx(0.004, rel=0.01)
    assert [taken.window.messages for taken in run.loads] == [repeat] * 5


def test_failing_command_has_no_figures_unless_asked_for(tmp_path: Path) -> None:
    """A failure is one sentence; --ignore-failure measures all the same and counts the codes."""
    job = {"seconds": 0.5, "watts": 50.0, "status": 3}
    with pytest.raises(JoulemarkError, match=r"exit code 3 while warming up.*--ignore-failure"):
        measured(tmp_path / "refused", [rapl()], job)
    with pytest.raises(JoulemarkError, match="SIGKILL"):
        measured(tmp_path / "killed", [rapl()], {**job, "status": -9})
    run, _ = measured(tmp_path / "taken", [rapl()], job, ignore_failure=True)
    energy = command_energy(run, WORDS)
    assert energy.exit_codes == {"3": 5}
    assert agrees(of(energy, PACKAGE).net_joules, 25.0, 0.002)


def test_the_commands_own_cpu_time_is_not_foreign(tmp_path: Path) -> None:
    """A command on four CPUs is no disturbance; if others use a CPU, the command runs again."""
    job = {"seconds": 0.5, "watts": 50.0, "cpus": 4.0}
    run, _ = measured(tmp_path / "alone", [rapl()], job)
    assert of(command_energy(run, WORDS), PACKAGE).windows_void == {}
    run, command = measured(
        tmp_path / "disturbed", [rapl()], job, foreign_s=[0.0, 0.0, 0.2, 0.2], rounds=3
    )
    package = of(command_energy(run, WORDS), PACKAGE)
    assert (package.windows_kept, package.windows_void) == (3, {"foreign CPU time": 2})
    assert command.starts == 1 + 3 + 2
    run, command = measured(tmp_path / "always", [rapl()], job, foreign_s=[0.2] * 20, rounds=20)
    assert command.starts == 1 + HOPELESS
    assert of(command_energy(run, WORDS), PACKAGE).windows_kept == 0
    assert run.gave_up is not None
    assert run.gave_up.startswith("metering ended after 3 void windows in a row, foreign CPU time")


def test_all_packages_are_added_and_nothing_else(tmp_path: Path) -> None:
    """Two packages share nothing, so the sum has both, and neither cores nor the platform."""
    domains = [
        rapl("intel-rapl:2", name="psys", static_w=30.0, load_share=1.5),
        rapl(load_share=0.7),
        rapl("intel-rapl:0:0", name="core", static_w=2.0, load_share=0.6),
        rapl("intel-rapl:1", name="package-1", static_w=8.0, load_share=0.3),
    ]
    run, _ = measured(tmp_path, domains, {"seconds": 0.5, "watts": 50.0})
    energy = command_energy(run, WORDS)
    together = of(energy, "all")
    assert together.sum_of == [PACKAGE, "intel-rapl:1"]
    assert agrees(together.net_joules, 25.0, 0.003)
    assert agrees(together.gross_joules, 25.0 + 0.5 * 18.0, 0.003)
    assert agrees(together.static_watts, 18.0, 0.003)
    assert agrees(of(energy, "intel-rapl:1").net_joules, 7.5, 0.003)


def test_gauge_is_sampled_while_the_command_runs(tmp_path: Path) -> None:
    """A sensor's mean power times the command's time is its energy; nothing lies outside."""
    gauge = SimulatedDomain(
        "hwmon0/power1", "board", STATIC_W, update_period_s=0.1, quantum_j=1e-6, noise=0.01
    )
    run, _ = measured(
        tmp_path, [gauge], {"seconds": 2.0, "watts": 50.0}, meter="hwmon", foreign_s=()
    )
    energy = command_energy(run, WORDS, limit=1.0)
    assert energy.method == "gauge"
    board = energy.domains[0]
    assert board.outside_seconds == 0
    assert board.net_joules is not None
    assert board.net_joules.median == pytest.approx(100.0, rel=0.05)
    with pytest.raises(UnavailableError, match=r"board gives 3 samples.*--repeat"):
        measured(tmp_path / "short", [gauge], {"seconds": 0.2, "watts": 50.0}, meter="hwmon")


def test_a_real_command_is_waited_for_and_timed() -> None:
    """Waiting ends with the limit or the command; its CPU time is told, and our CPUs stay ours."""
    allowed = os.sched_getaffinity(0)
    busy = "import time\nwhile time.process_time() < 0.2: pass\nraise SystemExit(5)"
    process = CommandProcess([sys.executable, "-c", busy], cpu=min(allowed))
    process.start()
    assert os.sched_getaffinity(0) == allowed
    assert process.wait(10_000_000) is None
    ended = process.wait(None)
    assert ended is not None
    assert ended.status == 5
    assert 0.2e9 <= ended.cpu_ns < 2e9
    process.stop()  # there is nothing to end, and it is no error


LARGE = "block = bytearray({}); block[::4096] = bytes(len(block[::4096]))"
MEBIBYTE = 1 << 20


def memory_of(words: list[str], runs: int = 1) -> int | None:
    """The most memory that was seen of a command, in its first run."""
    process = CommandProcess(words, watched_runs=1)
    for _ in range(runs):
        process.start()
        ended = process.wait(None)
        assert ended is not None
        assert ended.status in {0, 5, -signal.SIGTERM}
    return process.peak_memory_bytes


def test_the_memory_of_all_processes_together() -> None:
    """Two children of 48 MiB at once are 96 MiB together; the group of the run is gone after it."""
    size = 48 * MEBIBYTE
    code = f"import time; {LARGE.format(size)}; time.sleep(2)"
    child = f"'{sys.executable}' -S -c '{code}'"
    process = CommandProcess(["sh", "-c", f"{child} & {child} & wait"], watched_runs=1)
    process.start()
    group = process._group
    assert process.wait(None) is not None
    assert process.peak_memory_bytes is not None
    assert size < process.peak_memory_bytes < 1.7 * size
    if group is None:
        assert process.tree_memory_bytes is None
        pytest.skip("Linux lets this user make no control group that counts memory")
    assert process.tree_memory_bytes is not None
    assert 1.9 * size < process.tree_memory_bytes < 4 * size
    assert not group.exists()


def test_the_memory_of_a_command_is_its_own() -> None:
    """Our memory, tens of megabytes, is not counted to a small command; a child's is."""
    small, asleep = memory_of(["true"]), memory_of(["sh", "-c", "sleep 0; exit 5"])
    assert small is not None
    assert asleep is not None
    assert 0.1 * MEBIBYTE < small < 8 * MEBIBYTE
    assert asleep < 8 * MEBIBYTE
    code = LARGE.format(64 * MEBIBYTE)
    large = memory_of([sys.executable, "-S", "-c", code], runs=2)
    of_child = memory_of(["sh", "-c", f"'{sys.executable}' -S -c '{code}'; exit 0"])
    for seen in (large, of_child):
        assert seen is not None
        assert 64 * MEBIBYTE < seen < 100 * MEBIBYTE


def test_a_watched_command_ends_as_it_would_alone(tmp_path: Path) -> None:
    """Exit code, signal and a file that is no program are told as without the small program."""
    assert memory_of(["sh", "-c", "exit 5"]) is not None
    assert memory_of(["sh", "-c", "kill -TERM $$"]) is not None
    program = tmp_path / "empty"
    program.write_text("no program\n")
    program.chmod(0o755)
    says = r"cannot be run \(Exec format error\); a script needs"
    with pytest.raises(UsageError, match=says):
        CommandProcess([str(program)]).start()
    with pytest.raises(UsageError, match=says):
        memory_of([str(program)])


MICROJOULE = Domain("p", "package-0", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6)
SECOND = 1_000_000_000


def by_hand(energy_j: float, edges_s: float, wall_s: float, rest_w: float) -> CommandRun:
    """A run of one load window between two idle windows, with every moment known exactly."""

    def window(kind: WindowKind, start_s: float, moved_j: float, apart_s: float,
               busy_s: float) -> EnergyWindow:  # fmt: skip
        first = round(start_s * SECOND)
        last = first + round(apart_s * SECOND)
        points = (TracePoint(first, first, 0), TracePoint(last, last, round(moved_j * 1e6)))
        return EnergyWindow(
            kind, 0, 0, 0, 0, first, round(busy_s * SECOND), int(kind is WindowKind.LOAD), 0, 0, 0,
            None, None, None, 0, (DomainTrace("p", points),),
        )  # fmt: skip

    record = MeterRecord("made", "by hand", Evidence.SIMULATED, "edges", (MICROJOULE,), "p", wall_s)
    return CommandRun(
        record,
        MICROJOULE,
        CommandPlan(rounds=1),
        [
            CommandWindow(
                window(WindowKind.LOAD, 2.0, energy_j, edges_s, wall_s), (EndedCommand(0, 0),)
            )
        ],
        [window(WindowKind.DEEP_IDLE, start, rest_w, 1.0, 1.0) for start in (0.0, 5.0)],
    )


def with_polling(run: CommandRun, watts: float) -> CommandRun:
    """The same run with a known power of polling, in W."""
    pace = {"period_s": 1e-3, "jitter_s": 0.0, "poll_s": 0.0, "power_w": watts, "walk_j2": 0.0,
            "white_j2": 0.0, "updates": 100}  # fmt: skip
    run.record = MeterRecord(**{**vars_of(run.record), "paces": {"p": pace}})
    return run


def vars_of(record: MeterRecord) -> dict[str, Any]:
    """Fields of a record by name, not copied."""
    return {name: getattr(record, name) for name in MeterRecord.__dataclass_fields__}


def test_closed_form_with_known_polling_power() -> None:
    """E - (T - t) Pp is gross, less P0 t is net; the doubt is (T - t)(Pp - P0) / sqrt(12)."""
    run = with_polling(by_hand(energy_j=66.0, edges_s=1.2, wall_s=1.0, rest_w=10.0), 30.0)
    package = command_energy(run, WORDS, limit=1.0).domains[0]
    assert package.gross_joules is not None
    assert package.net_joules is not None
    assert package.outside_seconds == pytest.approx(0.2)
    assert package.gross_joules.median == pytest.approx(66.0 - 0.2 * 30.0, rel=1e-6)
    assert package.net_joules.median == pytest.approx(60.0 - 10.0, rel=1e-6)
    doubt_j = 0.2 * (30.0 - 10.0) / math.sqrt(12)
    half_j = package.gross_joules.high - package.gross_joules.median
    assert half_j == pytest.approx(1.96 * doubt_j, rel=1e-4)


def test_closed_form_without_polling_power() -> None:
    """Power outside the command is taken halfway between rest and the window's, give or take."""
    run = by_hand(energy_j=72.0, edges_s=1.2, wall_s=1.0, rest_w=10.0)
    package = command_energy(run, WORDS, limit=1.0).domains[0]
    assert package.gross_joules is not None
    assert package.gross_joules.median == pytest.approx(72.0 - 0.2 * (60.0 + 10.0) / 2, rel=1e-6)
    doubt_j = 0.2 * (60.0 - 10.0) / math.sqrt(12)
    half_j = package.gross_joules.high - package.gross_joules.median
    assert half_j == pytest.approx(1.96 * doubt_j, rel=1e-4)


def test_wide_intervals_are_refused_with_the_reason() -> None:
    """A net energy that is lost in the doubt has no figure but a sentence with both powers."""
    run = with_polling(by_hand(energy_j=16.0, edges_s=1.2, wall_s=1.0, rest_w=10.0), 30.0)
    package = command_energy(run, WORDS).domains[0]
    assert package.net_joules is None
    assert "more than 100 %" in package.reasons["net_joules"].sentence
    assert "10 W while working against 10 W at rest" in package.reasons["net_joules"].sentence
    assert "--repeat" in package.reasons["net_joules"].sentence
    assert package.static_watts is not None


def test_without_a_baseline_gross_stands_and_net_is_missing() -> None:
    """Idle is never a residual: no idle window, no net figure, and the reason says so."""
    run = with_polling(by_hand(energy_j=66.0, edges_s=1.2, wall_s=1.0, rest_w=10.0), 30.0)
    run.idles.clear()
    package = command_energy(run, WORDS, limit=1.0).domains[0]
    assert package.gross_joules is not None
    assert package.net_joules is None
    assert "deep idle" in package.reasons["net_joules"].sentence
