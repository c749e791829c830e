# SPDX-License-Identifier: Apache-2.0
"""Synthetic energy for the synthetic results; the powers are invented and mean nothing.

Three domains contain one another: the platform, its package, its cores. Each draws an invented
power, so that tests can predict every figure from the time.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from fake_results import figure

from joulemark.analyse import DomainEnergy, Figure, Result, ResultSet
from joulemark.records.figures import Absence, Evidence

TOO_UNCERTAIN = (
    "the interval of the energy is 41 % of it, more than the 25 % that may be shown; take "
    "longer windows"
)
METER = "powercap"
METHOD = "edges"
BASELINE = "deep idle windows of the same round"
WINDOW_SECONDS = 0.5
STATED_WATTS = 15.0
HEADLINE = "intel-rapl:0"


@dataclass(frozen=True, slots=True)
class Part:
    """One invented domain and its powers."""

    domain: str
    name: str
    kind: str
    parent: str | None
    gross_w: float
    static_w: float
    awake_w: float


PARTS = (
    Part("intel-rapl:1", "psys", "psys", None, 20.0, 8.0, 10.0),
    Part(HEADLINE, "package-0", "package", "intel-rapl:1", 12.0, 2.0, 4.0),
    Part("intel-rapl:0:0", "core", "core", HEADLINE, 9.0, 0.5, 2.0),
)
NET_W = PARTS[1].gross_w - PARTS[1].static_w
"""Net power of the headline domain."""


def domain_energy(
    result: Result, part: Part, *, evidence: Evidence = Evidence.MEASURED, refused: bool = False
) -> DomainEnergy:
    """The energy of one result in one invented domain; `refused` withholds its net figures."""
    assert result.seconds_per_message is not None
    seconds, size = result.seconds_per_message.median, result.size_bytes
    net_w = part.gross_w - part.static_w

    def of(value: float, *, keep: bool = True) -> Figure | None:
        return figure(value, evidence, half_width=0.02) if keep else None

    net = {
        "joules_per_message": of(net_w * seconds, keep=not refused),
        "joules_per_byte": of(net_w * seconds / size, keep=not refused) if size else None,
        "joule_seconds_per_message": of(net_w * seconds**2, keep=not refused),
        "net_watts": of(net_w, keep=not refused),
    }
    return DomainEnergy(
        domain=part.domain,
        name=part.name,
        kind=part.kind,
        parent=part.parent,
        headline=part.domain == HEADLINE,
        meter=METER,
        method=METHOD,
        evidence=evidence,
        window_seconds=WINDOW_SECONDS,
        windows_kept=28,
        windows_void={"foreign load": 2, "counter was reset": 1},
        baseline=BASELINE,
        gross_joules_per_message=of(part.gross_w * seconds),
        gross_joules_per_byte=of(part.gross_w * seconds / size) if size else None,
        active_net_joules_per_message=of((part.gross_w - part.awake_w) * seconds),
        watts=of(part.gross_w),
        static_watts=of(part.static_w),
        active_idle_watts=of(part.awake_w),
        reasons={
            name: TOO_UNCERTAIN
            for name, figure_or_none in net.items()
            if figure_or_none is None and refused
        },
        **net,
    )


def with_energy(
    results: ResultSet,
    *,
    evidence: Evidence = Evidence.MEASURED,
    refused: Collection[str] = (),
    of: Collection[str] | None = None,
) -> ResultSet:
    """The same run with a meter.

    Args:
        results: a run without one.
        evidence: evidence of every energy figure.
        refused: ids of domains whose net figures are withheld for their error.
        of: implementations whose figures are withheld; None means all.
    """
    found = []
    for result in results.results:
        here = refused if of is None or result.implementation in of else ()
        domains = [
            domain_energy(result, part, evidence=evidence, refused=part.domain in here)
            for part in PARTS
        ]
        head = next(domain for domain in domains if domain.headline)
        reasons = {name: why for name, why in result.reasons.items() if name != "joules_per_byte"}
        if result.size_bytes == 0:
            reasons["joules_per_byte"] = Absence("a message of zero bytes")
        update = {
            "joules_per_message": head.joules_per_message,
            "joules_per_byte": head.joules_per_byte,
            "gross_joules_per_message": head.gross_joules_per_message,
            "watts": head.watts,
            "joule_seconds_per_message": head.joule_seconds_per_message,
            "energy": domains,
            "reasons": reasons | {n: w for n, w in head.reasons.items() if n != "net_watts"},
        }
        found.append(result.model_copy(update=update))
    context = {**results.context, "meter": meter(evidence)}
    return results.model_copy(update={"results": found, "context": context})


def with_model(results: ResultSet) -> ResultSet:
    """The same run with joules modelled from a stated power, and nothing else in joules."""
    found = []
    for result in results.results:
        assert result.seconds_per_message is not None
        joules = STATED_WATTS * result.seconds_per_message.median
        size = result.size_bytes
        update = {
            "modelled_joules_per_message": figure(joules, Evidence.MODELLED),
            "modelled_joules_per_byte": figure(joules / size, Evidence.MODELLED) if size else None,
        }
        found.append(result.model_copy(update=update))
    context = {**results.context, "meter": None, "modelled_watts": STATED_WATTS}
    return results.model_copy(update={"results": found, "context": context})


def hostile(results: ResultSet, text: str) -> ResultSet:
    """The same run with `text` in each field of a domain that holds free text."""
    words = dict.fromkeys(("name", "kind", "meter", "method", "baseline"), text)
    found = []
    for result in results.results:
        domains = [
            domain.model_copy(
                update={
                    **words,
                    "windows_void": {text: 1},
                    "joules_per_message": None,
                    "reasons": {"joules_per_message": Absence(f"{text}, of a domain")},
                }
            )
            for domain in result.energy
        ]
        found.append(result.model_copy(update={"energy": domains}))
    return results.model_copy(update={"results": found})


def meter(evidence: Evidence = Evidence.MEASURED) -> dict[str, Any]:
    """The record of the run's meter, in the shape of `MeterRecord.as_dict()`."""
    return {
        "meter": METER,
        "title": "RAPL through powercap",
        "evidence": evidence.value,
        "method": METHOD,
        "domains": [
            {
                "id": part.domain,
                "name": part.name,
                "kind": part.kind,
                "quantity": "energy",
                "per_count": 1e-6,
                "resolution": 61e-6,
                "parent": part.parent,
                "same_as": None,
                "wraps_at_counts": 262_143_328_850,
                "max_power_w": None,
                "update_period_s": None,
                "falls": False,
                "package": 0,
                "note": None,
            }
            for part in PARTS
        ],
        "window_s": WINDOW_SECONDS,
        "paces": {
            HEADLINE: {
                "period_s": 0.000_977,
                "jitter_s": 0.000_021,
                "poll_s": 0.000_002,
                "power_w": 12.0,
                "walk_j2": 1e-12,
                "white_j2": 1e-10,
                "updates": 400,
            }
        },
        "cpus": 2,
        "foreign_limit": 0.01,
        "facts": {"filter_bit": False},
    }
