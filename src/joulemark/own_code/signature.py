# SPDX-License-Identifier: Apache-2.0
"""Signatures: the orders in which functions take message, length, output and key.

Types are not part of a signature: the compiler converts lengths of any width and pointers to bytes
of any name. A signature whose types it does not convert does not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.spelling import did_you_mean

__all__ = ["KNOWN", "Keyed", "Signature", "parse_signature"]

Keyed = Literal["hash", "mac"]
"""The kinds of algorithms that `joulemark add` takes: without a key, and with one."""

_EXPRESSIONS: Final = {
    "in": "jm_in",
    "len": "jm_length",
    "inbits": "8 * jm_length",
    "out": "jm_out",
    "outlen": "{output_bytes}",
    "outbits": "8 * {output_bytes}",
    "key": "jm_key",
    "keylen": "{key_length}",
}
"""Word of a signature -> the argument in C. Variables have a prefix, since a short name may be that
of a user's macro."""
_LENGTHS: Final = frozenset({"len", "inbits"})


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function, in their order."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The signature as `--signature` takes it."""
        return ",".join(self.words)

    def call(self, function: str, output_bytes: int, key_length: str = "jm_key_length") -> str:
        """The call in C, where `jm_in`, `jm_length`, `jm_out` and `jm_key` are variables."""
        arguments = (
            _EXPRESSIONS[word].format(output_bytes=output_bytes, key_length=key_length)
            for word in self.words
        )
        return f"{function}({', '.join(arguments)})"


def _known(*texts: str) -> tuple[Signature, ...]:
    return tuple(Signature(tuple(text.split(","))) for text in texts)


KNOWN: Final[dict[Keyed, tuple[Signature, ...]]] = {
    "hash": _known(
        "out,in,len",  # crypto_hash of eBACS
        "in,len,out",
        "in,out,len",
        "out,outlen,in,len",
        "in,len,out,outlen",
        "out,len,in",
        "outbits,in,inbits,out",  # Hash of the SHA-3 competition
    ),
    "mac": _known(
        "out,in,len,key",  # crypto_auth and crypto_onetimeauth of eBACS
        "key,keylen,in,len,out",
        "in,len,key,keylen,out",
        "out,in,len,key,keylen",
        "in,len,key,out",
        "key,in,len,out",
        "out,key,in,len",
        "in,len,out,key",
        "out,key,keylen,in,len",
        "key,keylen,in,len,out,outlen",
        "in,len,key,out,outlen",  # the reference code of SipHash
        "out,outlen,in,len,key,keylen",  # BLAKE2 with a key
        "out,outlen,key,keylen,in,len",
    ),
}
"""Signatures that are tried if none is named; the first that gives right answers is taken."""


def parse_signature(text: str, kind: Keyed) -> Signature:
    """The signature of a text; its words may have any order, not only those of KNOWN.

    Raises:
        UsageError: a word is unknown, occurs twice, or is missing.
    """
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in _EXPRESSIONS:
            raise UsageError(
                f"--signature {shortened(text)}: there is no '{shortened(word)}'"
                f"{did_you_mean(word, _EXPRESSIONS)}; write the arguments in their order, with a "
                f"comma between them: {', '.join(_EXPRESSIONS)}"
            )
        if words.count(word) > 1:
            raise UsageError(f"--signature {shortened(text)}: '{word}' occurs twice")
    keyed = {"key", "keylen"} & set(words)
    missing = [word for word in ("in", "out") if word not in words]
    if not _LENGTHS & set(words):
        missing.append("len")
    if kind == "mac" and "key" not in words:
        missing.append("key")
    if missing:
        raise UsageError(f"--signature {shortened(text)}: {' and '.join(missing)} is missing")
    if kind == "hash" and keyed:
        raise UsageError(
            f"--signature {shortened(text)}: a hash takes no key; leave out "
            f"{' and '.join(sorted(keyed))}, or name a MAC with --algorithm"
        )
    return Signature(words)
