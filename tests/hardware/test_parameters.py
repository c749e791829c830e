# SPDX-License-Identifier: Apache-2.0
"""Parameters and configurations as they are typed."""

from __future__ import annotations

import pytest

from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, split_core, swept_variants
from joulemark.hardware.manifest import read_core


@pytest.fixture
def core(toy):
    """The toy authenticator."""
    return read_core(toy("toy_mac"))


def test_defaults_are_a_configuration(core):
    """Without options the defaults are chosen, under the name of their configuration."""
    assert chosen_variant(core, None, []) == ("default", {"ROTATE": 5, "WIPE": 0})


def test_a_parameter_replaces_that_of_the_configuration(core):
    """A parameter given apart wins, and the result is no named configuration any more."""
    assert chosen_variant(core, "default", ["WIPE=1"]) == (None, {"ROTATE": 5, "WIPE": 1})


def test_a_sweep_is_every_combination(core):
    """Listed values are combined; without a list all supported values are."""
    assert [entry["WIPE"] for _, entry in swept_variants(core, ["WIPE=1,0"])] == [1, 0]
    assert len(swept_variants(core, [])) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mac", ("mac", None, [])),
        ("mac:small", ("mac", "small", [])),
        ("a/mac.toml:A=1,B=2", ("a/mac.toml", None, ["A=1", "B=2"])),
    ],
)
def test_a_core_is_named_with_its_variant(text, parts):
    """A colon separates the core from a configuration or from parameters."""
    assert split_core(text) == parts


@pytest.mark.parametrize(
    ("configuration", "given", "said"),
    [
        (None, ["WIPES=1"], "no parameter 'WIPES'; it has ROTATE, WIPE"),
        (None, ["WIPE=7"], "WIPE=7 is not supported; give one of 0, 1"),
        (None, ["WIPE"], "write NAME=NUMBER"),
        (None, ["WIPE=x"], "write NAME=NUMBER"),
        (None, ["WIPE=0", "WIPE=1"], "given twice"),
        (None, ["WIPE=0,1"], "one value here"),
        ("defualt", [], "did you mean default?"),
        ("nothing", [], "there is default"),
    ],
)
def test_what_makes_no_sense_is_refused(core, configuration, given, said):
    """The message says which parameter is wrong and which values are supported."""
    with pytest.raises(UsageError, match=r".*") as caught:
        chosen_variant(core, configuration, given)
    assert said in str(caught.value)
