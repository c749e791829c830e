# SPDX-License-Identifier: Apache-2.0
"""Location and spread against certified values and SciPy.

NIST StRD univariate summary statistics, https://www.itl.nist.gov/div898/strd/univ/homepage.html:
certified to 15 digits. NumAcc1 to NumAcc4 are made by rule; Michelso is Michelson's 100
determinations of the speed of light of 1879, in 1000 km/s.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from joulemark.stats import as_sample, mad, mean, median, quartiles, standard_deviation

MICHELSON_KM_S_ABOVE_299000 = """
850 740 900 1070 930 850 950 980 980 880 1000 980 930 650 760 810 1000 1000 960 960
960 940 960 940 880 800 850 880 900 840 830 790 810 880 880 830 800 790 760 800
880 880 880 860 720 720 620 860 970 950 880 910 850 870 840 840 850 840 840 840
890 810 810 820 800 770 760 740 750 760 910 920 890 860 880 720 840 850 850 780
890 840 780 810 760 810 790 810 820 850 870 870 810 740 810 940 950 800 810 870
"""


def alternating(base: str) -> list[float]:
    """NumAcc2 to NumAcc4: base.2, then base.1 and base.3 in turn, 1001 values."""
    turn = itertools.cycle((float(base + ".1"), float(base + ".3")))
    return [float(base + ".2"), *itertools.islice(turn, 1000)]


MICHELSO = [299 + int(word) / 1000 for word in MICHELSON_KM_S_ABOVE_299000.split()]

CERTIFIED = {
    "NumAcc1": ([10000001.0, 10000003.0, 10000002.0], 10000002.0, 1.0),
    "NumAcc2": (alternating("1"), 1.2, 0.1),
    "NumAcc3": (alternating("1000000"), 1000000.2, 0.1),
    "NumAcc4": (alternating("10000000"), 10000000.2, 0.1),
    "Michelso": (MICHELSO, 299.8524, 0.0790105478190518),
}


@pytest.mark.parametrize("name", CERTIFIED)
def test_mean_and_standard_deviation_meet_the_certified_values(name: str) -> None:
    """Both agree to 14 digits; NumAcc3 and NumAcc4 as far as binary holds their decimal values."""
    values, certified_mean, certified_sd = CERTIFIED[name]
    sd_digits = {"NumAcc3": 1e-9, "NumAcc4": 1e-8, "Michelso": 1e-13}.get(name, 1e-14)
    assert mean(values) == pytest.approx(certified_mean, rel=1e-14)
    assert standard_deviation(values) == pytest.approx(certified_sd, rel=sd_digits)


def test_medians_of_certified_data() -> None:
    """NIST gives the medians of its data sets in their descriptions."""
    assert median(CERTIFIED["NumAcc1"][0]) == 10000002
    assert median(MICHELSO) == pytest.approx(299.85, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_agreement_with_scipy(values: list[float]) -> None:
    """Median, quartiles and MAD agree with SciPy's for any sample."""
    assert median(values) == np.median(values)
    assert mad(values) == stats.median_abs_deviation(values)
    expected = stats.mstats.mquantiles(values, (0.25, 0.75), alphap=1, betap=1)
    assert quartiles(values) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-6)


def test_quartiles_follow_definition_7() -> None:
    """Hyndman and Fan's definition 7 on 1..4: 1.75 and 3.25, where others give 1.25 to 1.5."""
    assert quartiles([4.0, 1.0, 3.0, 2.0]) == (1.75, 3.25)


@settings(deadline=None)
@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=30),
    st.integers(-1000, 1000),
    st.sampled_from([0.5, 2.0, -4.0]),
)
def test_location_moves_with_the_sample_and_spread_does_not(
    values: list[int], shift: int, factor: float
) -> None:
    """Median and MAD are equivariant: exact here, the numbers being small powers and integers."""
    moved = [factor * value + shift for value in values]
    assert median(moved) == factor * median(values) + shift
    assert mad(moved) == abs(factor) * mad(values)


@pytest.mark.parametrize("bad", [[], [float("nan")], [1.0, float("inf")], [[1.0], [2.0]]])
def test_a_sample_without_meaning_is_refused(bad: list[float]) -> None:
    """A sample that is empty, not finite or not one-dimensional is refused."""
    with pytest.raises(ValueError, match="a sample"):
        as_sample(bad)


def test_one_value_has_no_spread() -> None:
    """The MAD of one value is 0, and its standard deviation does not exist."""
    assert mad([3.0]) == 0
    with pytest.raises(ValueError, match="two values"):
        standard_deviation([3.0])
