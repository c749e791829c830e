# SPDX-License-Identifier: Apache-2.0
"""The environment variables that a process which we start gets: those named here, no others.

A compiler, a simulator or a worker may run a stranger's code, and a shell's environment is full of
secrets: passwords of stores, tokens of services, keys. So variables are handed on by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

FURTHER: Final = "JOULEMARK_PASS_ON"
"""Variable in which users name further variables, separated by commas."""

_NAMED: Final = frozenset(
    word
    for line in (
        # The user, folders, language and terminal.
        "PATH HOME USER LOGNAME SHELL TMPDIR TZ TERM COLUMNS LINES NO_COLOR",
        "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR",
        "LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME",
        # The loader and the C library; libraries that choose their code by variables; threads.
        "LD_LIBRARY_PATH LD_PRELOAD LD_BIND_NOW GLIBC_TUNABLES MALLOC_ARENA_MAX MALLOC_PERTURB_",
        "OPENSSL_CONF OPENSSL_MODULES OPENSSL_ia32cap OPENSSL_armcap GNUTLS_CPUID_OVERRIDE",
        "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS",
        # Python and its environments.
        "PYTHONPATH PYTHONHOME PYTHONHASHSEED PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX",
        "PYTHONSAFEPATH PYTHONUTF8 PYTHONWARNINGS PYTHONNOUSERSITE VIRTUAL_ENV CONDA_PREFIX",
        # Compilers and builds.
        "CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH COMPILER_PATH",
        "CPLUS_INCLUDE_PATH LIBRARY_PATH GCC_EXEC_PREFIX SOURCE_DATE_EPOCH SDKROOT",
        "PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR CMAKE_PREFIX_PATH",
        "CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_BUILD_PARALLEL_LEVEL",
        "CCACHE_DIR CCACHE_BASEDIR CCACHE_CONFIGPATH CCACHE_DISABLE CCACHE_NOHASHDIR",
        "CCACHE_SLOPPINESS OBJCACHE",
        # Sanitizers, valgrind and tools for cores.
        "ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS ASAN_SYMBOLIZER_PATH",
        "VALGRIND_LIB VALGRIND_OPTS VERILATOR_ROOT VERILATOR_BIN YOWASP_CACHE_DIR",
        # Ours. The address of a store and that of a scheduler are not among them.
        f"JOULEMARK_MACHINE JOULEMARK_PLUGINS JOULEMARK_DEBUG JOULEMARK_RANDOM_MESSAGES {FURTHER}",
    )
    for word in line.split()
)


def named_variables(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Those of our variables that are named here or in `FURTHER`, and `more`."""
    named = _NAMED.union(word.strip() for word in os.environ.get(FURTHER, "").split(","))
    return {name: value for name, value in os.environ.items() if name in named} | dict(more or {})


@contextmanager
def only_named_variables() -> Iterator[None]:
    """Hides all other variables from processes that a library starts within the block.

    To be entered where no other thread reads the environment.
    """
    before = dict(os.environ)
    for name in before.keys() - named_variables().keys():
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(before)
