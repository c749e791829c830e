# SPDX-License-Identifier: Apache-2.0
"""The sources of an implementation for firmware."""

from __future__ import annotations

from joulemark.catalogue import algorithms
from joulemark.firmware.build import every_implementation


def test_family_of_the_issue_is_there() -> None:
    """Every algorithm that is sensible on a small machine has portable code."""
    family = (
        "hmac-sha1 hmac-sha256 cmac-aes128 cbc-mac-aes128 xcbc-aes128 siphash-2-4 halfsiphash-2-4 "
        "chaskey-8 chaskey-12 ascon-mac poly1305 blake2s-mac shacal1 sha1 sha256 aes128"
    )
    assert {f"{name}/portable" for name in family.split()} <= every_implementation().keys()


def test_files_are_there_and_none_is_of_x86() -> None:
    """All files exist; variants that use instructions of x86 are left out of firmware."""
    found = every_implementation()
    assert all(path.is_file() for kernel_sources in found.values() for path in kernel_sources.files)
    assert {kernel_sources.algorithm for kernel_sources in found.values()} <= algorithms().keys()
    x86 = ("aesni", "avx", "bmi", "shani", "pclmul", "vaes", "gfni", "ssse3")
    assert not [name for name in found if any(word in name for word in x86)]
    assert not [name for name in found if name.endswith("/table")]


def test_symbol_is_the_constant_of_the_kernel() -> None:
    """One of the files defines the symbol, as text or by a macro that joins name and variant."""
    kernel_sources = every_implementation()["hmac-sha256/portable"]
    assert kernel_sources.symbol == "jm_hmac_sha256_portable"
    assert kernel_sources.files[0].name == "sha256_portable.c"
