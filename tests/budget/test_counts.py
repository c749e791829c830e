# SPDX-License-Identifier: Apache-2.0
"""Core cycles: those of a store go before shipped ones; lengths between the counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.budget import YEAR_S, Inputs, interval, nominal, years_of
from joulemark.budget.counts import CountSeries, ccm_cycles, cycles_of, known_series, stored_series
from joulemark.budget.packets import Packet
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner, counts_wanted
from joulemark.budget.tag_bytes import forgery_per_year
from joulemark.catalogue.nodes import Radio, ValueOrigin
from joulemark.catalogue.protocols import sheet
from joulemark.errors import UsageError
from joulemark.records.figures import Evidence
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import KeySetup, Trial, Workload

pytestmark = pytest.mark.usefixtures("fixed_counts")


def counted(core_cycles: int) -> FirmwareCount:
    """The count of one message in a store."""
    return FirmwareCount(
        core_cycles=core_cycles, instructions=1, key_core_cycles=100, code_bytes=1,
        constant_bytes=0, static_ram_bytes=0, state_bytes=40, stack_bytes=1, evidence="simulated",
        compiler="gcc", flags="", simulator="simavr",
    )  # fmt: skip


class FirmwareStore:
    """A store with the counts given, a run for each mapping; `oldest_first` has their numbers."""

    def __init__(
        self, *runs: dict[Trial, FirmwareCount], oldest_first: Sequence[int] | None = None
    ) -> None:
        self._runs = runs
        self._oldest_first = oldest_first or range(len(runs))

    def runs(self) -> list[Any]:
        """Every run."""
        return [SimpleNamespace(id=number) for number in self._oldest_first]

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """The counts of one run."""
        return self._runs[run_id]


def trial(size: int, name: str = "hmac-sha1/small", target: str = "mcu:atmega128") -> Trial:
    """A trial with a kept key."""
    return Trial(name, Workload(size_bytes=size), target)


def test_the_newest_run_counts_at_each_length() -> None:
    """Two runs of one implementation make one series; other targets and fresh keys do not join."""
    fresh = Trial("hmac-sha1/small", Workload(20, key_setup=KeySetup.FRESH), "mcu:atmega128")
    store = FirmwareStore(
        {trial(16): counted(1000), trial(64): counted(2000)},
        {trial(16): counted(900), fresh: counted(5), trial(8, target="host"): counted(7)},
    )
    (found,) = stored_series(store, "atmega128")
    assert found.counts == {16: 900, 64: 2000}
    assert (found.evidence, found.key_core_cycles) == (Evidence.SIMULATED, 100)
    assert found.source == "run 1 of the store: simavr, gcc"
    assert found.spread == 0.028


def test_a_later_number_makes_no_run_newer() -> None:
    """An older run that was copied into the store, under a later number, gives way."""
    old, new = {trial(16): counted(1000), trial(64): counted(2000)}, {trial(16): counted(900)}
    (found,) = stored_series(FirmwareStore(new, old, oldest_first=(1, 0)), "atmega128")
    assert (found.counts, found.run) == ({16: 900, 64: 2000}, 0)


def test_the_store_comes_before_what_is_shipped() -> None:
    """Counts of the store come first; the catalogue fills in all that the store lacks."""
    store = FirmwareStore({trial(16): counted(900)})
    names = [lengths_counted.implementation for lengths_counted in known_series("atmega128", store)]
    assert names[0] == "hmac-sha1/small"
    assert "hmac-sha1/plain_c" in names
    assert "cmac-aes128/plain_c" in names
    small = Trial("cmac-aes128/small", Workload(16), "mcu:cortex-m4")
    names = [
        lengths_counted.implementation
        for lengths_counted in known_series("cortex-m4", FirmwareStore({small: counted(1)}))
        if lengths_counted.algorithm == "cmac-aes128"
    ]
    assert names[0] == "cmac-aes128/small"
    assert {"cmac-aes128/plain_c", "cmac-aes128/schwabe_stoffelen_tables"} < set(names)


def test_a_planner_takes_the_store() -> None:
    """The winner is an implementation of the store, with the simulator's evidence."""
    counts = {trial(28, "cbc-mac-aes128/small"): counted(4321)}
    planner = Planner.of("tinysec_auth", "mica2", Question(24, 10), store=FirmwareStore(counts))
    best = planner.budget.best
    assert best is not None
    assert (best.implementation, nominal(best.cycles.number), best.cycles.evidence) == (
        "cbc-mac-aes128/small", 4321, Evidence.SIMULATED,
    )  # fmt: skip


def series(**more: Any) -> CountSeries:
    """HMAC-SHA-1 counted at 20 bytes."""
    facts: dict[str, Any] = {
        "implementation": "hmac-sha1/x", "counts": {20: 1000}, "step_core_cycles": None,
        "evidence": Evidence.SIMULATED, "source": "here",
    }  # fmt: skip
    return CountSeries(**facts | more)


def test_lengths_between_the_counts() -> None:
    """A length between counts takes a count of as many calls, a step, a slope, or no figure."""
    alone = series()
    same = cycles_of(alone, 55)
    assert same is not None
    assert (nominal(same.number), same.evidence) == (1000, Evidence.MODELLED)
    assert cycles_of(alone, 56) is None
    stepped = cycles_of(series(step_core_cycles=400), 120)
    assert stepped is not None
    assert (nominal(stepped.number), stepped.evidence) == (1800, Evidence.MODELLED)
    sloped = cycles_of(series(counts={20: 1000, 60: 1450}), 120)
    assert sloped is not None
    assert (nominal(sloped.number), sloped.evidence) == (1900, Evidence.MODELLED)
    unknown = series(implementation="kmac128/x")
    assert cycles_of(unknown, 21) is None
    exact = cycles_of(unknown, 20)
    assert exact is not None
    assert exact.evidence is Evidence.SIMULATED
    published = cycles_of(series(step_core_cycles=400, evidence=Evidence.PUBLISHED), 120)
    assert published is not None
    assert published.evidence is Evidence.PUBLISHED


def test_a_step_is_counted_or_a_slope() -> None:
    """The source's, else from the fewest to the most calls: 2 and 4 blocks of HMAC-SHA-1."""
    assert series(step_core_cycles=400).step == 400
    assert series().step is None
    assert series(counts={20: 1000, 60: 1300, 120: 1900}).step == 450
    assert series(implementation="kmac128/x", counts={20: 1000, 60: 1300}).step is None


def test_ccm_takes_blocks_that_wait() -> None:
    """A block by itself where no step is known: two of four side by side would be too cheap."""
    packet = Packet(
        payload_bytes=20, tag_bytes=4, plain_bytes=20, untagged_bytes=20, secure_bytes=24,
        associated_bytes=0, encrypted_bytes=20,
    )  # fmt: skip
    name = "aes128/side_by_side"
    counted = series(implementation=name, counts={16: 90, 64: 120})
    (found,) = ccm_cycles([counted], packet)
    assert found.implementation == "ccm-aes128/side_by_side"
    assert nominal(found.number) == 4 * 90  # B0, 2 of the message, S0
    assert found.series.step == 90
    assert ccm_cycles([series(implementation=name, counts={64: 120})], packet) == []


def test_intervals_follow_from_the_state() -> None:
    """A value that was read has 10 %, a remembered one 25 %, unless the file says more."""
    radio = sheet(Radio, "cc1000_868")
    inputs = Inputs()
    read = interval(inputs.take(radio, "voltage", radio.voltage))
    assert (read.low, read.high) == pytest.approx((3 * 0.9, 3 * 1.1))
    remembered = interval(inputs.take(radio, "send_current", radio.send_current))
    assert (remembered.low, remembered.high) == pytest.approx((16.5e-3 * 0.75, 16.5e-3 * 1.25))
    assert radio.bit_rate is not None
    stated = interval(inputs.take(radio, "bit_rate", radio.bit_rate))
    assert (stated.low, stated.high) == pytest.approx((19200 * 0.99, 19200 * 1.01))
    assert [used_value.state for used_value in inputs.used] == [
        ValueOrigin.READ, ValueOrigin.REMEMBERED, ValueOrigin.REMEMBERED,
    ]  # fmt: skip


def test_one_value_is_one_variable() -> None:
    """A value on both sides of a difference cancels, so ranks are surer than their energies."""
    ranking = Planner.of("tinysec_auth", "mica2", Question(24, 10)).budget.ranking
    difference = ranking[1].packet_j - ranking[0].packet_j
    assert difference.std_dev < 0.5 * ranking[0].packet_j.std_dev


def test_years_with_self_discharge() -> None:
    """A joule a second from 10 years' worth, 5 % of the rest each year: 20 ln 1.5 years."""
    assert years_of(10 * YEAR_S, 1.0, 0.05) == pytest.approx(20 * math.log(1.5))
    assert years_of(10 * YEAR_S, 1.0, 0.0) == 10


def test_chance_of_a_forgery() -> None:
    """One guess in 2^t, and all but certain after many; no digits are lost at 128 bits."""
    assert forgery_per_year(8, 1, 1) == pytest.approx(1 / 256)
    assert forgery_per_year(8, 1e6, YEAR_S) == 1.0
    assert forgery_per_year(128, 1, 1) == pytest.approx(2.0**-128)
    assert forgery_per_year(32, 0, YEAR_S) == 0


def test_one_count_in_the_store_hides_no_length() -> None:
    """A count at one length of the store leaves the catalogue's counts for all others."""
    store = FirmwareStore({trial(24, "cmac-aes128/plain_c"): counted(9999)})
    before = {mac.implementation: mac for mac in known_series("atmega128")}
    found = {mac.implementation: mac for mac in known_series("atmega128", store)}
    assert found.keys() == before.keys()
    own = found["cmac-aes128/plain_c"]
    here, longer = cycles_of(own, 24), cycles_of(own, 60)
    alone = cycles_of(before["cmac-aes128/plain_c"], 60)
    assert here is not None
    assert longer is not None
    assert alone is not None
    assert (nominal(here.number), here.series.run) == (9999, 0)
    assert (nominal(longer.number), longer.series.run) == (nominal(alone.number), None)
    assert longer.source == alone.source


@pytest.mark.parametrize(
    ("protocol", "node", "name"),
    [
        ("lorawan_1_0", "lora_sf7", "cmac-aes128/plain_c"),
        ("ieee802154_mic", "telosb", "aes128/plain_c"),
        ("ieee802154_mic", "nrf52840_802154", "aes128/plain_c"),
    ],
)
def test_measuring_at_the_payload_deletes_no_answer(protocol: str, node: str, name: str) -> None:
    """A count at the payload's length, which no MAC reads, changes neither winner nor cost."""
    before = Planner.of(protocol, node, Question(24, 10)).budget.best
    core = Planner.of(protocol, node, Question(24, 10)).parts.microcontroller.core
    store = FirmwareStore({trial(24, name, f"mcu:{core}"): counted(10**7)})
    after = Planner.of(protocol, node, Question(24, 10), store=store).budget.best
    assert before is not None
    assert after is not None
    assert (after.implementation, nominal(after.packet_j)) == (
        before.implementation, nominal(before.packet_j),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("protocol", "node", "payload", "wanted"),
    [
        # B0 of 16 bytes, a header of 9, and the payload.
        ("lorawan_1_0", "lora_sf7", 24, ("mcu:cortex-m0plus", ("cmac-aes128",), (49,))),
        ("tinysec_auth", "mica2", 24, ("mcu:atmega128", ("cbc-mac-aes128",), (28,))),
        # 15 bytes of header, and the block of AES in which CCM is counted.
        ("ieee802154_mic", "telosb", 24, ("mcu:msp430f1611", ("aes128",), (16, 39))),
    ],
)
def test_counts_that_a_packet_rests_on(
    protocol: str, node: str, payload: int, wanted: tuple[object, ...]
) -> None:
    """Target, algorithms and lengths follow from protocol, node and payload."""
    found = counts_wanted(protocol, node, payload)
    assert (found.target, found.algorithms, found.sizes_bytes) == wanted


def test_counts_that_cannot_be_made_are_refused() -> None:
    """No kernel for GCM, a payload that is too long: each is one sentence."""
    with pytest.raises(UsageError, match="no kernel of firmware computes gcm-aes128"):
        counts_wanted("macsec", "mica2", 24)
    with pytest.raises(UsageError, match="a payload of 13 bytes is longer than the 12 bytes"):
        counts_wanted("sigfox", "mica2", 13)
