# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of michail2005, from the figures of our flow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from joulemark.studies.michail2005.measurement import MichailFindings, ratio
from joulemark.studies.michail2005.paper import Michail2005, OtherCore, power_ratio
from joulemark.studies.papers import CoreFigures
from joulemark.studies.study import Answers, ClaimAnswer, Ground, by_its_figures, either, not_tested
from joulemark.units import format_joules, format_seconds, format_si

_WITHIN: Final = 0.15
"""How far a ratio may lie from the paper's ratio, as a share of it, and still count as the same."""
_ROUNDED: Final = 0.01
"""How far a gain of 50 % may lie from the figures that it sums up."""
_AREA_SLACK: Final = 0.05
"""How far additional area may exceed the printed share, as a share of the conventional area."""
_CARRIED: Final = 0.5
"""Share of SHA-256's gain that another hash must have, if the gain carries over to it."""
BOUNDS: Final = (
    f"A ratio is the paper's if it lies within {_WITHIN:.0%} of it.",
    f"The gain of SHA-256 carries over to a hash that has at least {_CARRIED:.0%} of it.",
    f"More area than printed is the paper's up to {_AREA_SLACK:.0%} of the conventional area.",
    f"50 % sums up figures from {50 - 100 * _ROUNDED:g} to {50 + 100 * _ROUNDED:g} %.",
)


def answers(paper: Michail2005, findings: MichailFindings) -> Answers:
    """Has an answer for each claim of the paper's file."""
    case = _Case(paper, findings)
    return {
        "latency": case.latency,
        "levels": case.levels,
        "compromise": case.compromise,
        "fifty": case.fifty,
        "throughput-sha256": lambda: case.throughput(
            "sha256", 0.40, findings.sha256, findings.sha256_fpga
        ),
        "throughput-hmac": lambda: case.throughput("hmac", 0.50, findings.hmac, findings.hmac_fpga),
        "previous": lambda: case.against_other(paper.best_other("sha256"), 4.0),
        "commercial": lambda: case.against_other(paper.other("[10]"), 0.5),
        "frequency": case.frequency,
        "arithmetic": case.arithmetic,
        "area-sha256": lambda: case.area("sha256", findings.sha256, findings.sha256_fpga),
        "area-hmac": lambda: case.area("hmac", findings.hmac, findings.hmac_fpga),
        "writes": case.writes,
        "half-clock": case.half_clock,
        "capacitance": case.capacitance,
        "voltage": case.voltage,
    }


def voltage_exponent(corners: list[CoreFigures]) -> float | None:
    """Returns x of energy ~ V^x between the lowest and the highest voltage of the corners.

    CMOS switching alone gives 2; corners differ in temperature and process as well. None if the
    corners have fewer than two voltages.
    """
    known = sorted(
        (corner.voltage_v, corner.dynamic_w)
        for corner in corners
        if corner.voltage_v is not None and corner.dynamic_w is not None
    )
    if len(known) < 2 or known[0][0] == known[-1][0]:
        return None
    (low_v, low_w), (high_v, high_w) = known[0], known[-1]
    return math.log(high_w / low_w) / math.log(high_v / low_v)


def carried_words(findings: MichailFindings) -> str:
    """Says whether the gain of the method on SHA-256 carries over to SHA-1 and SHA-512.

    This claim is ours: the paper says that it built SHA-1 too, and prints no table of it. The text
    is empty if no target has the throughput of SHA-256 and of another hash.
    """
    sentences = []
    for where, parts in (
        ("In cells", findings.hashes),
        ("On the FPGA", findings.hashes_fpga),
    ):
        gains = {
            name: gain
            for name, figures in parts.items()
            if (gain := ratio(figures, "throughput_bit_per_s")) is not None
        }
        own = gains.get("SHA-256")
        if own is None or len(gains) < 2:
            continue
        texts = ", ".join(f"{name} {_more(gain)}" for name, gain in gains.items())
        least = 1 + _CARRIED * (own - 1)
        verdicts = " and ".join(
            f"the gain {'carries' if gain >= least else 'does not carry'} over to {name}"
            for name, gain in gains.items()
            if name != "SHA-256"
        )
        if own <= 1:
            verdicts = "SHA-256 has no gain that could carry over"
        sentences.append(f"{where} both ideas give {texts}: {verdicts} (ours, modelled).")
    return " ".join(sentences)


def _untested_there(asic: dict[str, CoreFigures], fpga: dict[str, CoreFigures]) -> str:
    """A sentence for cores with figures in cells alone, since the paper's cores are on an FPGA."""
    timed = any(figures.critical_path_s for figures in asic.values())
    return " On an FPGA not tested: --fpga tests it." if timed and not fpga else ""


def _unmapped(asic: dict[str, CoreFigures]) -> str:
    """A sentence for HMAC cores with clocks alone."""
    if not asic or any(figures.point.mapped for figures in asic.values()):
        return ""
    return " Our HMAC cores were not mapped: --liberty FILE and --hmac map them."


def _more(share: float) -> str:
    return f"{100 * (share - 1):+.1f} %"


@dataclass(frozen=True, slots=True)
class _Case:
    """The paper and our findings; each method that returns an answer judges one claim."""

    paper: Michail2005
    findings: MichailFindings

    def _absent(self) -> ClaimAnswer:
        """The answer for a claim without figures; without a library no tool need have failed."""
        needed = "It needs a cell library: give --liberty FILE."
        return not_tested("; ".join(self.findings.missing) or needed)

    def latency(self) -> ClaimAnswer:
        clocks = {design: figures.latency_clocks for design, figures in self.findings.hmac.items()}
        printed = {row.design: row.clocks for row in self.paper.published_latency}
        if any(clocks.get(design) is None for design in printed):
            return self._absent()
        text = ", ".join(f"{design} {clocks[design]:g}" for design in printed)
        holds = all(clocks[design] == count for design, count in printed.items())
        why = f"Our HMAC core takes (simulated): {text}."
        return either(Ground.SIMULATED, why, holds=holds)

    def levels(self) -> ClaimAnswer:
        merged = ratio(self.findings.sha256, "critical_path_s", "merged")
        both = ratio(self.findings.sha256, "critical_path_s")
        if merged is None or both is None:
            return self._absent()
        printed = (
            self.paper.core("sha256", "conventional").frequency_hz
            / self.paper.core("sha256", "proposed").frequency_hz
        )
        return either(
            Ground.MODELLED,
            f"Merging alone makes the period {merged:.2f} times as long, merging with "
            f"precomputation {both:.2f} times (modelled); the paper's frequencies give "
            f"{printed:.2f}.",
            holds=abs(both - 1.5) <= 1.5 * _WITHIN,
        )

    def compromise(self) -> ClaimAnswer:
        """Judges throughput, and throughput by area, over the numbers of stages."""
        known = {
            stages: (figures.throughput_bit_per_s, figures.area_ge)
            for stages, figures in sorted(self.findings.stages.items())
        }
        rates = {
            stages: (rate, rate / area)
            for stages, (rate, area) in known.items()
            if rate is not None and area
        }
        if not known:
            return not_tested("Other numbers of stages were not asked for: give --stages.")
        if not {1, 4} < rates.keys():
            return self._absent()
        gain = rates[4][0] / rates[1][0]
        words = ", ".join(
            f"{stages}: {rate / 1e6:.0f} Mbit/s, {per_area / 1e3:.1f} kbit/s a GE"
            for stages, (rate, per_area) in rates.items()
        )
        best = max(rates, key=lambda stages: rates[stages][1])
        why = (
            f"The proposed core by its stages (modelled): {words}. Four give {gain:.2f} times the "
            f"throughput of one, and {best} the most for its area."
        )
        return either(Ground.MODELLED, why, holds=best == 4 and abs(gain / 4 - 1) <= _WITHIN)

    def fifty(self) -> ClaimAnswer:
        levels = self.paper.levels
        clocks = self.paper.clocks("conventional") / self.paper.clocks("proposed")
        gain = clocks * levels.conventional / levels.proposed
        here = ratio(self.findings.sha256, "throughput_bit_per_s")
        beside = f" Our cores give {_more(here)} (modelled)." if here is not None else ""
        why = (
            f"{levels.proposed} levels instead of {levels.conventional} in half the clocks are "
            f"{clocks:g} x {levels.conventional}/{levels.proposed}, {_more(gain)}; its table gives "
            f"{_more(1 + self.paper.printed_gain('sha256'))}.{beside}"
        )
        return by_its_figures(why, agrees=abs(gain - 1.5) <= _ROUNDED)

    def against_other(self, other: OtherCore, least: float) -> ClaimAnswer:
        """Judges by how much more throughput a printed core has than somebody else's."""
        own = self.paper.core(other.core, "proposed").throughput_bit_per_s
        gain = own / other.throughput_bit_per_s
        why = (
            f"{own / 1e6:.1f} against {other.throughput_bit_per_s / 1e6:.0f} Mbit/s of "
            f"{other.reference} are {_more(gain)}, in its own table."
        )
        return by_its_figures(why, agrees=gain - 1 > least)

    def frequency(self) -> ClaimAnswer:
        other = self.paper.other("[8]")
        assert other.frequency_hz is not None
        own = self.paper.core("hmac", "proposed").frequency_hz
        share = own / other.frequency_hz
        why = (
            f"{own / 1e6:.1f} MHz against {other.frequency_hz / 1e6:.1f} MHz are {_more(share)}, "
            "in its own table."
        )
        return by_its_figures(why, agrees=share - 1 > 0.5)

    def _four(self, figures: dict[str, CoreFigures]) -> str:
        """Returns how much throughput each idea adds, in words."""
        names = {
            "merged": "merging alone",
            "precomputed": "precomputation alone",
            "proposed": "both",
        }
        return ", ".join(
            f"{name} {_more(gain)}"
            for design, name in names.items()
            if (gain := ratio(figures, "throughput_bit_per_s", design)) is not None
        )

    def throughput(
        self, core: str, least: float, asic: dict[str, CoreFigures], fpga: dict[str, CoreFigures]
    ) -> ClaimAnswer:
        gains = [
            (where, gain)
            for where, figures in (("in cells", asic), ("on the FPGA", fpga))
            if (gain := ratio(figures, "throughput_bit_per_s")) is not None
        ]
        printed = self.paper.printed_gain(core)
        texts = "; ".join(f"{where} {_more(gain)}" for where, gain in gains)
        apart = f" Apart, in cells: {self._four(asic)}." if core == "sha256" else ""
        table = f"The paper's table gives {_more(printed + 1)}."
        here = f" Proposed against conventional here (modelled): {texts}.{apart}" if gains else ""
        here += _untested_there(asic, fpga) if gains else _unmapped(asic)
        if printed < least:
            return by_its_figures(f"{table}{here}", agrees=False)
        if not gains:
            return self._absent()
        holds = all(gain - 1 > least for _, gain in gains)
        return either(Ground.MODELLED, f"{table}{here}", holds=holds)

    def arithmetic(self) -> ClaimAnswer:
        wrong = []
        for core in self.paper.published_core:
            computed = self.paper.computed_bit_per_s(core.core, core.design)
            if abs(computed / core.throughput_bit_per_s - 1) > 0.001:
                wrong.append(
                    f"{core.core} {core.design}: 512 x {core.frequency_hz / 1e6:g} "
                    f"MHz / {self.paper.clocks(core.design)} = {computed / 1e6:.1f}, printed "
                    f"{core.throughput_bit_per_s / 1e6:.1f} Mbit/s"
                )
        if not wrong:
            return by_its_figures("All four follow.", agrees=True)
        right = len(self.paper.published_core) - len(wrong)
        why = f"{right} of 4 follow; not {'; '.join(wrong)}."
        return by_its_figures(why, agrees=False)

    def area(
        self, core: str, asic: dict[str, CoreFigures], fpga: dict[str, CoreFigures]
    ) -> ClaimAnswer:
        printed = self.paper.more_area(core)
        units = (("gate equivalents", asic, "area_ge"), ("LUTs", fpga, "luts"))
        areas = [
            (unit, area)
            for unit, figures, name in units
            if (area := ratio(figures, name)) is not None
        ]
        if not areas:
            unmapped = _unmapped(asic)
            return not_tested(unmapped.strip()) if unmapped else self._absent()
        text = "; ".join(f"{_more(area)} {unit}" for unit, area in areas)
        why = f"Proposed against conventional (modelled): {text}; printed {_more(1 + printed)}."
        why += _untested_there(asic, fpga)
        if not any(figures.critical_path_s for figures in asic.values()):
            more = " and --hmac" if core == "hmac" else ""
            return not_tested(f"{why} It needs a cell library: give --liberty FILE{more}.")
        holds = all(area - 1 <= printed + _AREA_SLACK for _, area in areas)
        return either(Ground.MODELLED, why, holds=holds)

    def writes(self) -> ClaimAnswer:
        conventional, proposed = self._blocks_j(glitches=True)
        if conventional is None or proposed is None:
            return self._absent()
        less, more = self._blocks_j(glitches=False)
        beside = (
            f" Without glitches it would be {more / less:.2f} times as much."
            if less and more is not None
            else ""
        )
        return either(
            Ground.MODELLED,
            f"A block takes {format_joules(conventional)} in the conventional core and "
            f"{format_joules(proposed)} in the proposed one, {proposed / conventional:.2f} times "
            f"as much, each at its full clock, glitches included (modelled from simulated "
            f"toggles).{beside}",
            holds=proposed < conventional,
        )

    def _blocks_j(self, *, glitches: bool) -> list[float | None]:
        """Returns the dynamic energy of a block, conventional and proposed, at full clock."""
        cores = [self.findings.full_clock.get(design) for design in ("conventional", "proposed")]
        return [None if core is None else core.dynamic_j(glitches=glitches) for core in cores]

    def half_clock(self) -> ClaimAnswer:
        full = self.findings.full_clock.get("conventional")
        half = self.findings.half_clock
        timed = self.findings.sha256.get("proposed")
        if (
            full is None
            or half is None
            or timed is None
            or timed.critical_path_s is None
            or full.total_w is None
            or half.total_w is None
        ):
            return self._absent()
        period = 1 / half.point.clock_hz
        return either(
            Ground.MODELLED,
            f"At half the conventional clock the period is {format_seconds(period)}, the proposed "
            f"core's critical path {format_seconds(timed.critical_path_s)}. For the same "
            f"throughput it then draws {format_si(half.total_w, 'W')}, by the energy of its "
            f"clock, instead of {format_si(full.total_w, 'W')}, "
            f"{_more(half.total_w / full.total_w)}.",
            holds=timed.critical_path_s <= period,
        )

    def capacitance(self) -> ClaimAnswer:
        clocks = []
        for design in ("proposed", "conventional"):
            figures = self.findings.full_clock.get(design)
            if figures is None or figures.clock_j is None:
                return self._absent()
            clocks.append(figures.clock_j)
        times = clocks[0] / clocks[1]
        stated = self.paper.power.capacitance_ratio
        return either(
            Ground.MODELLED,
            f"A clock of the proposed core takes {times:.2f} times the energy of one of the "
            f"conventional core at the same supply, glitches included.",
            holds=abs(times / stated - 1) <= _WITHIN,
        )

    def voltage(self) -> ClaimAnswer:
        power = self.paper.power
        stated = power_ratio(power.clock_ratio, power.voltage_saving, power.capacitance_ratio)
        text = (
            f"The paper's own factors give {100 * (1 - stated):.0f} %, not "
            f"{100 * power.stated_saving:.0f} %."
        )
        known = [corner for corner in self.findings.corners if corner.voltage_v is not None]
        exponent = voltage_exponent(known)
        if exponent is None:
            return not_tested(
                f"{text} It needs a library characterised at more than one voltage; give the same "
                "library at other corners with --corner."
            )
        low = min(known, key=lambda figures: figures.voltage_v or 0)
        high = max(known, key=lambda figures: figures.voltage_v or 0)
        return not_tested(
            f"{text} No library here is characterised 40 % below its nominal supply. Between "
            f"{low.voltage_v:g} V and {high.voltage_v:g} V, as characterised "
            f"(corners differ in process and temperature too), dynamic power at one clock goes "
            f"with V^{exponent:.1f}, and the period that the core needs is "
            f"{format_seconds(low.critical_path_s or 0)} at the lower and "
            f"{format_seconds(high.critical_path_s or 0)} at the higher."
        )
