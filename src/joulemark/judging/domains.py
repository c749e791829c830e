# SPDX-License-Identifier: Apache-2.0
"""Domains of a meter: which energies are added, how counters move, how long windows must be.

A domain's energy is part of its parent's, so the two are never added. A domain with `same_as`
reads the same hardware as another domain, so of such twins one counts. Twins stand for each other
everywhere here: a domain that contains another contains its twin as well.

Every function takes the domains of one meter. A parent that is not among them is passed over. A
twin that is not among them only ties together those that name it. A circle of parents or twins,
which only bad data has, is followed once.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

from joulemark.foreign import ForeignError
from joulemark.foreign.records import record_from_json
from joulemark.records import Record
from joulemark.records.energy_window import Domain, DomainKind, Quantity, TracePoint

# Which samples of a gauge are separate readings.
#
# A gauge that is sampled faster than it refreshes gives the same count again. Those repetitions
# carry no new information, and the first ones are from before the load: batteries refresh every 5
# to 30 s.


def refreshes(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The first sample of each run of equal counts."""
    return [next(run) for _, run in groupby(points, key=lambda point: point.counts)]


def settled(points: Sequence[TracePoint]) -> list[TracePoint]:
    """The samples of those refreshes that lie wholly in the window.

    The first refresh may be older than the window, and the second a mean over times before and
    after its start.
    """
    runs = [list(run) for _, run in groupby(points, key=lambda point: point.counts)]
    return [point for run in runs[2:] for point in run]


HEADLINE_ORDER: Final = (
    DomainKind.PACKAGE,
    DomainKind.PSYS,
    DomainKind.BATTERY,
    DomainKind.SUPPLY,
    DomainKind.GPU,
    DomainKind.RAIL,
    DomainKind.CORE,
    DomainKind.DRAM,
    DomainKind.UNCORE,
)
"""The kinds from which the headline is chosen, the first choice first: the package, which holds all
that authentication uses and little else; then kinds that hold more; then parts of a package, which
leave out some of the cost."""

OUTSIDE_CPU: Final = frozenset({DomainKind.GPU, DomainKind.RAIL})
"""Kinds that lie beside the CPU, or of which nobody says whether they contain it."""
_WHOLE_CPU: Final = frozenset(
    {DomainKind.PACKAGE, DomainKind.PSYS, DomainKind.BATTERY, DomainKind.SUPPLY}
)
"""Kinds that contain a whole CPU: its energy is part of theirs."""
_NOT_THE_CPU: Final = {
    DomainKind.GPU: "graphics boards",
    DomainKind.RAIL: "supply rails",
    DomainKind.CORE: "cores without the rest of their CPU",
    DomainKind.DRAM: "memory",
    DomainKind.UNCORE: "the CPU's graphics unit",
}
"""All other kinds, as a sentence names them."""


def ancestors(domains: Sequence[Domain], domain: str) -> tuple[Domain, ...]:
    """The domains that contain a domain, the smallest first; of twins, the one `usable` keeps."""
    twins = _twins(domains)
    counted = {twins[whole.id]: whole for whole in usable(domains)}
    parents: dict[str, list[str]] = {}
    for whole in domains:
        if whole.parent is not None and whole.parent in twins:
            parents.setdefault(twins[whole.id], []).append(twins[whole.parent])
    seen = [twins.get(domain, domain)]
    for group in seen:
        seen.extend(new for new in dict.fromkeys(parents.get(group, [])) if new not in seen)
    return tuple(counted[group] for group in seen[1:])


def usable(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains with one of each group of twins, in the same order.

    The twin that the others name stays; the first twin where that one is not among the domains.
    """
    twins = _twins(domains)
    known = {domain.id for domain in domains}
    kept: dict[str, str] = {}
    for domain in domains:
        group = twins[domain.id]
        kept.setdefault(group, group if group in known else domain.id)
    return tuple(domain for domain in domains if kept[twins[domain.id]] == domain.id)


def headline(
    domains: Sequence[Domain], package: int | None, die: int | None = None
) -> Domain | None:
    """The domain whose figure is shown first; None where no domain fits.

    `package` and `die` are the numbers of the measured CPU. Among packages, the package of that
    number is chosen; where its dies are metered separately, the die of that number, or the die that
    it mirrors. Without a number a package or a die is chosen only if there is no other. If no
    package is chosen, the next kinds in `HEADLINE_ORDER` are tried in turn, without the domains of
    other packages and dies. A graphics board or a rail never stands in for a CPU that is metered
    and not found.
    """
    twins = _twins(domains)
    dies: dict[str, set[int | None]] = {}
    for domain in domains:
        dies.setdefault(twins[domain.id], set()).add(domain.die)
    shown = {domain.id: dies[twins[domain.id]] for domain in domains}
    candidates = usable(domains)
    cpu_is_metered = any(candidate.kind in _WHOLE_CPU for candidate in candidates)
    for kind in HEADLINE_ORDER:
        if cpu_is_metered and kind in OUTSIDE_CPU:
            continue
        of_kind = [candidate for candidate in candidates if candidate.kind is kind]
        own = [domain for domain in of_kind if package is not None and domain.package == package]
        free = [domain for domain in of_kind if domain.package is None]
        if not own and not free and package is None and len(of_kind) == 1:
            own = of_kind
        fitting = _of_die(own, shown, die) if own else free
        if fitting:
            return fitting[0]
    return None


def why_without_cpu(
    domains: Sequence[Domain], package: int | None, die: int | None = None
) -> str | None:
    """Why no domain is known to contain the measured CPU, to follow the meter's name; else None.

    Where the numbers of the CPU are not known, any whole CPU counts as the measured one.
    """
    candidates = usable(domains)
    whole = [candidate for candidate in candidates if candidate.kind in _WHOLE_CPU]
    if not whole:
        kinds = {candidate.kind for candidate in candidates}
        parts = [words for kind, words in _NOT_THE_CPU.items() if kind in kinds]
        return f"meters {' and '.join(parts)} alone, and not the CPU"
    first = headline(domains, package, die)
    if first is None or first.kind not in _WHOLE_CPU:
        names = ", ".join(domain.name for domain in whole)
        return None if package is None else f"meters {names}, and not the package of the CPU"
    batteries = [domain.name for domain in whole if domain.kind is DomainKind.BATTERY]
    if first.kind is DomainKind.BATTERY and len(batteries) > 1:
        return f"meters {' and '.join(batteries)}, none of which feeds the CPU alone"
    return None


def disjoint(domains: Sequence[Domain]) -> tuple[Domain, ...]:
    """The domains of one kind that are added for a figure of the whole machine.

    The kind is the first in `HEADLINE_ORDER` that the meter has. Every domain of the kind is added
    that lies in no other domain of the kind: all packages with all their dies, never packages and
    psys. Packages go before psys because each machine's maker wires psys differently, so that sums
    of packages can be compared between machines.
    """
    candidates = usable(domains)
    for kind in HEADLINE_ORDER:
        of_kind = [candidate for candidate in candidates if candidate.kind is kind]
        ids = {domain.id for domain in of_kind}
        outermost = [
            domain
            for domain in of_kind
            if not ids & {above.id for above in ancestors(domains, domain.id)}
        ]
        if of_kind:
            # Domains that all lie within each other are a circle in bad data: one of them counts.
            return tuple(outermost or of_kind[:1])
    return ()


def _of_die(
    own: Sequence[Domain], shown: Mapping[str, set[int | None]], die: int | None
) -> list[Domain]:
    """The domains of one package and kind that meter a die; none where the die is not known.

    Args:
        own: the domains of the package and kind, at least one.
        shown: id of a domain -> the numbers of the dies that it and its twins meter.
        die: number of the measured CPU's die; None if unknown.
    """
    exact = [domain for domain in own if die is not None and die in shown[domain.id]]
    if exact:
        return exact
    # Several packages of one number are its dies, even where the kernel does not number these.
    numbers = {domain.die for domain in own}
    if len(numbers) > 1 or (own[0].kind is DomainKind.PACKAGE and len(own) > 1):
        return []
    return [domain for domain in own if die is None or None in shown[domain.id]]


def _twins(domains: Sequence[Domain]) -> dict[str, str]:
    """Maps the id of each domain to the id that stands for it and all its twins."""
    named = {domain.id: domain.same_as for domain in domains}
    result: dict[str, str] = {}
    for start in named:
        chain = [start]
        while (following := named.get(chain[-1])) is not None and following not in chain:
            chain.append(following)
        circle = chain[chain.index(following) :] if following is not None else chain[-1:]
        result[start] = min(circle)
    return result


# The pace of a counter: how often it moves, how evenly, and how noisy its steps are.
#
# Documentation gives update periods that hardware does not keep, so each period is found on the
# machine, by `joulemark.meters.window`. Here the observed updates become figures. Two kinds of
# noise are told apart by how they grow. Take the energy between two updates that lie L updates
# apart, less mean power times time. Its mean square over the series is V(L). An error of each
# reading alone (the counter's step, the time between two polls) gives V(L) = a; an error of each
# increment accumulates and gives V(L) = b L. The line a + b L is fitted over L = 1, 2, 4, ... (the
# structure function of a random walk with white noise; D. W. Allan, Proc. IEEE 54 (1966) 221, uses
# the same idea).

FEWEST_UPDATES: Final = 6
"""Updates below which no period is stated: five intervals are the fewest with a spread."""
_WIDE_PART: Final = 0.2
"""An edge whose moment is known no better than this part of a period tells nothing of noise."""
_NORMAL_MAD: Final = 1.4826
_ITERATIONS: Final = 6
_VARIANCE_OF_V: Final = 2.7
"""Variance of V(L) in units of V^2 L / n: 2 for independent terms; overlapping ones, which are
used here, have 4/3 of what as many independent ones would have."""


@dataclass(frozen=True, slots=True)
class Pace(Record):
    """How one counter moves, as seen over `updates` updates at steady load."""

    period_s: float
    """Median time between updates."""
    jitter_s: float
    """Spread of the time between updates: 1.4826 MAD, at least 0."""
    poll_s: float
    """Median time within which an update was caught: `jitter_s` holds no finer detail."""
    power_w: float
    """Mean power while it was observed; of a gauge, the mean reading."""
    walk_j2: float
    """Noise that accumulates: variance in joules squared for each update in a window (b)."""
    white_j2: float
    """Noise of a difference of two readings, however far apart, in joules squared (a)."""
    updates: int

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Pace | None:
        """The pace that `as_dict` described; None where a field is missing or no number."""
        try:
            return record_from_json(Pace, dict(values))
        except ForeignError:
            return None


def pace_of(domain: Domain, points: Sequence[TracePoint]) -> Pace | None:
    """The pace behind a series of updates; None for fewer than `FEWEST_UPDATES`."""
    if len(points) < FEWEST_UPDATES:
        return None
    middles = [point.middle_s for point in points]
    intervals = [b - a for a, b in pairwise(middles)]
    widths = [(point.not_after_ns - point.not_before_ns) / 1e9 for point in points]
    poll_s = statistics.median(widths)
    period_s = statistics.median(intervals)
    jitter_s = _NORMAL_MAD * statistics.median(abs(interval - period_s) for interval in intervals)
    if domain.quantity is Quantity.POWER:
        mean_w = statistics.fmean(point.counts for point in points) * domain.per_count
        return Pace(period_s, jitter_s, poll_s, mean_w, 0.0, 0.0, len(points))
    joules = _unwrapped_j(domain, points)
    power_w = (joules[-1] - joules[0]) / (middles[-1] - middles[0])
    residuals = [
        math.nan if width > _WIDE_PART * period_s else e - power_w * (t - middles[0])
        for e, t, width in zip(joules, middles, widths, strict=True)
    ]
    white_j2, walk_j2 = _white_and_walk(residuals)
    return Pace(period_s, jitter_s, poll_s, power_w, walk_j2, white_j2, len(points))


def _unwrapped_j(domain: Domain, points: Sequence[TracePoint]) -> list[float]:
    """Joules since the first point; a step backwards is taken for one wrap, as polling is fast."""
    sign = -1 if domain.falls else 1
    total, joules = 0, [0.0]
    for first, second in pairwise(points):
        step = sign * (second.counts - first.counts)
        if step < 0 and domain.wraps_at_counts:
            step += domain.wraps_at_counts
        total += max(step, 0)
        joules.append(total * domain.per_count)
    return joules


def _white_and_walk(residuals: Sequence[float]) -> tuple[float, float]:
    """The a and b of V(L) = a + b L, both at least 0, by iterated weighted least squares.

    V(L) over n residuals has about n / L independent terms, and a standard deviation proportional
    to its own expectation: the weights are taken from the fit before. Fixing both ends of the
    series takes the part L / n from a random walk's V(L); it is given back. A residual that is not
    a number is left out.
    """
    n = len(residuals)
    lags = [1 << k for k in range(n.bit_length()) if 1 << k <= n // 4]
    pairs = [zip(residuals, residuals[lag:], strict=False) for lag in lags]
    squares = [[(b - a) ** 2 for a, b in pair if not math.isnan(a + b)] for pair in pairs]
    if not squares or not all(squares) or not any(map(sum, squares)):
        return 0.0, 0.0
    values = [
        math.fsum(found) / (len(found) * (1 - lag / n))
        for lag, found in zip(lags, squares, strict=True)
    ]
    white, walk = 0.0, values[0]
    for _ in range(_ITERATIONS):
        weights = [n / lag / (white + walk * lag) ** 2 for lag in lags]
        white, walk = _line(lags, values, weights)
        if white <= 0 and walk <= 0:
            return 0.0, 0.0
    return white, walk


def _line(
    lags: Sequence[int], values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Weighted least squares of a + b L with a and b at least 0.

    A slope below its own standard error counts as none: its effect grows with the window, and
    chance alone would make a quiet counter look noisy.
    """
    total = math.fsum(weights)
    lag_mean = _weighted(weights, lags) / total
    value_mean = _weighted(weights, values) / total
    spread = math.fsum(w * (lag - lag_mean) ** 2 for w, lag in zip(weights, lags, strict=True))
    if spread <= 0:
        return 0.0, value_mean / lag_mean
    products = [(lag - lag_mean) * v for lag, v in zip(lags, values, strict=True)]
    walk = _weighted(weights, products) / spread
    if walk < math.sqrt(_VARIANCE_OF_V / spread):
        return value_mean, 0.0
    white = value_mean - walk * lag_mean
    if white < 0:
        products = [lag * v for lag, v in zip(lags, values, strict=True)]
        return 0.0, _weighted(weights, products) / _weighted(weights, [lag * lag for lag in lags])
    return white, walk


def _weighted(weights: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(w * v for w, v in zip(weights, values, strict=True))


# How long a window must be for a stated precision.
#
# A window of T seconds at power P holds P T joules, with a variance of v + b T / tau, where v is
# the part that does not grow with T (step, edges, noise of the readings) and b the noise of each of
# the T / tau updates. The half interval 1.96 sqrt(v + b T / tau) is at most p P T from the larger
# root of (p P / 1.96)^2 T^2 - (b / tau) T - v = 0 on.

FEWEST_PERIODS: Final = 4
"""Fewest update periods in a window: finding the edges takes up to one period at each end."""
_EDGE_S: Final = 30e-6
"""Width of an edge: the shortest stretch between two reads, and the read."""
_Z95: Final = 1.96


def window_for_precision_s(domain: Domain, pace: Pace, precision: float) -> float:
    """Shortest window whose gross energy has this relative half interval at the power of the pace.

    Args:
        domain: resolution of the counter.
        pace: as observed; infinite if it shows no power.
        precision: above 0, as in 0.01 for 1 %.
    """
    if pace.power_w <= 0:
        return math.inf
    step_j = min(domain.resolution, pace.power_w * pace.period_s)
    edge_j = pace.power_w * max(_EDGE_S, pace.poll_s)
    explained_j2 = 2 * (step_j**2 + (pace.power_w * pace.poll_s) ** 2) / 12
    fixed_j2 = 2 * (step_j**2 + edge_j**2) / 12 + max(0.0, pace.white_j2 - explained_j2)
    quadratic = (precision * pace.power_w / _Z95) ** 2
    linear = pace.walk_j2 / pace.period_s
    root = (linear + math.sqrt(linear**2 + 4 * quadratic * fixed_j2)) / (2 * quadratic)
    return max(root, FEWEST_PERIODS * pace.period_s)


def free_running_window_s(period_s: float, precision: float) -> float:
    """The same for a window whose ends are not on updates: each may be a whole period late.

    The worst case is period / T, as the Monte-Carlo table of docs/method/energy.md shows.
    """
    return period_s / precision
