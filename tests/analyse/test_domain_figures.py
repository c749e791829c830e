# SPDX-License-Identifier: Apache-2.0
"""Joules of one trial in one domain: worked by hand, and refused if they are not known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from uncertainties import ufloat

from energy_windows import DOMAIN, RECORD, loads, power_at
from joulemark.analyse import DomainEnergy
from joulemark.analyse.run_energy import PowerAtRest, TrialWindows, domain_energy
from joulemark.analyse.stated_figures import ERROR_LIMIT, bound_text, unusable
from joulemark.analyse.window import Baseline, WindowPower
from joulemark.judging.void import Void, VoidReason
from joulemark.records.energy_window import DomainKind
from joulemark.records.figures import Evidence

NO_REST = PowerAtRest(Baseline([]), Baseline([]))


def figures(
    kept: Sequence[WindowPower],
    rest: PowerAtRest,
    *,
    void: Sequence[Void] = (),
    size: int = 100,
    limit: float = ERROR_LIMIT,
) -> DomainEnergy:
    """All figures and reasons of the domain."""  # fmt: skip
    return domain_energy(
        TrialWindows(kept, void), rest, DOMAIN, RECORD, size_bytes=size, headline=True, limit=limit
    )


def rest(deep_w: float, active_w: float, error: float = 0.01) -> PowerAtRest:
    """Two windows of each kind of idle, around the loads."""
    return PowerAtRest(
        Baseline([power_at(-1, deep_w, error), power_at(20, deep_w, error)]),
        Baseline([power_at(-1, active_w, error), power_at(20, active_w, error)]),
    )


def test_gross_net_and_static_by_hand() -> None:
    """30 W at 1 ms per message of 100 bytes, over 10 W asleep and 16 W awake."""
    found = figures(loads(*[30.0] * 10), rest(10, 16))
    medians = {
        name: getattr(found, name).median
        for name in (
            "gross_joules_per_message", "gross_joules_per_byte", "joules_per_message",
            "joules_per_byte", "active_net_joules_per_message", "watts", "net_watts",
            "joule_seconds_per_message", "static_watts", "active_idle_watts",
        )
    }  # fmt: skip
    assert medians == pytest.approx(
        {
            "gross_joules_per_message": 0.030, "gross_joules_per_byte": 0.0003,
            "joules_per_message": 0.020, "joules_per_byte": 0.0002,
            "active_net_joules_per_message": 0.014, "watts": 30, "net_watts": 20,
            "joule_seconds_per_message": 0.020 * 0.001, "static_watts": 10,
            "active_idle_watts": 16,
        }
    )  # fmt: skip
    assert found.reasons == {}
    assert (found.windows_kept, found.windows_void) == (10, {})
    assert found.evidence is Evidence.MEASURED


@pytest.mark.parametrize(
    ("load_w", "idle_w", "relative"),
    [(40, 8, 0.013), (20, 8, 0.018), (12, 8, 0.036), (21, 20, 0.29)],
)
def test_the_error_of_a_difference_is_that_of_the_published_rows(
    load_w: float, idle_w: float, relative: float
) -> None:
    """1 % on both levels: 1.3 % at 40 over 8 W, 29 % at 21 over 20 W. The last is refused."""
    kept = [replace(loads(load_w)[0], power_w=ufloat(load_w, 0.01 * load_w))]
    levels = PowerAtRest(Baseline([power_at(-1, idle_w, 0.01 * idle_w)]), Baseline([]))
    net = figures(kept, levels, limit=10.0).net_watts
    assert net is not None
    assert (net.high - net.low) / 2 / net.median / 1.96 == pytest.approx(relative, rel=0.03)
    assert (figures(kept, levels, limit=0.1).net_watts is None) == (relative > 0.05)


def test_a_refusal_says_how_large_the_error_is_and_what_would_help() -> None:
    """21 W over 20 W."""
    found = figures(loads(*[21.0] * 5, error=0.2), rest(20, 20, error=0.2))
    reason = found.reasons["joules_per_byte"].sentence
    assert found.joules_per_byte is None
    assert "refused: its interval is +-" in reason
    assert "the limit is 5 %" in reason
    assert "21 W while working against 20 W at rest" in reason
    assert "--energy-window" in reason
    assert found.gross_joules_per_byte is not None


def test_a_load_below_rest_is_refused_and_never_negative() -> None:
    """A net of -1 W, however certain, is no energy of the work."""
    found = figures(loads(*[9.0] * 10, error=1e-6), rest(10, 10, error=1e-6))
    assert found.joules_per_message is None
    assert "more than 100 %" in found.reasons["joules_per_message"].sentence
    for name in type(found).model_fields:
        figure = getattr(found, name)
        if hasattr(figure, "low"):
            assert figure.low > 0


def test_what_is_not_told_from_rest_has_a_bound() -> None:
    """10.1 +- 0.5 W over 10 W has no figure, and an upper bound in every unit."""
    found = figures(loads(*[9.9, 10.0, 10.1, 10.2, 10.3] * 4, error=0.5), rest(10, 16))
    assert found.net_watts is None
    bound_w = found.upper_bounds["net_watts"]
    assert 0.2 < bound_w < 1.0
    assert found.upper_bounds["joules_per_message"] == pytest.approx(bound_w * 0.001)
    assert found.upper_bounds["joules_per_byte"] == pytest.approx(bound_w * 1e-5)
    assert "joule_seconds_per_message" in found.upper_bounds
    said = found.reasons["joules_per_message"].sentence
    assert said.startswith("refused: not told from 0, below ")
    assert "upper end of the 95 % interval; 10.1 W while working against 10 W at rest" in said
    assert found.active_net_joules_per_message is None
    assert "active_net_joules_per_message" not in found.upper_bounds, "all of it lies below 0"


@pytest.mark.parametrize("kind", [DomainKind.GPU, DomainKind.RAIL])
def test_what_lies_outside_the_cpu_has_no_bound(kind: DomainKind) -> None:
    """A board at rest says nothing about code on the CPU, so "below 0.3 J" is not said."""
    windows = TrialWindows(loads(*[9.9, 10.0, 10.1, 10.2, 10.3] * 4, error=0.5))
    found = domain_energy(windows, rest(10, 16), replace(DOMAIN, kind=kind), RECORD,
                          size_bytes=100, headline=True)  # fmt: skip
    assert found.upper_bounds == {}
    assert "below" not in found.reasons["joules_per_message"].sentence
    assert found.gross_joules_per_message is not None


def test_a_bound_covers_the_truth() -> None:
    """Of 400 runs whose work adds 0.05 W, known to 0.1 W, hardly any has a bound below that."""
    chance = random.Random(7)
    bounds = []
    for _ in range(400):
        watts = [10.05 + chance.gauss(0, 0.1) for _ in range(5)]
        found = figures(loads(*watts, error=0.01), rest(10, 10, error=1e-6))
        if "net_watts" in found.upper_bounds:
            bounds.append(found.upper_bounds["net_watts"])
    assert len(bounds) > 200
    assert sum(bound < 0.05 for bound in bounds) <= 0.05 * len(bounds)


@pytest.mark.parametrize("watts", [[10.1, 10.0], [10.1]])
def test_too_few_windows_bound_nothing(watts: list[float]) -> None:
    """The scatter of one or two windows is not known."""
    assert figures(loads(*watts, error=0.5), rest(10, 10)).upper_bounds == {}


def test_a_figure_that_is_told_from_zero_has_no_bound() -> None:
    """21 +- 0.4 W over 20 W is refused for its width alone, and a good one is not refused."""
    assert figures(loads(*[21.0] * 10, error=0.5), rest(20, 20, error=0.01)).upper_bounds == {}
    assert figures(loads(*[30.0] * 10), rest(10, 16)).upper_bounds == {}


def test_figures_of_one_cause_share_a_sentence() -> None:
    """Net energy per message and byte, power and energy-delay share one reason."""
    found = figures(loads(*[21.0] * 5, error=0.2), rest(20, 20, error=0.2))
    names = ("joules_per_message", "joules_per_byte", "net_watts", "joule_seconds_per_message")
    assert len({found.reasons[name].sentence for name in names}) == 1


@pytest.mark.parametrize(
    ("voids", "says"),
    [
        ([], "no energy window was taken"),
        (["a"], "its one window could not be used, stuck: a"),
        (["a", "b"], "none of its 2 windows could be used, all because of stuck: a"),
    ],
)
def test_unusable_windows_are_counted_in_words(voids: list[str], says: str) -> None:
    """One window is not "1 windows"."""
    assert unusable([Void(VoidReason.STUCK, text) for text in voids]) == says


@pytest.mark.parametrize(
    ("name", "bound", "says"),
    [
        ("net_watts", 0.3917, "400 mW"),
        ("joules_per_message", 4.01e-7, "410 nJ"),
        ("joules_per_message", 4.0e-7, "400 nJ"),
        ("joule_seconds", 1.0, "1 J s"),
    ],
)
def test_bounds_are_rounded_up(name: str, bound: float, says: str) -> None:
    """A bound that is rounded down would be wrong."""
    assert bound_text(name, bound) == says


def test_what_windows_share_does_not_average_out() -> None:
    """Ten loads against one baseline of 10 +- 0.5 W are no surer than +- 0.98 W."""
    levels = PowerAtRest(Baseline([power_at(-1, 10, error=0.5)]), Baseline([]))
    net = figures(loads(*[30.0] * 10), levels, limit=1.0).net_watts
    assert net is not None
    assert (net.high - net.low) / 2 == pytest.approx(1.96 * 0.5, rel=0.01)


def test_scatter_that_the_meter_does_not_explain_widens_the_interval() -> None:
    """Loads lie between 28 and 32 W, each known to 0.01 W."""
    found = figures(loads(28, 29, 30, 31, 32, 28, 29, 30, 31, 32), rest(10, 10), limit=1.0).watts
    assert found is not None
    assert found.high - found.low > 0.5


def test_without_rest_only_gross_is_known() -> None:
    """Net figures then have a reason, and no gross figure stands in for them."""
    found = figures(loads(*[30.0] * 10), NO_REST)
    assert found.gross_joules_per_message is not None
    assert found.joules_per_message is None
    assert "no window of deep idle" in found.reasons["joules_per_message"].sentence
    assert "no window of active idle" in found.reasons["active_net_joules_per_message"].sentence


def test_without_windows_the_commonest_reason_is_given() -> None:
    """The sentence has the number of windows too."""
    void = [Void(VoidReason.FOREIGN_CPU, "busy")] * 3 + [Void(VoidReason.STUCK, "still")]
    found = figures([], rest(10, 16), void=void)
    assert found.windows_void == {"foreign CPU time": 3, "stuck": 1}
    reason = "none of its 4 windows could be used, 3 because of foreign CPU time: busy"
    assert found.reasons["gross_joules_per_message"].sentence == reason
    assert found.window_seconds is None


def test_the_empty_message_has_no_energy_per_byte() -> None:
    """An empty message has energy per message alone."""
    found = figures(loads(*[30.0] * 10), rest(10, 16), size=0)
    assert found.joules_per_message is not None
    assert found.joules_per_byte is None
    assert "0 bytes" in found.reasons["joules_per_byte"].sentence


def test_time_spent_reading_the_meter_is_not_the_messages_own() -> None:
    """A tenth of the window was reading: messages took nine tenths, with a wider error."""
    plain = loads(*[30.0] * 10)
    reading = [replace(window, window=replace(window.window, reading_ns=10**8)) for window in plain]
    found = figures(reading, rest(10, 16), limit=1.0).gross_joules_per_message
    assert found is not None
    assert found.median == pytest.approx(0.027)
    assert (found.high - found.low) / 2 / found.median == pytest.approx(
        1.96 * 0.1 * 0.5 / 3**0.5, rel=0.02
    )
