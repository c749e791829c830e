# SPDX-License-Identifier: Apache-2.0
"""HMAC over each hash of the catalogue that has none there: `hmac-<hash>`, its facts derived.

Such an algorithm is found by its name and in its family, and by no other pattern (docs/decisions).
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
    """By id, in alphabetical order, without those that have a file in the catalogue.

    A hash whose block is shorter than its digest has no HMAC: the digest, which stands for a long
    key, would not fit the block (RFC 2104, section 2).
    """
    known = algorithms()
    return {
        _PREFIX + name: _hmac_over(facts)
        for name, facts in known.items()
        if facts.kind == "hash" and _PREFIX + name not in known and _has_hmac(facts)
    }


def _has_hmac(digest: Algorithm) -> bool:
    return digest.block_bytes >= digest.output_bytes


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
    """Those of the catalogue and HMAC over its hashes, by id, in alphabetical order."""
    found = algorithms() | hmacs_over_hashes()
    return {name: found[name] for name in sorted(found)}


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that id.

    Raises:
        UsageError: there is none; the message has the names that are near, or says why that hash
            has no HMAC.
    """
    found = every_algorithm().get(name)
    if found is None:
        raise UsageError(f"unknown algorithm '{name}'{names_near(name)} (joulemark list shows all)")
    return found


def names_near(name: str) -> str:
    """End of a sentence that refuses a name: why a hash has no HMAC, or what was perhaps meant."""
    return (
        why_no_hmac(name)
        or did_you_mean(name, algorithms())
        or did_you_mean(name, hmacs_over_hashes())
    )


def why_no_hmac(name: str) -> str:
    """The same of an `hmac-<hash>` that is not defined; empty for any other name."""
    digest = algorithms().get(name.removeprefix(_PREFIX))
    if name.startswith(_PREFIX) and digest is not None and digest.kind == "hash":
        return (
            f": HMAC over {digest.id} is not defined, since a block of {digest.block_bytes} bytes "
            f"does not hold a digest of {digest.output_bytes}"
        )
    return ""
