# SPDX-License-Identifier: Apache-2.0
"""Every package that a text or a message advises exists in the releases for which it is advised.

`providers/releases.json` has the facts; `tools/list_release_packages.py` writes the file from the
lists of the releases. Where apt can be used, the facts of this machine's release are compared.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def _tool() -> ModuleType:
    path = REPOSITORY / "tools/list_release_packages.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()
ADVISED: dict[str, set[str]] = TOOL.advised()
FACTS = json.loads(TOOL.FACTS.read_text("utf-8"))
WHERE: dict[str, dict[str, bool]] = FACTS["packages"]
RARE = sorted(package for package, where in WHERE.items() if not all(where.values()))
"""Packages that not every release has."""
CHOSEN_BY_RELEASE = {"providers/CMakeLists.txt", ".ci/run"}
"""Files that name such packages, of which a machine gets those of its release."""


def _ci_packages(release: str) -> list[str]:
    """The packages that `.ci/run` installs on a release."""
    script = (REPOSITORY / ".ci/run").read_text("utf-8")
    part = script[script.index("\npackages=") : script.index('\nif [ "$(id -u)" = 0 ]')]
    asked = re.search(r"\$\(sed -n [^\n]*os-release[^\n]*\)", part)
    assert asked, "the release is asked for in another way"
    part = part.replace(asked[0], release)
    done = subprocess.run(["bash", "-euc", f"{part}\necho $packages"], capture_output=True,
                          text=True, check=True)  # fmt: skip
    return done.stdout.split()


def test_the_facts_are_of_what_is_advised() -> None:
    """The file has every advised package and no other, with a fact for each release."""
    assert FACTS["releases"] == TOOL.RELEASES
    assert list(WHERE) == sorted(ADVISED), "run tools/list_release_packages.py"
    for package, where in WHERE.items():
        assert list(where) == list(TOOL.RELEASES), package
        assert any(where.values()), f"no release has {package}; who gets this advice?"


def test_every_computed_advice_is_known() -> None:
    """Files that put their advice together are those whose packages the tool lists."""
    computed = {
        str(path.relative_to(REPOSITORY))
        for path in TOOL.files_with_advice()
        if re.search(r"apt-get install ([{]|\$)", path.read_text("utf-8"))
    }
    assert computed == set(TOOL.COMPUTED)
    for place, packages in TOOL.COMPUTED.items():
        text = (REPOSITORY / place).read_text("utf-8")
        for package in packages:
            assert re.search(rf"(?<![\w-]){re.escape(package)}(?![\w-])", text), (place, package)


@pytest.mark.parametrize("package", RARE)
def test_a_rare_package_is_named_with_its_releases(package: str) -> None:
    """A text that advises a package which not every release has names the releases that have it."""
    releases = TOOL.releases_with(package)
    places = ADVISED[package] - CHOSEN_BY_RELEASE
    table = "providers/README.md"
    if package in {package for _, package in TOOL.provider_packages()}:
        places |= {table}
    for place in places:
        text = " ".join((REPOSITORY / place).read_text("utf-8").split())
        assert releases in text, f"{place} advises {package}, which only {releases} has"
        assert place != table or f"`{package}` in {releases}" in text


def test_every_provider_is_read() -> None:
    """The pattern reads every provider, so that the tests leave none out."""
    text = (REPOSITORY / "providers/CMakeLists.txt").read_text("utf-8")
    assert len(TOOL.provider_packages()) == text.count("\njm_provider(")


@pytest.mark.parametrize(("name", "package"), TOOL.provider_packages())
def test_a_provider_is_named(name: str, package: str) -> None:
    """The row of providers/README.md names the package, and sources exist."""
    rows = (REPOSITORY / "providers/README.md").read_text("utf-8").splitlines()
    row = next((row for row in rows if row.startswith(f"| `{name}` |")), "")
    assert f"`{package}`" in row, f"providers/README.md needs a row for {name} with {package}"
    folder = REPOSITORY / "providers"
    assert any((folder / each).exists() for each in (f"{name}.c", f"{name}.cpp", name))


@pytest.mark.parametrize("release", TOOL.RELEASES)
def test_ci_installs_what_the_release_has(release: str) -> None:
    """`.ci/run` asks for no package that is not there, and for the newest of each provider."""
    installed = _ci_packages(release)
    assert [package for package in installed if not WHERE[package][release]] == []
    newest: dict[str, str] = {}
    for name, package in TOOL.provider_packages():
        if WHERE[package][release]:
            newest.setdefault(name, package)
    assert set(newest.values()) <= set(installed)


def test_the_facts_hold_on_this_machine() -> None:
    """The lists of this machine's release say the same as the file."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    if release not in TOOL.RELEASES or not shutil.which("apt-cache"):
        pytest.skip(f"no facts of this system's release ({release or 'unnamed'}), or no apt-cache")
    here = TOOL.candidates(WHERE)
    # Without the archive's lists apt knows installed packages alone.
    if "libssl-dev" not in TOOL.candidates(["libssl-dev", "libsodium-dev", "valgrind"]) or (
        len(here) < len(WHERE) // 2
    ):
        pytest.skip("apt has no lists of packages here; apt-get update brings them")
    said = {package for package, where in WHERE.items() if where[release]}
    assert here == said, "run tools/list_release_packages.py"
