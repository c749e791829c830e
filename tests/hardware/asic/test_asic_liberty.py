# SPDX-License-Identifier: Apache-2.0
"""Liberty: text, functions, tables, and the library that the reader returns."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_library import library

from joulemark.errors import UsageError
from joulemark.hardware import liberty
from joulemark.hardware.liberty import as_verilog, inputs_of, truth_table
from joulemark.hardware.liberty.library import CellLibrary, ClockGate, FlipFlop, Latch, LookupTable
from joulemark.hardware.liberty.reader import parse_library, read_library

HEAD = (
    'library (l) { time_unit : "1ns"; voltage_unit : "1V"; capacitive_load_unit (1, pf);'
    ' leakage_power_unit : "1pW"; nom_voltage : 1.2;'
)


@pytest.mark.parametrize(
    ("function", "python"),
    [
        ("!(A*B)", lambda a, b, c: not (a and b)),
        ("(A B)+C", lambda a, b, c: (a and b) or c),
        ("A' & B | !C", lambda a, b, c: (not a and b) or not c),
        ("A ^ B ^ C", lambda a, b, c: a ^ b ^ c),
        ("A*B^C", lambda a, b, c: a and (b ^ c)),
        ("(!A + B')'", lambda a, b, c: not (not a or not b)),
        ("1", lambda a, b, c: True),
    ],
)
def test_functions_have_the_operators_of_liberty(function, python):
    """Every operator and its precedence: `^` before `*`, `*` before `+`, both negations."""
    table = truth_table(function, ["A", "B", "C"])
    for state in range(8):
        bits = [bool(state >> place & 1) for place in range(3)]
        assert bool(table >> state & 1) == bool(python(*bits))


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    """Any expression in the notation that the function parser reads."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from("ABCD"))
    name = draw(expressions(depth=depth - 1))
    if draw(st.booleans()):
        return draw(st.sampled_from([f"!({name})", f"({name})'"]))
    two = draw(expressions(depth=depth - 1))
    return f"({name}){draw(st.sampled_from(['&', '*', ' ', '+', '|', '^']))}({two})"


@given(expressions())
def test_verilog_of_a_function_is_the_same_function(function):
    """Verilog's operators, read as Python's, give the same truth table."""
    verilog = as_verilog(function, {name: name for name in "ABCD"})
    table = truth_table(function, "ABCD")
    for state in range(16):
        values = {name: state >> place & 1 for place, name in enumerate("ABCD")}
        assert eval(verilog, {}, values) & 1 == table >> state & 1
    assert set(inputs_of(function)) <= set("ABCD")


@pytest.mark.parametrize("function", ["(A", "A &", "A ? B", "Z"])
def test_a_function_that_is_not_understood_is_refused(function):
    """The error message has the function."""
    with pytest.raises(UsageError, match="cell function"):
        truth_table(function, ["A", "B"])


@given(st.floats(-1, 3), st.floats(-1, 3))
def test_tables_of_a_plane_are_the_plane_everywhere(slew, load):
    """Interpolation and extrapolation of a linear function are exact."""
    slews, loads = (0.0, 0.5, 2.0), (0.1, 0.3, 1.0)
    rows = tuple(tuple(1 + 2 * x - 3 * y for y in loads) for x in slews)
    assert LookupTable(slews, loads, rows).at(slew, load) == pytest.approx(1 + 2 * slew - 3 * load)


def test_tables_are_linear_between_their_own_points():
    """Each stretch of a bent axis has a separate slope; the outer slopes go on beyond the ends."""
    bent = LookupTable((0.0,), (0.0, 1.0, 2.0), ((0.0, 10.0, 11.0),))
    assert [bent.at(9, load) for load in (-1, 0.5, 1, 1.5, 2, 4)] == [-10, 5, 10, 10.5, 11, 13]
    turned = LookupTable((0.0, 1.0, 2.0), (0.0,), ((0.0,), (10.0,), (11.0,)))
    assert [turned.at(slew, 9) for slew in (0.5, 1.5, 4)] == [5, 10.5, 13]


def test_the_small_library_is_read_whole(small: CellLibrary):
    """Units, storage, roles of clock gate pins, conditions and tables."""
    assert small.units.energy_j == pytest.approx(1e-12)
    assert isinstance(small.cell("DFFR").storage, FlipFlop)
    assert isinstance(small.cell("LATCH").storage, Latch)
    gate = small.cell("GATE")
    assert gate.storage == ClockGate("latch_posedge", "CK", "EN", "GC", ())
    assert gate.dont_use
    nand = small.cell("NAND2")
    assert [leakage.when for leakage in nand.leakages] == ["A & B", "!A & !B"]
    assert nand.pins["Y"].arcs[0].delay["rise"].at(0.2, 0.01) == pytest.approx(0.14)
    assert small.cell("DFFR").pins["CK"].energies[0].when == "D"


def test_wire_loads_follow_the_models_points_and_slope(small: CellLibrary):
    """Loads are linear between points, beyond the last by the slope; the area picks the model."""
    model = small.wire_load(100.0)
    assert model is not None
    assert model.name == "little"
    assert [model.load(count) for count in (0, 1, 2, 3, 5)] == pytest.approx(
        [0, 0.001, 0.0025, 0.004, 0.008]
    )
    large = small.wire_load(600.0)
    assert large is not None
    assert large.name == "much"


def test_axes_may_stand_in_either_order():
    """A table over load and slew is transposed; a 1-D table may be over the load."""
    text = HEAD + (
        "lu_table_template (t) { variable_1 : total_output_net_capacitance;"
        ' variable_2 : input_net_transition; index_1 ("1, 2"); index_2 ("10, 20, 30"); }'
        'lu_table_template (one) { variable_1 : total_output_net_capacitance; index_1 ("1, 2"); }'
        'cell (c) { pin (Y) { direction : output; function : "A"; timing () { related_pin : "A";'
        ' cell_rise (t) { values ("1, 2, 3", "4, 5, 6"); } cell_fall (one) { values ("5, 7"); } } }'
        " pin (A) { direction : input; } } }"
    )
    delay = parse_library(text).cell("c").pins["Y"].arcs[0].delay
    assert delay["rise"].at(20, 2) == 5
    assert delay["fall"].at(99, 1.5) == 6


def test_compressed_libraries_are_read(tmp_path: Path):
    """A .gz file gives the same library as the plain file."""
    path = tmp_path / "small.lib.gz"
    path.write_bytes(gzip.compress(library().encode()))
    assert read_library(path).cells.keys() == parse_library(library()).cells.keys()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no library group"),
        ("library (l) {", "closing braces are missing"),
        (HEAD + "} }", "closing brace too many"),
        (HEAD + "\n\n ? }", "about line 3"),
        (HEAD + "}", "no cells"),
        ("library (l) { cell (c) { } }", "nominal voltage"),
        (HEAD.replace("1ns", "1min") + "cell (c) { } }", "time_unit"),
        (HEAD + "cell (c) { area : big; } }", "cell c: area: 'big' is no number"),
    ],
)
def test_what_is_no_library_is_refused_with_the_place(text, said):
    """The message is one sentence that says the fault and its place."""
    with pytest.raises(UsageError, match=said):
        parse_library(text)


def test_a_missing_or_broken_file_is_refused(tmp_path: Path):
    """Neither an absent file nor a broken .gz is a crash."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_library(tmp_path / "none.lib")
    broken = tmp_path / "broken.lib.gz"
    broken.write_bytes(gzip.compress(library().encode())[:200])
    with pytest.raises(UsageError, match="cannot be read"):
        read_library(broken)


def test_an_open_library_is_read_whole(real: CellLibrary):
    """IHP SG13G2 is read: cells, wire loads, state-dependent leakage and energy, clock gate."""
    assert real.nominal_voltage_v == 1.2
    assert len(real.cells) == 84
    flip_flop = real.cell("sg13g2_dfrbpq_1")
    assert len(flip_flop.leakages) == 12
    assert len(flip_flop.pins["CLK"].energies) == 7
    assert isinstance(real.cell("sg13g2_lgcp_1").storage, ClockGate)
    model = real.wire_load(20_000)
    assert model is not None
    assert model.load(1) == pytest.approx(13.44 * 0.0003)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(1, pf)", "(1, xf)", "its capacitive_load_unit '1, xf' is not understood"),
        ("(1, pf)", "(1)", "its capacitive_load_unit '1' is not understood"),
        ("(1, pf)", "(0, pf)", "capacitive_load_unit: 0 is not above 0"),
        ('"1ns"', '"0ns"', "time_unit: 0 is not above 0"),
        ('"1ns"', '"1.2.3ns"', "'1.2.3' is no number"),
        ("nom_voltage : 1.0", "nom_voltage : -1", "nom_voltage: -1 is not above 0"),
        ("nom_voltage : 1.0", "nom_voltage : nan", "nom_voltage: 'nan' is no number"),
        ("fanout_length (1, 1)", "fanout_length (1)", "wire_load little: a fanout_length of one"),
        ("(0, 500, little)", "(0, 500)", "has no two areas and a model"),
        ("ff (IQ, IQN)", "ff (IQ)", "cell DFFR: its group ff does not name a state"),
        ("area : 1;", "area : 1e999;", "cell INV: area: '1e999' is no number"),
        ("0.003, 0.003, 0.003", "-1e31, 0, 0", "'-1e31' is larger than any value of a cell"),
        ("cell_rise (by_slew_and_load) { values", "cell_rise (by_slew_and_load) { value",
         "cell INV: a table cell_rise (by_slew_and_load) has no values"),
        ('index_1 ("0.01, 0.1, 1.0")', 'index_1 ("0.01, 0.01, 1.0")', "an axis that does not rise"),
        ('index_1 ("0.01, 0.1, 1.0")', 'index_1 ("0.01, 0.1")', "9 values, which its axes do not"),
        ('values ("', 'values ("x', "is no number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, says: str) -> None:
    """Whatever the fault, the message is one sentence with the file and the cell."""
    sound = library()
    assert old in sound
    with pytest.raises(UsageError) as refused:
        parse_library(sound.replace(old, new, 1), "x.lib")
    assert str(refused.value).startswith("x.lib: ")
    assert says in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("function", ["!" * 3000 + "A", "(" * 3000, " & ".join("A" * 3000)])
def test_a_function_without_end(function: str) -> None:
    """A function that is nested too deeply is refused before Python's own stack ends."""
    with pytest.raises(UsageError, match=r"nested too deeply|not understood"):
        truth_table(function, ["A"])


def test_a_function_of_many_inputs() -> None:
    """A function of 40 inputs is refused before its table of 2^40 states is begun."""
    names = [f"A{number}" for number in range(40)]
    with pytest.raises(UsageError, match="has 40 inputs; 16 are the most"):
        truth_table("A0", names)


def test_a_packed_file_that_has_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .gz file that holds more than any library is not unpacked to its end."""
    monkeypatch.setattr(liberty, "_MOST_BYTES", 1 << 20)
    path = tmp_path / "x.lib"
    path.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(UsageError, match="unpacks to more than can be read"):
        read_library(path)
