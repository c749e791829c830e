# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: upper bounds of its cost.

CPU time is compared, not wall clock, so that other programs on the machine change little; and
always with what the same machine takes for something else.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import numpy as np
import pytest

from joulemark import _core
from joulemark.mac import Key

COUNT, MESSAGE_BYTES, ROUNDS = 20_000, 64, 9
MANY, MANY_ROUNDS = 100_000, 30
MOST_OF_C, MOST_OF_A_FORM = 1.15, 1.5
SECRET = bytes(range(32))

pytestmark = pytest.mark.timing


def least_cpu_s(works: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The least CPU time of each of some pieces of work, taken in turn."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            work()
            least[name] = min(least[name], time.process_time() - start)
    return least


class CBatch:
    """`jm_mac_tag_batch` of joulemark/mac.h over messages in one array, all described beforehand.

    The library is the module of `joulemark.mac` itself, so both run the same code.
    """

    def __init__(self, messages: np.ndarray, offsets: np.ndarray, tags: np.ndarray) -> None:
        library = ctypes.CDLL(_core.__file__)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        library.jm_mac_find.restype = pointer
        library.jm_mac_key_new.argtypes = [pointer, ctypes.c_char_p, size, pointer]
        library.jm_mac_tag_batch.argtypes = [pointer, pointer, size]
        self.mac, key = library.jm_mac_find(b"hmac-sha256"), pointer()
        assert library.jm_mac_key_new(self.mac, SECRET, len(SECRET), ctypes.byref(key)) == 0
        self.kept = messages, tags
        rows = np.arange(len(tags), dtype=np.uint64) * np.uint64(tags.strides[0])
        self.described = np.empty((len(tags), 4), np.uint64)  # jm_mac_message of kernel.h
        self.described[:, 0] = key.value
        self.described[:, 1] = messages.ctypes.data + offsets[:-1].astype(np.uint64)
        self.described[:, 2] = np.diff(offsets)
        self.described[:, 3] = tags.ctypes.data + rows
        self.tag_batch = library.jm_mac_tag_batch

    def __call__(self) -> None:
        """Tags all messages in one call."""
        assert self.tag_batch(self.mac, self.described.ctypes.data, len(self.described)) == 0


def test_every_form_of_a_batch_costs_little_more_than_c() -> None:
    """Forms of a batch are held to one call of the C function, whatever lanes this CPU has.

    A list of messages has its tags as as many objects, which Python makes as it makes slices. A
    call for each message costs more than any batch.
    """
    matrix = np.random.default_rng(7).integers(0, 256, (COUNT, MESSAGE_BYTES), np.uint8)
    messages = [row.tobytes() for row in matrix]
    whole, offsets = matrix.tobytes(), np.arange(COUNT + 1) * MESSAGE_BYTES
    key = Key("hmac-sha256", SECRET)
    tags = key.tag_many(matrix)
    c_batch = CBatch(matrix.reshape(-1), offsets, np.zeros_like(tags))
    least = least_cpu_s({
        "C": c_batch,
        "slices": lambda: [message[:32] for message in messages],
        "calls": lambda: [key.tag(message) for message in messages],
        "list": lambda: key.tag_many(messages),
        "offsets": lambda: key.tag_many(whole, offsets),
        "rows": lambda: key.tag_many(matrix),
        "verify": lambda: key.verify_many(matrix, tags),
    })  # fmt: skip
    print({name: f"{1e9 * cpu_s / COUNT:.1f} ns" for name, cpu_s in least.items()})
    assert least["offsets"] < MOST_OF_A_FORM * least["C"], least
    assert least["rows"] < MOST_OF_A_FORM * least["C"], least
    assert least["verify"] < 2 * least["C"], least
    assert least["list"] < MOST_OF_A_FORM * least["C"] + least["slices"], least
    for form in ("list", "offsets", "rows", "verify"):
        assert least[form] < least["calls"], least


def test_an_array_with_offsets_costs_what_c_costs() -> None:
    """100 000 messages of 64 B take at most 1.15 times what one call of the C function takes.

    The C program gets memory for its tags; Python is timed with such memory and without.
    """
    messages = np.random.default_rng(7).integers(0, 256, MANY * MESSAGE_BYTES, np.uint8)
    offsets = np.arange(MANY + 1) * MESSAGE_BYTES
    from_c, from_python = (np.zeros((MANY, 32), np.uint8) for _ in range(2))
    key, c_batch = Key("hmac-sha256", SECRET), CBatch(messages, offsets, from_c)
    least = least_cpu_s({
        "C": c_batch,
        "Python": lambda: key.tag_many(messages, offsets, out=from_python),
        "Python, new tags": lambda: key.tag_many(messages, offsets),
    }, MANY_ROUNDS)  # fmt: skip
    assert np.array_equal(from_c, from_python)
    for form, cpu_s in least.items():
        print(f"{form}: {1e9 * cpu_s / MANY:.1f} ns a message, {cpu_s / least['C']:.3f} of C")
        assert cpu_s < MOST_OF_C * least["C"], least
