# SPDX-License-Identifier: Apache-2.0
"""Colours: distinguishable, readable, and one meaning each."""

from __future__ import annotations

import itertools
import math

import fake_results as fake
import numpy as np
import pytest

from joulemark.provider_builds import of_the_package
from joulemark.report.style import (
    DARK,
    LIGHT,
    OUTSIDE_DASHES,
    OWN_DASHES,
    SHAPES,
    Theme,
    is_known,
    provider_colour,
    styles,
)
from joulemark.report.words import variant_of

# Severity 1.0 matrices of Machado, Oliveira and Fernandes (2009), for linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


def linear(colour: str) -> np.ndarray:
    """Linear RGB of a hexadecimal colour (IEC 61966-2-1)."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """OKLab (Ottosson, 2020) of linear RGB."""
    to_cone = np.array(
        [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
         [0.0883024619, 0.2817188376, 0.6299787005]]
    )  # fmt: skip
    to_lab = np.array(
        [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
         [0.0259040371, 0.7827717662, -0.8086757660]]
    )  # fmt: skip
    return to_lab @ np.cbrt(to_cone @ np.clip(rgb, 0, None))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours (WCAG 2.2)."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(weights @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHT)
def test_series_colours_stay_apart(theme: Theme, sight: str) -> None:
    """Any two series colours differ by at least 0.075 in OKLab, for every kind of sight.

    Those of the libraries that charts show most often, the first, and of the user's, the last,
    differ by 0.09.
    """
    seen = [oklab(SIGHT[sight] @ linear(colour)) for colour in theme.palette]
    for colours, apart in ((seen, 0.075), ([*seen[:7], seen[-1]], 0.09)):
        pairs = itertools.combinations(colours, 2)
        assert min(math.dist(one, other) for one, other in pairs) >= apart


@pytest.mark.parametrize("theme", THEMES)
def test_colours_are_readable(theme: Theme) -> None:
    """Lines reach 3 to 1 and text 4.5 to 1 against the paper; text also against panels."""
    assert min(contrast(colour, theme.paper) for colour in theme.palette) >= 3
    for text in (theme.ink, theme.muted, theme.accent, theme.good, theme.bad):
        assert contrast(text, theme.paper) >= 4.5
        assert contrast(text, theme.panel) >= 4.5


def test_rivals_never_look_alike() -> None:
    """Two variants of one algorithm differ in colour or shape, with sixty implementations too."""
    for results in (fake.realistic(), fake.many(60)):
        looks = styles(results.results)
        for algorithm in {result.algorithm for result in results.results}:
            variants = {
                variant_of(result.implementation)
                for result in results.results
                if result.algorithm == algorithm
            }
            pairs = {(looks[name].colour, looks[name].shape) for name in variants}
            assert len(pairs) == len(variants)


def test_each_variant_of_a_provider_has_its_own_strokes() -> None:
    """Solid lines and long strokes are our own code; no two lines of a provider are alike."""
    looks = styles(fake.realistic().results)
    ours = [looks[name].dashes for name in ("shani", "shani_x2", "avx2_x8", "portable")]
    assert len(set(ours)) == len(ours)
    assert all(max(dashes) >= 9 or dashes == (1, 0) for dashes in ours)
    assert max(looks["openssl"].dashes[::2]) <= 6
    for strokes in (OWN_DASHES, OUTSIDE_DASHES):
        assert len(set(strokes)) == len(strokes)
        assert math.gcd(len(strokes), len(SHAPES)) == 1


def test_a_provider_has_one_colour_in_every_report() -> None:
    """No two providers share a colour of the palette but its last, which plugins have."""
    looks = styles(fake.realistic().results)
    for result in fake.realistic().results:
        alone = styles([result])[variant_of(result.implementation)]
        assert alone.colour == looks[variant_of(result.implementation)].colour
    first = ["joulemark", "openssl", "ipsec_mb", "libsodium", "nettle", "cryptopp", "python"]
    assert [provider_colour(name) for name in first] == list(range(7))
    last = len(LIGHT.palette) - 1
    assert len(DARK.palette) - 1 == last
    every = {*first, *(provider.name for provider in of_the_package() if provider.package)}
    assert all(map(is_known, every))
    own = [provider_colour(name) for name in every if provider_colour(name) != last]
    assert sorted(own) == list(range(last)), "a colour without a provider, or with two"
    assert not is_known("mine.so")
    assert provider_colour("mine.so") == provider_colour("yours.so") == last
