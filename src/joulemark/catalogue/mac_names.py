# SPDX-License-Identifier: Apache-2.0
"""Why a name is no algorithm of `joulemark.mac`; for the native module when it refuses a name."""

from __future__ import annotations

from collections.abc import Collection

from joulemark.catalogue.algorithms import algorithms
from joulemark.spelling import did_you_mean

__all__ = ["unknown_mac"]


def unknown_mac(name: object, known: Collection[str]) -> str:
    """End of the sentence that there is no such algorithm: why a Key has none, or near names.

    Args:
        name: the name that was refused, of any type.
        known: all names of algorithms.

    Example:
        >>> unknown_mac("poly1305", ["hmac-sha256"])
        ': a key of poly1305 is for one message alone, and a Key is for many'
        >>> unknown_mac("HMAC_SHA256", ["hmac-sha256", "hmac-sha1"])
        '; did you mean hmac-sha256?'
    """
    if not isinstance(name, str):
        return ""
    near = did_you_mean(name, known)
    facts = algorithms().get(name)
    if facts is None:
        return near
    if facts.one_time_key:
        return f": a key of {facts.id} is for one message alone, and a Key is for many"
    if facts.one_length:
        return (
            f": a key of {facts.id} is for messages of one length alone, and a Key is for all "
            "lengths; cmac-aes128 is as fast and takes them"
        )
    return near if facts.kind == "mac" else f": it is a {facts.kind}, which makes no tags{near}"
