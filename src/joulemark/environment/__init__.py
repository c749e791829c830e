# SPDX-License-Identifier: Apache-2.0
"""Facts that figures depend on and samples do not show: processor, frequency, kernel, versions.

`capture()` reads these facts, `advice()` says how to make figures steadier. No fact names the
machine (unless its owner gave it a name for that), its owner, or a place in its file system, so
that a result can be published as it is.
"""

from __future__ import annotations

from pathlib import Path

from joulemark.environment import cpu, frequency, identity, kernel, software, virtual
from joulemark.environment.advice import advice, limit_of_cpu_time
from joulemark.environment.facts import IDENTITY_KEYS, Environment, may_be_one
from joulemark.environment.source import SystemFiles

__all__ = [
    "IDENTITY_KEYS",
    "Environment",
    "advice",
    "capture",
    "limit_of_cpu_time",
    "may_be_one",
]


def capture(root: Path = Path("/")) -> Environment:
    """Reads the environment of this machine.

    Args:
        root: the folder of `proc` and `sys`. A folder other than `/` describes another machine, of
            which the facts that only a process on it knows stay unknown.
    """
    source = SystemFiles(root)
    virtualisation = virtual.read(source)
    return Environment(
        **cpu.read(source),
        **frequency.read(source),
        **kernel.read(source),
        **virtualisation,
        **identity.read(source, virtualisation["container"]),
        **software.read(source),
        reasons=source.reasons,
    )
