# SPDX-License-Identifier: Apache-2.0
"""The conditions under which a run began: CPU, load, priority.

They differ from run to run on one machine, so they are no part of its environment.
"""

from __future__ import annotations

import os
from typing import Any

from joulemark.measure.cpus import CpuChoice

__all__ = ["conditions_now"]


def conditions_now(chosen: CpuChoice) -> dict[str, Any]:
    """The conditions as fields for the store.

    Args:
        chosen: the CPU that will be measured.

    Returns:
        What `CpuChoice.as_dict` says; `cpus_allowed`; `nice` of this process, which its workers
        inherit; `load_average`, of the last 1, 5 and 15 minutes, or None where it is unknown.
    """
    try:
        load = list(os.getloadavg())
    except OSError:
        load = None
    return {
        **chosen.as_dict(),
        "cpus_allowed": len(chosen.others | {chosen.cpu}),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "load_average": load,
    }
