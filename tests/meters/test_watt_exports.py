# SPDX-License-Identifier: Apache-2.0
"""Files of watts as instruments write them: exports, stamps, starts, noise."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from watt_files import rows, streamed, watts

from joulemark.errors import JoulemarkError, UsageError
from joulemark.meters import MeterError, Roots
from joulemark.meters.instruments.external import make, read_recording
from joulemark.meters.watt_source import WattSource
from joulemark.meters.watt_stream import WattStream

START = "2026-11-28T12:00:00Z"
START_NS = round(datetime.fromisoformat(START).timestamp()) * 10**9


PPK2 = "Timestamp(ms),Current(uA),D0-D7\n" + rows("{ms},800,00000000")
OTII = "Timestamp,Arc Main Current (A),Arc Main Voltage (V)\n" + rows("{s},0.01230,3.3")
JOULESCOPE = "Time (s),Current (A),Voltage (V)\n" + rows("{s},0.01230,3.3012")
JOULESCOPE_STATISTICS = "#time,current,voltage,power,charge,energy\n" + rows(
    "{s},0.01230,3.3012,0.0406,0.1,0.2"
)


@pytest.mark.parametrize(
    ("text", "settings", "expected_w"),
    [
        (PPK2, ",voltage=3.3", 0.0008 * 3.3),
        (PPK2, ",voltage=3,3", 0.0008 * 3.3),
        (PPK2, ",voltage=5V", 0.0008 * 5),
        (PPK2.replace(",D0-D7", "").replace(",00000000", ""), ",voltage=3.3", 0.0008 * 3.3),
        (PPK2.replace("uA", "\u00b5A"), ",voltage=3.3", 0.0008 * 3.3),
        (PPK2.replace("uA", "\u03bcA"), ",voltage=3.3", 0.0008 * 3.3),
        (PPK2[:-1], ",voltage=3.3", 0.0008 * 3.3),
        (OTII, "", 0.0123 * 3.3),
        (JOULESCOPE, "", 0.0123 * 3.3012),
        (JOULESCOPE_STATISTICS, "", 0.0406),
    ],
)
def test_exports_of_instruments_are_read_whole(
    tmp_path: Path, text: str, settings: str, expected_w: float
) -> None:
    """PPK2 gives a current, Otii names its channel, Joulescope comments its header."""
    assert watts(tmp_path / "w.csv", text, settings) == pytest.approx(expected_w, rel=1e-9)


def test_a_short_recording_keeps_its_parts_of_a_microjoule(tmp_path: Path) -> None:
    """4 ms at 2.64 mW are 10.5 µJ and not 10: the mean power is right."""
    text = "Timestamp(ms),Current(uA)\n" + "".join(f"{n / 100:.2f},800\n" for n in range(400))
    assert watts(tmp_path / "w.csv", text, ",voltage=3.3") == pytest.approx(2.64e-3, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "settings", "says"),
    [
        (PPK2, "", "a current alone; state the supply voltage, as in external:w.csv,voltage=3.3"),
        (OTII, ",voltage=3.3", "no voltage is needed"),
        (OTII.replace("Arc ", "Some "), "", "unit the header does not name"),
        ("time_s,Main Current (A),Aux Current (A),voltage_v\n", "",
         "names main_current_a, aux_current_a, and not which"),
        ("time_s,power_w\n0,1\n", "", "no time between two"),
        ("time_s,power_w\n0,9\n1,-2\n2,9\n", "", "says -2 W in line 3: swap the leads"),
        ("power_w\n1\n", "", "has no time; name the columns"),
        ("time_s,power_w\n0,-2\n1,-2\n", "", "w.csv says -2 W at most: swap the leads"),
    ],
)  # fmt: skip
def test_a_recording_that_says_too_little_is_refused(
    tmp_path: Path, text: str, settings: str, says: str
) -> None:
    """One sentence names the file and what to state."""
    with pytest.raises(JoulemarkError, match=says):
        watts(tmp_path / "w.csv", text, settings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (",voltage=0", "voltage=0: give volts"),
        (",voltage=x", "voltage=x: give volts"),
        (",voltage=3.3,voltage=5", "two settings 'voltage'"),
        (",volts=3.3", "no setting 'volts'; it takes clock, voltage, start"),
        (",start=noon", "no moment on the clock epoch"),
        (",start=2026-11-28T12:00:00", "has no time zone"),
        (",start=0", "long before 2001"),
        (f",clock=monotonic,start={START}", "no moment on the clock monotonic; give seconds"),
        (f",clock=arrival,start={START}", "have no start="),
    ],
)
def test_a_setting_that_makes_no_sense_is_a_usage_error(settings: str, says: str) -> None:
    """The name of the setting is in the sentence."""
    with pytest.raises(UsageError, match=says):
        WattSource.parse(f"w.csv{settings}")


def test_a_stated_start_moves_relative_stamps(tmp_path: Path) -> None:
    """Stamps from 0 on count from the start, on the wall clock or the monotonic clock."""
    path = tmp_path / "w.csv"
    path.write_text(JOULESCOPE)
    assert WattSource.parse(f"w.csv,start={START}").start_ns == START_NS
    source = WattSource.parse(f"{path},start={START},voltage=3.3")
    assert WattSource.parse(source.argument_at(path)) == source
    stream = WattStream("test", "epoch", start_ns=START_NS)
    for line in JOULESCOPE.splitlines():
        stream.line(line)
    assert stream.stamp_ns == START_NS + 399_000_000
    meter = make(Roots(now_ns=lambda: 10**15), f"{path},clock=monotonic,start=7.5")
    assert meter.read("supply").after_ns == 7_899_000_000


@pytest.mark.parametrize(
    ("text", "clock", "says"),
    [
        (JOULESCOPE, None, r"unknown clock.*start=2026.*meter --recorded"),
        (JOULESCOPE, "epoch", "long before 2001.*start="),
    ],
)
def test_relative_stamps_need_a_start(text: str, clock: str | None, says: str) -> None:
    """Stamps from 0 on are neither of the wall clock nor of a clock that nobody names."""
    with pytest.raises(MeterError, match=says):
        streamed(text, clock)


def test_stamps_of_a_clock_have_no_start() -> None:
    """A start beside ISO stamps, or beside a header that names the clock, is a contradiction."""
    for text in ("timestamp,power_w\n2026-01-01T00:00:00Z,2", "epoch_s,power_w\n1,2"):
        header, line = text.split("\n")
        stream = WattStream("test", "epoch", start_ns=START_NS)
        stream.line(header)
        with pytest.raises(MeterError, match="have no start="):
            stream.line(line)


def shared(counts: list[int], powers_w: list[float], form: str = "{}") -> str:
    """Samples of which so many are under each stamp; their powers repeat."""
    stamps = [form.format(stamp) for stamp, count in enumerate(counts) for _ in range(count)]
    lines = [f"{stamp},{powers_w[n % len(powers_w)]}\n" for n, stamp in enumerate(stamps)]
    return "time_s,power_w\n" + "".join(lines)


TEN = [10, 0, 0, 0, 0, 0, 0, 0, 0, 10]
"""Ten powers in a second, whose mean is 2 W."""


@pytest.mark.parametrize(
    ("text", "expected_j", "covered_s"),
    [
        (shared([10] * 20, TEN), 36, 18),
        (shared([10] * 20, TEN, "2026-11-28T09:30:{:02d}Z"), 36, 18),
        (shared([3, *[10] * 19], [2]), 36, 18),
        (shared([1, *[10] * 19], [2]), 36, 18),
        (shared([1, *[10] * 3], [999, *[2] * 30]), 4, 2),
        (shared([100, 5, 5, 5], [*[999] * 99, *[2] * 16]), 4, 2),
        (shared([1, 1, 1, 1, 2, 1, 1, 1, 1], [2]), 16, 8),
        (shared([9, 9, 9, 0, 0, 3, 9, 9], [*[2] * 27, *[999] * 3, *[2] * 18]), 4, 2),
    ],
)
def test_samples_under_one_stamp_weigh_the_same(
    tmp_path: Path, text: str, expected_j: float, covered_s: float
) -> None:
    """A clock of whole seconds: all samples count, and those of a part of a second do not."""
    path = tmp_path / "w.csv"
    path.write_text(text)
    recording = read_recording(f"external:{path}")
    assert recording.covered_s == pytest.approx(covered_s)
    assert recording.joules == pytest.approx(expected_j)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (shared([10, 10], [2]), "no time between two, or several under each of two stamps"),
        (shared([1, 10], [2]), "no time between two"),
        (shared([10, 1], [2]), "no time between two"),
        (shared([10, 10, 10], [2], "1.7643{}e+09"), "line 3 .* rounded time; write all its digits"),
    ],
)
def test_stamps_that_say_no_duration_are_refused(tmp_path: Path, text: str, says: str) -> None:
    """Two stamps do not tell how long the samples under them took, nor do rounded stamps."""
    with pytest.raises(MeterError, match=says):
        watts(tmp_path / "w.csv", text)


def noisy(powers_w: list[float]) -> WattStream:
    """A stream with these powers, ten a second."""
    return streamed("time_s,power_w\n" + "".join(f"{n / 10},{w}\n" for n, w in enumerate(powers_w)))


@pytest.mark.parametrize(
    "powers_w",
    [
        [0.5, 0.5, -0.0001, *[0.5] * 10],
        [-0.0001, *[0.5] * 10],
        [*[60.0] * 10, -1.0, *[60.0] * 3],
        [2e-6, -3e-6, 4e-6, -1e-6, 2e-6, 2e-6, 2e-6],
        [0.0, -0.0005, 0.0, 0.0, 0.0, 0.0],
    ],
)
def test_noise_below_zero_counts_as_it_is(powers_w: list[float]) -> None:
    """A sample just below zero ends nothing, and the energy is the trapezoid of all samples."""
    stream = noisy(powers_w)
    assert (stream.breaks, stream.below_zero, stream.is_negative) == (0, None, None)
    whole_j = sum((a + b) / 20 for a, b in pairwise(powers_w))
    assert stream.joules == pytest.approx(max(whole_j, 0), abs=2e-7)


@pytest.mark.parametrize("powers_w", [[-0.5] * 8, [-1e-5] * 8])
def test_swapped_leads_give_no_reading(tmp_path: Path, powers_w: list[float]) -> None:
    """Powers below zero alone are refused with what to do, until the first power above."""
    path = tmp_path / "w.csv"
    lines = [f"{n * 100},{w}\n" for n, w in enumerate([*powers_w, *[60.0] * 8])]
    path.write_text("monotonic_ms,power_w\n" + "".join(lines[:8]))
    meter = make(Roots(now_ns=lambda: 10**15), str(path))
    for _ in range(2):
        with pytest.raises(MeterError, match="at most: swap the leads"):
            meter.read("supply")
    with path.open("a") as file:
        file.write("".join(lines[8:]))
    with suppress(MeterError):
        meter.read("supply")
    assert meter.read("supply").counts >= 60 * 700_000


def test_a_power_far_below_zero_voids_what_spans_it_alone(tmp_path: Path) -> None:
    """The first read behind it says so, and later reads go on without its energy."""
    path = tmp_path / "w.csv"
    lines = [f"{n * 100},{-0.5 if n == 9 else 2}\n" for n in range(20)]
    path.write_text("monotonic_ms,power_w\n" + "".join(lines[:9]))
    meter = make(Roots(now_ns=lambda: 10**15), str(path))
    before = meter.read("supply").counts
    with path.open("a") as file:
        file.write("".join(lines[9:]))
    with pytest.raises(MeterError, match=r"says -0\.5 W in line 11: swap the leads"):
        meter.read("supply")
    assert meter.read("supply").counts - before == 2 * 900_000


def test_a_zero_point_that_is_too_low_does_not_eat_up_the_load() -> None:
    """A thousand samples of -0.5 mW take little from the joules of the load behind them."""
    stream = noisy([1.0, *[-0.0005] * 1000, *[1.0] * 11])
    assert stream.joules == pytest.approx(0.05 + 1.05, rel=0.01)


def test_the_meter_goes_on_behind_a_sample_below_zero(tmp_path: Path) -> None:
    """A read after the sample gives an energy, and so does every later one."""
    path = tmp_path / "w.csv"
    lines = [f"{n * 100},{-0.0001 if n == 7 else 2}\n" for n in range(20)]
    path.write_text("monotonic_ms,power_w\n" + "".join(lines[:9]))
    meter = make(Roots(now_ns=lambda: 10**15), str(path))
    assert meter.read("supply").counts > 0
    with path.open("a") as file:
        file.write("".join(lines[9:]))
    assert meter.read("supply").counts == pytest.approx(2e6 * 1.9 - 2e5, rel=0.001)
