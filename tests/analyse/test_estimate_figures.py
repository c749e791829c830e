# SPDX-License-Identifier: Apache-2.0
"""From raw samples to the published result."""

from __future__ import annotations

import json

import pytest
from fake_runs import altered, facts, trial

from joulemark.analyse import Result
from joulemark.analyse.doubts import Doubt, DoubtKind
from joulemark.analyse.estimate import estimate, figure
from joulemark.records.figures import (
    ENERGY_NOT_ASKED,
    FIGURES,
    Absence,
    AbsenceKind,
    Evidence,
    FigureGroup,
)
from joulemark.records.trial import Mode
from joulemark.stats.clustered import median_interval

CLOCKS = {"clocks_per_message", "clocks_per_byte", "key_setup_clocks"}
MODELLED = {"modelled_joules_per_message", "modelled_joules_per_byte"}
ENERGY = {
    "joules_per_message",
    "joules_per_byte",
    "gross_joules_per_message",
    "watts",
    "joule_seconds_per_message",
}
"""Figures that need a meter."""


def wall(index: int) -> dict[str, int]:
    """100 to 118 ns per message."""
    return {"wall_ns": 100_000 + 2000 * index, "thread_cpu_ns": 100_000 + 2000 * index}


def test_a_figure_is_the_summary_of_its_values() -> None:
    """Median, interval, quartiles, MAD and minimum of 1..9, worked by hand."""
    nine = figure([float(value) for value in range(1, 10)], Evidence.MODELLED)
    assert (nine.median, nine.minimum, nine.quartile_1, nine.quartile_3) == (5, 1, 3, 7)
    assert (nine.mad, nine.samples, nine.evidence) == (2, 9, Evidence.MODELLED)
    interval = median_interval([float(value) for value in range(1, 10)])
    assert (nine.low, nine.high) == (interval.low, interval.high)


def test_every_figure_of_a_trial() -> None:
    """Ten windows of 100 to 118 ns for 64 bytes, at 210 ticks and one cycle a tick."""
    result = estimate(trial(mode=Mode.LATENCY), facts(), altered(wall))
    assert result.seconds_per_message is not None
    assert result.seconds_per_message.median == pytest.approx(109e-9)
    assert result.seconds_per_message.samples == 10
    assert result.thread_cpu_seconds_per_message is not None
    assert result.bytes_per_second == pytest.approx(64 / 109e-9)
    assert result.tsc_ticks_per_message is not None
    assert result.tsc_ticks_per_message.median == 210
    assert result.tsc_ticks_per_byte is not None
    assert result.tsc_ticks_per_byte.median == 210 / 64
    assert result.core_cycles_per_byte is not None
    assert result.core_cycles_per_byte.median == 210 / 64
    assert result.core_cycles_per_byte.evidence is Evidence.MODELLED
    assert (result.algorithm, result.mode, result.size_bytes) == ("hmac-sha256", Mode.LATENCY, 64)
    assert set(result.reasons) == ENERGY | MODELLED | CLOCKS
    assert all("no clock of its own" in result.reasons.pop(name).text for name in CLOCKS)
    assert all("not asked for" in reason.text for reason in result.reasons.values())


def test_core_cycles_are_measured_only_if_every_sample_counted_them() -> None:
    """One window without the counter, and all are modelled: the two never mix."""
    counted = estimate(trial(), facts(), altered(lambda _: {"perf_core_cycles": 300_000}))
    assert counted.core_cycles_per_message is not None
    assert counted.core_cycles_per_message.evidence is Evidence.MEASURED
    assert counted.core_cycles_per_message.median == 300
    gaps = estimate(
        trial(), facts(), altered(lambda i: {"perf_core_cycles": 300_000 if i else None})
    )
    assert gaps.core_cycles_per_message is not None
    assert gaps.core_cycles_per_message.evidence is Evidence.MODELLED
    assert gaps.core_cycles_per_message.samples == 10
    assert gaps.core_cycles_per_message.median == pytest.approx(210 * 0.999)


def test_the_empty_message_has_no_figures_per_byte() -> None:
    """Null with a reason, while the figures per message stand."""
    result = estimate(trial(size_bytes=0), facts(), altered(wall))
    assert result.seconds_per_message is not None
    assert result.tsc_ticks_per_message is not None
    for name in ("tsc_ticks_per_byte", "core_cycles_per_byte", "bytes_per_second"):
        assert getattr(result, name) is None
        assert "0 bytes" in result.reasons[name].sentence


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"tsc_ticks": None}, {"tsc_ticks", "core_cycles"}),
        ({"chain_ticks_before": None}, {"core_cycles"}),
    ],
)
def test_a_missing_counter_is_null_with_a_reason(
    changes: dict[str, None], missing: set[str]
) -> None:
    """Without TSC neither ticks nor modelled cycles; without probe no cycles."""
    result = estimate(trial(), facts(), altered(lambda _: changes))
    names = {f"{stem}_per_{what}" for stem in missing for what in ("message", "byte")}
    assert set(result.reasons) == names | ENERGY | MODELLED | CLOCKS
    assert all(getattr(result, name) is None for name in names)


def test_no_samples_give_no_figures_and_a_reason_for_each() -> None:
    """Every figure that is null has its reason, whatever is missing."""
    result = estimate(trial(), facts(), [], energy_absence=Absence("no meter"))
    ends = ("_byte", "_message", "_second", "_clocks", "watts")
    firmware = {
        figure_kind.field for figure_kind in FIGURES if figure_kind.group is FigureGroup.FIRMWARE
    }
    nulls = {name for name in Result.model_fields if name.endswith(ends)} - firmware
    assert set(result.reasons) == nulls
    assert all(result.reasons.pop(name).text == "no meter" for name in ENERGY)
    assert all("not asked for" in result.reasons.pop(name).text for name in MODELLED)
    assert all("no clock of its own" in result.reasons.pop(name).text for name in CLOCKS)
    assert all("no sample" in reason.text for reason in result.reasons.values())
    assert result.warnings == []


def test_a_clock_that_stood_still_has_no_rate() -> None:
    """Zero seconds are recorded, a rate is not invented."""
    result = estimate(trial(), facts(), altered(lambda _: {"wall_ns": 0, "thread_cpu_ns": 0}))
    assert result.bytes_per_second is None
    assert "did not advance" in result.reasons["bytes_per_second"].sentence


def test_raw_samples_and_the_choice_of_auto_are_carried_along() -> None:
    """Raw samples come only on request, and as JSON can hold them; one seed gives one result."""
    samples = altered(wall)
    auto = facts("hmac-sha256/auto", chosen="shani")
    result = estimate(trial("hmac-sha256/auto"), auto, samples, include_samples=True)
    assert result.chosen == "shani"
    assert result.samples == [sample.as_dict() for sample in samples]
    assert Result.model_validate(json.loads(result.model_dump_json())) == result
    assert estimate(trial("hmac-sha256/auto"), auto, samples).samples is None
    assert estimate(trial(), facts(), samples, seed=3) == estimate(
        trial(), facts(), samples, seed=3
    )


def test_warnings_of_the_trial_are_published() -> None:
    """Warnings are sentences that begin with their kind."""
    doubt = Doubt(DoubtKind.TOO_FEW_SAMPLES, "Only 3 samples.")
    result = estimate(trial(), facts(), altered(wall, count=3), doubts=[doubt])
    assert result.warnings == [doubt]
    assert result.model_dump(mode="json")["warnings"] == ["too few samples: Only 3 samples."]


def test_sentences_of_json_become_kinds_again() -> None:
    """JSON has sentences alone; of every kind of doubt and of absence, reading gives the same."""
    doubts = [Doubt(kind, "Much: so it is.") for kind in DoubtKind]
    said = "no file: there is none"
    absences = {
        "watts": Absence("too wide", AbsenceKind.REFUSED), "joules_per_byte": ENERGY_NOT_ASKED,
        "bytes_per_second": Absence(said),
    }  # fmt: skip
    result = estimate(trial(), facts(), altered(wall), doubts=doubts)
    result = result.model_copy(update={"reasons": absences})
    written = result.model_dump_json()
    assert Result.model_validate_json(written) == result
    assert json.loads(written)["reasons"] == {
        "watts": "refused: too wide", "joules_per_byte": ENERGY_NOT_ASKED.text,
        "bytes_per_second": said,
    }  # fmt: skip
    assert json.loads(written)["warnings"][0] == f"{next(iter(DoubtKind))}: Much: so it is."
    assert Doubt.from_sentence("other: words") == Doubt(DoubtKind.OTHER, "other: words")
