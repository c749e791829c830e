# SPDX-License-Identifier: Apache-2.0
"""Figures under a library's name come from that library; it computes a tag or refuses.

Three checks: no source of a provider uses our kernels, no built plugin contains a kernel, and at
each length a provider gives the right tag or refuses, and refuses only lengths known to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from joulemark import _core
from joulemark.errors import CrashError, HangError
from joulemark.measure.inventory import OPEN_LIMIT_S, Inventory
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.correctness import expected_output, trial_key
from joulemark.measure.worker.messages import OpenSource, output_text
from joulemark.measure.worker.run_messages import ComputeOutputs, OutputCase
from joulemark.measure.worker.sources import installed_sources
from joulemark.measure.worker.trials import portable_kernel
from joulemark.reference import in_hashlib

SIZES_BYTES = (0, 1, 63, 64, 65, 127, 128, 129, 4096, 65535, 65536, 65537, 1 << 20)
KEYS_BYTES = (0, 1, 16, 32, 63, 64, 65, 128, 129, 300)
LANE_BYTES_MAX = 65536
OWN_HEADERS_ALLOWED = {"joulemark/kernel.h", "joulemark/cpu.h", "common/secret.h", "common/table.h"}
NOTE_BYTES_MIN = 20
"""Shorter notes might also stand in other people's code."""
BY_REFERENCE_BYTES = 4096
"""The most bytes of a message for readable references, which take seconds for more. Beyond, our
portable kernel gives the right output; tests/reference compares it up to this length."""
FEWEST_NOTES = 40
"""Kernels of one family share a note; an engine's or a derived HMAC's is made at run time."""


Ask = Callable[[str, Sequence[OutputCase]], Sequence[str | None] | None]


@pytest.fixture(scope="module")
def ask(inventory: Inventory) -> Iterator[Ask]:
    """A function from an implementation and cases to outputs, with None for each refusal.

    The function gives None for an implementation that dies, which test_against_references.py names.

    Each library is in its worker, as usual. Unlike a run and test_against_references.py, the worker
    checks nothing before the first answer: the tests here compare the outputs.
    """
    clients: dict[str, WorkerClient] = {}

    def outputs(name: str, cases: Sequence[OutputCase]) -> Sequence[str | None] | None:
        source = inventory.source_of(name)
        if source.name not in clients:
            clients[source.name] = WorkerClient(source, None)
            clients[source.name].ask(OpenSource(), limit_s=OPEN_LIMIT_S)
        request = ComputeOutputs(name, tuple(cases))
        try:
            return clients[source.name].ask(request, limit_s=120).outputs
        except (CrashError, HangError):
            clients.pop(source.name).close()
            return None

    yield outputs
    for client in clients.values():
        client.close()


def may_refuse(provider: str, algorithm: str, size_bytes: int) -> bool:
    """True where the manuals allow it: IPsec-MB but Poly1305 and GMAC; Botan's empty CBC-MAC."""
    if provider == "botan" and algorithm.startswith("cbc-mac-"):
        return size_bytes == 0
    if provider != "ipsec_mb" or algorithm.startswith(("poly1305", "gmac-")):
        return False
    return size_bytes > LANE_BYTES_MAX or (size_bytes == 0 and algorithm.startswith("hmac-"))


def own_notes() -> set[bytes]:
    """A sentence of each of our kernels, which any binary with the kernel linked in contains."""
    kernels = _core.builtin_plugin().implementations()
    notes = {(kernel.note or "").encode() for kernel in kernels}
    library = Path(_core.__file__).read_bytes()  # an engine's note is made at run time, not there
    return {note for note in notes if len(note) >= NOTE_BYTES_MIN and note in library}


@cache
def right_output(algorithm: str, key: bytes, size_bytes: int) -> str:
    """The right output for the harness's message of this size."""
    portable = portable_kernel(algorithm)
    if size_bytes <= BY_REFERENCE_BYTES or in_hashlib(algorithm) or portable is None:
        return expected_output(algorithm, key, size_bytes)
    message = _core.message(size_bytes)
    if portable.kind == "hash":
        return output_text(portable.digest(message))
    return output_text(_core.KeyState(portable, key).tag(message))


def plugins() -> list[Path]:
    """The plugins of this installation."""
    return [
        Path(installed_source.path)
        for installed_source in installed_sources()
        if installed_source.kind == "plugin" and installed_source.path
    ]


def test_no_source_of_a_provider_reaches_for_our_kernels(repository: Path) -> None:
    """A provider includes the interface, and of our own code only the headers that wipe secrets."""
    folder = repository / "providers"
    sources = [path for path in folder.rglob("*") if path.suffix in {".c", ".cpp", ".h"}]
    assert sources
    for path in sources:
        text = path.read_text("utf-8")
        own = {name for name in re.findall(r'#include ["<]([^">]+)[">]', text)
               if (repository / "kernels" / name).exists()
               or (repository / "kernels/include" / name).exists()}  # fmt: skip
        assert own <= OWN_HEADERS_ALLOWED, f"{path.name} includes {own - OWN_HEADERS_ALLOWED}"
        assert "jm_builtin_plugin" not in text, f"{path.name} asks for our kernels"


def test_no_plugin_holds_one_of_our_kernels() -> None:
    """No plugin contains a note of our kernels; the same search finds notes in our own library."""
    notes = own_notes()
    assert len(notes) >= FEWEST_NOTES
    found = plugins()
    if not found:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    for path in found:
        held = [note.decode() for note in notes if note in path.read_bytes()]
        assert not held, f"{path.name} holds our kernels: {held[:3]}"


def test_each_length_is_computed_or_refused(inventory: Inventory, ask: Ask) -> None:
    """No tag is wrong, and only lengths that are known to be refused are refused."""
    outside = [facts for facts in inventory.facts.values()
               if facts.provider != "joulemark" and facts.kind != "cipher"]  # fmt: skip
    if not outside:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    for facts in outside:
        name = facts.implementation
        algorithm = name.split("/", 1)[0]
        cases = tuple(OutputCase(trial_key(facts), pattern_bytes=size) for size in SIZES_BYTES)
        outputs = ask(name, cases)
        if outputs is None:
            continue
        for size, output in zip(SIZES_BYTES, outputs, strict=True):
            if may_refuse(facts.provider, algorithm, size):
                assert output is None, f"{name} answers {size} bytes, which {facts.provider} cannot"
            else:
                assert output == right_output(algorithm, trial_key(facts), size), (name, size)


def test_each_length_of_key_is_taken_as_the_facts_say(inventory: Inventory, ask: Ask) -> None:
    """Keys lie on both sides of a block and far over it, as far as the library takes them."""
    for facts in inventory.facts.values():
        name = facts.implementation
        if facts.provider == "joulemark" or not name.startswith("hmac-"):
            continue
        most = facts.key_bytes_max
        keys = [bytes(range(256)) * 2 for _ in KEYS_BYTES]
        taken = [key[:length] for key, length in zip(keys, KEYS_BYTES, strict=True)
                 if length >= facts.key_bytes_min and (most is None or length <= most)]  # fmt: skip
        cases = tuple(OutputCase(key, pattern_bytes=100) for key in taken)
        algorithm = name.split("/", 1)[0]
        outputs = ask(name, cases)
        right = tuple(expected_output(algorithm, key, 100) for key in taken)
        assert outputs in (None, right), name
