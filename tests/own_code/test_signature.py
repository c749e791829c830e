# SPDX-License-Identifier: Apache-2.0
"""The orders of arguments that a declaration allows, as the compiler reads it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from joulemark.errors import UsageError
from joulemark.own_code import KNOWN, Code, Keyed, parse_signature
from joulemark.own_code.building import CompileError, Compiler, Toolchain, find_compiler
from joulemark.own_code.prototypes import fitting_prototypes
from joulemark.processes.tool import Limits

TYPES = {"in": "const uint8_t *in", "len": "size_t len", "inbits": "unsigned long long inbits",
         "out": "uint8_t *out", "outlen": "size_t outlen", "outbits": "int outbits",
         "key": "const uint8_t *key", "keylen": "size_t keylen"}  # fmt: skip
HEAD = "#include <stddef.h>\n#include <stdint.h>\n"


@pytest.fixture(scope="module", params=["gcc", "clang"])
def compiler_of_c(request: pytest.FixtureRequest) -> Compiler:
    """Each compiler of this machine."""
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param}; on Debian or Ubuntu: apt-get install {request.param}")
    return find_compiler(request.param, Limits())


def orders(code: Code, kind: Keyed, compiler: Compiler, folder: Path) -> list[str] | None:
    """The signatures that fit, as text."""
    tools = Toolchain(compiler, ("-Wall", "-Werror"), folder)
    found = fitting_prototypes(code, code.files[0], KNOWN[kind], tools)
    return None if found is None else [prototype.signature.text for prototype in found]


def test_every_known_order_is_found(
    gcc: Compiler, code_of: Callable[..., Code], tmp_path: Path
) -> None:
    """A function that is declared in an order has that order among those that fit."""
    for kind in get_args(Keyed):
        for known in KNOWN[kind]:
            parameters = ", ".join(TYPES[word] for word in known.words)
            code = code_of(f"{HEAD}void mine({parameters});")
            found = orders(code, kind, gcc, tmp_path)
            assert found, known.text
            assert known.text in found
            assert parse_signature(known.text, kind) == known


@pytest.mark.parametrize(
    ("declaration", "kind", "fits"),
    [
        ("int mine(unsigned char *out, const unsigned char *in, unsigned long long n)", "hash",
         ["out,in,len"]),
        ("void mine(const void *in, unsigned short n, char *out)", "hash", ["in,len,out"]),
        ("unsigned char *mine(const char *in, int n, unsigned char *out)", "hash", ["in,len,out"]),
        ("void mine(uint8_t *a, uint8_t *b, size_t n)", "hash", ["out,in,len", "in,out,len"]),
        ("void mine(uint64_t *out, const uint8_t *in, size_t n)", "hash", []),
        ("void mine(void)", "hash", []),
        ("int mine(int bits, const uint8_t *in, unsigned long long n, uint8_t *out)", "hash",
         ["outbits,in,inbits,out"]),
        ("void mine(uint8_t mac[16], const uint8_t *m, size_t n, const uint8_t key[32])", "mac",
         ["out,in,len,key"]),
        ("int mine(const void *in, const size_t n, const void *k, uint8_t *out, const size_t m)",
         "mac", ["in,len,key,out,outlen"]),
        ("void mine(const void *k, size_t a, const void *m, size_t b, void *out)", "mac",
         ["key,keylen,in,len,out", "in,len,key,keylen,out"]),
    ],
)  # fmt: skip
def test_types_decide(
    compiler_of_c: Compiler, code_of: Callable[..., Code], tmp_path: Path,
    declaration: str, kind: Keyed, fits: list[str],
) -> None:  # fmt: skip
    """Lengths have any width and bytes any name; what is not const may be input or output."""
    code = code_of(f"{HEAD}{declaration};")
    assert orders(code, kind, compiler_of_c, tmp_path) == fits


@pytest.mark.parametrize(
    ("kind", "most"),
    [("size_t", None), ("long long", None), ("uint32_t", 2**32 - 1), ("int", 2**31 - 1),
     ("uint16_t", 65535)],
)  # fmt: skip
def test_the_longest_message_is_what_the_length_holds(
    compiler_of_c: Compiler, code_of: Callable[..., Code], tmp_path: Path, kind: str,
    most: int | None,
) -> None:  # fmt: skip
    """A message that is longer is refused, not cut."""
    code = code_of(f"{HEAD}void mine(uint8_t *out, const uint8_t *in, {kind} n);")
    tools = Toolchain(compiler_of_c, (), tmp_path)
    found = fitting_prototypes(code, code.files[0], KNOWN["hash"], tools)
    assert found is not None
    assert [prototype.most_bytes for prototype in found] == [most]


def test_a_file_that_does_not_declare_it(
    gcc: Compiler, code_of: Callable[..., Code], tmp_path: Path
) -> None:
    """None means that the function is not declared, an empty list that no order fits."""
    assert orders(code_of("int other;"), "hash", gcc, tmp_path) is None
    assert orders(code_of("int other;", "sizeof"), "hash", gcc, tmp_path) is None


@pytest.mark.parametrize("text", ["void mine(int a) { if (a) {", '#error "no"', "int x = ;"])
def test_errors_of_the_file_are_its_own(
    gcc: Compiler, code_of: Callable[..., Code], tmp_path: Path, text: str
) -> None:
    """An open bracket at the end of the file is not reported as an error of our code behind it."""
    with pytest.raises(CompileError, match="is not compiled by") as caught:
        orders(code_of(text), "hash", gcc, tmp_path)
    assert caught.value.lines
    assert not [line for line in caught.value.lines if "joulemark" in line]


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("in,length,out", "hash", "there is no 'length'; did you mean len"),
        ("in,len,in,out", "hash", "'in' occurs twice"),
        ("in,len", "hash", "out is missing"),
        ("", "hash", "there is no ''"),
        ("out,in,len", "mac", "key is missing"),
        ("in,out", "hash", "len is missing"),
        ("out,in,len,key", "hash", "a hash takes no key"),
        ("in,len,\x1b[31m", "hash", r"there is no '\\x1b"),
    ],
)
def test_what_is_no_signature(text: str, kind: Keyed, said: str) -> None:
    """The sentence names the wrong word."""
    with pytest.raises(UsageError, match=said):
        parse_signature(text, kind)
