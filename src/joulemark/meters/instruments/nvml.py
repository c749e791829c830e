# SPDX-License-Identifier: Apache-2.0
"""Energy and power of NVIDIA boards through NVML, NVIDIA's management library.

NVML API reference, "Device Queries": nvmlDeviceGetTotalEnergyConsumption counts millijoules (not
microjoules, as pyJoules read them: its issue 20) since the driver was last loaded, on Volta boards
and later. Loading the driver again sets the counter to 0; the analysis voids a window with a
decrease, since no wrap is known. nvmlDeviceGetPowerUsage gives milliwatts for the board with its
memory; since Ampere (GA100 aside) they are a mean over 1 s. One tester saw the energy counter move
every 10 ms (pynvml issue 18), and no document promises a period.

The Python package nvidia-ml-py is no requirement; it is loaded when this meter is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from joulemark.meters import Meter, MeterError, MeterRefusal, Reading, Roots, Survey, evidence_of
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME = "nvml"
TITLE = "NVIDIA board through NVML"
PREFERENCE: int | None = 10

_MILLI: Final = 1e-3
_LIMIT_MARGIN: Final = 2.0
"""The enforced limit holds on average over many milliseconds; single samples pass it."""
_NO_PERMISSION, _NOT_FOUND, _GPU_IS_LOST = 4, 6, 15
"""nvmlReturn_t, nvml.h."""
_NOTE: Final = "whole board with its memory, whoever uses it; neither host CPU nor supply losses"


class _StartError(Exception):
    """NVML cannot be used at all."""

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.remedy = remedy


def _text(value: object) -> str:
    """A string of the binding as text: old bindings give bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class NvmlMeter(Meter):
    """Every NVIDIA board that the driver shows."""

    title = TITLE

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._nvml: Any = None
        self._handles: dict[str, object] = {}

    def survey(self) -> Survey:
        """An energy counter for each board; its power gauge is the same hardware.

        The first start of the library after boot may take seconds where no persistence daemon
        keeps the driver awake.
        """
        if evidence_of(self._roots.sysfs) is Evidence.SIMULATED:
            return Survey(reason="a simulated machine has no NVIDIA driver")
        try:
            nvml = _start()
        except _StartError as trouble:
            return Survey(reason=str(trouble), remedy=trouble.remedy)
        try:
            return _survey(nvml)
        except nvml.NVMLError as error:
            return Survey(reason=f"NVML cannot list its boards ({error})")
        finally:
            _stop(nvml)

    def read(self, domain: str) -> Reading:
        """Millijoules or milliwatts of one board, which the domain names by its UUID."""
        uuid, _, quantity = domain.rpartition(":")
        if quantity not in set(Quantity):
            raise MeterError(Fault.VANISHED, f"there is no NVML domain '{domain}'")
        try:
            if self._nvml is None:
                self._nvml = _start()
        except _StartError as trouble:
            raise MeterError(Fault.VANISHED, str(trouble)) from None
        nvml = self._nvml
        try:
            if uuid not in self._handles:
                self._handles[uuid] = nvml.nvmlDeviceGetHandleByUUID(uuid)
            before_ns = self._roots.now_ns()
            counts = _ask(nvml, self._handles[uuid], quantity)
            after_ns = self._roots.now_ns()
        except nvml.NVMLError as error:
            raise MeterError(_fault(error), f"NVML cannot read {domain} ({error})") from None
        if counts < 0:
            raise MeterError(Fault.UNREADABLE, f"NVML says {counts} for {domain}")
        return Reading(before_ns, after_ns, counts)

    def evidence(self) -> Evidence:
        """MEASURED always: NVML has no test double, and a simulated machine has no board."""
        return Evidence.MEASURED

    def close(self) -> None:
        """Shuts the library down; the next reading starts it again."""
        if self._nvml is not None:
            nvml, self._nvml = self._nvml, None
            self._handles.clear()
            _stop(nvml)


def _start() -> Any:
    """The Python module `pynvml`, with the library initialised."""
    try:
        nvml = import_module("pynvml")
    except ImportError:
        raise _StartError(
            "the Python package nvidia-ml-py is not installed", "pip install 'joulemark[nvml]'"
        ) from None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        raise _StartError(
            f"NVML does not start ({error})",
            "install the NVIDIA driver, load it and see whether nvidia-smi lists the board",
        ) from None
    return nvml


def _stop(nvml: Any) -> None:
    """Shuts the library down; an error in that does not concern what was read."""
    try:
        nvml.nvmlShutdown()
    except nvml.NVMLError:
        return


def _ask(nvml: Any, handle: Any, quantity: str) -> int:
    if quantity == Quantity.ENERGY:
        return int(nvml.nvmlDeviceGetTotalEnergyConsumption(handle))
    return int(nvml.nvmlDeviceGetPowerUsage(handle))


def _fault(error: Exception) -> Fault:
    code = getattr(error, "value", None)
    if code == _NO_PERMISSION:
        return Fault.PERMISSION
    return Fault.VANISHED if code in {_NOT_FOUND, _GPU_IS_LOST} else Fault.UNREADABLE


def _survey(nvml: Any) -> Survey:
    domains: list[Domain] = []
    refused: list[MeterRefusal] = []
    boards: dict[str, str] = {}
    for index in range(int(nvml.nvmlDeviceGetCount())):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            uuid = _text(nvml.nvmlDeviceGetUUID(handle))
            name = boards[uuid] = _text(nvml.nvmlDeviceGetName(handle))
        except nvml.NVMLError as error:
            refused.append(
                MeterRefusal(f"board {index}", f"NVML cannot open board {index} ({error})")
            )
            continue
        limit_w = _limit_w(nvml, handle)
        counter: str | None = None
        for quantity in Quantity:  # ENERGY first: the gauge names the counter in `same_as`
            try:
                _ask(nvml, handle, quantity)
            except nvml.NVMLError as error:
                text = f"{name} gives no {quantity} through NVML ({error})"
                refused.append(MeterRefusal(f"{uuid}:{quantity}", text))
                continue
            domains.append(
                Domain(
                    f"{uuid}:{quantity}",
                    name,
                    DomainKind.GPU,
                    quantity,
                    per_count=_MILLI,
                    resolution=_MILLI,
                    same_as=counter,
                    max_power_w=limit_w,
                    note=_NOTE,
                )
            )
            counter = domains[-1].id
    facts = {"driver": _driver(nvml), "boards": boards}
    return Survey.of(domains, refused, facts, "NVML lists no NVIDIA board")


def _limit_w(nvml: Any, handle: Any) -> float | None:
    try:
        limit_mw = int(nvml.nvmlDeviceGetEnforcedPowerLimit(handle))
    except nvml.NVMLError:
        return None
    return limit_mw * _MILLI * _LIMIT_MARGIN if limit_mw > 0 else None


def _driver(nvml: Any) -> str | None:
    try:
        return _text(nvml.nvmlSystemGetDriverVersion())
    except nvml.NVMLError:
        return None


def make(roots: Roots, argument: str | None) -> NvmlMeter:
    """The meter; it takes no argument."""
    NvmlMeter.refuse_argument(NAME, argument)
    return NvmlMeter(roots)
