# SPDX-License-Identifier: Apache-2.0
"""Outputs of implementations as text, by which the worker and the parent compare them."""

from __future__ import annotations

__all__ = ["output_text"]

_LONG_OUTPUT_BYTES = 64


def output_text(output: bytes) -> str:
    """Hexadecimal, or the SHA-256 of an output too long to send (a cipher's)."""
    if len(output) <= _LONG_OUTPUT_BYTES:
        return output.hex()
    import hashlib  # noqa: PLC0415 - most workers have no such output

    return "sha256:" + hashlib.sha256(output).hexdigest()
