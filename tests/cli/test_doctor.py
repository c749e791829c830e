# SPDX-License-Identifier: Apache-2.0
"""`joulemark doctor`: machine, clocks, load, meters, noise floor."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from joulemark import doctor
from joulemark.cli.instruments import _print_energy
from joulemark.cli.shared.measuring_options import TreeOptions
from joulemark.doctor import find_meters
from joulemark.doctor import machine as noise_floor
from joulemark.doctor.machine import _load, sentence_for
from joulemark.errors import CrashError, UsageError
from joulemark.measure.pool import WorkerPool
from joulemark.measure.study import STANDARD
from joulemark.measure.worker import client
from joulemark.measure.worker.run_messages import Clocks
from joulemark.meters import MeterRefusal, Survey
from joulemark.meters.instruments import instruments
from joulemark.meters.simulated import SimulatedDomain
from joulemark.meters.simulated.daemon import start
from joulemark.processes.child import KeptChild
from joulemark.records.energy_window import Fault, Observation, TraceFault, TracePoint
from joulemark.records.figures import Evidence
from simulated_world import World

QUICK = ("doctor", "--quick")
PLATFORM = SimulatedDomain("intel-rapl:1", "psys", static_w=20.0)
PACKAGE = SimulatedDomain("intel-rapl:0", "package-0", limit_w=100.0)
CORE = SimulatedDomain("intel-rapl:0:0", "core", static_w=2.0)
MEMORY_TWIN = SimulatedDomain("intel-rapl-mmio:0", "package-0", mirror_of="intel-rapl:0")


@pytest.fixture(autouse=True)
def _own_trees(monkeypatch):
    """Removes settings of the user that would lead the tests to other trees."""
    monkeypatch.delenv("JOULEMARK_SYSFS", raising=False)
    monkeypatch.delenv("JOULEMARK_PROC", raising=False)


@pytest.fixture
def world(tmp_path):
    """Makes a simulated machine whose time stands still."""

    def make(*domains):
        return World(tmp_path / "machine", domains)

    return make


def trees(world):
    """The options that lead to a simulated machine."""
    return "--sysfs", world.roots.sysfs, "--proc", world.roots.proc


def test_the_quick_one_says_what_there_is(run):
    """`--quick` prints every section, and says that it leaves out the noise floor."""
    result = run(*QUICK)
    assert result.exit_code == 0, result.output
    titles = ("Load", "Clocks", "Disturbance", "Energy", "The loop itself", "Noise floor",
              "Providers")  # fmt: skip
    for title in titles:
        assert f"\n{title}\n" in result.stdout
    assert "not measured (--quick)" in result.stdout
    assert "CLOCK_MONOTONIC, smallest step seen" in result.stdout


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ({0: 0.02, 1: 0.01}, "other programs use 0.03 of 2 CPUs now"),
        ({0: 0.5}, ("other programs use 0.50 of 1 CPU now: times would be too high; close them, "
         "or let joulemark bench wait with --wait-quiet")),
        ({}, "unknown: /proc/stat cannot be read"),
    ],
)  # fmt: skip
def test_the_load_is_stated(shares, sentence):
    """The load of other programs is stated, with a remedy where the load is too high."""
    found = _load(shares)
    assert found["sentence"] == sentence
    assert found["busy_cpus"] == (pytest.approx(sum(shares.values())) if shares else None)


def test_json_has_the_same(run):
    """The JSON has figures in SI units; a missing figure is null or has a reason, never zero."""
    found = json.loads(run(*QUICK, "--json").stdout)
    assert found["schema_version"] == 4
    assert found["load"]["cpus"] >= 1
    assert 0 <= found["load"]["busy_cpus"] <= found["load"]["cpus"]
    assert found["noise_floor"] is None
    assert 0 < found["clocks"][0]["step_seconds"] < 1e-3
    loop = found["loop"]["seconds_per_message"]
    assert 0 < loop["minimum"] <= loop["median"] <= loop["maximum"] < 1e-6
    estimated = found["clocks"][-1]
    if estimated["evidence"] is not None:
        assert estimated["evidence"] == "modelled"
        assert estimated["low"] <= estimated["cycles_per_tsc_tick"] <= estimated["high"]
        assert 0.1 < estimated["cycles_per_tsc_tick"] < 10


@pytest.fixture
def answers(monkeypatch):
    """Changes the facts that the worker reports of its clocks."""
    ask = WorkerPool.ask_own

    def change(**changes):
        def altered(self, request, *, limit_s):
            answer = ask(self, request, limit_s=limit_s)
            return replace(answer, **changes) if isinstance(answer, Clocks) else answer

        monkeypatch.setattr(WorkerPool, "ask_own", altered)

    return change


def test_a_machine_without_counters_says_why(run, answers):
    """Without a TSC there is no estimate of core cycles, and no number in its place."""
    answers(tsc=False, chain_ticks=None, run_queue=False, perf_cycles_reason="not allowed")
    text = run(*QUICK).stdout
    assert "there is no time-stamp counter" in text
    assert "no: not allowed" in text
    assert "no: there is no TSC to hold the additions against" in text
    assert "CONFIG_SCHED_INFO" in text


def test_a_machine_with_a_cycle_counter_says_so(run, answers):
    """Counted core cycles have the evidence `measured`."""
    answers(perf_cycles_reason=None)
    clocks = json.loads(run(*QUICK, "--json").stdout)["clocks"]
    assert clocks[2]["evidence"] == "measured"


def test_without_a_meter_each_instrument_has_its_reason(run, world):
    """Without a meter one sentence says so, and every instrument has a line with its reason."""
    text = run(*QUICK, *trees(world())).stdout
    section = text.split("\nEnergy\n")[1].split("\nThe loop itself\n")[0]
    assert section.splitlines()[0] == "  no energy meter here"
    for instrument in instruments():
        assert f"\n  - {instrument.NAME} ({instrument.TITLE}): not usable: " in f"\n{section}"
    found = json.loads(run(*QUICK, "--json", *trees(world())).stdout)["energy"]
    assert (found["sentence"], found["meter"]) == ("no energy meter here", None)
    assert {instrument["name"] for instrument in found["instruments"]} == {
        instrument.NAME for instrument in instruments()
    }
    assert all(
        instrument["reason"] and not instrument["domains"] for instrument in found["instruments"]
    )


def test_an_instrument_that_needs_an_argument_says_so(world):
    """An instrument without its argument is listed, with a command that has the argument."""
    found = find_meters(world().roots, None)["instruments"]
    external = next(entry for entry in found if entry["name"] == "external")
    assert "needs a file, pipe or serial port" in external["reason"]
    assert external["remedy"] == "joulemark meter external:ARGUMENT"
    assert external["by_name_only"] is True


def test_domains_are_named_with_their_place(run, world):
    """`--quick` shows parent, twin, range and step of a domain, and the word `simulated`."""
    text = run(*QUICK, *trees(world(PLATFORM, PACKAGE, CORE, MEMORY_TWIN))).stdout
    assert "the meter powercap is taken unless another is named" in text
    assert "powercap (RAPL through powercap): usable, simulated" in text
    assert "- package-0 (package, intel-rapl:0), inside psys\n" in text
    assert "- core (core, intel-rapl:0:0), inside package-0 (intel-rapl:0)\n" in text
    words = " ".join(text.split())
    assert "the same hardware as package-0 (intel-rapl:0), so not added" in words
    assert (
        "steps of 61 µJ; wraps after 262 kJ, at the soonest in 699 s (at 375 W) not observed "
        "(--quick)"
    ) in words


def test_json_of_domains_has_plain_values(run, world):
    """The JSON of domains has identifiers and SI units; a value that was not observed is null."""
    energy = json.loads(run(*QUICK, "--json", *trees(world(PACKAGE, CORE))).stdout)["energy"]
    meter = energy["instruments"][0]
    package, core = meter["domains"]
    assert (energy["meter"], meter["evidence"], meter["usable"]) == ("powercap", "simulated", True)
    assert (package["parent"], core["parent"]) == (None, "intel-rapl:0")
    assert package["wraps_at_j"] == pytest.approx(262_142, rel=1e-4)
    assert package["shortest_wrap_s"] == pytest.approx(package["wraps_at_j"] / 375)
    assert (package["pace"], package["window_on_edges_s"]) == (None, None)


class Stub:
    """An instrument with a given answer."""

    NAME = "stub"
    TITLE = "made for a test"
    PREFERENCE = 1

    def __init__(self, survey):
        self._survey = survey

    def make(self, roots, argument):
        """Makes a meter that only gives the survey."""
        return SimpleNamespace(
            survey=lambda: self._survey, evidence=lambda: Evidence.MEASURED, close=lambda: None
        )


def test_remedies_are_whole_lines(monkeypatch, world, capsys):
    """A command as a remedy is never broken, neither a meter's nor that of a domain."""
    long = "sudo chmod " + " ".join(f"/sys/class/hwmon/hwmon{n}/power1_input" for n in range(9))
    survey = Survey(
        refused=(MeterRefusal("rail", "the rail is locked", f"{long} again"),),
        reason="all is locked",
        remedy=long,
    )
    monkeypatch.setattr(doctor, "instruments", lambda: [Stub(survey)])
    _print_energy(find_meters(world().roots, None))
    assert capsys.readouterr().out.splitlines() == [
        "  no energy meter here",
        "  - stub (made for a test): not usable: all is locked",
        f"    try: {long}",
        "    - rail, not usable: the rail is locked",
        f"      try: {long} again",
    ]


def observed(roots, **answers):
    """The domains of powercap as `find_meters` reports them for the worker's `answers`."""

    def watch(meter, domains):
        assert meter == "powercap"
        return [replace(seen(domain), **answers.get(domain.name, {})) for domain in domains]

    return {
        domain["name"]: domain for domain in find_meters(roots, watch)["instruments"][0]["domains"]
    }


def seen(domain, points=()):
    """An observation of three seconds."""
    return Observation(domain.id, tuple(points), (), 3.0)


def ticking(updates, period_ns=1_000_000, step_uj=10_000):
    """The trace of an even counter: 10 W in steps of 10 mJ, each update seen within 20 us."""
    return [TracePoint(n * period_ns, n * period_ns + 20_000, n * step_uj) for n in range(updates)]


def test_an_observed_counter_has_its_pace_and_windows(world):
    """Period and power are found; 1 % takes 100 periods with free ends, 4 at least on updates."""
    found = observed(world(PACKAGE).roots, **{"package-0": {"points": ticking(400)}})
    package = found["package-0"]
    assert package["pace"]["period_s"] == pytest.approx(1e-3)
    assert package["pace"]["power_w"] == pytest.approx(10)
    assert package["window_free_running_s"] == pytest.approx(0.1)
    assert package["window_on_edges_s"] == pytest.approx(0.004)
    moves, windows = package["lines"][2:]
    assert moves == (
        "moves every 1 ms +- 0 s (400 updates, each seen within 20 µs); 10 W while the measured "
        "core was awake and idle"
    )
    assert windows == "1 % takes windows of 4 ms with both ends on an update, 100 ms with free ends"


def test_a_battery_is_a_gauge_with_a_twin_that_falls(world):
    """A window of a gauge is 30 samples; the energy left is a counter that goes down."""
    points = ticking(10, period_ns=2_000_000_000, step_uj=1)

    def watch(_meter, domains):
        return [seen(domain, points) for domain in domains]

    found = find_meters(world(SimulatedDomain("BAT0")).roots, watch)["instruments"]
    gauge, left = next(entry for entry in found if entry["name"] == "battery")["domains"]
    assert gauge["window_of_samples_s"] == pytest.approx(60)
    assert gauge["window_on_edges_s"] is None
    assert gauge["lines"][1] == "a gauge of power in steps of 1 mW"
    assert gauge["lines"][3] == "a window is 30 samples, 60 s"
    assert left["same_as"] == gauge["domain"]
    assert left["lines"][1] == "a counter of the energy left, in steps of 36 J"


def test_noise_lengthens_windows_with_free_ends_too(world):
    """Uneven increments lengthen windows with free ends and with ends on updates alike."""
    points = [
        replace(point, counts=point.counts + 5_000 * (n % 7 % 3) * (n // 20 % 5))
        for n, point in enumerate(ticking(400))
    ]
    package = observed(world(PACKAGE).roots, **{"package-0": {"points": points}})["package-0"]
    assert package["window_on_edges_s"] > 0.1
    assert package["window_free_running_s"] == package["window_on_edges_s"]


def test_what_could_not_be_observed_says_why(world):
    """Too few updates and a fault give a sentence and no number."""
    found = observed(
        world(PACKAGE, CORE).roots,
        **{
            "package-0": {"points": ticking(2)},
            "core": {"fault": TraceFault(Fault.VANISHED, "it is not there any more")},
        },
    )
    for entry in found.values():
        assert (entry["pace"], entry["window_on_edges_s"]) == (None, None)
    assert found["package-0"]["lines"][2].startswith("it moved twice in 3 s, and its period takes")
    assert found["core"]["lines"][2] == "not observed: it is not there any more"


def test_a_worker_that_dies_is_no_traceback(world):
    """The domains are shown although the worker died, with the reason."""

    def watch(_meter, _domains):
        raise CrashError("the worker died of signal 9")

    package = find_meters(world(PACKAGE).roots, watch)["instruments"][0]["domains"][0]
    assert package["pace_reason"] == "not observed: the worker died of signal 9"


def test_mirrors_are_found_by_their_counts(world):
    """Two dies whose counters show the same, unevenly growing counts are the same hardware."""
    die = SimulatedDomain("intel-rapl:2", "package-1")
    counts = [0]
    for n in range(60):
        counts.append(counts[-1] + 1_000_000 + 40_000 * (n % 5))
    same = {"snapshots": counts}
    found = observed(world(PACKAGE, die).roots, **{"package-0": same, "package-1": same})
    assert found["package-1"]["same_as"] == "intel-rapl:0"
    assert "the same hardware as package-0, so not added" in found["package-1"]["lines"][0]


@pytest.mark.parametrize("option", ["--sysfs", "--proc"])
def test_a_tree_that_is_not_there_is_refused(refused, option, tmp_path):
    """A missing tree is refused, since a slip would look like a machine without meters."""
    assert f"{option} {tmp_path}/nowhere: there is no such folder" in refused(
        *QUICK, option, tmp_path / "nowhere"
    )
    with pytest.raises(UsageError):
        TreeOptions(tmp_path / "nowhere", tmp_path).roots()


@pytest.mark.timing
def test_live_counters_are_observed_by_the_worker(run, monkeypatch):
    """In 3 s the worker finds the period of a live counter and the mirrored die."""
    monkeypatch.setattr("joulemark.cli.instruments.noise_floor", lambda inventory: None)
    # The simulated machine counts the CPU time of processes below this one.
    monkeypatch.setattr(client, "KeptChild", KeptChild)
    with start("mirrored=yes,update_ms=5,jitter=0") as name:
        root = name.partition(":")[2]
        found = run("doctor", "--json", "--sysfs", f"{root}/sys", "--proc", f"{root}/proc")
    first, core, second = json.loads(found.stdout)["energy"]["instruments"][0]["domains"]
    assert first["pace"]["period_s"] == pytest.approx(5e-3, rel=0.2)
    assert first["pace"]["power_w"] == pytest.approx(30, rel=0.3)
    assert (core["same_as"], second["same_as"]) == (None, "intel-rapl:0")


def test_the_noise_floor_in_words():
    """The floor is the end of the interval that is farther from a ratio of 1."""
    text = sentence_for(1.001, 0.996, 1.003)
    assert "differ by 0.1 % [-0.4 % to 0.3 %]" in text
    assert text.endswith("differences below 0.4 % are not worth believing here")


def test_the_noise_floor_is_measured(run, monkeypatch):
    """Twins measured alternately a few times agree within a broad limit on any machine."""
    monkeypatch.setattr(noise_floor, "_EFFORT", replace(STANDARD, rounds=6, generations=2))
    floor = json.loads(run("doctor", "--json").stdout)["noise_floor"]
    assert floor["low"] <= floor["ratio"] <= floor["high"]
    assert 0.5 < floor["ratio"] < 2
    assert floor["believable_difference"] >= abs(floor["ratio"] - 1)
