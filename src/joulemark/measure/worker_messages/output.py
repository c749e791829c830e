# SPDX-License-Identifier: Apache-2.0
"""Outputs of implementations as text, by which the worker and the parent compare them."""

from __future__ import annotations

_LONG_OUTPUT_BYTES = 64


def output_text(output: bytes) -> str:
    """Hexadecimal, or the SHA-256 of an output too long to send (a cipher's)."""
    if len(output) <= _LONG_OUTPUT_BYTES:
        return output.hex()
    return f"sha256:{sha256_text(output)}"


def sha256_text(output: bytes) -> str:
    """The SHA-256 of an output, in hexadecimal digits."""
    import hashlib  # noqa: PLC0415 - loads a library of a megabyte, which few workers need

    return hashlib.sha256(output).hexdigest()
