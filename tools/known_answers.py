# SPDX-License-Identifier: Apache-2.0
"""Writes `kernels/mac/known_answers_table.h`: the answer of each algorithm, by the references.

Run as `python tools/known_answers.py` after `make setup`; it takes a minute. Keys, messages and
the folding are those of `kernels/mac/known_answers.c`. No kernel computes any of the answers:
readable code does, which shares nothing with the kernels.
"""

from __future__ import annotations

from pathlib import Path

from joulemark import _core
from joulemark.catalogue import every_algorithm
from joulemark.reference import key_zero, reference_output

__all__ = ["TABLE", "key_bytes_of", "known_answer", "main"]

TABLE = Path(__file__).resolve().parent.parent / "kernels/mac/known_answers_table.h"
_LENGTHS = (0, 3, 64, 200, 1100)
_BLOCKS = 8
_FNV_START, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
_HEAD = """\
/* SPDX-License-Identifier: Apache-2.0
 * Written by tools/known_answers.py: do not edit. Known answers of all algorithms, by references
 * that share nothing with the kernels. */
#ifndef JM_KNOWN_ANSWERS_TABLE_H
#define JM_KNOWN_ANSWERS_TABLE_H

#include <stdint.h>

static const struct {
    const char *algorithm;
    uint64_t folded;
} known_answers[] = {
"""


def key_bytes_of() -> dict[str, int]:
    """The algorithms that have a kernel, with the length of key that kernels take by default."""
    return {
        implementation.algorithm: implementation.key_bytes
        for implementation in _core.builtin_plugin().implementations()
    }


def known_answer(algorithm: str, key_bytes: int) -> int:
    """The outputs for all lengths in a row, or of a cipher's blocks, folded by FNV-1a."""
    facts, key = every_algorithm()[algorithm], key_zero(key_bytes)
    message = bytes((13 * i + (i >> 8)) % 256 for i in range(_LENGTHS[-1]))
    parts = [message[:length] for length in _LENGTHS]
    if facts.kind == "cipher":
        size = facts.block_bytes
        parts = [message[at * size : (at + 1) * size] for at in range(_BLOCKS)]
    fold = _FNV_START
    for part in parts:
        for byte in reference_output(algorithm, key, part, block_bytes=facts.block_bytes):
            fold = (fold ^ byte) * _FNV_PRIME % 2**64
    return fold


def main() -> None:
    """Computes all answers and writes the table."""
    rows = [
        f'    {{"{algorithm}", UINT64_C(0x{known_answer(algorithm, key_bytes):016x})}},\n'
        for algorithm, key_bytes in sorted(key_bytes_of().items())
    ]
    TABLE.write_text(_HEAD + "".join(rows) + "};\n\n#endif\n", "utf-8")


if __name__ == "__main__":
    main()
