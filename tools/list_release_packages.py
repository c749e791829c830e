# SPDX-License-Identifier: Apache-2.0
"""Writes `providers/releases.json`: which releases of Debian have the packages that we advise.

Run from the root of the repository, on a Debian with apt: .venv/bin/python
tools/list_release_packages.py. Lists of packages are asked for by apt, from the archive that this
machine uses, in a folder that is removed again; nothing of the machine is changed. The packages are
those that README.md, the how-tos, `.ci/run`, the providers and messages of programs name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FACTS = REPOSITORY / "providers/releases.json"
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "forky": "Debian testing"}
"""Codename and name of each release that we support; a new release is a line here."""
COMPUTED = {
    "src/joulemark/firmware/build.py": (),  # the manifests in firmware/targets
    "src/joulemark/firmware/rv32.py": ("g++", "make"),
    "src/joulemark/firmware/simavr.py": ("libsimavr-dev", "libelf-dev"),
    "src/joulemark/hardware/flow/request.py": (
        "qflow-tech-osu018", "qflow-tech-osu035", "qflow-tech-osu050", "g++", "make", "iverilog"),
    "src/joulemark/measure/cores.py": ("g++", "make"),
    "src/joulemark/own_code/building.py": ("gcc", "clang"),
    "src/joulemark/provider_builds/build.py": ("cmake", "gcc", "g++", "make"),
    "tools/fresh_machine.sh": (),  # installs what README.md advises
    "tools/check_tools.sh": ("gcc", "g++", "python3", "python3-venv", "python3-dev"),
}  # fmt: skip
"""Files whose advice is put together when it is needed, with the packages that it can name.

`check_tools.sh` names python3.11 too, on systems with an older Python alone."""
_NAME = r"[a-z0-9][a-z0-9+.-]*[a-z0-9+]"
_COMMAND = re.compile(rf"apt-get install(?: -y)?((?: {_NAME})+)")
_PROVIDER = re.compile(rf"^jm_provider\((\w+) .*PACKAGE ({_NAME})\)$", re.MULTILINE)
_IN_CI = re.compile(r'\bpackages="([^"]*)"')
_CANDIDATE = re.compile(rf"^({_NAME}):\n.*\n  Candidate: (.*)$", re.MULTILINE)


def provider_packages() -> list[tuple[str, str]]:
    """The name and a package of each provider, the newest of its packages first."""
    return _PROVIDER.findall((REPOSITORY / "providers/CMakeLists.txt").read_text("utf-8"))


def files_with_advice() -> list[Path]:
    """Documents, sources and scripts that may tell a user to install a package."""
    texts = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    for folder, endings in (("docs", (".md", ".yml")), ("src", (".py",)), ("firmware", (".md",)),
                            ("hdl", (".md",)), ("tools", (".sh",))):  # fmt: skip
        texts += [path for path in sorted((REPOSITORY / folder).rglob("*"))
                  if path.suffix in endings]  # fmt: skip
    return texts


def releases_with(package: str) -> str:
    """The releases that have a package, as texts name them: "Debian 12 and 13"."""
    where = json.loads(FACTS.read_text("utf-8"))["packages"][package]
    words = [name.removeprefix("Debian ") for release, name in RELEASES.items() if where[release]]
    return "Debian " + " and ".join(words)


def advised() -> dict[str, set[str]]:
    """Each package that is advised, with the files that advise it."""
    found: dict[str, set[str]] = {}

    def add(packages: Iterable[str], place: str) -> None:
        for package in packages:
            found.setdefault(package, set()).add(place)

    for path in files_with_advice():
        for words in _COMMAND.findall(path.read_text("utf-8")):
            add(words.split(), str(path.relative_to(REPOSITORY)))
    for place, packages in COMPUTED.items():
        add(packages, place)
    for path in sorted((REPOSITORY / "firmware/targets").rglob("*.toml")):
        tools = tomllib.loads(path.read_text("utf-8"))["toolchain"]
        names = [tools["package"], tools.get("linker_package"), *tools.get("headers", {})]
        add(filter(None, names), str(path.relative_to(REPOSITORY)))
    add((package for _, package in provider_packages()), "providers/CMakeLists.txt")
    words = " ".join(_IN_CI.findall((REPOSITORY / ".ci/run").read_text("utf-8"))).split()
    add((word for word in words if re.fullmatch(_NAME, word)), ".ci/run")
    return found


def candidates(packages: Iterable[str], *options: str) -> set[str]:
    """The packages that apt could install; `options` may name other lists than the machine's."""
    done = subprocess.run(
        ["apt-cache", *options, "policy", *packages], capture_output=True, text=True, check=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return {name for name, version in _CANDIDATE.findall(done.stdout) if version != "(none)"}


def _archive() -> str:
    """Address of the archive of Debian that this machine uses."""
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Label: Debian"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    addresses = done.stdout.split()
    if not addresses:
        sys.exit("apt knows no archive of Debian here: run apt-get update first")
    return addresses[0]


def has(release: str, packages: Iterable[str], archive: str) -> set[str]:
    """The packages that a release has."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "lists/partial").mkdir(parents=True)
        keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (place / "sources.list").write_text(f"deb [signed-by={keys}] {archive} {release} main\n")
        options = [f"-oDir::State::Lists={place}/lists", "-oDir::Etc::SourceParts=/dev/null",
                   f"-oDir::Etc::SourceList={place}/sources.list", "-oDir::State::Status=/dev/null",
                   f"-oDir::Cache={place}", "-oAPT::Architecture=amd64",
                   "-oAPT::Sandbox::User=root"]  # fmt: skip
        subprocess.run(["apt-get", *options, "update", "-qq"], check=True)
        return candidates(packages, *options)


def main() -> None:
    """Writes the file."""
    packages = sorted(advised())
    archive = _archive()
    held = {release: has(release, packages, archive) for release in RELEASES}
    lines = [
        f'  "{package}": ' + json.dumps({release: package in held[release] for release in RELEASES})
        for package in packages
    ]
    FACTS.write_text(
        f'{{\n "releases": {json.dumps(RELEASES)},\n "packages": {{\n'
        + ",\n".join(lines)
        + "\n }\n}\n",
        "utf-8",
    )


if __name__ == "__main__":
    main()
