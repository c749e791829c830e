# SPDX-License-Identifier: Apache-2.0
"""Reads parameters from a command line: `STAGES=4`, `STAGES=1,2,4`, `core:fast`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.spelling import did_you_mean

Variant = tuple[str | None, dict[str, int]]
"""All parameters of a core, after the name of the configuration that has them, or None."""


def chosen_variant(core: Core, configuration: str | None, given: Sequence[str]) -> Variant:
    """A named configuration with some parameters given apart, the rest at their defaults."""
    values = dict(_configured(core, configuration))
    for name, numbers in _assignments(given).items():
        if len(numbers) != 1:
            raise UsageError(f"--param {name}: one value here; several are for 'core sweep'")
        values[name] = numbers[0]
    return _variant(core, core.chosen(values))


def swept_variants(core: Core, given: Sequence[str]) -> list[Variant]:
    """Every combination of listed values; parameters that are not listed are at their defaults.

    Values that do not go together are left out, unless nothing else is left.
    """
    lists = _assignments(given)
    if not lists:
        lists = {name: list(parameter.values) for name, parameter in core.parameters.items()}
    defaults = {name: parameter.default for name, parameter in core.parameters.items()}
    combinations = [
        dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())
    ]
    fitting = [
        values
        for values in combinations
        if not any(bad.covers({**defaults, **values}) for bad in core.excluded)
    ]
    return [_variant(core, core.chosen(values)) for values in fitting or combinations]


def split_core(text: str) -> tuple[str, str | None, list[str]]:
    """`NAME`, `NAME:CONFIGURATION` or `NAME:STAGES=4,ROUNDS=1` as name, configuration, values."""
    name, separator, rest = text.partition(":")
    if not separator:
        return name, None, []
    return (name, None, rest.split(",")) if "=" in rest else (name, rest, [])


def text_of(parameters: Mapping[str, int]) -> str:
    """Parameters in one line."""
    return " ".join(f"{name}={value}" for name, value in parameters.items()) or "no parameters"


def _variant(core: Core, parameters: dict[str, int]) -> Variant:
    return core.configuration(parameters), parameters


def _configured(core: Core, configuration: str | None) -> Mapping[str, int]:
    if configuration is None:
        return {}
    chosen = core.configurations.get(configuration)
    if chosen is None:
        there = ", ".join(core.configurations) or "none"
        hint = did_you_mean(configuration, core.configurations) or f"; there is {there}"
        raise UsageError(f"{core.name} has no configuration '{configuration}'{hint}")
    return chosen.parameters


def _assignments(given: Sequence[str]) -> dict[str, list[int]]:
    assignments: dict[str, list[int]] = {}
    for text in given:
        name, separator, values = text.partition("=")
        try:
            numbers = [int(word, 0) for word in values.split(",")]
        except ValueError:
            numbers = []
        if not separator or not name or not numbers:
            raise UsageError(f"--param {text}: write NAME=NUMBER, as STAGES=4")
        if name in assignments:
            raise UsageError(f"--param {name} is given twice")
        assignments[name] = list(dict.fromkeys(numbers))
    return assignments
