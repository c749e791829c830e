# SPDX-License-Identifier: Apache-2.0
"""Tags of files and of standard input, streamed, by our own kernels."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from joulemark import _core
from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.catalogue.hmac_over import every_algorithm, names_near, why_no_hmac
from joulemark.errors import KeySourceError, UnavailableError, UsageError
from joulemark.mac_files.keys import KeySource, key_lengths
from joulemark.spelling import did_you_mean

__all__ = [
    "STANDARD_INPUT",
    "Tagger",
    "mac_algorithm",
    "require_readable",
    "tagger",
]

STANDARD_INPUT: Final = "-"
_CHUNK_BYTES: Final = 1 << 20
_TYPED: Final = "joulemark: reading the message from the terminal; Ctrl-D ends it"


def mac_algorithm(name: str) -> Algorithm:
    """The catalogue's facts of a MAC.

    Raises:
        UsageError: the name is unknown, or that of a hash or cipher.
    """
    algorithm = every_algorithm().get(name)
    if algorithm is not None and algorithm.kind == "mac":
        return algorithm
    hint = did_you_mean(name, [mac for mac, facts in algorithms().items() if facts.kind == "mac"])
    if algorithm is not None:
        raise UsageError(f"{name} is a {algorithm.kind}, which makes no tags{hint}")
    hint = why_no_hmac(name) or hint or names_near(name)
    raise UsageError(f"unknown algorithm '{name}'{hint} (joulemark list shows all)")


class Tagger:
    """Makes tags under one key, whose native key state it holds; the state wipes itself."""

    def __init__(
        self,
        state: _core.KeyState,
        algorithm: Algorithm,
        *,
        constant_time: bool | None,
        any_size: bool = False,
    ) -> None:
        self.constant_time = constant_time
        """Of the implementation that makes the tags; False: its time depends on secrets."""
        self._state = state
        self._algorithm = algorithm
        self._same_length = algorithm.one_length and not any_size
        self._length_bytes: int | None = None
        """Length of the first message, where all messages must have one length."""

    def tag(self, path: str) -> bytes:
        """Tag of a file, or of standard input.

        Raises:
            UsageError: the file cannot be read to its end, or differs in length from the file
                before it although the algorithm allows one length alone.
        """
        stream = _core.Stream(self._state)
        length_bytes = 0
        with _open(path) as source:
            try:
                while chunk := source.read(_CHUNK_BYTES):
                    stream.update(chunk)
                    length_bytes += len(chunk)
            except OSError as error:
                raise _unreadable(path, error) from None
        tag = stream.finish()
        if self._same_length:
            self._require_same_length(path, length_bytes)
        return tag

    def _require_same_length(self, path: str, length_bytes: int) -> None:
        if self._length_bytes is None:
            self._length_bytes = length_bytes
        if length_bytes != self._length_bytes:
            raise UsageError(
                f"{path} has {length_bytes} bytes and the file before it {self._length_bytes}, and "
                f"a key of {self._algorithm.id} is for messages of one length: with tags of two "
                "lengths anyone can forge; use cmac-aes128, or force it with --any-size"
            )


@contextmanager
def tagger(algorithm: Algorithm, source: KeySource, *, any_size: bool = False) -> Iterator[Tagger]:
    """Reads and sets up the key for the implementation that `auto` chooses.

    That is the last of ours that this CPU can run and that takes a message in pieces; one that is
    not constant-time only where no other is.

    Args:
        algorithm: a MAC.
        source: the source of the key.
        any_size: whether messages of several sizes are taken although the algorithm is secure for
            one size alone.

    Raises:
        KeySourceError: the key cannot be read or has a length that the algorithm does not take.
        UnavailableError: none of our implementations can be used.
    """
    own = [
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if implementation.algorithm == algorithm.id and not implementation.missing_features
    ]
    own.sort(key=lambda implementation: implementation.constant_time is not False)
    with source.key() as key:
        for implementation in reversed(own):
            _require_length(implementation, len(key), source)
            state = _core.KeyState(implementation, key)
            try:
                _core.Stream(state)
            except ValueError:  # the implementation takes whole messages alone
                state.wipe()
                continue
            break
        else:
            raise UnavailableError(f"none of Joulemark's own implementations of {algorithm.id} "
                                   "can be used for files here")  # fmt: skip
    try:
        yield Tagger(
            state, algorithm, constant_time=implementation.constant_time, any_size=any_size
        )
    finally:
        state.wipe()


def _require_length(implementation: _core.Implementation, length: int, source: KeySource) -> None:
    least, most = implementation.key_bytes_min, implementation.key_bytes_max
    if length < least or (most is not None and length > most):
        raise KeySourceError(
            f"{source.name} holds {length} bytes{' after decoding' if source.hexadecimal else ''}; "
            f"a key of {implementation.algorithm} has {key_lengths(least, most)}"
        )


def require_readable(files: list[str], source: KeySource) -> None:
    """Refuses, before anything is printed, files that cannot be opened.

    Raises:
        UsageError: the message names the first such file.
    """
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) can be read once only")
    if STANDARD_INPUT in files and source.is_standard_input():
        raise UsageError("standard input cannot give both the key and the message")
    for path in files:
        if path != STANDARD_INPUT:
            _require_readable(path)


def _require_readable(path: str) -> None:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a name is used as it was typed
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path} is a folder; name the files in it")
        if stat.S_ISREG(mode):  # to open a pipe just for a look would take its writer away
            open(path, "rb").close()  # noqa: PTH123
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


@contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise UsageError("standard input is closed; name a file")
        if sys.stdin.isatty():
            print(_TYPED, file=sys.stderr)
        yield sys.stdin.buffer
        return
    try:
        stream = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115 - closed below
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    with stream:
        yield stream


def _unreadable(path: str, error: OSError | ValueError) -> UsageError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    name = "standard input" if path == STANDARD_INPUT else path
    return UsageError(f"{name} cannot be read ({reason})")
