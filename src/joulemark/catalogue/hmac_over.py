# SPDX-License-Identifier: Apache-2.0
"""HMAC over each hash for which the catalogue has no HMAC: `hmac-<hash>`, with derived facts.

Only its name and the pattern of its family match such an algorithm (docs/decisions).
"""

from __future__ import annotations

from functools import cache

from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean

__all__ = [
    "DERIVED_FAMILY",
    "algorithm_named",
    "every_algorithm",
    "hmacs_over_hashes",
    "names_near",
    "why_no_hmac",
]

DERIVED_FAMILY = "hmac-derived"
_PREFIX = "hmac-"
_CITED = "rfc2104"


@cache
def hmacs_over_hashes() -> dict[str, Algorithm]:
    """The derived algorithms by id, in alphabetical order.

    A hash whose block is shorter than its digest has no HMAC: the digest, which stands for a long
    key, would not fit the block (RFC 2104, section 2).
    """
    known = algorithms()
    hashes = [facts for facts in known.values() if facts.kind == "hash"]
    return {
        _PREFIX + digest.id: _hmac_over(digest)
        for digest in hashes
        if _PREFIX + digest.id not in known and digest.block_bytes >= digest.output_bytes
    }


def _hmac_over(digest: Algorithm) -> Algorithm:
    return Algorithm(
        id=_PREFIX + digest.id,
        title=f"HMAC over {digest.title}",
        kind="mac",
        summary=f"HMAC over {digest.title}, made of the hash as it is: to compare hashes as MACs.",
        standard=f"RFC 2104, section 2; {digest.standard}",
        references=[_CITED, *(reference for reference in digest.references if reference != _CITED)],
        status=digest.status,
        status_reason=f"Of its hash, {digest.title}: {digest.status_reason}",
        security_bits=min(2 * digest.security_bits, 8 * digest.output_bytes),
        forgery="one guess in 2^t of a tag of t bits, or in 2^k with a key of k bits if that is "
        "less, as far as its hash is a random function",
        block_bytes=digest.block_bytes,
        output_bytes=digest.output_bytes,
        key_bytes=[digest.output_bytes],
        families=[DERIVED_FAMILY],
        vectors=[],
    )


@cache
def every_algorithm() -> dict[str, Algorithm]:
    """Algorithms of the catalogue and HMAC over its hashes, by id, in alphabetical order."""
    return dict(sorted((algorithms() | hmacs_over_hashes()).items()))


def algorithm_named(name: str) -> Algorithm:
    """The algorithm with this id.

    Raises:
        UsageError: no algorithm has the id; the message has near ids, or says why that hash has no
            HMAC.
    """
    algorithm = every_algorithm().get(name)
    if algorithm is None:
        raise UsageError(f"unknown algorithm '{name}'{names_near(name)} (joulemark list shows all)")
    return algorithm


def names_near(name: str) -> str:
    """End of the sentence that refuses a name: why a hash has no HMAC, or near names."""
    return (
        why_no_hmac(name)
        or did_you_mean(name, algorithms())
        or did_you_mean(name, hmacs_over_hashes())
    )


def why_no_hmac(name: str) -> str:
    """End of the sentence that refuses an undefined `hmac-<hash>`; empty for any other name."""
    digest = algorithms().get(name.removeprefix(_PREFIX))
    if name.startswith(_PREFIX) and digest is not None and digest.kind == "hash":
        return (
            f": HMAC over {digest.id} is not defined, since a block of {digest.block_bytes} bytes "
            f"does not hold a digest of {digest.output_bytes}"
        )
    return ""
