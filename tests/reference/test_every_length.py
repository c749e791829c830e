# SPDX-License-Identifier: Apache-2.0
"""The kept digests are what the readable references compute, and a wrong kernel would show."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest

from joulemark import _core
from joulemark.catalogue import hmacs_over_hashes
from joulemark.reference import KEPT, compute_every_length, every_length_digest, key_zero

QUICK = ("aes128", "aes192", "aes256", "poly1305", "shacal1", "shacal2")


def key_bytes_of(repository: Path) -> dict[str, int]:
    """The algorithms whose digests are kept, and the lengths of their keys."""
    path = repository / "tools" / "every_length.py"
    spec = importlib.util.spec_from_file_location("every_length_tool", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    found: dict[str, int] = tool.KEY_BYTES
    return found


def assert_kept(algorithm: str, repository: Path) -> None:
    """The kept digest is the one computed now."""
    key_bytes = key_bytes_of(repository)[algorithm]
    made = compute_every_length(algorithm, key_bytes, _core.EVERY_LENGTH, _core.message)
    assert json.loads(KEPT.read_text())[algorithm] == made


@pytest.mark.parametrize("algorithm", QUICK)
def test_quick_ones_are_current(algorithm: str, repository: Path) -> None:
    """Digests of the quick algorithms, which take a second, are current."""
    assert_kept(algorithm, repository)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
def test_all_are_current(repository: Path) -> None:
    """Digests of all algorithms are current, which takes some minutes."""
    kept = json.loads(KEPT.read_text())
    assert kept.keys() == key_bytes_of(repository).keys()
    for algorithm in kept.keys() - set(QUICK):
        assert_kept(algorithm, repository)


@pytest.mark.parametrize(
    "kernel",
    [
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if implementation.variant == "portable"
        and implementation.algorithm not in hmacs_over_hashes()
    ],
    ids=lambda entry: entry.algorithm,
)
def test_portable_kernels_give_every_output(kernel: _core.Implementation) -> None:
    """All outputs are those of the digest; an output lies where its length says."""
    digest = every_length_digest(
        kernel.algorithm, kernel.key_bytes, _core.EVERY_LENGTH, _core.message
    )
    assert digest is not None
    outputs = _core.every_output(kernel)
    assert hashlib.sha256(outputs).hexdigest() == digest
    block = kernel.block_bytes
    whole = 4200 // block * block
    assert len(outputs) == (whole if kernel.kind == "cipher" else 4201 * kernel.output_bytes)
    at = block if kernel.kind == "cipher" else 1000 * kernel.output_bytes
    message = _core.message(2 * block if kernel.kind == "cipher" else 1000)
    if kernel.kind == "hash":
        assert outputs[at : at + kernel.output_bytes] == kernel.digest(message)
    elif kernel.kind == "mac":
        state = _core.KeyState(kernel, key_zero(kernel.key_bytes))
        assert outputs[at : at + kernel.output_bytes] == state.tag(message)
    else:
        assert (
            outputs[at : at + block] == kernel.encrypt(key_zero(kernel.key_bytes), message)[block:]
        )
