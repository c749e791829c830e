# SPDX-License-Identifier: Apache-2.0
"""Limits of single trials: read from a file, and judged by intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fake_runs import layout, taking, trial

from joulemark.analyse.gate import ADVICE_BUILDS, ADVICE_LIMIT, check, check_pairs, pairs_decided
from joulemark.analyse.gate_limits import GateLimits
from joulemark.analyse.gate_outcome import GateCode, GateOutcome
from joulemark.analyse.gate_report import time_report
from joulemark.foreign import ForeignError
from joulemark.records.sample import RawSample
from joulemark.records.trial import NEW, OLD, Trial, of_build

GENERATIONS = 16
SHORT, LONG = trial(size_bytes=64), trial(size_bytes=1024)
PAIRS = [(of_build(key, OLD), of_build(key, NEW)) for key in (SHORT, LONG)]
FILE = """\
[[limit]]
threshold = "10%"

[[limit]]  # the path that matters
pattern = "hmac-*"
size = "64"
threshold = "2%"
below = "100 ns"

[[limit]]
pattern = "siphash-2-4/mine"
below = "0.2us"
"""


def read(folder: Path, text: str = FILE) -> GateLimits:
    """The limits of a file with that text."""
    path = folder / "limits.toml"
    path.write_text(text, "utf-8")
    return GateLimits.read(path, 0.05)


def measured(seconds: float, ratio: float = 1.0, sd: float = 0.002) -> dict[Trial, list[RawSample]]:
    """Samples of both builds; the new code takes that many seconds, `ratio` times the old."""
    generator = np.random.default_rng(5)
    found = {}
    for old, new in PAIRS:
        for key, factor in ((old, 1 / ratio), (new, 1.0)):
            logs = layout(generator, GENERATIONS * 2, GENERATIONS, sd)
            found[key] = taking(seconds * factor * np.exp(logs), GENERATIONS)
    return found


def judged(samples: dict[Trial, list[RawSample]], limits: GateLimits) -> GateOutcome:
    """The answer of a check of two builds."""
    return check_pairs(samples, PAIRS, limits=limits, alpha=0.05, looks=5)


def test_the_last_table_that_names_a_trial_decides(tmp_path: Path) -> None:
    """Each of threshold and time comes from the last table that has one for the trial."""
    limits = read(tmp_path)
    assert limits.threshold("hmac-sha256/shani@new", SHORT.workload) == 0.02
    assert limits.threshold("hmac-sha256/shani", LONG.workload) == 0.10
    assert GateLimits(0.05).threshold("hmac-sha256/shani", LONG.workload) == 0.05
    assert limits.longest_s(SHORT) == pytest.approx(100e-9)
    assert limits.longest_s(LONG) is None
    assert limits.longest_s(trial("siphash-2-4/mine@new", 7)) == pytest.approx(200e-9)
    (unused,) = limits.without_trial([SHORT, LONG])
    assert unused == f"{tmp_path}/limits.toml, line 10: this limit is about no trial of this check."


def test_each_trial_has_its_threshold(tmp_path: Path) -> None:
    """A slow-down of 5 % is too much where 2 % are allowed, and allowed where 10 % are."""
    outcome = judged(measured(50e-9, 1.05), read(tmp_path))
    assert outcome.code is GateCode.REGRESSED
    assert [found.workload for found in outcome.regressions] == [SHORT.workload]
    assert [found.workload for found in outcome.allowed] == [LONG.workload]
    assert "the threshold is 2 %" in outcome.reasons[0]
    equal = judged(measured(50e-9), read(tmp_path))
    assert equal.reasons[0] == "No trial is slower by more than its threshold."


@pytest.mark.parametrize(
    ("seconds", "sd", "code", "answer", "words"),
    [
        (90e-9, 0.002, GateCode.OK, "ok", "below 100 ns"),
        (110e-9, 0.002, GateCode.REGRESSED, "regressed", "above the limit of 100 ns"),
        (100e-9, 0.002, GateCode.TOO_NOISY, "at the limit", "at the limit of 100 ns"),
        (100e-9, 0.1, GateCode.TOO_NOISY, "too noisy", "at the limit of 100 ns"),
    ],
)
def test_a_longest_time_is_judged_by_its_interval(
    tmp_path: Path, seconds: float, sd: float, code: GateCode, answer: str, words: str
) -> None:
    """Below, above and at the limit; a wide interval is too noisy, and more time is advised."""
    samples = measured(seconds, sd=sd)
    outcome = judged(samples, read(tmp_path, FILE.replace("2%", "60%").replace("10%", "60%")))
    assert (outcome.code, outcome.answer) == (code, answer)
    (limit,) = outcome.times
    assert limit.low_s <= limit.median_s <= limit.high_s
    assert pairs_decided(outcome) == (code is not GateCode.TOO_NOISY)
    assert (ADVICE_LIMIT in outcome.reasons) == (answer == "at the limit")
    assert (ADVICE_BUILDS in outcome.reasons) == (answer == "too noisy")
    assert any("hmac-sha256/shani at 64 B takes " in reason for reason in outcome.reasons)
    first, second = time_report(outcome, samples, samples, title="new against old").lines
    assert first.verdict.endswith(f"; {words}")
    assert (first.code, second.code) == (code, GateCode.OK)


def test_a_longest_time_holds_for_stored_runs_too(tmp_path: Path) -> None:
    """The new run decides it, whatever the baseline took."""
    samples = {SHORT: measured(110e-9)[PAIRS[0][1]]}
    outcome = check(samples, samples, {}, {}, limits=read(tmp_path))
    assert outcome.code is GateCode.REGRESSED
    assert outcome.reasons[0].startswith("hmac-sha256/shani at 64 B takes 110 ns (at least 1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[limit]]\nthreshold = 2", 'line 2: limit.0.threshold: write it in quotes, as in "2%"'),
        ('[[limit]]\n\nthreshold = "two"', "line 3: limit.0.threshold: two: give a difference"),
        ('[[limit]]\nthreshold = "2"', "did you mean 2%?"),
        ('[[limit]]\nbelow = "100"', 'line 2: limit.0.below: 100 has no unit; write "100 ns"'),
        ('[[limit]]\nbelow = "1e2"', '1e2 has no unit; write "1e2 ns"'),
        ('[[limit]]\nbelow = " +100"', '+100 has no unit; write "+100 ns"'),
        ('[[limit]]\nbelow = ".5"', ".5 has no unit"),
        ('[[limit]]\nbelow = "1_0"', "1_0: give a length of time"),
        ('[[limit]]\nbelow = "\u0661"', "\u0661: give a length of time"),
        ('[[limit]]\nbelow = "1 Ms"', "1 Ms: give a length of time"),
        ('[[limit]]\nthreshold = "1_0%"', "1_0%: give a difference"),
        ('[[limit]]\nbelow = "100 B"', "line 2: limit.0.below: 100 B: give a length of time"),
        ('[[limit]]\npattern = "sipash-2-4"\nbelow = "1us"',
         "line 2: limit.0.pattern: 'sipash-2-4' names no algorithm; did you mean siphash-2-4?"),
        ('[[limit]]\nsize = "64"', "line 1: limit.0: it limits nothing: give threshold, below"),
        ('[[limit]]\nsize = "x"\nbelow = "1us"', "line 2: limit.0.size: "),
        ('[[limit]]\nbelow = "1us"\n[[limit]]\nabove = "1us"\nthreshold = "1%"',
         "line 4: limit.1.above: there is no such key"),
        ("threshold = '2%'", "limit: the key is missing"),
        ("[limit", "it is no TOML"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    """A limit that is misread would let a slow-down pass."""
    with pytest.raises(ForeignError) as refusal:
        read(tmp_path, text)
    assert says in str(refusal.value)
    assert str(refusal.value).startswith(f"{tmp_path}/limits.toml")
