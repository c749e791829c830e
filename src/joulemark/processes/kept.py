# SPDX-License-Identifier: Apache-2.0
"""Runs a module behind a keeper: `python -P -m joulemark.processes.kept MODULE [WORD ...]`.

Its standard input is a pipe that ends with the process that started it. The keeper is split off
before the module is imported, since there must be no threads by then.
"""

from __future__ import annotations

import runpy
import sys

from joulemark.processes.keeper import become_kept

if __name__ == "__main__":
    become_kept(sys.stdin.fileno(), sys.stdout.fileno())
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
