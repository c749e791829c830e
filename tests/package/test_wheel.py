# SPDX-License-Identifier: Apache-2.0
"""Wheels as `make wheel` builds them, in empty environments in which no compiler can be found."""

from __future__ import annotations

import csv
import hmac
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

pytestmark = pytest.mark.exhaustive
KEY, MESSAGE = b"0123456789abcdef", b"a message\n"
TAG = hmac.digest(KEY, MESSAGE, "sha256").hex()
OF_THE_SYSTEM = re.compile(r"(ld-linux-[\w-]+|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+))\.so\.\d+")
OWN_MB = re.compile(r"brings NumPy alone, and its own files take (\d+) MB at most")
"""README.md on the size of what a wheel installs; how large NumPy is, is NumPy's business."""
LARGEST_WHEEL_MB = 10
PYTHONS = os.environ.get("JOULEMARK_PYTHONS", "").split() or [
    str(Path(sys.base_prefix) / "bin" / "python3")
]
"""Interpreters in which the wheels are tried."""


@pytest.fixture(scope="module")
def wheels(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Wheels of the folder that JOULEMARK_WHEELS names, or new ones."""
    given = os.environ.get("JOULEMARK_WHEELS")
    folder = repository / given if given else tmp_path_factory.mktemp("wheels")
    if not given:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(["sh", "tools/build_wheels.sh", folder, PYTHONS[0]], cwd=repository,
                       env={**os.environ, "PATH": path}, check=True)  # fmt: skip
    found = sorted(folder.glob("*.whl"))
    assert found
    return found


def test_every_linux_takes_it(wheels: list[Path]) -> None:
    """The tags name one Python or all from 3.12 on, and any Linux with a C library new enough."""
    tag = re.compile(r"joulemark-[\w.]+-(cp311-cp311|cp312-abi3)-manylinux_2_\d+_\w+\.whl")
    assert [wheel.name for wheel in wheels if not tag.fullmatch(wheel.name)] == []


def test_no_outside_library_is_linked_or_brought(wheels: list[Path]) -> None:
    """Programs and libraries need only libraries of every Linux, and no plugin is there."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            assert [name for name in names if name.startswith(("joulemark.libs/",))] == []
            assert [name for name in names if "/plugins/" in name and name[-1] != "/"] == [
                "joulemark/plugins/providers.json"
            ]
            looked_at = 0
            for name in names:
                with archive.open(name) as stream:
                    try:
                        binary = ELFFile(stream)
                    except ELFError:
                        continue
                    looked_at += 1
                    dynamic = binary.get_section_by_name(".dynamic")
                    needed = [iter_tag.needed for iter_tag in dynamic.iter_tags("DT_NEEDED")]
                    strange = [item for item in needed if not OF_THE_SYSTEM.fullmatch(item)]
                    assert strange == [], name
            assert looked_at >= 4  # the module, the library for ctypes, two programs


def own_bytes(home: Path) -> int:
    """Size of all files that the installation of our wheel brought, compiled Python with them."""
    (record,) = home.glob("lib/python*/site-packages/joulemark-*.dist-info/RECORD")
    with record.open(encoding="utf-8", newline="") as stream:
        return sum((record.parents[1] / row[0]).lstat().st_size for row in csv.reader(stream))


def wheel_for(python: str, wheels: list[Path]) -> Path | None:
    """The wheel that this Python takes."""
    version = subprocess.run(
        [python, "-c", "import sys; print('%d%d' % sys.version_info[:2])"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    mark = "cp311-cp311" if version == "311" else "cp312-abi3"
    return next((wheel for wheel in wheels if mark in wheel.name), None)


@pytest.mark.parametrize("python", PYTHONS)
def test_a_first_tag_in_an_empty_environment(
    python: str, wheels: list[Path], repository: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Without a compiler the wheel is installed with numpy alone; its tag and size are right."""
    wheel = wheel_for(python, wheels)
    if wheel is None:
        pytest.skip(f"there is no wheel for {python}")
    home = tmp_path / "environment"
    subprocess.run([python, "-m", "venv", home], check=True)
    environment = {"PATH": str(home / "bin"), "HOME": str(tmp_path), "LANG": "C.UTF-8"} | {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))
    }

    def run(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([str(home / "bin" / str(words[0])), *map(str, words[1:])],
                              env=environment, cwd=tmp_path, capture_output=True, text=True,
                              check=False, timeout=280)  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    begin = time.monotonic()
    run("pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    installed_s = time.monotonic() - begin
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "message").write_bytes(MESSAGE)
    begin = time.monotonic()
    assert run("joulemark", "tag", "hmac-sha256", "--key-file", "key", "message").stdout == (
        f"{TAG}  message\n"
    )
    tagged_s = time.monotonic() - begin
    ours_mb = own_bytes(home) / 1e6
    with capsys.disabled():
        print(f"\n{wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB), {python}: installed in "
              f"{installed_s:.1f} s, first tag after {tagged_s:.2f} s more; our own files take "
              f"{ours_mb:.1f} MB")  # fmt: skip
    code = (
        f"from joulemark.mac import Key; print(Key('hmac-sha256', {KEY!r}).tag({MESSAGE!r}).hex())"
    )
    assert run("python", "-c", code).stdout.strip() == TAG
    assert "pip install 'joulemark[lab]'" in run("joulemark", "bench", "sha256", code=2).stderr
    listed = run("pip", "list", "--format=freeze", "--disable-pip-version-check").stdout.split()
    assert {line.partition("==")[0] for line in listed} - {"pip", "setuptools"} == {
        "joulemark", "numpy",
    }  # fmt: skip
    (said,) = OWN_MB.findall(" ".join((repository / "README.md").read_text("utf-8").split()))
    assert wheel.stat().st_size / 1e6 <= LARGEST_WHEEL_MB
    assert 0.75 * int(said) < ours_mb <= int(said), "README.md says another size"
