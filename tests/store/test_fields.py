# SPDX-License-Identifier: Apache-2.0
"""What is asked of the JSON columns of a run agrees with the records that are written there."""

from __future__ import annotations

from typing import get_type_hints

from joulemark.environment.facts import Environment
from joulemark.store.fields import EnvironmentFields


def test_the_fields_of_an_environment_are_those_of_the_record() -> None:
    """By name and type; each may be null, since older versions knew less."""
    written, asked = get_type_hints(Environment), get_type_hints(EnvironmentFields)
    assert asked.keys() == written.keys()
    for name, kind in written.items():
        assert asked[name] in {kind, kind | None}, name
