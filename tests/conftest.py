# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several test folders share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cmake_builds import NATIVE_TESTS, build
from joulemark.processes import search_seldom_for_cycles
from known_schema import know_the_schema
from made_once import of_all_workers
from postgresql_server import PostgresqlServer

REPOSITORY = Path(__file__).resolve().parent.parent

# A shell starts background programs with SIGINT ignored, and their children inherit that: programs
# that tests interrupt would go on. A signal that is handled here is at its default in the children.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # by nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The developer's own plugins are not tested.
os.environ["JOULEMARK_PLUGINS"] = "/nonexistent/plugins-of-the-tests"
# Faulty plugins note what they leave behind, and their processes are found by a mark.
os.environ["JOULEMARK_PASS_ON"] = "JOULEMARK_TEST_LEFT,JOULEMARK_TEST_MARK"

know_the_schema()

# Collection makes a million objects that stay; searching them for cycles is half of its time.
gc.set_threshold(200_000, 50, 100)

LONGEST = ("native", "hdl", "hardware", "cli", "docs", "measure", "studies", "fuzz")
"""Folders with files that take longest, in the order in which their tests begin."""


SLOW = frozenset((REPOSITORY / "tests" / "slow.txt").read_text().splitlines())
"""Functions and cases that `make test` leaves out, as `tools/slow_tests.py` wrote them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks slow tests, and begins with what takes longest, lest it ends the run alone."""
    for item in items:
        name = f"{item.path.relative_to(REPOSITORY).as_posix()}::{item.name}"
        if name in SLOW or name.partition("[")[0] in SLOW:
            item.add_marker(pytest.mark.slow)

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(REPOSITORY / "tests").parts[0]
        return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Collected tests stay to the end, so they are kept out of searches for cycles.

    Further searches are as rare as in a command, or would take a tenth of the tests' time.
    """
    gc.collect()
    gc.freeze()
    search_seldom_for_cycles()


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the source tree."""
    return REPOSITORY


@pytest.fixture(scope="session", autouse=True)
def known_header(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All workers compile simulations with a header that the compiler has read before."""
    folder = of_all_workers(tmp_path_factory) / "header"
    folder.mkdir(exist_ok=True)
    script = folder / "compile_with_known_header.sh"
    if not script.exists():
        part = folder / f"{os.getpid()}.part"
        shutil.copy(REPOSITORY / "tests" / script.name, part)
        part.rename(script)
    os.environ["OBJCACHE"] = str(script)


@pytest.fixture(scope="session")
def simulations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the simulations of `kept_programs`, the same for all workers."""
    return of_all_workers(tmp_path_factory) / "simulations"


@pytest.fixture
def kept_simulations(simulations: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that an earlier test compiled with the same parameters is not compiled again."""
    from kept_programs import keep_programs

    keep_programs(simulations, monkeypatch)


@pytest.fixture
def quick_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries are listed, and workers start, without the time that a user's command takes."""
    from functools import partial

    from forked_workers import forked_child, worker_server
    from joulemark.measure import inventory
    from joulemark.measure.worker import client
    from known_libraries import known_client

    monkeypatch.setattr(inventory, "WorkerClient", known_client)
    monkeypatch.setattr(client, "KeptChild", partial(forked_child, worker_server()))


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler; on Debian or Ubuntu: apt-get install gcc")
    return found


@pytest.fixture
def terminal() -> tuple[int, int]:
    """Both ends of a pseudo-terminal, for the test to close; skips where none can be opened."""
    try:
        ours, theirs = os.openpty()
        os.ttyname(theirs)
    except OSError as error:
        pytest.skip(f"no pseudo-terminals here, for which /dev/pts is mounted: {error}")
    return ours, theirs


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server with the database `empty_store`, which tests copy; skips without one."""
    from joulemark.store.repository import Store

    server = PostgresqlServer()
    try:
        server.start()
        server.execute("CREATE DATABASE empty_store TEMPLATE template0")
        Store.open(server.url("empty_store")).close()
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="session")
def c_library(repository: Path) -> Path:
    """The build folder of libjoulemark and of the native test programs, as users compile both."""
    return build(
        repository, "library", {**NATIVE_TESTS, "JOULEMARK_C_LIBRARY": "ON"}, as_installed=True
    )


@pytest.fixture(scope="session")
def plugin_of(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Compiles `tests/plugins/<name>.c` with definitions and returns the shared object."""
    folder = tmp_path_factory.mktemp("plugins")

    def compile_with(name: str, **definitions: object) -> Path:
        values = "_".join(str(definition).lower() for definition in definitions.values())
        output = folder / f"{name}_{values}.so"
        if not output.exists():
            sources = [
                f"tests/plugins/{name}.c",
                "kernels/siphash/siphash_portable.c",
                "kernels/common/forget.c",
            ]
            command = [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                       "-Ikernels/include", "-Ikernels",
                       *(f"-D{key}={value}" for key, value in definitions.items()),
                       "-o", str(output), *sources]  # fmt: skip
            subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
        return output

    return compile_with


@pytest.fixture(scope="session")
def hostile_plugins(
    compiler: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Path]]:
    """Plugins with the named attacks or wrong tables of `tests/plugins/hostile`.

    They are one shared object under many names; `hostile.h` says how a name chooses.
    """
    folder = tmp_path_factory.mktemp("hostile")
    whole = folder / "harmless.so"
    sources = sorted((REPOSITORY / "tests" / "plugins" / "hostile").glob("*.c"))
    subprocess.run(
        [compiler, "-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread",
         "-Ikernels/include", "-Ikernels", "-o", str(whole), *map(str, sources),
         "kernels/siphash/siphash_portable.c", "kernels/common/forget.c", "-lm", "-ldl"],
        cwd=REPOSITORY, check=True,
    )  # fmt: skip

    def named(*names: str) -> list[Path]:
        paths = [folder / f"{name}.so" for name in names]
        for path in paths:
            if not path.exists():
                os.link(whole, path)
        return paths

    return named


@pytest.fixture(scope="session")
def faulty_plugin(plugin_of: Callable[..., Path]) -> Callable[..., Path]:
    """Compiles `tests/plugins/faulty.c` with one fault and returns the shared object.

    `slowed_by` additions make each tag take longer.
    """
    return lambda fault, slowed_by=0: plugin_of("faulty", FAULT=fault, SLOWED_BY=slowed_by)


@pytest.fixture(scope="session")
def open_library() -> Path:
    """A real library, where the folder of open libraries is present."""
    folder = Path(os.environ.get("JOULEMARK_LIBERTY", REPOSITORY.parent / "shared" / "liberty"))
    path = folder / "sg13g2_stdcell_typ_1p20V_25C.lib"
    if not path.is_file():
        pytest.skip(f"no open cell libraries in {folder}; name their folder in JOULEMARK_LIBERTY")
    return path
