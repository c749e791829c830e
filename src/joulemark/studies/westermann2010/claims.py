# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of the paper, by the audit of its tables or by our measurement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from joulemark.analyse.verdict import Verdict as VersionVerdict
from joulemark.stats import mean
from joulemark.studies.kaps2006.paper import kaps2006
from joulemark.studies.study import Answers, ClaimAnswer, Ground, by_its_figures, either, not_tested
from joulemark.studies.westermann2010.measurement import MeasuredFunction, WestermannFindings
from joulemark.studies.westermann2010.paper import (
    Bits,
    Westermann2010,
    correlations,
    energy_error,
    power_spread,
)

_ALPHA: Final = 0.05
_ROUNDED: Final = 0.005
"""Half of the last digit of the paper's powers, times and ratios."""
_SAME_ENERGY: Final = 0.001
"""Largest error of a printed energy that its digits explain."""
_SLOW_256: Final = ("echo", "fugue", "groestl", "hamsi", "jh", "shavite")
_SLOW_512: Final = ("echo", "fugue", "groestl", "hamsi", "jh", "luffa", "shavite")
_SAME_VERSIONS: Final = ("cubehash", "fugue", "hamsi", "keccakc", "shabal", "jh")
_PDA_J_PER_BYTE: Final = {"sha1": 760e-9, "md5": 590e-9}
_CIRCUIT_J_PER_BYTE: Final = 1.49e-9
"""As the paper quotes kaps2006."""
_ABOUT_TEN: Final = (9.5, 10.5)
_SAME: Final = frozenset({VersionVerdict.NO_DIFFERENCE, VersionVerdict.EQUAL})
_OPEN: Final = frozenset({VersionVerdict.TOO_NOISY, VersionVerdict.TOO_FEW})
BOUNDS: Final = (
    f"Two functions differ if chance explains that in less than {_ALPHA:.0%}, corrected by Holm.",
    f"A printed power, time or ratio is right up to {_ROUNDED:g} of its unit, half its last digit.",
    f"A printed energy is right up to {_SAME_ENERGY:.1%}.",
    f"About ten times is an interval within {_ABOUT_TEN[0]:g} to {_ABOUT_TEN[1]:g}.",
    "A function takes the least power or energy if its 95 % interval is below those of the others.",
)
_Name = tuple[str, Bits]
"""Name and length of a function."""


def answers(paper: Westermann2010, findings: WestermannFindings) -> Answers:
    """Has an answer for each claim of the paper's file."""
    return {
        "power-22-percent": lambda: _power_spread(paper),
        "lowest-power": lambda: _lowest_power(paper, findings),
        "faster-than-sha1": lambda: _orders(
            findings, [(("blake", 256), ("sha1", 256)), (("bmw", 256), ("sha1", 256))]
        ),
        "slower-than-sha256": lambda: _against(paper, findings, "sha256", 256, _SLOW_256),
        "correlation-256": lambda: _correlation(paper, 256, 0.37),
        "no-correlation": lambda: _no_correlation(paper, findings),
        "cubehash-ranks": lambda: _cubehash(paper),
        "same-groups": lambda: _groups(paper),
        "energy-formula": lambda: _energies(paper),
        "slower-than-sha512": lambda: _against(paper, findings, "sha512", 512, _SLOW_512),
        "tenfold": lambda: _tenfold(paper, findings),
        "bmw-512-lead": lambda: _lead(paper, findings),
        "bmw-512-power": lambda: _bmw_power(paper),
        "correlation-512": lambda: _correlation(paper, 512, 0.14),
        "bmw-512-md5": lambda: _bmw_md5(paper, findings),
        "versions": lambda: _versions(findings),
        "skein-differs-most": lambda: _skein(paper),
        "other-work": lambda: _other_work(paper),
        "time-dominates": lambda: _time_dominates(paper),
    }


def _power_spread(paper: Westermann2010) -> ClaimAnswer:
    spreads = {bits: power_spread(paper, bits) for bits in (256, 512)}
    why = (
        f"By the paper's own powers the highest is {spreads[256]:.1%} above the lowest with 256 "
        f"bits and {spreads[512]:.1%} with 512."
    )
    return by_its_figures(why, agrees=abs(spreads[256] - 0.22) < _ROUNDED)


def _lowest_power(paper: Westermann2010, findings: WestermannFindings) -> ClaimAnswer:
    rows = [function for function in findings.table(256) if function.net_watts is not None]
    if not rows:
        order = sorted(paper.table(256), key=lambda function: function.watts)
        why = (
            f"By the paper's own powers {order[0].name} takes {order[0].watts:g} W and "
            f"{order[1].name} {order[1].watts:g} W, the least of all. {_no_joules(findings)}"
        )
        least = [function.name for function in order[:2]]
        return by_its_figures(why, agrees=least == ["md5", "skein"])
    rows.sort(key=lambda row: row.net_watts or 0.0)
    lowest, candidate = rows[0], next(row for row in rows if row.candidate)
    why = (
        f"Here {lowest.name} takes the least power ({lowest.net_watts:.3g} W net of the idle "
        f"machine), and of the candidates {candidate.name} ({candidate.net_watts:.3g} W)."
    )
    holds = _all_of(
        _least(rows, "md5", "net_watts"),
        _least([row for row in rows if row.candidate], "skein", "net_watts"),
    )
    return either(_ground_of(lowest, candidate), why, holds=holds)


def _all_of(*answers: bool | None) -> bool | None:
    """Whether all are so; None if none is refuted and some are open."""
    return False if False in answers else None if None in answers else True


def _least(rows: Sequence[MeasuredFunction], name: str, quantity: str) -> bool | None:
    """Whether a function has the least of a quantity; None if the 95 % intervals do not tell."""
    intervals = {row.name: row.interval_of(quantity) for row in rows}
    own = intervals.pop(name, None)
    others = [interval for interval in intervals.values() if interval is not None]
    if own is None or not others:
        return None
    if any(high < own[0] for _, high in others):
        return False
    return True if all(own[1] < low for low, _ in others) else None


def _ground_of(*functions: MeasuredFunction) -> Ground:
    """The evidence of their joules, which all come from one meter."""
    grounds = {Ground(row.message_joules.evidence.value) for row in functions if row.message_joules}
    return grounds.pop() if len(grounds) == 1 else Ground.MODELLED


def _correlation(paper: Westermann2010, bits: Bits, stated: float) -> ClaimAnswer:
    correlation = correlations(paper)[bits]
    why = (
        f"Spearman's coefficient of the paper's own table is {correlation.all_rows:.2f} over all "
        f"its rows and {correlation.candidates:.2f} over the 14 candidates, not {stated}."
    )
    agrees = any(
        abs(value - stated) < _ROUNDED for value in (correlation.all_rows, correlation.candidates)
    )
    return by_its_figures(why, agrees=agrees)


def _no_correlation(paper: Westermann2010, findings: WestermannFindings) -> ClaimAnswer:
    values = correlations(paper)
    chances = {bits: correlation.chance for bits, correlation in values.items()}
    why = (
        f"Recomputed from its tables the coefficient is {values[256].all_rows:.2f} for 256 bits "
        f"and {values[512].all_rows:.2f} for 512; by chance alone one at least as large comes up "
        f"with a probability of {chances[256]:.2f} and {chances[512]:.2f}. {_no_joules(findings)}"
    )
    return by_its_figures(why, agrees=min(chances.values()) > _ALPHA)


def _cubehash(paper: Westermann2010) -> ClaimAnswer:
    rows = paper.table(256)
    orders = (sorted(rows, key=lambda row: row.seconds), sorted(rows, key=lambda row: row.watts))
    places = [1 + order.index(paper.row("cubehash", 256)) for order in orders]
    why = f"By Table 1 it is number {places[0]} by time and number {places[1]} by power."
    return by_its_figures(why, agrees=places == [8, 16])


def _groups(paper: Westermann2010) -> ClaimAnswer:
    rows, sha256 = paper.table(256), paper.row("sha256", 256)
    by_time = {row.name for row in rows if row.seconds < sha256.seconds}
    by_energy = {row.name for row in rows if row.joules_per_byte < sha256.joules_per_byte}
    why = f"By Table 1 {len(by_time)} functions are better by time and {len(by_energy)} by energy."
    return by_its_figures(why, agrees=by_time == by_energy)


def _energies(paper: Westermann2010) -> ClaimAnswer:
    error = energy_error(paper)
    why = (
        f"All {len(paper.published)} printed energies follow from power and time over "
        f"{paper.experiment.total_bytes} bytes, within {error:.2%}."
    )
    return by_its_figures(why, agrees=error < _SAME_ENERGY)


def _against(
    paper: Westermann2010,
    findings: WestermannFindings,
    reference: str,
    bits: Bits,
    slow: Sequence[str],
) -> ClaimAnswer:
    """Judges whether these candidates are slower than a standard, and all others faster."""
    pairs: list[tuple[_Name, _Name]] = [
        ((reference, bits), (row.name, bits))
        if row.name in slow
        else ((row.name, bits), (reference, bits))
        for row in paper.table(bits, candidates=True)
    ]
    return _orders(findings, pairs)


def _orders(findings: WestermannFindings, pairs: Sequence[tuple[_Name, _Name]]) -> ClaimAnswer:
    """Judges whether the first function of each pair is faster than the second."""
    verdicts = {pair: findings.verdict(*pair) for pair in pairs}
    known = {pair: answer for pair, answer in verdicts.items() if answer is not None}
    if not known:
        return not_tested("None of these functions could be compared here.")
    wrong = [
        f"{slow[0]} is faster than {fast[0]}" for (fast, slow), right in known.items() if not right
    ]
    right = len(known) - len(wrong)
    why = f"Of {len(pairs)} orders {right} are the same here"
    why += f"; {', '.join(wrong)}" if wrong else ""
    unknown = len(pairs) - len(known)
    why += f"; {unknown} could not be told" if unknown else ""
    if unknown and not wrong:
        return not_tested(f"{why}.")
    return either(Ground.MEASURED, f"{why}.", holds=not wrong)


def _tenfold(paper: Westermann2010, findings: WestermannFindings) -> ClaimAnswer:
    rows = [function for function in findings.table(512) if function.candidate]
    published = paper.row("shavite", 512).seconds / paper.row("bmw", 512).seconds
    if len(rows) < len(paper.table(512, candidates=True)):
        why = f"By the paper's times {published:.2f}; not all candidates were measured here."
        return by_its_figures(why, agrees=round(published) == 10)
    fast, slow = rows[0], rows[-1]
    low, high = _ratio_interval(fast, slow)
    why = (
        f"Published {published:.2f}. Here the fastest is {fast.name} and the slowest {slow.name}, "
        f"which takes {low:.1f} to {high:.1f} times as long."
    )
    beyond = low > _ABOUT_TEN[1] or high < _ABOUT_TEN[0]
    within = _ABOUT_TEN[0] <= low and high <= _ABOUT_TEN[1]
    about = False if beyond else True if within else None
    # Which is at an end is told by the comparisons with all others, not by medians alone.
    names = [row.name for row in rows]
    pairs = {("bmw", name) for name in names} | {(name, "shavite") for name in names}
    named = [findings.verdict((one, 512), (two, 512)) for one, two in pairs if one != two]
    return either(Ground.MEASURED, why, holds=_all_of(about, *named))


def _ratio_interval(fast: MeasuredFunction, slow: MeasuredFunction) -> tuple[float, float]:
    """The widest ratio of two times that their 95 % intervals allow; both were measured."""
    assert fast.interval_s is not None
    assert slow.interval_s is not None
    return slow.interval_s[0] / fast.interval_s[1], slow.interval_s[1] / fast.interval_s[0]


def _lead(paper: Westermann2010, findings: WestermannFindings) -> ClaimAnswer:
    bmw = paper.row("bmw", 512).seconds
    over = {name: paper.row(name, 512).seconds / bmw for name in ("shabal", "skein")}
    ours = _ratios_here(findings, over)
    why = (
        f"By Table 2 it is {over['shabal']:.2f} times as fast as Shabal and {over['skein']:.3f} "
        f"times as fast as Skein, which is less than 1.8.{ours}"
    )
    if over["shabal"] > 2 and over["skein"] <= 1.8:
        return by_its_figures(why, agrees=False)
    return by_its_figures(why, agrees=True)


def _ratios_here(findings: WestermannFindings, names: Iterable[str]) -> str:
    """Returns our times of these functions over that of BMW-512, behind a space."""
    seconds = {row.name: row.seconds for row in findings.table(512) if row.seconds}
    ratios = [
        f"{seconds[name] / seconds['bmw']:.2f} ({name})"
        for name in names
        if name in seconds and "bmw" in seconds
    ]
    return f" Here: {', '.join(ratios)}." if ratios else ""


def _bmw_power(paper: Westermann2010) -> ClaimAnswer:
    bmw = paper.row("bmw", 512).watts
    all_rows, some = (
        mean([function.watts for function in paper.table(512, candidates=only)])
        for only in (False, True)
    )
    why = (
        f"By Table 2 it is {bmw - all_rows:.2f} W ({bmw / all_rows - 1:.1%}) above the mean of all "
        f"15 functions, and {bmw - some:.2f} W ({bmw / some - 1:.1%}) above that of the 14 "
        "candidates. The printed 1.04 W is the first, so the paper counts SHA-512 as a candidate, "
        "which it is not."
    )
    return by_its_figures(why, agrees=abs(bmw - all_rows - 1.04) < _ROUNDED)


def _bmw_md5(paper: Westermann2010, findings: WestermannFindings) -> ClaimAnswer:
    here = [row for row in (findings.of("bmw", 512), findings.of("md5", 256)) if row]
    values = [row.joules_per_byte for row in here if row.joules_per_byte is not None]
    if len(values) == len(here) == 2:
        why = f"Here {values[0] * 1e9:.3g} nJ a byte against {values[1] * 1e9:.3g} of MD5."
        return either(_ground_of(*here), why, holds=_least(here, "bmw", "joules_per_byte"))
    bmw, md5 = paper.row("bmw", 512).joules_per_byte, paper.row("md5", 256).joules_per_byte
    why = f"Published {bmw * 1e9:.2f} nJ a byte against {md5 * 1e9:.2f}. {_no_joules(findings)}"
    return by_its_figures(why, agrees=bmw < md5)


def _versions(findings: WestermannFindings) -> ClaimAnswer:
    if not findings.versions:
        return not_tested("No candidate was measured with both lengths.")
    names = {function.implementation: function.name for function in findings.functions}
    verdicts = {names[version.baseline]: version.verdict for version in findings.versions}
    still_open = sorted(name for name, verdict in verdicts.items() if verdict in _OPEN)
    same = sorted(name for name, verdict in verdicts.items() if verdict in _SAME)
    differ = sorted(verdicts.keys() - set(same) - set(still_open))
    wrong = (set(same) - set(_SAME_VERSIONS)) | (set(differ) & set(_SAME_VERSIONS))
    why = (
        f"By time, Holm-corrected over {len(findings.versions)} pairs, no difference is shown for "
        f"{', '.join(same) or 'none'}; {', '.join(differ) or 'none'} differ."
        + (f" Not told for {', '.join(still_open)}." if still_open else "")
        + " The paper ran one program for both lengths of five candidates; here each length is "
        "its own function."
    )
    if still_open and not wrong:
        return not_tested(why)
    return either(Ground.MODELLED, why, holds=not wrong)


def _skein(paper: Westermann2010) -> ClaimAnswer:
    ratios = {
        function.name: paper.row(function.name, 512).joules_per_byte / function.joules_per_byte
        for function in paper.table(256, candidates=True)
    }
    most = max(ratios, key=lambda name: max(ratios[name], 1 / ratios[name]))
    return not_tested(
        "The paper's series were not published, and significance rests on them. By size, "
        f"{most} differs most: its 512-bit version takes {ratios[most]:.2f} times the energy per "
        f"byte, that of Skein {ratios['skein']:.2f} times."
    )


def _other_work(paper: Westermann2010) -> ClaimAnswer:
    sha1, md5 = (paper.row(name, 256).joules_per_byte for name in ("sha1", "md5"))
    pda = (_PDA_J_PER_BYTE["sha1"] / sha1, _PDA_J_PER_BYTE["md5"] / md5)
    cited = kaps2006()
    block_j = cited.block_energies_j[1]
    hashed = block_j / cited.packet.sha1_block_bytes
    why = (
        f"With the energies that it cites the factors are {pda[0]:.1f} (SHA-1), {pda[1]:.1f} "
        f"(MD5) and {sha1 / _CIRCUIT_J_PER_BYTE:.1f} (the circuit). The circuit's "
        f"{_CIRCUIT_J_PER_BYTE * 1e9:.2f} nJ a byte are kaps2006's HMAC of two blocks over a "
        f"packet of 29 bytes. Hashing there takes {block_j * 1e9:.2f} nJ for 64 bytes, "
        f"{hashed * 1e9:.3f} nJ a byte, so the factor of the circuit is {sha1 / hashed:.0f}."
    )
    agrees = [int(factor) for factor in pda] == [17, 21] and round(sha1 / hashed, -1) == 30
    return either(Ground.COMPUTED, why, holds=agrees)


def _time_dominates(paper: Westermann2010) -> ClaimAnswer:
    values = correlations(paper)
    why = (
        "In its tables time and energy per byte rank alike: Spearman's coefficient is "
        f"{values[256].time_and_energy:.3f} for 256 bits and {values[512].time_and_energy:.3f} "
        "for 512."
    )
    alike = all(correlation.time_and_energy > 0.95 for correlation in values.values())
    return by_its_figures(why, agrees=alike)


def _no_joules(findings: WestermannFindings) -> str:
    return f"Not measured here: {findings.no_energy}." if findings.no_energy else ""
