# SPDX-License-Identifier: Apache-2.0
"""The columns of a file of watts: decimal commas, headers, units, alternating current, comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from watt_files import rows, streamed, watts

from joulemark.meters import MeterError
from joulemark.meters.instruments.external import read_recording
from joulemark.meters.watt_stream import WattStream


@pytest.mark.parametrize(
    ("text", "expected_w"),
    [
        ("time_s;voltage_v;current_a\n" + rows("{s};3,300;0,01230"), 0.04059),
        ("time_s\tvoltage_v\tcurrent_a\n" + rows("{s}\t3,300\t0,01230"), 0.04059),
        ("time_ms;power_mw\n0;40,59\n1;40,59\n", 0.04059),
        ("time_s;power_w\n0,000;1,5\n0,001;1,5\n", 1.5),
        ("time_s;power_w\n0;1,5e-3\n1;1,5e-3\n", 1.5e-3),
        ("0,000;1,5\n0,001;1,5\n", 1.5),
        ("0;3,300;0,01230\n1;3,300;0,01230\n", 0.04059),
        ('"time_s";"power_w"\n"0,0";"1,5"\n"0,1";"1,5"\n', 1.5),
        ("time_s,power_w\n0.0,1.5\n0.1,1.5\n", 1.5),
        ("timestamp;power_w\n2026-01-01T00:00:00.5Z;1,5\n2026-01-01T00:00:01.5Z;1,5\n", 1.5),
    ],
)
def test_commas_are_decimal_where_others_separate(
    tmp_path: Path, text: str, expected_w: float
) -> None:
    """3,300 V times 0,01230 A are 40.59 mW, whatever separates; 900 W were read from it once."""
    assert watts(tmp_path / "w.csv", text) == pytest.approx(expected_w, rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "event\tpower_w\ttime_s\tsample\n" + rows("\t1.5\t{s}\t7"),
        "\ttime_s\tpower_w\n" + rows("7\t{s}\t1.5"),
        "marker\tvoltage_v\tcurrent_a\ttime_s\tenergy_j\n" + rows("\t3\t0.5\t{s}\t0.1"),
        "a\tb\tpower_w\ttime_s\n" + rows("\t\t1.5\t{s}"),
        "time_s\tpower_w\n" + rows("{s}\t1.5\t") + "\t\n",
        "time_s\tpower_w\n" + rows("{s}\t1.5") + "0.4\t\n0.401\t1.5\n0.402\t1.5\n",
        " \ttime_s,power_w\n" + rows("\t{s},1.5"),
    ],
)
def test_a_tab_at_the_edge_of_a_line_is_a_column(tmp_path: Path, text: str) -> None:
    """An empty first column moves no other to the left; tabs at the end do no harm."""
    assert watts(tmp_path / "w.tsv", text) == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time_s,power_w\n0,100,3,300\n", r"4 words under 2 columns.*semicolons or tabs"),
        ("voltage_v,current_a\n3,300,0,01230\n", "4 words under 2 columns"),
        ("time_ms,power_mw\n100,40,59\n", "3 words under 2 columns"),
        ("power_mw\n40,59\n", "2 words under 1 column:"),
        ("time_s;power_w\n0;1;2\n", "3 words under 2 columns"),
        ("0,1.5\n1,1,5\n", "3 words under 2 columns"),
        ('time_s,power_w\n"0,0","1,5"\n', "'1,5', which is no number"),
        ("time_s;power_w\n0;1.234,5\n", "'1.234,5', which is no number"),
        ("time_s;power_w\n0;1.5\n1;1,234\n", "another decimal sign"),
        ("time_s;power_w\n0,5;1\n1.5;1\n", "another decimal sign"),
        ("time_s;power_uw\n0,00;40.590\n0,01;40.590\n", "'.' may separate thousands"),
        ("time_s;power_uw\n0.00;40,590\n0.01;40,590\n", "',' may separate thousands"),
        ("time_ms;voltage_v;current_ma\n0;3,300;1.234\n", r"'1\.234', .*may separate thousands"),
        ("time_s;power_mw\n1,000;1.200\n", "write all numbers alike"),
        ("time_s;power_mw\n1,25;1.200\n", "'1,25', and '.' may separate thousands"),
        ("0,40,59\n1,40,59\n", "two numbers of which one has a decimal comma"),
    ],
)
def test_a_comma_that_may_be_decimal_is_refused(text: str, says: str) -> None:
    """A line with more words than its header, or with both signs, gives a sentence, no power."""
    with pytest.raises(MeterError, match=says):
        streamed(text)


@pytest.mark.parametrize(
    ("text", "expected_w"),
    [
        ("Time (s);Voltage (V);Current (\u00b5A)\n" + rows("{s};3,3;12300,0"), 0.04059),
        ("Time (\u00b5s),Power (mW)\n0,40.59\n10000,40.59\n", 0.04059),
        ("Time (s),Power (\u00b5W),Temp (\u00b0C)\n0,40590,21\n1,40590,21\n", 0.04059),
    ],
)
def test_code_page_1252_has_a_micro_sign(tmp_path: Path, text: str, expected_w: float) -> None:
    """Programs for Windows write it as one byte; amperes were read from microamperes once."""
    (tmp_path / "w.csv").write_bytes(text.encode("cp1252"))
    recording = read_recording(f"external:{tmp_path / 'w.csv'}")
    assert recording.joules / recording.covered_s == pytest.approx(expected_w, rel=1e-9)


@pytest.mark.parametrize("micro", ["\u00e6", "\ufffd", "?"])
def test_a_unit_that_cannot_be_read_is_refused(micro: str) -> None:
    """`\u00e6` is the micro sign of code page 437 in another page; amperes would be a guess."""
    with pytest.raises(MeterError, match="names no power with its unit"):
        streamed(f"time_s,voltage_v,Current ({micro}A)\n0,3.3,12300\n")


@pytest.mark.parametrize(
    ("header", "row", "expected_w"),
    [
        ("time_s,voltage_v,current_a,max_power_w", "3.3,0.0123,5", 0.04059),
        ("time_s,voltage_v,current_a,usb_power_w", "3.3,0.0123,5", 0.04059),
        (
            "time_s,Set Voltage (V),Voltage (V),Current (A),Current Limit (A)",
            "5,3.3,0.0123,1",
            0.04059,
        ),
        ("time_s,Arc Main Power (W),Peak Power (W),current_a", "0.04059,5,3", 0.04059),
        ("time_s,voltage_v,current_a,active_power_w,power_factor", "230,0.2,23,0.5", 23),
        ("time_s,bus_voltage_v,shunt_voltage_mv,current_ma", "3.3,1.2,12.3", 0.04059),
        ("time_s,power_w,ch1_power_w,ch2_power_w", "0.04059,5,3", 0.04059),
        ("time_s,power_w,ch1_voltage_v,ch2_voltage_v", "0.04059,5,3", 0.04059),
        ("time_s,time_ms,voltage1_v,current1_ma", "7,3.3,12.3", 0.04059),
    ],
)
def test_settings_extremes_and_parts_are_left_out(
    tmp_path: Path, header: str, row: str, expected_w: float
) -> None:
    """Only the measured amounts count, whatever stands before or behind them."""
    text = f"{header}\n" + "".join(f"{second},{row}\n" for second in range(3))
    assert watts(tmp_path / "w.csv", text) == pytest.approx(expected_w, rel=1e-9)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("time_s,Voltage (V),Set Current (A)", "names no power with its unit"),
        ("time_s,reactive_power_w", "names no power with its unit"),
        ("time_s,shunt_voltage_mv,current_ma", "a current alone; state the supply voltage"),
        ("time_s,Power (W),Power (W)", "names power_w, power_w, and not which"),
        ("time_s,power_w,power_mw", "names power_w, power_mw, and not which"),
        ("time_s,Current (A),Current (mA),Voltage (V)", "names current_a, current_ma, and not"),
        ("time_s,voltage_v,current_ma,current2_ma", "names current_ma, current2_ma, and not"),
        ("time_s,voltage_v,current_ma,Current 2 (mA)", "names current_ma, current_2_ma, and not"),
        ("time_s,voltage_v,current_ma,current_ma_2", "names current_ma, current_ma_2, and not"),
        ("time_s,voltage_v,current_ma,ch2_current_ma", "names current_ma, ch2_current_ma, and"),
        ("time_s,voltage_v,current1_ma,current2_ma", "names current1_ma, current2_ma, and not"),
        ("time_s,power_w,power2_w", "names power_w, power2_w, and not"),
        ("time_s,voltage1_v,current2_ma", "which are of two channels"),
        ("time_s,Power (MW)", r"'Power \(MW\)', which may be megawatts or milliwatts"),
        ("time_s,Low alarm power (W)", "names no power with its unit"),
        ("time_s,Saved power (W)", "names no power with its unit"),
        ("time_s,Noise power (W)", "names no power with its unit"),
        ("time_s,Threshold power (W)", "names no power with its unit"),
        ("time_s,Expanded uncertainty of power (W)", "names no power with its unit"),
        ("time_s,Power limit (W)", "names no power with its unit"),
        ("time_s,Trigger Voltage (V),Current (A)", "a current alone; state the supply voltage"),
        ("time_s,Aux Voltage (V),Main Current (A)",
         "names aux_voltage_v and main_current_a, which are of two channels"),
        ("time_s,voltage_v,current_a,apparent_power_va,power_factor",
         "of alternating current their product is no power"),
    ],
)  # fmt: skip
def test_what_is_no_measured_power_gives_none(header: str, says: str) -> None:
    """A set point, a part or a product of unlike channels is refused in a sentence."""
    with pytest.raises(MeterError, match=says):
        streamed(f"{header}\n")


@pytest.mark.parametrize(
    "columns",
    [
        "RMS voltage (V),RMS current (A)",
        "Voltage (V),Current (A),Reactive power",
        "RMS current (A)",
        "Vrms (V),Vrms Voltage (V),Current (A)",
        "AC voltage (V),AC current (A)",
        "Voltage (V),Current (A),Voltage (VAC)",
        "Voltage (V),Current (A),Irms (A)",
        "Voltage (V),Current (A),Frequency (Hz)",
        "Voltage (V),Current (A),Line frequency",
        "Voltage (V),Current (A),Phase angle (deg)",
        "Voltage (V),Current (A),Phase (\u00b0),Phase shift",
        "Voltage (V),Current (A),cos \u03c6",
        "Voltage (V),Current (A),Active power",
        "Voltage (V),Current (A),Real Power (%)",
    ],
)
def test_volts_times_amperes_of_alternating_current_are_refused(columns: str) -> None:
    """The product is an apparent power, whatever shows that the current alternates."""
    with pytest.raises(MeterError, match="of alternating current their product is no power"):
        streamed(f"time_s,{columns}\n")


@pytest.mark.parametrize(
    ("header", "row", "expected_w"),
    [
        ("Voltage (V),Current (A),Active power (W),Frequency (Hz)", "230,0.1,11.5,50", 11.5),
        ("RMS voltage (V),RMS current (A),Real Power (W)", "230,0.1,11.5", 11.5),
        ("power_w,voltage_v,current_a,frequency_hz", "11.5,230,0.1,50", 11.5),
        ("Voltage (V),Current (A),CPU frequency (MHz),phase", "5,0.1,1500,idle", 0.5),
        ("voltage_v,current_a,ac_online,frequency_mhz", "5,0.1,0,80", 0.5),
    ],
)
def test_watts_of_alternating_current_are_a_power(
    tmp_path: Path, header: str, row: str, expected_w: float
) -> None:
    """An instrument's own watts are taken; a clock's frequency says nothing of the current."""
    text = f"time_s,{header}\n" + "".join(f"{second},{row}\n" for second in range(3))
    assert watts(tmp_path / "w.csv", text) == pytest.approx(expected_w, rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "# ms,mW\n0,40.59\n",
        "# time_ms power_mw\n0,40.59\n",
        "#time_ms,power\n0,40.59\n",
        "# log of a board\n# time [s], power in mW\n\n0,40.59\n",
        "# Units: milliseconds and milliwatts\n0,40.59\n",
        "#time,power\n0,40.59\n",
        "# power_w time_s\n40.59,0\n",
        "# voltage_v, current_a\n3.3,0.1\n",
        "#power_mw\n40.59\n",
        "#time_ms;main_power_mw;aux_power_mw\n0;40.59;2\n",
    ],
)
def test_a_header_hidden_in_a_comment_is_refused(text: str) -> None:
    """40.59 mW were read as 40.59 W under it; the sentence says how to mend it."""
    with pytest.raises(MeterError, match=r"may name other columns or units; remove its #"):
        streamed(text)


@pytest.mark.parametrize(
    "text",
    [
        "# log of board 3, a sample every 100 ms\n0,1.5\n1,1.5\n",
        "# supply 3300 mV, made in the US\n# power log\n0,1.5\n1,1.5\n",
        "# time in s, power in W\n0,1.5\n1,1.5\n",
        "# time_s power_w\n0,1.5\n1,1.5\n",
        "# seconds\twatts\n0\t1.5\n1\t1.5\n",
        "# Time (s), Voltage (V), Current (A)\n0,3,0.5\n1,3,0.5\n",
        "# ms, mW\ntime_s,power_w\n0,1.5\n# 5 mW more\n1,1.5\n",
        "#time_s,power_w\n0,1.5\n#time_s,power_w\n1,1.5\n",
    ],
)
def test_comments_that_change_nothing_are_passed_over(tmp_path: Path, text: str) -> None:
    """Prose, and what the columns are without a header, do no harm."""
    assert watts(tmp_path / "w.csv", text) == pytest.approx(1.5, rel=1e-9)


def test_a_second_header_in_a_comment_is_refused() -> None:
    """Two recordings in one file, the second of them in milliwatts, are no recording."""
    with pytest.raises(MeterError, match="line 4 of test names other columns"):
        streamed("#time_s,power_w\n0,1.5\n1,1.5\n#time_s,power_mw\n2,1500\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time_s voltage_v current_a\n", "line 1 of test names several columns, 'time_s voltage_v"),
        ("Time (s)  Voltage (V)  Current (A)\n", "names several columns, .*blanks separate no"),
        ("seconds amperes\n", "names several columns"),
        ("n voltage_v current_a\n", "names several columns"),
        ("Elapsed [min] Power [W]\n", "names several columns"),
        ("0 5 0.4\n", "line 1 of test says '0 5 0.4', which is several numbers: blanks separate"),
        ("0,0 1,5\n1,0 1,5\n", "'0 1', which is several numbers"),
        ("time_s,power_w\n0,1 500\n", "'1 500', which is several numbers"),
        ("time_s,power_w\n0,2 W\n", "'2 W', which is no number"),
    ],
)
def test_blanks_between_columns_are_the_reason(text: str, says: str) -> None:
    """They were one column of a current, whose supply voltage was asked for."""
    with pytest.raises(MeterError, match=says):
        streamed(text)


@pytest.mark.parametrize(
    "header", ["Power (W)", "Main power [W]", "Real time power (W)", "Power / watts", "power_w"]
)
def test_a_name_of_several_words_is_one_column(header: str) -> None:
    """Watts alone, stamped on arrival, may be named in words."""
    stream = WattStream("test", "arrival")
    for number, line in enumerate((header, "1.5", "1.5")):
        stream.line(line, number)
    assert stream.error is None


@pytest.mark.parametrize(
    "name", ["elapsed (min)", "hours", "Time (d)", "time_min", "t_h", "Elapsed", "Seconds", "h"]
)
def test_a_time_in_an_unknown_unit_is_the_reason(name: str) -> None:
    """The line with the numbers was said to have no time."""
    with pytest.raises(MeterError, match=r"no time, since .* is no name of a time in s") as caught:
        streamed(f"{name},power (W)\n0.0,2\n")
    assert f"'{name}' of its header" in str(caught.value)
    with pytest.raises(MeterError, match=r"no time of its own, since .* and no known arrival"):
        streamed(f"power (W),{name}\n2,0.0\n", None)


def test_no_other_column_is_taken_for_the_time() -> None:
    """A least power is none."""
    with pytest.raises(MeterError, match="has no time, but clock="):
        streamed("min,max,power_w\n1,3,2\n")


@pytest.mark.parametrize("header", ["time_s,power_mw", "time_s,power_w", "t,Power (W),Power (W)"])
def test_a_second_header_is_the_reason(header: str) -> None:
    """Two recordings in one file, whatever the second one names."""
    with pytest.raises(MeterError, match="line 4 of test is a second header; keep one recording"):
        streamed(f"time_s,power_w\n0,1.5\n1,1.5\n{header}\n2,1500\n")


def test_a_number_that_may_be_two_is_refused() -> None:
    """`40,59` on arrival is 40.59 W or 59 W at the time 40; only a header can tell."""
    stream = WattStream("test", "arrival")
    with pytest.raises(MeterError, match="one number with a decimal comma"):
        stream.line("40,59", 10**9)
