# SPDX-License-Identifier: Apache-2.0
"""`compare --quantity energy`: verdicts from a stored run, refusals, and RAPL's open questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from energy_windows import DOMAIN, RECORD, window
from joulemark.analyse.assemble import result_set
from joulemark.analyse.run_energy import RAPL_DIFFERENCE, meter_note, run_energy
from joulemark.cli import measuring
from joulemark.cli.app import app
from joulemark.measure.run_plan import RunOutcome
from joulemark.records import ImplementationFacts
from joulemark.records.energy_window import DomainTrace, TracePoint, WindowKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store

NAMES = ("hmac-sha256/base", "hmac-sha256/rival")


def store_run(path: Path, rival_w: float) -> None:
    """Ten rounds of two implementations over 10 W at rest, in windows of a second."""
    with Store.open(path) as store:
        run = store.begin_run(
            study={}, study_digest="x", seed=1, rounds=1, environment={}, joulemark_version="0"
        )
        for name in NAMES:
            store.add_implementation(run, facts(name))
            store.add_samples(run, Trial(name, Workload(100)), [SAMPLE])
        store.set_meter(run, RECORD)
        for number in range(10):
            start = number * 10.0
            levels = [(None, 10.0), (NAMES[0], 40.0), (NAMES[1], rival_w), (None, 10.0)]
            for place, (name, watts) in enumerate(levels):
                trial = Trial(name, Workload(100)) if name else None
                store.add_energy_window(run, trial, one(number, place, start + 2 * place, watts))
        store.finish_run(run)


def one(number: int, place: int, start_s: float, watts: float):
    """A second of so many watts; the rounds differ by about a millionth."""
    counts = round(watts * (1 + 1e-6 * (number % 3)) * 1000)
    points = tuple(
        TracePoint(round((start_s + s) * 1e9), round((start_s + s) * 1e9) + 20_000, 1000 + n)
        for s, n in ((0, 0), (1, counts))
    )
    kind = WindowKind.LOAD if 0 < place < 3 else WindowKind.DEEP_IDLE
    return replace(
        window(DomainTrace(DOMAIN.id, points)), kind=kind, round_index=number, position=place,
        generation=number, wall_start_ns=round(start_s * 1e9),
        messages=1000 if kind is WindowKind.LOAD else 0,
        thread_cpu_ns=10**9 if kind is WindowKind.LOAD else 0, machine_busy_ns=None,
    )  # fmt: skip


def facts(name: str) -> ImplementationFacts:
    """An implementation that only this store knows."""
    return ImplementationFacts(
        name, "mac", "joulemark", "0", "cc", "", (), 1, constant_time=False, block_bytes=64,
        output_bytes=32, key_bytes_min=0, key_bytes_max=None, key_bytes=32,
    )  # fmt: skip


SAMPLE = RawSample(
    round_index=0, position=0, generation=0, messages=1, wall_start_ns=0, wall_ns=1,
    thread_cpu_ns=1, tsc_ticks=None, perf_core_cycles=None, voluntary_switches=0,
    involuntary_switches=0, run_queue_wait_ns=None, machine_busy_ns=None, machine_steal_ns=None,
    chain_adds=0, chain_ticks_before=None, chain_ticks_after=None,
)  # fmt: skip


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the command on a store; returns what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, rival_w: float = 40.0, code: int = 0) -> str:
        if not Path("joulemark.db").exists():
            store_run(Path("joulemark.db"), rival_w)
        done = CliRunner().invoke(app, ["compare", *arguments], prog_name="joulemark")
        assert done.exit_code == code, done.output
        return done.output

    return call


@pytest.mark.parametrize(
    ("rival_w", "gross", "net"),
    [(41.0, "more energy", "more energy"), (39.0, "less energy", "less energy"),
     (40.0, "equal within the threshold", "equal within the threshold")],
)  # fmt: skip
def test_verdicts_name_the_quantity(
    compare: Callable[..., str], rival_w: float, gross: str, net: str
) -> None:
    """Gross over gross and net over net; the ratio of net energy is the larger difference."""
    for quantity, verdict, ratio in (
        ("gross-energy", gross, rival_w / 40), ("energy", net, (rival_w - 10) / 30),
    ):  # fmt: skip
        text = compare(NAMES[0], "--quantity", quantity, "--json", rival_w=rival_w)
        found = json.loads(text)
        assert found["quantity"] == quantity
        (line,) = found["comparisons"]
        assert line["verdict"] == verdict
        assert line["ratio"] == pytest.approx(ratio, rel=1e-3)


def test_what_cannot_be_compared_is_refused(compare: Callable[..., str]) -> None:
    """An unknown quantity, energy across runs, and a run without energy."""
    assert "'joy' is not one of" in compare(NAMES[0], "--quantity", "joy", code=2)
    text = compare("--runs", "1", "1", "--quantity", "energy", code=2)
    assert "compare energy within one" in text
    with Store.open(Path("joulemark.db")) as store:
        run = store.begin_run(
            study={}, study_digest="y", seed=1, rounds=1, environment={}, joulemark_version="0"
        )
        store.add_implementation(run, facts(NAMES[0]))
        store.add_samples(run, Trial(NAMES[0], Workload(100)), [SAMPLE])
    text = compare(NAMES[0], "--quantity", "energy", code=2)
    assert "has no energy to compare: energy was not asked for" in text


@pytest.mark.parametrize(
    ("places", "says"),
    [
        ((0,), "metering ended before the first implementation"),
        ((0, 1), "all windows void; its one window could not be used, foreign CPU time: other "),
    ],
)
def test_a_run_whose_windows_are_all_void_says_so(
    compare: Callable[..., str], places: tuple[int, ...], says: str
) -> None:
    """The run has times, so the message does not say that it has no samples."""
    with Store.open(Path("joulemark.db")) as store:
        run = store.begin_run(
            study={}, study_digest="x", seed=1, rounds=1, environment={}, joulemark_version="0"
        )
        store.add_implementation(run, facts(NAMES[0]))
        trial = Trial(NAMES[0], Workload(100))
        store.add_samples(run, trial, [SAMPLE])
        store.set_meter(run, RECORD)
        for place in places:
            busy = replace(one(0, place, 2.0 * place, 40.0), machine_busy_ns=3 * 10**9)
            store.add_energy_window(run, trial if place else None, busy, "foreign CPU time: busy")
        store.finish_run(run)
    text = compare(NAMES[0], "--quantity", "energy", code=2)
    assert f"run 1 has no energy: {says}" in " ".join(text.split())
    assert "has no sample" not in text


@pytest.mark.parametrize("stated", [True, False])
def test_a_run_whose_energy_has_no_figure_ends_with_2(
    compare: Callable[..., str], monkeypatch: pytest.MonkeyPatch, stated: bool
) -> None:
    """Energy was asked for and refused everywhere: the command answers and ends with 2."""
    compare(NAMES[0], rival_w=40.0)
    with Store.open(Path("joulemark.db"), create=False) as store:
        results = result_set(store, 1)
    if not stated:
        none = {"gross_joules_per_message": None, "joules_per_message": None, "watts": None}
        results = results.model_copy(
            update={
                "results": [
                    result.model_copy(
                        update={"energy": [part.model_copy(update=none) for part in result.energy]}
                    )
                    for result in results.results
                ]
            }
        )
    outcome = RunOutcome(1, resumed=False, visits=1, failures=[])
    monkeypatch.setattr(measuring, "measure", lambda _request: (results, outcome, []))
    done = CliRunner().invoke(app, ["bench", "--energy", "--json"], prog_name="joulemark")
    assert done.exit_code == (0 if stated else 2), done.output
    assert ("no figure could be stated" in done.stderr) == (not stated)
    assert json.loads(done.stdout)["results"]


def test_a_contender_below_rest_has_no_ratio(compare: Callable[..., str]) -> None:
    """Net energy of 0 or less has no logarithm: the gross ratio stands, the net one is refused."""
    assert "less energy" in compare(NAMES[0], "--quantity", "gross-energy", rival_w=9.0)
    text = compare(NAMES[0], "--quantity", "energy", code=2)
    assert "nothing to compare with hmac-sha256/base" in text


@pytest.mark.parametrize(("method", "net_w"), [("edges", 15.0), ("westermann2010", 20.0)])
def test_rest_is_between_neighbours_or_before_the_run_as_the_method_says(
    method: str, net_w: float
) -> None:
    """10 W before and 20 W after a load of 30 W: 15 W by the line, 20 W by what came before."""
    stored = [
        StoredWindow(trial, one(0, place, start, watts), None)
        for place, (start, watts, trial) in enumerate(
            [(0.0, 10.0, None), (10.0, 30.0, Trial(NAMES[0], Workload(100))), (20.0, 20.0, None)]
        )
    ]
    stored[2] = replace(
        stored[2], window=replace(stored[2].window, kind=WindowKind.DEEP_IDLE, messages=0)
    )
    energy = run_energy(replace(RECORD, method=method), stored)
    windows, rest = energy.windows(Trial(NAMES[0], Workload(100)))
    at_rest = rest.deep.at(windows[0].middle_s)
    assert windows[0].power_w.nominal_value - at_rest.nominal_value == pytest.approx(
        net_w, rel=1e-3
    )


def test_small_differences_by_rapl_carry_a_note_and_others_do_not() -> None:
    """1.9 % by powercap needs another meter; 2.1 %, or a battery, does not."""
    note = meter_note(RECORD, [1.019, 3.0])
    assert note is not None
    assert "2 %" in note
    assert meter_note(RECORD, [1 + 1.05 * RAPL_DIFFERENCE, 0.5]) is None
    assert meter_note(replace(RECORD, meter="battery"), [1.01]) is None
    assert meter_note(replace(RECORD, meter="perf-power:x"), [0.99]) is not None
