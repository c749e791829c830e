# SPDX-License-Identifier: Apache-2.0
"""Tags of files and of standard input, streamed, by our own kernels."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from joulemark import _core
from joulemark.catalogue import AlgorithmFacts, algorithms, every_algorithm, names_near, why_no_hmac
from joulemark.errors import KeySourceError, UnavailableError, UsageError
from joulemark.foreign import did_you_mean, wait_for_input, waiting_told

# Where a key comes from: a file or an environment variable, never the command line.
#
# Every user of the machine can read a command line (`ps`), and it stays in the shell's history; so
# no option takes key material, and no message repeats any.

_LARGEST_BYTES: Final = 1 << 20
_OTHERS_MAY_READ: Final = stat.S_IRGRP | stat.S_IROTH
_NIBBLES: Final = {ord(sign): int(sign, 16) for sign in "0123456789abcdefABCDEF"}


@dataclass(frozen=True, slots=True)
class KeySource:
    """The source of a key that the user names; exactly one of `file` and `variable` is set."""

    file: str | None
    variable: str | None
    hexadecimal: bool
    warn: Callable[[str], None]
    """Takes a sentence about a key that is doubtful."""

    @property
    def name(self) -> str:
        """The source's name in sentences."""
        return f"key file {self.file}" if self.file is not None else f"variable {self.variable}"

    def is_standard_input(self) -> bool:
        """Whether reading the key uses up standard input, as with `--key-file /dev/stdin`."""
        if self.file is None:
            return False
        try:
            return os.path.samestat(os.stat(self.file), os.fstat(0))  # noqa: PTH116 - as typed
        except (OSError, ValueError):
            return False

    @contextmanager
    def key(self) -> Iterator[bytearray]:
        """Yields the key, and overwrites it with zeros when the context ends.

        That wipes this copy; the native module reads it in place, and its key state and stream
        wipe themselves. A variable remains where Python and the system keep the environment, and
        in text and bytes that Python makes of it, which are freed but cannot be overwritten.
        """
        raw = self._from_file() if self.file is not None else self._from_variable()
        key = raw
        try:
            if self.hexadecimal:
                key = self._decode(raw)
            if not key:
                raise KeySourceError(f"{self.name} is empty; an empty key protects nothing")
            if not self.hexadecimal and self.file is not None:
                self._warn_of_newline(key)
            yield key
        finally:
            for copy in (raw, key):
                copy[:] = bytes(len(copy))

    def _from_variable(self) -> bytearray:
        value = os.environ.get(self.variable or "")
        if value is None:
            raise KeySourceError(
                f"there is no environment variable {self.variable}; "
                "set and export it, or use --key-file"
            )
        return bytearray(os.fsencode(value))

    def _from_file(self) -> bytearray:
        path = self.file or ""
        try:
            # Unbuffered, so that no buffer of Python's own keeps a copy.
            with (
                waiting_told(Path(path)),
                open(path, "rb", buffering=0) as stream,  # noqa: PTH123 - "" is not Path("")
            ):
                mode = os.fstat(stream.fileno()).st_mode
                if stat.S_ISREG(mode) and mode & _OTHERS_MAY_READ:
                    self.warn(
                        f"other users may read {self.name} "
                        f"(mode {stat.S_IMODE(mode):04o}); chmod 600 would mend it"
                    )
                return self._read(stream)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise KeySourceError(f"{self.name} cannot be read ({reason})") from None

    def _read(self, stream: Any) -> bytearray:
        buffer = bytearray(_LARGEST_BYTES + 1)
        filled = 0
        with memoryview(buffer) as view:
            while filled < len(buffer) and (count := stream.readinto(view[filled:])) != 0:
                if count is None:
                    wait_for_input(stream)
                else:
                    filled += count
        key = bytearray(min(filled, _LARGEST_BYTES))
        for at in range(len(key)):  # byte by byte: a copy at once stays in vector registers
            key[at] = buffer[at]
        buffer[:] = bytes(len(buffer))
        if filled > _LARGEST_BYTES:
            key[:] = bytes(len(key))
            raise KeySourceError(f"{self.name} holds more than 1 MiB; that is not a key")
        return key

    def _decode(self, text: bytearray) -> bytearray:
        digits = sum(not chr(sign).isspace() for sign in text)
        if digits % 2:
            raise KeySourceError(f"{self.name} holds an odd number of hexadecimal digits")
        key = bytearray(digits // 2)  # at full length: an array that grows leaves copies behind
        at = 0
        try:
            for sign in text:
                if not chr(sign).isspace():
                    key[at // 2] = key[at // 2] << 4 | _NIBBLES[sign]
                    at += 1
        except KeyError:
            key[:] = bytes(len(key))
            raise KeySourceError(
                f"{self.name} does not hold hexadecimal digits alone, as --key-hex says it does"
            ) from None
        return key

    def _warn_of_newline(self, key: bytearray) -> None:
        """Warns of text with a newline at its end, which `echo` or an editor most likely wrote."""
        if key.endswith(b"\n") and all(32 <= sign < 127 or sign in b"\r\n\t" for sign in key):
            self.warn(f"{self.name} is text and its last newline counts as part of the key")


def key_source(
    file: str | None, variable: str | None, *, hexadecimal: bool, warn: Callable[[str], None]
) -> KeySource:
    """The source that the options name."""
    if (file is None) == (variable is None):
        raise UsageError(
            "give the key by --key-file or by --key-env"
            + ("" if file is None else ", not by both")
            + "; it is never read from the command line"
        )
    return KeySource(file, variable, hexadecimal, warn)


def key_lengths(least: int, most: int | None) -> str:
    """Key lengths that an implementation takes, as in "16 bytes" or "any length"."""
    if least == most:
        return f"{least} bytes"
    if most is None:
        return f"at least {least} bytes" if least else "any length"
    return f"{least} to {most} bytes"


STANDARD_INPUT: Final = "-"
_CHUNK_BYTES: Final = 1 << 20
_TYPED: Final = "joulemark: reading the message from the terminal; Ctrl-D ends it"


def mac_algorithm(name: str) -> AlgorithmFacts:
    """The catalogue's facts of a MAC that takes a key and a message, and no nonce.

    A nonce is another input of each tag: a check without it would refuse right tags, and take those
    of whatever nonce stood in its place.
    """
    algorithm = every_algorithm().get(name)
    if algorithm is not None and algorithm.nonce_bytes:
        raise UsageError(
            f"{name} needs another nonce for each message, which this command does not take; "
            "choose an algorithm without nonces, as hmac-sha256, or use joulemark.mac.Key in Python"
        )
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
        algorithm: AlgorithmFacts,
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
        """Tag of a file, or of standard input."""
        stream = _core.Stream(self._state)
        length_bytes = 0
        for chunk in _chunks(path):
            stream.update(chunk)
            length_bytes += len(chunk)
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
def tagger(
    algorithm: AlgorithmFacts, source: KeySource, *, any_size: bool = False
) -> Iterator[Tagger]:
    """Reads and sets up the key for the implementation that `auto` chooses.

    That is the last of ours that this CPU can run and that takes a message in pieces; one that is
    not constant-time only where no other is.

    Args:
        algorithm: a MAC.
        source: the source of the key.
        any_size: whether messages of several sizes are taken although the algorithm is secure for
            one size alone.
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
            raise UnavailableError(
                f"none of Joulemark's own implementations of {algorithm.id} "
                "can be used for files here"
            )
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


def require_readable(files: list[str], source: KeySource, tag_file: str | None = None) -> None:
    """Refuses, before anything is read, files that cannot be opened and inputs with two uses."""
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) can be read once only")
    if STANDARD_INPUT in files and source.is_standard_input():
        raise UsageError("standard input cannot give both the key and the message")
    for path in files:
        if path != STANDARD_INPUT:
            _require_readable(path)
    seen: dict[tuple[int, int], tuple[str, str]] = {}
    uses = [(source.file, "key"), (tag_file, "tag"), *((path, "message") for path in files)]
    for name, use in uses:
        pipe = None if name is None else _pipe_of(name)
        if name is None or pipe is None:
            continue
        if pipe in seen:
            first, first_use = seen[pipe]
            raise UsageError(
                f"{first} and {name} are one input, which can be read once only"
                + ("" if first_use == use else f", for the {first_use} or for the {use}")
            )
        seen[pipe] = (name, use)


_MEMORY_DEVICES: Final = 1
"""Major number of /dev/null, /dev/zero and the like, which any number of readers may read."""


def _pipe_of(path: str) -> tuple[int, int] | None:
    """Device and number of a pipe, socket or terminal; None for a file that can be read again."""
    try:
        found = os.fstat(0) if path == STANDARD_INPUT else os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    once = stat.S_ISFIFO(found.st_mode) or stat.S_ISSOCK(found.st_mode)
    if stat.S_ISCHR(found.st_mode):
        once = os.major(found.st_rdev) != _MEMORY_DEVICES
    return (found.st_dev, found.st_ino) if once else None


def _require_readable(path: str) -> None:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a name is used as it was typed
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path} is a folder; name the files in it")
        if stat.S_ISREG(mode):  # to open a pipe just for a look would take its writer away
            open(path, "rb").close()  # noqa: PTH123
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _chunks(path: str) -> Iterator[bytes]:
    """The message, and a word after a second in which no program has written to a named pipe."""
    with ExitStack() as waiting:
        waiting.enter_context(waiting_told(Path(path)))
        with _open(path) as source:
            try:
                while (chunk := source.read(_CHUNK_BYTES)) != b"":
                    waiting.close()
                    if chunk is None:
                        wait_for_input(source)
                    else:
                        yield chunk
            except OSError as error:
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
