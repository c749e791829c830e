# SPDX-License-Identifier: Apache-2.0
"""`.ci/run` runs the tests as on the machine of a new user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

MAKE = """\
#!/bin/sh
echo "$@"
find "$HOME" | wc -l
echo "$HOME" "$XDG_CACHE_HOME" "$PIP_CACHE_DIR" "$PIP_CONFIG_FILE" "${GIT_CONFIG_GLOBAL:-none}"
mkdir -p "$HOME/left/behind"
exit 7
"""


def test_home_and_caches_are_empty_but_for_pips(repository: Path, tmp_path: Path) -> None:
    """The home is new and gone afterwards, pip's cache and settings are the old ones, and the exit
    code is make's.
    """
    home, programs = tmp_path / "home", tmp_path / "bin"
    for folder in (home / ".config" / "pip", home / ".cache" / "YoWASP", programs):
        folder.mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text("[global]\n")
    # This `id` keeps `.ci/run` from installing packages.
    for name, text in (("make", MAKE), ("id", "#!/bin/sh\necho 1000\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    ours = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PIP_CACHE_DIR", "PIP_CONFIG_FILE",
            "GIT_CONFIG_GLOBAL"}  # fmt: skip
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [repository / ".ci" / "run"], capture_output=True, text=True, check=False,
        env={**kept, "HOME": str(home), "PATH": path, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 7, done.stderr
    arguments, files, places = done.stdout.splitlines()
    verb, python = arguments.split()
    assert verb == "test"
    assert Path(python.removeprefix("PYTHON=")).resolve().name.startswith("python")
    assert int(files) == 1
    new_home, caches, pip_cache, pip_settings, git_settings = places.split()
    assert Path(new_home).parent == tmp_path
    assert Path(new_home) != home
    assert caches == f"{new_home}/.cache"
    assert pip_cache == str(home / ".cache" / "pip")
    assert pip_settings == str(home / ".config" / "pip" / "pip.conf")
    assert git_settings == "none"
    assert not Path(new_home).exists()
