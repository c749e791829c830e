# SPDX-License-Identifier: Apache-2.0
"""Watts from files, pipes and serial ports: form, clock, integral, gaps, spool."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, MeterError, Roots
from joulemark.meters.instruments.external import PREFERENCE, ExternalMeter, make
from joulemark.meters.watt_source import WattSource, spool
from joulemark.meters.watt_stream import WattStream
from joulemark.records.energy_window import DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NOW_NS = 10**15
"""A moment that is later than every stamp below."""


def steady(count: int, watts: float = 2.0, start: int = 0) -> str:
    """Samples ten times a second on the monotonic clock, under a header."""
    rows = "".join(f"{number * 100},{watts}\n" for number in range(start, start + count))
    return rows if start else f"monotonic_ms,power_w\n{rows}"


def on(path: Path, text: str, clock: str | None = None) -> ExternalMeter:
    """The meter on a file with this text."""
    path.write_text(text)
    argument = f"{path},clock={clock}" if clock else str(path)
    return make(Roots(now_ns=lambda: NOW_NS), argument)


def joules(text: str, clock: str | None = None) -> float:
    """Energy of a stream of lines, in joules."""
    stream = WattStream("test", clock)
    for line in text.splitlines():
        stream.line(line)
    return stream.microjoules / 1e6


def wait_for(what: Callable[[], bool]) -> None:
    """Waits at most ten seconds until a condition of another thread holds."""
    end = time.monotonic() + 10
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    assert what()


def test_integral_is_the_trapezoid(tmp_path: Path) -> None:
    """2 W for 0.6 s are 1.2 J; a ramp is the mean of its ends; the stamp is on both sides."""
    external_meter = on(tmp_path / "w.csv", steady(7))
    reading = external_meter.read("supply")
    assert reading.counts == 1_200_000
    assert reading.before_ns == reading.after_ns == 600_000_000
    ramp = "time_s,power_w\n" + "".join(f"{i},{i}\n" for i in range(11))
    assert joules(ramp, "monotonic") == 50.0


def test_domain_is_one_counter_in_microjoules(tmp_path: Path) -> None:
    """The supply is cumulative; the period seen is stated; the meter must be named."""
    survey = on(tmp_path / "w.csv", steady(20)).survey()
    (domain,) = survey.domains
    assert (domain.id, domain.kind, domain.quantity) == (
        "supply",
        DomainKind.SUPPLY,
        Quantity.ENERGY,
    )
    assert (domain.per_count, domain.update_period_s, domain.wraps_at_counts) == (1e-6, 0.1, None)
    assert survey.facts["clock"] == "monotonic"
    assert PREFERENCE is None


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("time_s,power_w", "{s},2"),
        ("Time (s);Power (mW)", "{s};2000"),
        ("monotonic_ns\twatts", "{ns}\t2.0"),
        ("t_us,voltage_v,current_a", "{us},4,0.5"),
        ("time_ms,voltage_mv,current_ma,temperature", "{ms},4000,500,30"),
        ('"time_s","Power (µW)"', '"{s}","2e6"'),
        ("# comment\ntime_s,volts,amperes", "{s},8,.25"),
        ("\ufefftime_s,power_kw", "{s},2e-3"),
        ("", "{s},2"),
        ("", "{s},4,0.5"),
    ],
)
def test_columns_and_units(header: str, row: str) -> None:
    """The same 2 W in every form of line: 0.9 s of it are 1.8 J."""
    rows = [row.format(s=i / 10, ms=i * 100, us=i * 10**5, ns=i * 10**8) for i in range(10)]
    assert joules("\n".join([header, *rows]), "monotonic") == pytest.approx(1.8, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,power\n", "names no power with its unit"),
        ("time,watts\n1,2\n", "unit the header does not name"),
        ("time_s,volts\n", "names no power"),
        ("1,2,3,4\n", "no header line names them"),
        ("5,2\n", "unknown clock"),
        ("time_s,power_w\n1,2\n", "unknown clock"),
        ("7\n", "no known arrival"),
        ("monotonic_s,power_w\n1,inf\n", "no number"),
        ("monotonic_s,power_w\n1,1e300\n", "no possible power"),
        ("monotonic_s,power_w\n1,2\n0.5,2\n", "line 3 of test is stamped earlier"),
        ("monotonic_s,power_w\n1,2\n2\n", "too few"),
        ("monotonic_s,power_w\n1,2\n2,x\n", "line 3 of test says 'x', which is no number"),
        ("monotonic_s,power_w\n-1,2\n", "no possible time"),
        ("timestamp,power_w\n2026-01-01T00:00:00,2\n", "without time zone"),
    ],
)
def test_refusals_name_the_line(text: str, says: str) -> None:
    """A line that cannot be understood gives one sentence, never a number."""
    with pytest.raises(MeterError, match=says) as caught:
        joules(text)
    assert caught.value.fault is Fault.UNREADABLE


def test_clock_of_header_and_argument_must_agree() -> None:
    """An argument does not overrule what the stamps themselves say."""
    with pytest.raises(MeterError, match="clock=monotonic was given"):
        joules("epoch_s,power_w\n1,2\n", "monotonic")
    with pytest.raises(MeterError, match="has no time, but clock=epoch"):
        WattStream("test", "epoch").line("5", 1)


def test_epoch_stamps_move_to_the_monotonic_clock(tmp_path: Path) -> None:
    """ISO and epoch stamps lose the difference of the clocks, which is a fact, with bounds."""
    rows = "".join(f"2026-01-01T00:00:0{i}.25Z,1\n" for i in range(8))
    path = tmp_path / "w.csv"
    path.write_text(f"timestamp,power_w\n{rows}")
    epoch_ns = 1_767_225_600 * 10**9
    ticks = iter(range(NOW_NS, NOW_NS + 10**6, 100))
    external_meter = ExternalMeter(
        Roots(now_ns=lambda: next(ticks)), WattSource.parse(str(path)), lambda: epoch_ns + 10**10
    )
    facts = external_meter.survey().facts
    assert facts["clock"] == "epoch"
    assert facts["clock_offset_uncertainty_ns"] == 50
    reading = external_meter.read("supply")
    assert reading.counts == 7_000_000
    assert reading.after_ns - NOW_NS == pytest.approx(7.25e9 - 1e10, abs=2000)


def test_stamps_of_the_future_are_refused(tmp_path: Path) -> None:
    """A sample that is newer than now is on another clock."""
    path = tmp_path / "w.csv"
    path.write_text(steady(31))
    assert make(Roots(now_ns=lambda: 2 * 10**9), str(path)).read("supply").after_ns == 3 * 10**9
    with pytest.raises(MeterError, match=r"stamped 1\.1 s in the future"):
        make(Roots(now_ns=lambda: 19 * 10**8), str(path)).read("supply")


def test_torn_last_line_waits_for_its_newline(tmp_path: Path) -> None:
    """Half of a number is no number: 2.5 W is never read as 2 W."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10) + "1000,2")
    assert external_meter.read("supply").after_ns == 900_000_000
    with path.open("a") as file:
        file.write(".5\n")
    reading = external_meter.read("supply")
    assert (reading.after_ns, reading.counts) == (1_000_000_000, 1_800_000 + 225_000)


def test_two_processes_see_the_same_counts(tmp_path: Path) -> None:
    """A meter that read in steps and one that reads all at once agree to the count."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10, 1 / 3))
    external_meter.read("supply")
    with path.open("a") as file:
        file.write(steady(10, 2 / 3, start=10))
    other = make(Roots(now_ns=lambda: NOW_NS), str(path))
    assert external_meter.read("supply") == other.read("supply")


def test_gap_voids_what_spans_it_and_nothing_else(tmp_path: Path) -> None:
    """The first read behind a gap fails, and later reads go on without the gap's energy."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10))
    before = external_meter.read("supply")
    with path.open("a") as file:
        file.write(steady(10, start=15))
    with pytest.raises(MeterError, match="gap or a missing sample"):
        external_meter.read("supply")
    after = external_meter.read("supply")
    assert after.counts - before.counts == 1_800_000
    assert make(Roots(now_ns=lambda: NOW_NS), str(path)).read("supply") == after


def test_five_periods_are_no_gap(tmp_path: Path) -> None:
    """Exactly five periods are bridged; the limit is documented."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10))
    before = external_meter.read("supply")
    with path.open("a") as file:
        file.write(steady(1, start=14))
    assert external_meter.read("supply").counts - before.counts == 1_000_000


def test_gap_before_the_period_is_known_is_found(tmp_path: Path) -> None:
    """The first intervals are judged as soon as there are five of them."""
    stream = WattStream("test", "monotonic")
    for second in (0, 1, 2, 30, 31, 32):
        stream.line(f"{second},1")
    assert stream.breaks == 1


@pytest.mark.parametrize("word", ["nan", "NaN", ""])
def test_missing_sample_is_not_bridged(tmp_path: Path, word: str) -> None:
    """NaN, which instruments write for lost data, breaks the integral and the window."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10))
    before = external_meter.read("supply")
    with path.open("a") as file:
        file.write(f"1000,{word}\n" + steady(5, start=11))
    with pytest.raises(MeterError, match="missing sample"):
        external_meter.read("supply")
    assert external_meter.read("supply").counts - before.counts == 800_000


def test_damaged_line_ends_the_meter(tmp_path: Path) -> None:
    """Every read after a damaged line names it."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10) + "1000,ERR\n" + steady(9, start=11))
    for _ in range(2):
        with pytest.raises(MeterError, match=r"line 12 of w\.csv says 'ERR'"):
            external_meter.read("supply")


def test_replaced_or_shortened_file_is_noticed(tmp_path: Path) -> None:
    """A new file of the same name does not continue the old one."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10))
    external_meter.read("supply")
    path.write_text(steady(3))
    with pytest.raises(MeterError, match="replaced or cut short") as caught:
        external_meter.read("supply")
    assert caught.value.fault is Fault.VANISHED
    path.unlink()
    with pytest.raises(MeterError, match="is not there"):
        external_meter.read("supply")


def test_too_few_samples_are_not_ready(tmp_path: Path) -> None:
    """Without a known period no gap could be told, so there is no reading."""
    assert "too few" in (on(tmp_path / "w.csv", steady(5)).survey().reason or "")
    assert on(tmp_path / "w.csv", steady(6)).survey().reason is None


def test_samples_of_one_arrival_are_spread() -> None:
    """Lines that came together share the time since the arrival before; energy is exact."""
    stream = WattStream("test")
    for arrived_ns in range(0, 10**9, 10**8):
        for watts in (1, 3):
            stream.line(str(watts), arrived_ns)
    stream.flush()
    assert stream.period_ns == 5e7
    assert stream.stamp_ns == 900_000_000
    # 18 intervals of 50 ms, each from 1 W to 3 W or back.
    assert stream.microjoules == 1_800_000


@pytest.mark.parametrize(
    ("argument", "path", "baud", "clock"),
    [
        ("w.csv", "w.csv", None, None),
        ("/dev/ttyUSB0@9600", "/dev/ttyUSB0", 9600, None),
        ("a@b.csv,clock=epoch", "a@b.csv", None, "epoch"),
        ("a,b.csv", "a,b.csv", None, None),
        ("/dev/ttyUSB0@9600,clock=arrival", "/dev/ttyUSB0", 9600, "arrival"),
    ],
)
def test_argument_grammar(argument: str, path: str, baud: int | None, clock: str | None) -> None:
    """PATH[@BAUD][,clock=...]; the path may hold @ and commas."""
    assert WattSource.parse(argument) == WattSource(Path(path), baud, clock)


@pytest.mark.parametrize("argument", [None, "", "@9600", ",clock=epoch", "w.csv,clock=utc"])
def test_bad_argument_is_a_sentence(argument: str | None) -> None:
    """A missing path or an unknown clock is a usage error."""
    with pytest.raises(UsageError):
        make(Roots(), argument)


def test_missing_file_folder_and_domain_are_reasons(tmp_path: Path) -> None:
    """A missing file or domain, or a folder as the file, has a reason and no traceback."""
    assert "is not there" in (make(Roots(), str(tmp_path / "no.csv")).survey().reason or "")
    assert "no file, pipe" in (make(Roots(), str(tmp_path)).survey().reason or "")
    with pytest.raises(MeterError, match="only supply"):
        on(tmp_path / "w.csv", steady(10)).read("package-0")


def test_permission_is_named(tmp_path: Path) -> None:
    """A file of another user is refused with that reason."""
    path = tmp_path / "w.csv"
    external_meter = on(path, steady(10))
    path.chmod(0)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        with pytest.raises(MeterError) as caught:
            external_meter.read("supply")
    finally:
        if root:
            os.seteuid(0)
    assert caught.value.fault is Fault.PERMISSION


def test_evidence_follows_the_mark_beside_the_file(tmp_path: Path) -> None:
    """A recorded file is measured; one beside the mark is simulated."""
    external_meter = on(tmp_path / "w.csv", steady(10))
    assert external_meter.evidence() is Evidence.MEASURED
    (tmp_path / SIMULATED_MARK).touch()
    assert external_meter.evidence() is Evidence.SIMULATED


def test_spool_drains_a_pipe_that_nobody_reads(tmp_path: Path) -> None:
    """More than a pipe holds is written at once; the writer is not blocked, nothing is lost."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    (tmp_path / SIMULATED_MARK).touch()
    assert make(Roots(), str(path)).survey().facts["needs_spool"] is True
    with pytest.raises(MeterError, match="not spooled"):
        make(Roots(), str(path)).read("supply")
    text = steady(20_000)
    assert len(text) > 2 * 65_536
    with spool(str(path)) as argument:
        with path.open("w") as writer:
            writer.write(text)
        with path.open("a") as writer:
            writer.write(steady(1, start=20_000))
        external_meter = make(Roots(now_ns=lambda: NOW_NS), argument)

        def complete() -> bool:
            return external_meter.read("supply").after_ns == 20_000 * 10**8

        wait_for(lambda: external_meter.survey().reason is None)
        wait_for(complete)
        assert external_meter.read("supply").counts == 4_000_000_000
        assert external_meter.evidence() is Evidence.SIMULATED
        spooled = WattSource.parse(argument).path
    assert not spooled.exists()


def test_spool_stamps_watts_on_arrival(tmp_path: Path) -> None:
    """Watts alone get the moment at which they came, on the monotonic clock."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with spool(str(path)) as argument, path.open("w") as writer:
        before_ns = time.monotonic_ns()
        for _ in range(20):
            writer.write("5\n")
            writer.flush()
            time.sleep(0.01)
        after_ns = time.monotonic_ns()
        external_meter = make(Roots(), argument)
        wait_for(lambda: external_meter.survey().reason is None)
        reading = external_meter.read("supply")
    assert before_ns < reading.after_ns < after_ns
    # Whatever the delays, 5 W integrate to 5 W times the time between the stamps.
    assert 0 < reading.counts <= 5 * (after_ns - before_ns) / 1e3


def test_spool_reads_a_serial_port(terminal: tuple[int, int]) -> None:
    """The torn first line of a port is dropped, and unplugging it is said by the meter."""
    ours, theirs = terminal
    with spool(f"{os.ttyname(theirs)}@9600,clock=monotonic") as argument:
        os.write(ours, b"34.5\r\n" + b"".join(b"%d,2\r\n" % second for second in range(10)))
        external_meter = make(Roots(now_ns=lambda: NOW_NS), argument)
        wait_for(lambda: external_meter.survey().reason is None)
        assert external_meter.read("supply").counts == 18_000_000
        os.close(theirs)
        os.close(ours)
        wait_for(lambda: "ended" in (external_meter.survey().reason or ""))
        with pytest.raises(MeterError) as caught:
            external_meter.read("supply")
        assert caught.value.fault is Fault.VANISHED


def test_spool_of_a_file_is_the_file(tmp_path: Path) -> None:
    """A regular file needs no spool; a missing one is an error."""
    path = tmp_path / "w.csv"
    path.write_text(steady(10))
    with spool(f"{path},clock=monotonic") as argument:
        assert argument == f"{path},clock=monotonic"
    with pytest.raises(MeterError, match="is not there"), spool(str(tmp_path / "no")):
        pass


def test_character_device_that_is_no_port_is_refused() -> None:
    """/dev/null is no serial port."""
    with pytest.raises(MeterError, match="does not open"), spool("/dev/null"):
        pass


WORDS = st.sampled_from(
    ["1", "2.5", "nan", "", "time_s", "power_w", "monotonic_ns", "epoch_s", "watts", "1e999", "-1",
     "9" * 19, "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "volts", "amperes", "²"]
) | st.text(max_size=12)  # fmt: skip
LINES = st.lists(WORDS, max_size=4).map(",".join) | st.text(max_size=40)


@given(
    lines=st.lists(LINES, max_size=30),
    clock=st.sampled_from([None, "epoch", "monotonic", "arrival"]),
    spooled=st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_gives_an_energy_or_a_meter_error(
    tmp_path: Path, lines: list[str], clock: str | None, spooled: bool
) -> None:
    """For any text in a file, the meter gives an energy of at least 0 or a MeterError."""
    if spooled:
        lines = ["# joulemark spool 1", *(f"{10 * i} {line}" for i, line in enumerate(lines))]
    path = tmp_path / "w.csv"
    path.write_bytes("\n".join(lines).encode("utf-8", "replace"))
    external_meter = make(
        Roots(now_ns=lambda: NOW_NS), f"{path},clock={clock}" if clock else str(path)
    )
    external_meter.survey()
    for _ in range(2):
        try:
            assert external_meter.read("supply").counts >= 0
        except MeterError:
            continue


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 20), st.sampled_from([0.0, 0.1, 1.0, 1e6, None])), max_size=40
    )
)
def test_energy_never_falls(rows: list[tuple[int, float | None]]) -> None:
    """With any steps of time, gaps and missing samples, the counter never falls."""
    stream, now, last = WattStream("test", "monotonic"), 0, 0
    for step, watts in rows:
        now += step
        stream.line(f"{now},{watts}")
        assert stream.microjoules >= last
        last = stream.microjoules


@given(argument=st.text(st.characters(exclude_categories=()), max_size=40))
@example("\ud800")
def test_any_argument_is_a_source_or_a_usage_error(argument: str) -> None:
    """Any argument is refused in a sentence or names a source; a missing source has a reason."""
    try:
        source = WattSource.parse(argument)
    except UsageError:
        return
    if not source.path.exists():
        assert ExternalMeter(Roots(), source).survey().reason is not None
