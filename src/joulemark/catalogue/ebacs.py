# SPDX-License-Identifier: Apache-2.0
"""What algorithms are called in eBACS (Bernstein and Lange), whose tool is SUPERCOP."""

from __future__ import annotations

from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.catalogue.hmac_over import algorithm_named
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean

__all__ = ["EBACS", "EBACS_KEY_BYTES", "algorithm_called"]

EBACS = "ebacs:"
"""Begins an algorithm's name in eBACS: `ebacs:keccakc512`, `ebacs:crypto_hash/keccakc512`."""
EBACS_KEY_BYTES = 32
"""Keys of its MACs that take keys of any length."""


def algorithm_called(name: str) -> Algorithm:
    """The algorithm of that id, or of that name in eBACS.

    Raises:
        UsageError: no algorithm is called so; the message offers near matches.

    Example:
        >>> algorithm_called("ebacs:keccakc512").id
        'keccak-256'
    """
    if not name.startswith(EBACS):
        return algorithm_named(name)
    asked = name.removeprefix(EBACS)
    known = {
        algorithm.ebacs: algorithm
        for algorithm in algorithms().values()
        if algorithm.ebacs is not None
    }
    short = {primitive.partition("/")[2]: algorithm for primitive, algorithm in known.items()}
    found = known.get(asked) or short.get(asked)
    if found is None:
        raise UsageError(
            f"eBACS's '{asked}' is no algorithm of the catalogue{did_you_mean(asked, short)} "
            f"(it has {', '.join(sorted(short))})"
        )
    return found
