# SPDX-License-Identifier: Apache-2.0
"""Text of a library whose every table is a plane, so that tests can compute by hand.

Delay is 0.1 ns + slew / 10 + 2 ns/pF x load, transition 0.05 ns + 3 ns/pF x load, energy of an
output edge 0.002 pJ + slew x 0.01 pJ/ns per edge (0.001 pJ more for a rise).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

SLEWS = (0.01, 0.1, 1.0)
LOADS = (0.0, 0.05, 0.5)
THRESHOLDS = (("input", 50), ("output", 50), ("slew_lower", 20), ("slew_upper", 80))


def plane(kind: str, template: str, value: Callable[[float, float], float]) -> str:
    """A table over slew and load."""
    rows = ", ".join(
        '"' + ", ".join(f"{value(slew, load):.6g}" for load in LOADS) + '"' for slew in SLEWS
    )
    return f"{kind} ({template}) {{ values ({rows}); }}"


def line(kind: str, template: str, value: Callable[[float], float]) -> str:
    """A table over slew."""
    values = ", ".join(f"{value(slew):.6g}" for slew in SLEWS)
    return f'{kind} ({template}) {{ values ("{values}"); }}'


def timing(related: str, sense: str, kind: str = "combinational") -> str:
    """Delay and transition of both edges."""
    tables = [
        plane("cell_rise", "by_slew_and_load", lambda slew, load: 0.1 + slew / 10 + 2 * load),
        plane("cell_fall", "by_slew_and_load", lambda slew, load: 0.08 + slew / 10 + 2 * load),
        plane("rise_transition", "by_slew_and_load", lambda _, load: 0.05 + 3 * load),
        plane("fall_transition", "by_slew_and_load", lambda _, load: 0.05 + 3 * load),
    ]
    return (
        f'timing () {{ related_pin : "{related}"; timing_sense : {sense}; timing_type : {kind}; '
        f"{' '.join(tables)} }}"
    )


def energy(related: str, when: str | None = None, more: float = 0.0) -> str:
    """Internal energy of an output."""
    condition = f'when : "{when}"; ' if when else ""
    rise = plane("rise_power", "energy_by_both", lambda slew, _: 0.003 + more + slew * 0.01)
    fall = plane("fall_power", "energy_by_both", lambda slew, _: 0.002 + more + slew * 0.01)
    return f'internal_power () {{ related_pin : "{related}"; {condition}{rise} {fall} }}'


def hidden(rise: float, fall: float, when: str | None = None) -> str:
    """Internal energy of an input."""
    condition = f'when : "{when}"; ' if when else ""
    return (
        f"internal_power () {{ {condition}{line('rise_power', 'energy_by_slew', lambda _: rise)} "
        f"{line('fall_power', 'energy_by_slew', lambda _: fall)} }}"
    )


def setup(related: str, kind: str) -> str:
    """A set-up time of 0.05 ns."""
    tables = " ".join(
        line(f"{edge}_constraint", "margin_by_slew", lambda _: 0.05) for edge in ("rise", "fall")
    )
    return f'timing () {{ related_pin : "{related}"; timing_type : {kind}; {tables} }}'


def pin(name: str, capacitance: float, more: Iterable[str] = (), facts: str = "") -> str:
    """An input."""
    return (
        f"pin ({name}) {{ direction : input; capacitance : {capacitance}; {facts} "
        f"{' '.join(more)} }}"
    )


def out(name: str, function: str, more: Iterable[str], facts: str = "") -> str:
    """An output."""
    return (
        f'pin ({name}) {{ direction : output; function : "{function}"; max_capacitance : 0.1; '
        f"{facts} {' '.join(more)} }}"
    )


def cell(name: str, area: float, leakage: float, *parts: str) -> str:
    """A cell."""
    body = "\n    ".join(parts)
    return f"  cell ({name}) {{ area : {area}; cell_leakage_power : {leakage};\n    {body}\n  }}\n"


def gate(name: str, area: float, function: str, sense: str, *extra: str) -> str:
    """A cell of logic."""
    names = [text for text in "ABC" if text in function]
    arcs = [timing(text, sense) for text in names] + [energy(text) for text in names]
    return cell(
        name, area, 4.0, *extra, out("Y", function, arcs), *(pin(text, 0.002) for text in names)
    )


def library() -> str:
    """The whole text."""
    head = f"""/* SPDX-License-Identifier: Apache-2.0
   Written for tests; no real process. */
library (small) {{
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; leakage_power_unit : "1nW";
  capacitive_load_unit (1, pf); nom_voltage : 1.0; nom_temperature : 25;
  {
        " ".join(
            f"{name}_threshold_pct_{edge} : {part};"
            for name, part in THRESHOLDS
            for edge in ("rise", "fall")
        )
    }
  operating_conditions (typical) {{ process : 1; temperature : 25; voltage : 1.0; }}
  default_operating_conditions : typical;
  lu_table_template (by_slew_and_load) {{ variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
    index_1 ("{", ".join(map(str, SLEWS))}"); index_2 ("{", ".join(map(str, LOADS))}"); }}
  lu_table_template (margin_by_slew) {{ variable_1 : constrained_pin_transition;
    index_1 ("{", ".join(map(str, SLEWS))}"); }}
  power_lut_template (energy_by_slew) {{ variable_1 : input_transition_time;
    index_1 ("{", ".join(map(str, SLEWS))}"); }}
  power_lut_template (energy_by_both) {{ variable_1 : input_transition_time;
    variable_2 : total_output_net_capacitance;
    index_1 ("{", ".join(map(str, SLEWS))}"); index_2 ("{", ".join(map(str, LOADS))}"); }}
  wire_load (little) {{ capacitance : 0.001; slope : 2; fanout_length (1, 1);
    fanout_length (3, 4); }}
  wire_load (much) {{ capacitance : 0.001; slope : 5; fanout_length (1, 5); }}
  wire_load_selection (by_area) {{ wire_load_from_area (0, 500, little);
    wire_load_from_area (500, 1e9, much); }}
"""
    clock_pin = [hidden(0.004, 0.002, "D"), hidden(0.003, 0.001)]
    cells = [
        gate("INV", 1, "!A", "negative_unate"),
        gate("BUF", 2, "A", "positive_unate"),
        gate("NAND2", 2, "!(A & B)", "negative_unate",
             'leakage_power () { when : "A & B"; value : 9; }',
             'leakage_power () { when : "!A & !B"; value : 1; }'),
        gate("NOR2", 2, "!(A | B)", "negative_unate"),
        gate("XOR2", 4, "A ^ B", "non_unate"),
        gate("AOI21", 3, "!((A B) + C)", "negative_unate"),
        cell("HIGH", 1, 1.0, out("Y", "1", [])),
        cell("LOW", 1, 1.0, out("Y", "0", [])),
        cell("DFFR", 8, 10.0,
             'ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; clear : "!RN"; }',
             out("Q", "IQ", [timing("CK", "non_unate", "rising_edge"), energy("CK", more=0.01)]),
             pin("D", 0.002, [setup("CK", "setup_rising"), hidden(0.001, 0.001, "!CK")]),
             pin("CK", 0.003, clock_pin, "clock : true;"),
             pin("RN", 0.002)),
        cell("LATCH", 5, 6.0,
             'latch (IQ, IQN) { enable : "G"; data_in : "D"; }',
             out("Q", "IQ", [timing("D", "positive_unate"),
                             timing("G", "non_unate", "rising_edge"),
                             energy("D"), energy("G", more=0.005)]),
             pin("G", 0.002, [hidden(0.002, 0.002)], "clock : true;"),
             pin("D", 0.002, [setup("G", "setup_falling")])),
        cell("GATE", 6, 5.0, 'clock_gating_integrated_cell : "latch_posedge"; dont_use : true;',
             "pin (GC) { direction : output; clock_gate_out_pin : true; max_capacitance : 0.1; "
             + timing("CK", "positive_unate") + energy("CK") + " }",
             pin("CK", 0.003, [hidden(0.002, 0.002)], "clock : true; clock_gate_clock_pin : true;"),
             pin("EN", 0.002, [setup("CK", "setup_rising")], "clock_gate_enable_pin : true;")),
    ]  # fmt: skip
    return head + "".join(cells) + "}\n"
