# SPDX-License-Identifier: Apache-2.0
"""The AES-128 block cores: every parameter, vectors, OpenSSL, stalls, clocks, wiping."""

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
_CASES = [
    ("aes128_serial", "default", 400),
    ("aes128_latch", "default", 400),
    ("aes128_latch", "decoded", 200),
    ("aes128_round", "default", 6000),
    ("aes128_round", "tower", 200),
]
"""Core, configuration, random messages of one or two blocks."""


def _vectors() -> list[dict[str, str]]:
    files = sorted((_ROOT / "vectors/aes128").glob("*.json"))
    return [case for file in files for case in json.loads(file.read_text("utf-8"))["cases"]]


def _openssl(count: int) -> list[dict[str, str]]:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("needs the Debian package openssl")
    chance = random.Random(3)
    jobs = []
    for _ in range(count):
        key, message = chance.randbytes(16), chance.randbytes(16 * chance.randint(1, 6))
        arguments = [program, "enc", "-aes-128-cbc", "-nopad", "-K", key.hex(), "-iv", "0" * 32]
        output = subprocess.run(arguments, input=message, capture_output=True, check=True).stdout
        jobs.append({"key": key.hex(), "message": message.hex(), "output": output.hex()})
    return jobs


@pytest.mark.parametrize(("name", "configuration", "messages"), _CASES)
def test_a_core_is_aes(tmp_path: Path, name: str, configuration: str, messages: int) -> None:
    """Lint-clean, and every check of the cocotb module passes."""
    core = read_core(_ROOT / f"hdl/{name}/{name}.toml")
    chosen = core.configurations[configuration]
    plan = {
        "vectors": _vectors(),
        "openssl": _openssl(12),
        "stalled": 8,
        "interrupted": 16,
        "random": messages,
        "clocks_per_block": chosen.clocks_per_block,
        "latency_clocks": chosen.latency_clocks,
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan), "utf-8")
    program = build(core, core.chosen(chosen.parameters), tmp_path)
    modules = [core.folder / one for one in core.tests]
    environment = {"AES128_PLAN": str(tmp_path / "plan.json")}
    result = run(program, core, modules, environment=environment)
    assert not result.failed, result.log.read_text("utf-8")[-4000:]
    assert len(result.passed) == 6
