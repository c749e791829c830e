# SPDX-License-Identifier: Apache-2.0
"""Headers that SUPERCOP puts before an implementation, and functions of others that it may call.

All of them are ours and lie in a scratch folder. A name such as `crypto_hash` becomes the name that
assembler sources in eBACS define, `crypto_hash_sha256_ref`. Other hashes are computed by our own
kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from joulemark.own_code.ebacs.intake import TakenFile
from joulemark.own_code.ebacs.layout import Function, function_of

_INCLUDED: Final = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"](crypto_\w+)\.h[>"]', re.MULTILINE)
_INTEGER: Final = re.compile(r"crypto_(u?)int(8|16|32|64)")
_VERIFY: Final = re.compile(r"crypto_verify_(\d{1,4})")
_BLOCKS: Final = {"md5": (16, 64), "sha256": (32, 64), "sha512": (64, 128)}
"""Hash whose blocks can be hashed one by one -> bytes of its chaining value and of a block."""
_OPERATION: Final = """\
#ifndef {operation}_H
#define {operation}_H
#define {symbol}_BYTES {output_bytes}
#define {operation}_BYTES {output_bytes}
{key}#define {operation} {symbol}
#define {operation}_PRIMITIVE "{primitive}"
#define {operation}_IMPLEMENTATION "{text}"
#define {operation}_VERSION "-"
{prototypes}
#endif
"""
_KEY: Final = """\
#define {symbol}_KEYBYTES {key_bytes}
#define {operation}_KEYBYTES {key_bytes}
#define {operation}_verify {symbol}_verify
"""
_HASH_ARGUMENTS: Final = "unsigned char *, const unsigned char *, unsigned long long"
_VERIFY_HEADER: Final = """\
#define {name}_BYTES {bytes}
extern int {name}(const unsigned char *, const unsigned char *);"""
_VERIFY_SOURCE: Final = """\
int {name}(const unsigned char *x, const unsigned char *y);
int {name}(const unsigned char *x, const unsigned char *y) {{
    unsigned differing = 0;
    for (int i = 0; i < {bytes}; i++) differing |= (unsigned)(x[i] ^ y[i]);
    return (int)(1 & ((differing - 1) >> 8)) - 1;
}}
"""
_KERNEL_HEAD: Final = """\
#include <joulemark/kernel.h>
const jm_implementation *jm_hash_chosen(const char *algorithm);
size_t jm_hash_blocks(const jm_implementation *hash, uint8_t *state, const uint8_t *message,
                      size_t message_bytes);
"""
_KERNEL: Final = """\
int {name}(unsigned char *, const unsigned char *, unsigned long long);
int {name}(unsigned char *out, const unsigned char *in, unsigned long long bytes) {{
    static const jm_implementation *chosen;
    if (!chosen) chosen = jm_hash_chosen("{algorithm}");
    return {call};
}}
"""
_HASH_CALL: Final = "chosen->hash->digest(chosen, in, bytes, out) != JM_OK"
_BLOCKS_CALL: Final = "(int)jm_hash_blocks(chosen, out, in, bytes)"


@dataclass(frozen=True, slots=True)
class Shim:
    """Files of ours beside the copy of an implementation."""

    headers: dict[str, str]
    """Name -> text."""
    source: str
    """Code of other primitives; empty if the implementation calls none."""
    with_kernels: bool
    """Whether the source needs our library."""


def symbol_of(operation: str, primitive: str, implementation: str) -> str:
    """The beginning of an implementation's names in C, such as `crypto_hash_echo256_aes_aes64`."""
    return "_".join((operation, primitive, re.sub(r"\W", "_", implementation)))


def shim_for(
    function: Function,
    implementation: str,
    sources: Iterable[TakenFile],
    key_bytes: int,
    output_bytes: int,
) -> Shim:
    """The headers that the sources include, as far as they can be made here."""
    sources = list(sources)
    own = {taken.name for taken in sources}
    included = {name.decode() for taken in sources for name in _INCLUDED.findall(taken.content)}
    operation, primitive = function.name.split("/")
    headers = {
        operation: _operation_header(function, implementation, key_bytes, output_bytes),
        f"{operation}_{primitive}": _same_header(operation, primitive),
    }
    parts: list[str] = []
    with_kernels = False
    for name in sorted(included - headers.keys()):
        if f"{name}.h" in own:
            continue
        if _INTEGER.fullmatch(name):
            kind = name.removeprefix("crypto_")
            headers[name] = _guarded(name, f"#include <stdint.h>\ntypedef {kind}_t {name};")
        elif (verify := _VERIFY.fullmatch(name)) is not None:
            headers[name] = _guarded(name, _VERIFY_HEADER.format(name=name, bytes=verify[1]))
            parts.append(_VERIFY_SOURCE.format(name=name, bytes=verify[1]))
        elif (kernel := _kernel(name)) is not None:
            headers[name] = _guarded(name, kernel[0])
            parts.append(kernel[1])
            with_kernels = True
    head = [_KERNEL_HEAD] if with_kernels else []
    files = {f"{name}.h": text for name, text in headers.items()}
    return Shim(files, "\n".join([*head, *parts]), with_kernels)


def _guarded(name: str, text: str) -> str:
    return f"#ifndef {name}_H\n#define {name}_H\n{text}\n#endif\n"


def _operation_header(
    function: Function, implementation: str, key_bytes: int, output_bytes: int
) -> str:
    operation, primitive = function.name.split("/")
    symbol = symbol_of(operation, primitive, implementation)
    keyed = function.kind == "mac"
    key = _KEY.format(symbol=symbol, operation=operation, key_bytes=key_bytes) if keyed else ""
    return _OPERATION.format(
        operation=operation,
        symbol=symbol,
        output_bytes=output_bytes,
        primitive=primitive,
        text=re.sub(r"[^\w./+-]", "_", f"{function.name}/{implementation}"),
        key=key,
        prototypes="\n".join(_prototypes(operation, keyed=keyed)),
    )


def _prototypes(name: str, *, keyed: bool) -> Iterator[str]:
    key = ", const unsigned char *" if keyed else ""
    yield f"extern int {name}({_HASH_ARGUMENTS}{key});"
    if keyed:
        arguments = _HASH_ARGUMENTS.replace("unsigned char *", "const unsigned char *", 1)
        yield f"extern int {name}_verify({arguments}{key});"


def _same_header(operation: str, primitive: str) -> str:
    """The header of the primitive itself under its longer name."""
    name = f"{operation}_{primitive}"
    return _guarded(
        name,
        f'#include "{operation}.h"\n#define {name} {operation}\n'
        f"#define {name}_BYTES {operation}_BYTES",
    )


def _kernel(name: str) -> tuple[str, str] | None:
    """Header and source of another hash that a kernel of ours computes; None if we have none."""
    operation, _, primitive = name.removeprefix("crypto_").partition("_")
    if operation == "hash":
        other = function_of(f"crypto_hash/{primitive}")
        if other.algorithm is None or other.checksum is None:
            return None
        sizes = f"#define {name}_BYTES {other.output_bytes}"
        algorithm, call = other.algorithm, _HASH_CALL
    elif operation == "hashblocks" and primitive in _BLOCKS:
        state, block = _BLOCKS[primitive]
        sizes = f"#define {name}_STATEBYTES {state}\n#define {name}_BLOCKBYTES {block}"
        algorithm, call = primitive, _BLOCKS_CALL
    else:
        return None
    header = f"{sizes}\nextern int {name}({_HASH_ARGUMENTS});"
    return header, _KERNEL.format(name=name, algorithm=algorithm, call=call)
