# SPDX-License-Identifier: Apache-2.0
"""AES-CMAC on each of the AES-128 cores."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from joulemark.hardware.manifest import read_core
from joulemark.hardware.verilator import build, run

_ROOT = Path(__file__).resolve().parents[2]


def _vectors() -> list[dict[str, str]]:
    files = sorted((_ROOT / "vectors/cmac-aes128").glob("*.json"))
    return [case for file in files for case in json.loads(file.read_text("utf-8"))["cases"]]


def _openssl(count: int) -> list[dict[str, str]]:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("needs the Debian package openssl")
    chance = random.Random(9)
    jobs = []
    for _ in range(count):
        key, message = chance.randbytes(16), chance.randbytes(chance.randint(0, 70))
        arguments = [
            program, "mac", "-cipher", "AES-128-CBC", "-macopt", f"hexkey:{key.hex()}", "-in", "-",
            "CMAC",
        ]  # fmt: skip
        output = subprocess.run(arguments, input=message, capture_output=True, check=True).stdout
        tag = output.decode().strip().lower()
        jobs.append({"key": key.hex(), "message": message.hex(), "output": tag})
    return jobs


@pytest.mark.parametrize(
    ("configuration", "messages"), [("default", 400), ("paper", 160), ("energy", 2000)]
)
def test_cmac_on_a_core(tmp_path: Path, configuration: str, messages: int) -> None:
    """Lint-clean, and every check of the cocotb module passes."""
    core = read_core(_ROOT / "hdl/aes128_cmac/aes128_cmac.toml")
    chosen = core.configurations[configuration]
    parameters = core.chosen(chosen.parameters)
    plan = {
        "parameters": parameters,
        "vectors": _vectors(),
        "openssl": _openssl(10),
        "interrupted": 8,
        "random": messages,
        "clocks_per_block": chosen.clocks_per_block,
        "latency_clocks": chosen.latency_clocks,
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan), "utf-8")
    program = build(core, parameters, tmp_path)
    modules = [core.folder / one for one in core.tests]
    environment = {"AES128_PLAN": str(tmp_path / "plan.json")}
    result = run(program, core, modules, environment=environment)
    assert not result.failed, result.log.read_text("utf-8")[-4000:]
    assert len(result.passed) == 6
