# SPDX-License-Identifier: Apache-2.0
"""Manifests of targets: which are refused, and in which words."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.errors import UnavailableError, UsageError
from joulemark.firmware import build as toolchain
from joulemark.firmware.build import empty_program
from joulemark.firmware.target import Target, firmware_folder, target_named, targets
from joulemark.hardware.manifest import read_facts
from joulemark.records.figures import Evidence


def test_targets_are_those_of_the_issue() -> None:
    """Of eleven microcontrollers exact cores are simulated, tables of times are modelled."""
    exact = {"atmega128", "atmega328p", "picorv32", "serv", "vexriscv", "vexriscv-min", "ibex"}
    tables = {"cortex-m0plus", "cortex-m3", "cortex-m4", "msp430f1611"}
    found = {name.removeprefix("mcu:"): target.evidence for name, target in targets().items()}
    assert found == {
        **dict.fromkeys(exact, Evidence.SIMULATED),
        **dict.fromkeys(tables, Evidence.MODELLED),
    }
    assert all(target.port.is_file() for target in targets().values())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ram_bytes = 4096", "ram_bytes = -1", r"memory\.ram_bytes: input should be greater"),
        ("ram_bytes = 4096", "", r"memory\.ram_bytes: field required"),
        ("ram_bytes = 4096", "ram_bytes = 4096\nrom = 1", r"memory\.rom: extra inputs"),
        ('"simulated"', '"guessed"', r"evidence: input should be"),
        ('name = "simavr"', 'name = "other"', r"simulator\.name: input should be"),
        ('title = "', "title = ", r"is no TOML file"),
    ],
)
def test_bad_manifest_is_one_sentence(tmp_path: Path, old: str, new: str, words: str) -> None:
    """The message is one sentence that names the file and the key."""
    text = (firmware_folder() / "targets" / "atmega128" / "atmega128.toml").read_text("utf-8")
    path = tmp_path / "bad.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(UsageError, match=words) as refused:
        read_facts(path, Target, name="mcu:bad", folder=tmp_path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_unknown_target_has_a_hint() -> None:
    """For a misspelt name the message offers the nearest name."""
    with pytest.raises(UsageError, match=r"no firmware target 'mcu:atmega12'.*mcu:atmega128"):
        target_named("mcu:atmega12")


def test_missing_compiler_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is one sentence, before anything is compiled."""
    monkeypatch.setattr(toolchain.shutil, "which", lambda _program: None)
    with pytest.raises(UnavailableError, match=r"^needs avr-gcc \(apt-get install gcc-avr\)$"):
        empty_program(target_named("mcu:atmega128"))
    assert shutil.which("nothing-of-this-name") is None


def test_missing_headers_name_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package without a program is recognised by one of its files."""
    target = target_named("mcu:atmega128")
    lacking = target.toolchain.model_copy(update={"headers": {"avr-libc": "/nonexistent/io.h"}})
    monkeypatch.setattr(toolchain.shutil, "which", lambda program: f"/usr/bin/{program}")
    told = toolchain.missing_tool(target.model_copy(update={"toolchain": lacking}))
    assert told == "needs avr-libc (apt-get install avr-libc)"


def test_a_simulator_in_python_starts_without_what_reads_manifests() -> None:
    """Loading the reader of manifests would take a third of the time of a short simulation."""
    pytest.importorskip("unicorn", reason="needs unicorn (joulemark[firmware])")
    asked = "import joulemark.firmware.cortex_m, sys; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0
