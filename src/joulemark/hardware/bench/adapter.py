# SPDX-License-Identifier: Apache-2.0
"""How a message goes into a core and its result comes out.

Every core has one adapter: a class named `Adapter` in the Python file that its manifest names.
Reports, benchmarks and gate-level runs drive any core through it and know nothing of its ports.
"""

from __future__ import annotations

import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NotRequired, TypedDict

from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean

if TYPE_CHECKING:
    from joulemark.hardware.manifest import Core


class CoreAdapter(ABC):
    """Base of every core's adapter.

    The clock runs before the first method is called; `clock` is its signal. Methods follow the two
    moments of `joulemark.hardware.bench`: drive after a rising edge, look on a falling edge.
    """

    key_bytes: ClassVar[tuple[int, ...]] = ()
    """Lengths in bytes of the keys that the core takes; empty for a core without a key."""
    message_bytes_max: ClassVar[int | None] = None
    """Longest message; None where only the standard limits it."""
    message_bytes_min: ClassVar[int] = 0
    """Shortest message: 1 for a core that marks the last word of a message and so has no word for
    an empty one."""
    message_bytes_multiple: ClassVar[int] = 1
    """Number that divides every length of a message, in bytes: 16 for a bare block cipher in
    CBC-MAC, which pads nothing."""

    word_goes_in: Callable[[], None] = staticmethod(lambda: None)
    """An adapter that does not use our streams calls this in each period at whose end a word of a
    message goes in, before the falling edge of that period, so that latency is counted to the
    clock."""
    scramble: Callable[[Iterable[Any]], None] = staticmethod(lambda _ports: None)
    """Such an adapter calls this right after the edge at which a word went in, with the ports of
    the word. They become random if the manifest says that the core looks at them no more."""
    result_is_there: Callable[[], None] = staticmethod(lambda: None)
    """Such an adapter calls this in the first period in which the first word of a result is
    there, also before the falling edge."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        self.dut = dut
        self.clock = clock
        self.parameters = parameters

    @abstractmethod
    async def reset(self) -> None:
        """Drives every input to its idle value, resets the core, and leaves it idle."""

    async def set_key(self, key: bytes) -> None:
        """Gives the core a key and returns when it may take messages."""
        raise NotImplementedError(f"{type(self).__module__}: this core takes no key")

    @abstractmethod
    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order.

        Returns on the rising edge after the last result was seen.
        """

    @staticmethod
    @abstractmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """The result that `process` must give, by an independent implementation.

        `key` is empty for a core without a key.
        """


Adapter = CoreAdapter
"""Name under which manifests' files export theirs."""


# The part of a manifest that a simulation needs to drive its core, and the plan of a run.
#
# A simulation does not load the readers of manifests, which take as long to load as a short
# workload takes to run.


@dataclass(frozen=True, slots=True)
class DrivenCore:
    """Fields of `Core`, under the same names."""

    name: str
    top: str
    algorithm: str
    clock: str
    reset: str | None
    inputs: Literal["held", "sampled"]
    adapter: str | dict[str, Any]
    folder: Path

    @classmethod
    def of(cls, core: Core) -> DrivenCore:
        """Copies the fields from a core."""
        return cls(**{field.name: getattr(core, field.name) for field in fields(cls)})


class PlanBatch(TypedDict):
    """Messages of a plan, in hexadecimal, that go in one after another with one key."""

    key: str | None
    messages: list[str]
    idle: int
    """Clock periods after the batch."""
    reset: bool
    stopped: float | None


class DrivePlan(TypedDict):
    """What one run of the simulator shall do, as JSON carries it."""

    core: DrivenCore
    parameters: dict[str, int]
    ports: list[str]
    """Ports whose value in every period is wanted."""
    batches: list[PlanBatch]
    inputs: list[str]
    scramble: bool
    """Whether inputs of messages become random after the edge that takes them."""
    resets: int
    longest_clocks: int
    record: str
    """File of the answer."""


class BatchRecord(TypedDict):
    """The periods and the results, in hexadecimal, of one batch."""

    begin: int
    end: int
    taken: list[int]
    offered: list[int]
    results: list[str]
    expected: list[str]
    key_clocks: int


class PlanEnd(TypedDict):
    """Why a plan ended early: by an error, or because the core hung."""

    kind: Literal["usage", "implementation", "hung"]
    text: NotRequired[str]
    batch: NotRequired[int]
    results: NotRequired[int]
    low: NotRequired[list[str]]
    """Signals that the core waits for."""


class PlanRecord(TypedDict):
    """The answer to a plan."""

    batches: list[BatchRecord]
    key_clocks: int
    reset_end: int
    ended: PlanEnd | None
    values: dict[str, list[str]]
    """Hexadecimal values of each port that was asked for, by period."""


def no_port(core: Core | DrivenCore, name: str, role: str, known: Iterable[str]) -> str:
    """The sentence about a port that a manifest names and its top module lacks.

    The role is the manifest's, such as "its clock"; `known` are the ports that the top module has.
    """
    hint = did_you_mean(name, known)
    return f"{core.name}: {core.top} has no port '{name}', which the manifest names as {role}{hint}"


def port_of(dut: Any, name: str, core: Core | DrivenCore, role: str) -> Any:
    """The signal of a port in a simulation; `dut` is cocotb's handle of the top module."""
    try:
        return getattr(dut, name)
    except AttributeError:
        known = [signal._name for signal in dut]  # noqa: SLF001 - cocotb's only name of a signal
        raise UsageError(no_port(core, name, role, known)) from None


# Finds the class that drives a core, from the `adapter` of its manifest.
#
# That is a Python file with a class `Adapter`, or a table that names one of our protocols and the
# ports that play its parts.


def adapter_class(core: Core | DrivenCore) -> type[CoreAdapter]:
    """The class that drives a core."""
    if isinstance(core.adapter, str):
        return _from_file(core, core.folder / core.adapter)
    protocols: Any = import_module("joulemark.hardware.bench.protocols")  # it needs cocotb
    made: type[CoreAdapter] = protocols.adapter_from_table(core)
    return made


def _from_file(core: Core | DrivenCore, path: Path) -> type[CoreAdapter]:
    if not path.is_file():
        raise UsageError(f"{core.name}: there is no adapter {path}")
    module = load_module(path.resolve(), f"_adapter_of_{core.name}")
    adapter = getattr(module, "Adapter", None)
    if not (isinstance(adapter, type) and issubclass(adapter, CoreAdapter)):
        raise UsageError(f"{path} has no class Adapter made of CoreAdapter")
    return adapter


def load_module(path: Path, name: str) -> ModuleType:
    """Runs a Python file as a module; puts its folder on Python's path for its own imports."""
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise UsageError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    return module
