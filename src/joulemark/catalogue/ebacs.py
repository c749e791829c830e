# SPDX-License-Identifier: Apache-2.0
"""Names of algorithms in eBACS (Bernstein and Lange), whose tool is SUPERCOP."""

from __future__ import annotations

from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.catalogue.hmac_over import algorithm_named
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean

__all__ = ["EBACS", "EBACS_KEY_BYTES", "algorithm_called"]

EBACS = "ebacs:"
"""Start of an algorithm's name in eBACS: `ebacs:keccakc512`, `ebacs:crypto_hash/keccakc512`."""
EBACS_KEY_BYTES = 32
"""Length of eBACS's keys for MACs that take keys of any length."""


def algorithm_called(name: str) -> Algorithm:
    """The algorithm with this id, or with this name in eBACS.

    Raises:
        UsageError: no algorithm has the name; the message offers near matches.

    Example:
        >>> algorithm_called("ebacs:keccakc512").id
        'keccak-256'
    """
    if not name.startswith(EBACS):
        return algorithm_named(name)
    primitive = name.removeprefix(EBACS)
    known = {algorithm.ebacs: algorithm for algorithm in algorithms().values() if algorithm.ebacs}
    short = {full.partition("/")[2]: algorithm for full, algorithm in known.items()}
    algorithm = known.get(primitive) or short.get(primitive)
    if algorithm is None:
        raise UsageError(
            f"eBACS's '{primitive}' is no algorithm of the catalogue"
            f"{did_you_mean(primitive, short)} (it has {', '.join(sorted(short))})"
        )
    return algorithm
