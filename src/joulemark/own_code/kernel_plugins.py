# SPDX-License-Identifier: Apache-2.0
"""Our own kernels compiled again, by any compiler with any flags, into a plugin.

The files that are named are compiled; whatever else they need is linked as it is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.own_code.adapter import quoted
from joulemark.own_code.building import Toolchain, Unit, compile_file, link
from joulemark.own_code.sources import Code, SourceFile

_LIBRARY: Final = "lib/libjoulemark.a"
_TABLE: Final = """\
#include <joulemark/kernel.h>
#include <string.h>

{declared}

static const char *version(void) {{
    return "as installed";
}}

static jm_implementation copies[{count}];
static const jm_implementation *list[{count}];
static jm_plugin plugin = {{
    .abi_version = JM_ABI_VERSION,
    .provider = {provider},
    .library_version = version,
    .compiler = {compiler},
    .flags = {flags},
    .implementations = list,
}};

/* Adds the implementation of an algorithm, one of `count`, under another variant's name. */
static void add(const jm_implementation *from, size_t count, const char *algorithm,
                const char *variant) {{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(from[i].algorithm, algorithm)) {{
            jm_implementation *copy = &copies[plugin.count];
            *copy = from[i];
            copy->variant = variant;
            list[plugin.count++] = copy;
        }}
}}

JM_API const jm_plugin *joulemark_plugin(void);

JM_API const jm_plugin *joulemark_plugin(void) {{
    if (!plugin.count) {{
{added}
    }}
    return &plugin;
}}
"""
_ADDED: Final = "        add({symbol}, {count}, {algorithm}, {variant});"


@dataclass(frozen=True, slots=True)
class RenamedKernel:
    """An implementation of ours under another variant's name."""

    symbol: str
    """Name in C of its table, or of an array of tables."""
    algorithm: str
    variant: str
    """The new name."""
    array_bytes: int | None = None
    """Size of the array; None: it is one table."""


def kernel_code(sources: Sequence[str]) -> Code:
    """Files of our kernels, by their places in the folder of kernels, and the installed library."""
    folder = data_folder("kernels")
    files = [SourceFile(name, folder / name) for name in sources]
    library = data_folder("c") / _LIBRARY
    return Code(
        (*files, SourceFile(library.name, library)), (folder, folder / "include"), "our kernels"
    )


def build_kernels(
    code: Code, renamed: Sequence[RenamedKernel], provider: str, tools: Toolchain, plugin: Path
) -> tuple[Unit, ...]:
    """Builds a plugin of implementations that are there already, under other names.

    Args:
        code: what is compiled.
        renamed: the implementations, each of another algorithm or variant.
        provider: the plugin's name.
        tools: compiler, flags, and the folder of all objects.
        plugin: the shared object to be made.

    Raises:
        CompileError: the compiler or the linker refuses a file.
    """
    units = tuple(
        compile_file(tools, file.path, code, shown=file.given)
        for file in code.files
        if file.is_compiled
    )
    table = tools.scratch / "table.c"
    table.write_text(_table(renamed, provider, tools), "utf-8")
    own = compile_file(tools, table, code, shown="the table of the plugin", own=True)
    link(tools, [*units, own], code, plugin)
    return units


def _table(renamed: Sequence[RenamedKernel], provider: str, tools: Toolchain) -> str:
    symbols = dict.fromkeys(kernel.symbol for kernel in renamed)
    return _TABLE.format(
        declared="\n".join(f"extern const jm_implementation {symbol}[];" for symbol in symbols),
        count=len(renamed),
        provider=quoted(provider),
        compiler=quoted(tools.compiler.version),
        flags=quoted(" ".join(tools.flags)),
        added="\n".join(
            _ADDED.format(
                symbol=kernel.symbol,
                count=f"{kernel.array_bytes} / sizeof(jm_implementation)"
                if kernel.array_bytes
                else 1,
                algorithm=quoted(kernel.algorithm),
                variant=quoted(kernel.variant),
            )
            for kernel in renamed
        ),
    )
