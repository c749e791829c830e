# SPDX-License-Identifier: Apache-2.0
"""The orders in which functions take message, length, output and key.

A stream has three functions, init, update and final, which also take a context. Types are not part
of a signature: the compiler converts lengths of any width and pointers to bytes of any name. A
signature whose types it does not convert does not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.spelling import did_you_mean

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
    "ctx": "jm_context",
}
"""Word of a signature -> the argument in C. Variables have a prefix, since a short name may be that
of a user's macro."""
_LENGTHS: Final = frozenset({"len", "inbits"})
STEPS: Final = ("init", "update", "final")
"""The functions of a stream."""
_OF_STEPS: Final = (
    frozenset({"ctx", "key", "keylen", "outlen", "outbits"}),
    frozenset({"ctx", "in", "len", "inbits"}),
    frozenset({"ctx", "out", "outlen", "outbits"}),
)
"""The words that each function of a stream may take."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function, or of the three functions of a stream, in their order."""

    calls: tuple[tuple[str, ...], ...]
    """The words of each function."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all functions."""
        return tuple(word for words in self.calls for word in words)

    @property
    def is_stream(self) -> bool:
        """Whether it has init, update and final."""
        return len(self.calls) > 1

    @property
    def text(self) -> str:
        """The signature as `--signature` takes it."""
        return "/".join(",".join(words) for words in self.calls)

    def call(
        self, function: str, output_bytes: int, key_length: str = "jm_key_length", place: int = 0
    ) -> str:
        """The call in C, where `jm_in`, `jm_length`, `jm_out` and `jm_key` are variables."""
        arguments = (
            _EXPRESSIONS[word].format(output_bytes=output_bytes, key_length=key_length)
            for word in self.calls[place]
        )
        return f"{function}({', '.join(arguments)})"


def shown_call(function: str, signature: str) -> str:
    """Functions with their arguments, as in "mine(out, in, len)".

    Args:
        function: the name; of a stream the three names, with commas.
        signature: as `Signature.text`.
    """
    pairs = zip(function.split(","), signature.split("/"), strict=False)
    return ", ".join(f"{name}({words.replace(',', ', ')})" for name, words in pairs)


def _known(*texts: str) -> tuple[Signature, ...]:
    return tuple(Signature((tuple(text.split(",")),)) for text in texts)


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
_UPDATES: Final = _known("ctx,in,len", "in,len,ctx", "ctx,len,in", "ctx,in,inbits")
_FINALS: Final = _known("ctx,out", "out,ctx", "ctx,out,outlen", "out,outlen,ctx", "ctx,outlen,out")
KNOWN_STREAMS: Final[dict[Keyed, tuple[tuple[Signature, ...], ...]]] = {
    "hash": (_known("ctx", "ctx,outlen", "ctx,outbits"), _UPDATES, _FINALS),
    "mac": (
        _known(
            "ctx,key",
            "ctx,key,keylen",
            "key,ctx",
            "key,keylen,ctx",
            "ctx,keylen,key",
            "ctx,outlen,key,keylen",  # BLAKE2 with a key
            "ctx,key,keylen,outlen",
        ),
        _UPDATES,
        _FINALS,
    ),
}
"""Signatures of init, update and final that are tried if none is named."""


def parse_signature(text: str, kind: Keyed, *, stream: bool = False) -> Signature:
    """The signature of a text; its words may have any order, not only those of KNOWN."""
    parts = [tuple(word.strip() for word in part.split(",")) for part in text.split("/")]
    shown = f"--signature {shortened(text)}"
    if len(parts) != (len(STEPS) if stream else 1):
        raise UsageError(
            f"{shown}: give the orders of init/update/final with a / between them, as in "
            "ctx,key/ctx,in,len/ctx,out"
            if stream
            else f"{shown}: this is of init/update/final; name all three with --function"
        )
    for place, words in enumerate(parts):
        _require_words(words, STEPS[place] if stream else None, shown)
    signature = Signature(tuple(parts))
    keyed = {"key", "keylen"} & set(signature.words)
    missing = [word for word in ("in", "out") if word not in signature.words]
    if not _LENGTHS & set(signature.words):
        missing.append("len")
    if kind == "mac" and "key" not in signature.words:
        missing.append("key")
    if stream and any("ctx" not in words for words in parts):
        missing.append("ctx")
    if missing:
        raise UsageError(f"{shown}: {' and '.join(missing)} is missing")
    if kind == "hash" and keyed:
        raise UsageError(
            f"{shown}: a hash takes no key; leave out "
            f"{' and '.join(sorted(keyed))}, or name a MAC with --algorithm"
        )
    return signature


def _require_words(words: Sequence[str], step: str | None, shown: str) -> None:
    """Refuses words that a function, or that step of a stream, does not take."""
    known = _EXPRESSIONS.keys() - {"ctx"} if step is None else _OF_STEPS[STEPS.index(step)]
    for word in words:
        if word not in known:
            whose = "" if step is None else f" of {step}"
            raise UsageError(
                f"{shown}: there is no '{shortened(word)}'{whose}{did_you_mean(word, known)}; "
                f"write the arguments in their order, with a comma between them: "
                f"{', '.join(word for word in _EXPRESSIONS if word in known)}"
            )
        if words.count(word) > 1:
            raise UsageError(f"{shown}: '{word}' occurs twice")
