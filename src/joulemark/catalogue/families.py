# SPDX-License-Identifier: Apache-2.0
"""Families of algorithms, which patterns name as `family:NAME` or `family:NAME/VARIANT`."""

from __future__ import annotations

from functools import cache

from joulemark.catalogue.hmac_over import every_algorithm
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean

__all__ = ["FAMILY", "alternatives", "families"]

FAMILY = "family:"
"""Start of a pattern that means every algorithm of a family."""


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The ids of each family's algorithms by the family's name, both in alphabetical order."""
    members: dict[str, list[str]] = {}
    for name, algorithm in every_algorithm().items():
        for family in algorithm.families:
            members.setdefault(family, []).append(name)
    return {family: tuple(members[family]) for family in sorted(members)}


def alternatives(pattern: str) -> list[str]:
    """Globs over implementations; a name that matches any of them matches the pattern.

    Args:
        pattern: an algorithm, an implementation, a glob over either, or a family of algorithms,
            with or without a glob over variants; no twin.

    Raises:
        UsageError: no family has this name; the message offers near matches and lists all.

    Example:
        >>> alternatives("family:shabal/portable")
        ['shabal-256/portable', 'shabal-512/portable']
        >>> alternatives("hmac-*")
        ['hmac-*/*']
    """
    named = pattern.removeprefix(FAMILY)
    algorithm, slash, variant = named.partition("/")
    if named == pattern:
        members: tuple[str, ...] = (algorithm,)
    elif algorithm in families():
        members = families()[algorithm]
    else:
        raise UsageError(
            f"unknown family '{algorithm}'{did_you_mean(algorithm, families())} "
            f"(there are {', '.join(families())})"
        )
    return [f"{member}/{variant if slash else '*'}" for member in members]
