# SPDX-License-Identifier: Apache-2.0
"""Code of a user: compiled into a plugin within limits, checked, then kept or refused.

Here are a user's files, read once and named as the user named them, and the orders in which
functions take message, length, output and key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened

# A user's files that are to be compiled, read once and named as the user named them.

CXX: Final = frozenset({".cpp", ".cc", ".cxx", ".C", ".c++"})
"""Endings of the names of files in C++."""
COMPILED: Final = frozenset({".c", ".S", ".s"}) | CXX
"""Endings of the names of files that are compiled."""
_BUILT: Final = (".o", ".a")
"""Code that was compiled before: objects, then archives, in which a linker looks for what the
objects need."""
_SHARED_NAME: Final = re.compile(r"\.so(\.[0-9]+)*$")
_DECLARING: Final = frozenset({".c", ".h"})
_CXX_HEADERS: Final = frozenset({".hpp", ".hh", ".hxx", ".h++"})
_IDENTIFIER: Final = re.compile(rb"\b[A-Za-z_]\w*(?=\s*\()")
_MOST_BYTES: Final = 64 << 20
"""Largest source; a file that grows without end is not read without end."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that is compiled or linked, or that declares what is called."""

    given: str
    """The user's name for it."""
    path: Path
    """Absolute path; a link keeps its name, whose ending tells a compiler the language."""

    @property
    def is_compiled(self) -> bool:
        """Whether it is code, not a header."""
        return self.path.suffix in COMPILED

    @property
    def is_cxx(self) -> bool:
        """Whether a compiler of C++ is needed."""
        return self.path.suffix in CXX

    @property
    def is_built(self) -> bool:
        """Whether it was compiled before, and becomes a part of the plugin."""
        return self.path.suffix in _BUILT

    @property
    def is_shared(self) -> bool:
        """Whether it is a shared library, of which a copy lies beside the plugin."""
        return bool(_SHARED_NAME.search(self.path.name))

    @property
    def has_code(self) -> bool:
        """Whether it is compiled or linked, and is not a header alone."""
        return self.is_compiled or self.is_built or self.is_shared

    @property
    def declares(self) -> bool:
        """Whether C can include it, to see the declaration of a function."""
        return self.path.suffix in _DECLARING


@dataclass(frozen=True, slots=True)
class Code:
    """Files that are compiled into one plugin."""

    files: tuple[SourceFile, ...]
    include_folders: tuple[Path, ...]
    """Absolute paths of folders with headers."""
    function: str
    """The name of the function in C; of a stream those of init, update and final, with commas."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names, one by one."""
        return tuple(self.function.split(","))

    @property
    def has_cxx(self) -> bool:
        """Whether some of it is C++, whose compiler then links."""
        return any(file.is_cxx for file in self.files)

    @property
    def built(self) -> list[Path]:
        """Objects and archives, in the order in which a linker wants them."""
        found = [file.path for file in self.files if file.is_built]
        return sorted(found, key=lambda path: _BUILT.index(path.suffix))

    @property
    def shared(self) -> list[Path]:
        """Shared libraries."""
        return [file.path for file in self.files if file.is_shared]

    @property
    def include_flags(self) -> tuple[str, ...]:
        """The folders of headers as flags of a compiler."""
        return tuple(f"-I{folder}" for folder in self.include_folders)

    @property
    def shown_names(self) -> list[tuple[str, str]]:
        """Path of each file, and the user's name for it."""
        return [(str(file.path), file.given) for file in self.files]

    @property
    def file_names(self) -> str:
        """The user's names for the files, in one line."""
        return ", ".join(file.given for file in self.files)


def is_machine_code(name: str) -> bool:
    """Whether a file of this name is linked as its own build made it."""
    file = SourceFile(name, Path(name))
    return file.is_built or file.is_shared


def source_files(given: Sequence[str], folder: Path | None = None) -> tuple[SourceFile, ...]:
    """The files of these names, in that folder or in ours; their endings say what they are."""
    found: list[SourceFile] = []
    for name in given:
        path, shown = (folder or Path()) / name, shortened(name, 200)
        if path.is_dir():
            raise UsageError(f"{shown} is a folder; name the files in it that belong together")
        if not path.is_file():
            raise UsageError(f"{shown}: there is no such file")
        if path.suffix in _CXX_HEADERS:
            raise UsageError(
                f"{shown} is a header of C++, and the function is called from C: declare it in a "
                'header (.h) as extern "C", between #ifdef __cplusplus and #endif'
            )
        source = SourceFile(name, path.absolute())
        if not (source.has_code or source.declares):
            raise UsageError(
                f"{shown}: only C (.c, .h), C++ (.cpp, .cc, .cxx), assembler (.S, .s) and compiled "
                "code (.o, .a, .so) are taken"
            )
        if "\n" in str(path.absolute()):
            raise UsageError(f"{shown}: rename it; a line of a compiler ends in the name")
        if not any(path.samefile(before.path) for before in found):
            found.append(source)
    if not any(source.has_code for source in found):
        raise UsageError("name a file to compile or to link: headers alone have no code")
    if not any(source.declares for source in found):
        raise UsageError(
            "name a C file or a header (.h) as well, in which the function is declared: C++, "
            "assembler and compiled code do not say which arguments C has to give"
        )
    return tuple(found)


def folders_of(given: Sequence[str]) -> tuple[Path, ...]:
    """The absolute paths of folders with headers."""
    for name in given:
        if not Path(name).is_dir():
            raise UsageError(f"--include {shortened(name, 200)}: there is no such folder")
    return tuple(Path(name).resolve() for name in given)


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{path} is larger than {_MOST_BYTES >> 20} MiB, and no source")
    return hashlib.sha256(content).hexdigest()


def identifiers_in(files: Iterable[SourceFile]) -> set[str]:
    """Names before an opening bracket in the files: functions that may have been meant."""
    names: set[bytes] = set()
    for source in files:
        with suppress(OSError), source.path.open("rb") as file:
            names.update(_IDENTIFIER.findall(file.read(_MOST_BYTES)))
    return {name.decode("ascii", "replace") for name in names}


# The orders in which functions take message, length, output and key.
#
# A stream has three functions, init, update and final, which also take a context. Types are not
# part of a signature: the compiler converts lengths of any width and pointers to bytes of any name.
# A signature whose types it does not convert does not fit.

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
