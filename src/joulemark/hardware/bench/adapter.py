# SPDX-License-Identifier: Apache-2.0
"""How a message goes into a core and its result comes out.

Every core has one adapter: a class named `Adapter` in the Python file that its manifest names.
Reports, benchmarks and gate-level runs drive any core through it and know nothing of its ports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar


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
