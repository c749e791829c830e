# SPDX-License-Identifier: Apache-2.0
"""Message authentication from Python: one message, a stream, or many in one call.

    >>> from joulemark.mac import Key
    >>> with Key("hmac-sha256", bytes(32)) as key:
    ...     tag = key.tag(b"message")
    ...     key.verify(b"message", tag)
    True

Many messages in one call cost a fraction of as many calls: `Key.tag_many` and `Key.verify_many` are
for one key, `tag_many` and `verify_many` for a key of each message. They take three forms:

    a sequence of buffers         [b"first", b"second"]: bytes, bytearray, memoryview, arrays
    one buffer and offsets        message i is buffer[offsets[i]:offsets[i + 1]], as in Arrow
    a two-dimensional array       of uint8: messages of equal length, one in each row

Rules for everything here:
    - A buffer is any object with contiguous memory (of an array in two dimensions: each row). It
      is read where it is, never copied, and cannot be resized during a call. If another thread
      writes to it during a call, the tags are wrong.
    - Batches, and single messages of 2 KiB or more, are computed without Python's global lock.
    - Any number of threads may use one key at once. A stream belongs to one thread at a time.
    - Time depends on lengths and counts, not on keys, messages or tags: no branch and no address
      follows from them. The exceptions look bytes up in tables, so that whoever shares the cache
      learns about keys and messages: cmac-twofish128 and hmac-whirlpool. A Key of either needs
      `variable_time=True`.
    - A key is read where it is and copied into one place alone, which `Key.close` overwrites.
      No part of it is left on the stack or in registers (docs/decisions/0017). Your own copy is
      yours to erase: a bytearray can be overwritten once the Key is made; `bytes` and `str` cannot,
      and stay in memory until Python uses it again. So does every tag that was returned.
    - An algorithm with nonces (AEGIS, GMAC, Poly1305-AES, UMAC and VMAC: their names begin with
      aegismac-, gmac-, poly1305-aes, umac- and vmac-; `algorithms` does not list them) needs
      another nonce for each message: `Key.tag(message, nonce=...)`. A Key refuses a nonce that it
      has tagged with, and one of a length that the algorithm does not take, since some algorithms
      complete short nonces with zeros. It remembers its nonces, about 100 bytes each, and knows
      none that another Key or process used.
    - A wrong type is a TypeError and a wrong value a ValueError, each in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from joulemark._core import MacKey, MacStream, mac_algorithms, mac_tag_many, mac_verify_many

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Algorithm", "Key", "Stream", "algorithms", "tag_many", "verify_many"]

Bytes: TypeAlias = "Buffer | npt.NDArray[Any]"
Messages: TypeAlias = "Sequence[Bytes] | Bytes"
Integers: TypeAlias = "npt.NDArray[np.integer] | Sequence[int]"

_Item = TypeVar("_Item")

Stream = MacStream


class Algorithm(NamedTuple):
    """Facts of an algorithm; lengths in bytes."""

    name: str
    tag_bytes: int
    tag_bytes_min: int
    """The shortest truncated tag that is accepted."""
    key_bytes: int
    """The recommended length."""
    key_bytes_min: int
    key_bytes_max: int | None
    """None: there is no longest key."""
    constant_time: bool
    """False: time depends on the key and the message; a Key needs `variable_time=True`."""


def algorithms() -> dict[str, Algorithm]:
    """Every algorithm by its name.

    Example:
        >>> algorithms()["hmac-sha256"].tag_bytes
        32
    """
    return {facts[0]: Algorithm(*facts) for facts in mac_algorithms()}


class Key(MacKey):
    """A key made ready for one algorithm, kept in memory that is erased.

    `close`, the end of a `with` block, and Python's garbage collection erase it. They do not erase
    the buffer that it was made from: give a bytearray and overwrite it, if that matters.

    Args:
        algorithm: one of `algorithms`.
        key: the secret: bytes or any other contiguous buffer.
        variable_time: whether an algorithm is taken whose time depends on the key and the message.

    Raises:
        ValueError: there is no algorithm of this name, and the text offers near names; or the
            algorithm does not take a key of this length, and the text names the lengths taken; or
            it is not constant-time, and `variable_time` is not True.

    Example:
        >>> key = Key("hmac-sha256", b"Jefe")
        >>> key.algorithm, key.tag_bytes
        ('hmac-sha256', 32)
    """

    __slots__ = ()

    def tag_many(
        self,
        messages: Messages,
        offsets: Integers | None = None,
        *,
        out: npt.NDArray[np.uint8] | None = None,
    ) -> npt.NDArray[np.uint8]:
        """The whole tags of many messages.

        Args:
            messages: in one of the three forms above.
            offsets: n + 1 ascending boundaries of n messages in one buffer. The first need not be
                0, nor the last the buffer's end. 64-bit integers are read where they are, other
                integers are copied.
            out: array for the tags: writable uint8 of shape (n, tag_bytes), contiguous in each row,
                apart from the messages. After an error its contents are unspecified.

        Returns:
            `out`, or a new array: row i is the tag of message i.

        Example:
            >>> key = Key("cmac-aes128", bytes(16))
            >>> tags = key.tag_many([b"first", b"second"])
            >>> tags.shape
            (2, 16)
            >>> same = key.tag_many(b"firstsecond", offsets=np.array([0, 5, 11]))
            >>> np.array_equal(tags, same)
            True
        """
        return _tag_many(self, None, messages, offsets, out)

    def verify_many(
        self,
        messages: Messages,
        tags: Messages,
        offsets: Integers | None = None,
        *,
        tag_bytes: int | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Which of many messages are authentic.

        Args:
            messages: in one of the three forms above.
            tags: a sequence of buffers (a tag of a wrong length is not authentic), or uint8 of
                shape (n, tag_bytes).
            offsets: as for `tag_many`.
            tag_bytes: length to which tags have been truncated; None for whole tags.

        Returns:
            A new array: item i is True if item i of `tags` is the tag of message i.

        Example:
            >>> key = Key("hmac-sha1", bytes(20))
            >>> tags = key.tag_many([b"first", b"second"])
            >>> key.verify_many([b"first", b"forged"], tags).tolist()
            [True, False]
        """
        return _verify_many(self, None, messages, tags, offsets, tag_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Key holds a secret: it is neither copied nor pickled")

    def __repr__(self) -> str:
        return f"<Key {self.algorithm}{' closed' if self.closed else ''}>"


def tag_many(
    keys: Sequence[MacKey],
    messages: Messages,
    offsets: Integers | None = None,
    *,
    index: Integers | None = None,
    out: npt.NDArray[np.uint8] | None = None,
) -> npt.NDArray[np.uint8]:
    """The whole tags of many messages, each with its own key.

    Args:
        keys: keys of one algorithm: one for each message, which may repeat, or with `index` any
            number. Keys that no message uses are ignored.
        messages: as for `Key.tag_many`.
        offsets: as for `Key.tag_many`.
        index: n integers: message i has the key keys[index[i]].
        out: as for `Key.tag_many`.

    Returns:
        As for `Key.tag_many`; of shape (0, 0) where there are neither keys nor messages.

    Example:
        >>> sessions = [Key("hmac-sha256", bytes([n] * 32)) for n in range(3)]
        >>> tags = tag_many(sessions, [b"to 2", b"to 0"], index=[2, 0])
        >>> bytes(tags[0]) == sessions[2].tag(b"to 2")
        True
    """
    return _tag_many(_as_list(keys, "keys"), index, messages, offsets, out)


def verify_many(
    keys: Sequence[MacKey],
    messages: Messages,
    tags: Messages,
    offsets: Integers | None = None,
    *,
    index: Integers | None = None,
    tag_bytes: int | None = None,
) -> npt.NDArray[np.bool_]:
    """Which of many messages, each with its own key, are authentic.

    Args:
        keys: as for `tag_many`.
        messages: as for `Key.verify_many`.
        tags: as for `Key.verify_many`.
        offsets: as for `Key.verify_many`.
        index: as for `tag_many`.
        tag_bytes: as for `Key.verify_many`.

    Returns:
        As for `Key.verify_many`.

    Example:
        >>> ours, theirs = Key("hmac-sha256", b"ours"), Key("hmac-sha256", b"theirs")
        >>> tags = [ours.tag(b"first"), ours.tag(b"second")]
        >>> verify_many([ours, theirs], [b"first", b"second"], tags).tolist()
        [True, False]
    """
    return _verify_many(_as_list(keys, "keys"), index, messages, tags, offsets, tag_bytes)


def _as_list(items: Iterable[_Item], name: str) -> Sequence[_Item]:
    """A list or tuple as it is, and any other iterable as a list."""
    if isinstance(items, list | tuple):
        return items
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise TypeError(f"{name} is a '{type(items).__name__}' object, not a sequence")
    return list(items)


def _counted(items: Messages, name: str) -> tuple[Messages, int]:
    """A buffer as it is, or a list or tuple; and its number of rows or items."""
    if not isinstance(items, list | tuple):
        try:
            view = memoryview(items)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            return items, view.shape[0] if view.shape else 0
        items = _as_list(items, name)  # type: ignore[arg-type]
    return items, len(items)


def _words(integers: Integers | None, name: str) -> npt.NDArray[np.int64 | np.uint64] | None:
    """Integers as 64-bit words in contiguous memory, copied only if they are not that already."""
    if integers is None:
        return None
    array = np.asarray(integers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(
            f"{name} must be integers in one dimension, not {array.dtype} in {array.ndim}"
        )
    return np.require(array, np.uint64 if array.dtype.kind == "u" else np.int64, ["C", "A"])


def _tag_many(
    keys: MacKey | Sequence[MacKey],
    index: Integers | None,
    messages: Messages,
    offsets: Integers | None,
    out: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[np.uint8]:
    boundaries, choice = _words(offsets, "offsets"), _words(index, "index")
    messages, count = _counted(messages, "messages")
    if out is None:
        mac_key = keys if isinstance(keys, MacKey) else next(iter(keys), None)
        rows = count if boundaries is None else max(boundaries.size - 1, 0)
        out = np.empty((rows, mac_key.tag_bytes if isinstance(mac_key, MacKey) else 0), np.uint8)
    mac_tag_many(keys, choice, messages, boundaries, out)
    return out


def _verify_many(
    keys: MacKey | Sequence[MacKey],
    index: Integers | None,
    messages: Messages,
    tags: Messages,
    offsets: Integers | None,
    tag_bytes: int | None,
) -> npt.NDArray[np.bool_]:
    boundaries, choice = _words(offsets, "offsets"), _words(index, "index")
    messages, count = _counted(messages, "messages")
    rows = count if boundaries is None else max(boundaries.size - 1, 0)
    authentic = np.zeros(rows, np.bool_)
    expected, _ = _counted(tags, "tags")
    mac_verify_many(keys, choice, messages, boundaries, expected, tag_bytes, authentic)
    return authentic
