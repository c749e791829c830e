# SPDX-License-Identifier: Apache-2.0
"""The cost of a load in one sentence, and which results of a run it is said of."""

from __future__ import annotations

from fake_results import Fake, result

from joulemark.analyse import ResultSet
from joulemark.analyse.estimate import figure
from joulemark.analyse.load import OfferedLoad, load_cost
from joulemark.records.figures import Evidence
from joulemark.records.trial import KeySetup
from joulemark.report.load import load_basis, load_sentence, loads_of_run

LOAD = OfferedLoad(1e6, watts_per_core=15, price_per_core_hour=0.04)
SECONDS = figure([50e-9, 52e-9, 48e-9, 51e-9, 49e-9, 50e-9], Evidence.MEASURED)
ALONE = figure([110e-9], Evidence.MEASURED)


def test_the_sentence_has_every_figure_that_was_asked_for() -> None:
    """Cores with their interval, with and without batches, core time, power and money."""
    said = load_sentence(load_cost(LOAD, SECONDS, one_by_one=ALONE))
    assert said == (
        "0.05 [0.048, 0.052] of a core (0.11 without batches); 50 ms of a core per million; "
        "750 mW modelled; 0.048 a day modelled"
    )
    assert [*load_basis(LOAD, "measured")] == [
        "times: measured",
        "power: modelled from 15 W more for a core that works, as stated",
        "a day: modelled from a price of 0.04 for a core and an hour, as stated",
    ]


def test_a_single_sample_has_no_interval_and_more_than_a_core_is_cores() -> None:
    """One window has no interval; measured power has one of its own, and no price is no figure."""
    joules = figure([1e-6, 1.1e-6, 0.9e-6], Evidence.MEASURED)
    said = load_sentence(load_cost(OfferedLoad(2e7), ALONE, joules))
    assert said == "2.2 cores; 110 ms of a core per million; 20 W [18, 22] measured"


def test_the_range_of_few_windows_is_called_so() -> None:
    """Fewer than six windows carry no interval of 95 %, so that none is shown as one."""
    few = figure([0.9e-6, 1.08e-6], Evidence.MEASURED)
    said = load_sentence(load_cost(OfferedLoad(1e6), few))
    assert said.startswith("0.99 [0.9, 1.08, range of 2 windows] of a core; ")


def test_own_code_first_then_the_cheapest() -> None:
    """Of each algorithm and length the user's code stands before the cheapest, batches or not.

    Code without a call for batches takes nothing from them; "without batches" is of the same code.
    """
    shani = result(Fake("hmac-sha256/shani", "joulemark", 100.0, 0.0), 64)
    batch = result(Fake("hmac-sha256/shani", "joulemark", 30.0, 0.0), 64)
    results = [
        shani,
        batch.model_copy(update={"batch": 64, "key_setup": KeySetup.DISTINCT, "batch_calls": True}),
        result(Fake("hmac-sha256/mine", "mine", 200.0, 0.0), 64),
        result(Fake("hmac-sha256/mine", "mine", 190.0, 0.0), 64).model_copy(
            update={"batch": 64, "batch_calls": False}
        ),
        result(Fake("hmac-sha256/openssl", "openssl", 90.0, 0.0), 64),
        result(Fake("hmac-sha256/auto", "joulemark", 1.0, 0.0), 64, chosen="shani"),
        result(Fake("hmac-sha256/core", "joulemark", 1.0, 0.0), 64, target="rtl:verilator"),
        result(Fake("cmac-aes128/aesni", "joulemark", 40.0, 0.0), 64),
    ]
    found = loads_of_run(ResultSet(context={}, results=results, failures=[], warnings=[]), LOAD)
    assert [entry.title for entry in found] == [
        "hmac-sha256/mine, 64 B",
        "hmac-sha256/shani, 64 B, batch of 64, distinct keys",
        "cmac-aes128/aesni, 64 B",
    ]
    batches = found[1].cost.cores_one_by_one
    assert batches is not None
    assert round(batches.median, 3) == 0.1
