# SPDX-License-Identifier: Apache-2.0
"""Our own kernels compiled again, by any compiler with any flags, into a plugin.

The files that are named are compiled; whatever else they need is linked as it is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.own_code.adapter import quoted
from joulemark.own_code.building import Toolchain, Unit, compile_file, link
from joulemark.own_code.sources import Code, SourceFile

_LIBRARY: Final = "lib/libjoulemark.a"
_TABLE: Final = """\
#include <joulemark/kernel.h>

extern const jm_implementation {symbols};

static const char *version(void) {{
    return "as installed";
}}

JM_API const jm_plugin *joulemark_plugin(void);

JM_API const jm_plugin *joulemark_plugin(void) {{
    static jm_implementation copies[{count}];
    static const jm_implementation *list[{count}];
    static const jm_plugin plugin = {{
        .abi_version = JM_ABI_VERSION,
        .provider = {provider},
        .library_version = version,
        .compiler = {compiler},
        .flags = {flags},
        .count = {count},
        .implementations = list,
    }};
{copied}
    return &plugin;
}}
"""
_COPIED: Final = """\
    copies[{place}] = {symbol};
    copies[{place}].variant = {variant};
    list[{place}] = &copies[{place}];"""


def kernel_code(sources: Sequence[str]) -> Code:
    """Files of our kernels, by their places in the folder of kernels, and the installed library."""
    folder = data_folder("kernels")
    files = [SourceFile(name, folder / name) for name in sources]
    library = data_folder("c") / _LIBRARY
    return Code(
        (*files, SourceFile(library.name, library)), (folder, folder / "include"), "our kernels"
    )


def build_kernels(
    code: Code, renamed: Mapping[str, str], provider: str, tools: Toolchain, plugin: Path
) -> tuple[Unit, ...]:
    """Builds a plugin of implementations that are there already, under other names.

    Args:
        code: what is compiled.
        renamed: name in C of each implementation's table -> the variant that it is in the plugin.
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


def _table(renamed: Mapping[str, str], provider: str, tools: Toolchain) -> str:
    return _TABLE.format(
        symbols=", ".join(renamed),
        count=len(renamed),
        provider=quoted(provider),
        compiler=quoted(tools.compiler.version),
        flags=quoted(" ".join(tools.flags)),
        copied="\n".join(
            _COPIED.format(place=place, symbol=symbol, variant=quoted(variant))
            for place, (symbol, variant) in enumerate(renamed.items())
        ),
    )
