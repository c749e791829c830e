# SPDX-License-Identifier: Apache-2.0
"""The NVML meter on a false pynvml, since test machines have no board."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, MeterError, Roots
from joulemark.meters.instruments.nvml import PREFERENCE, NvmlMeter, make
from joulemark.records.energy_window import DomainKind, Fault, Quantity


class FakeNvml:
    """The part of pynvml that the meter uses, with names and error codes of nvml.h."""

    class NVMLError(Exception):
        """The error of pynvml, whose code is `value`."""

        def __init__(self, value: int) -> None:
            super().__init__(f"error {value}")
            self.value = value

    def __init__(self, boards: int = 1) -> None:
        self.boards = boards
        self.started = 0
        self.fails: dict[str, int] = {}
        self.energy_mj = 123_456
        self.power_mw = 71_234
        self.bytes = False

    def _say(self, what: str) -> None:
        if what in self.fails:
            raise self.NVMLError(self.fails[what])

    def nvmlInit(self) -> None:  # noqa: N802
        """Counts the starts of the library."""
        self._say("init")
        self.started += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        """Counts the ends of the library."""
        self.started -= 1

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        """The number of boards."""
        return self.boards

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        """A handle of the board."""
        self._say("handle")
        return index

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> int:  # noqa: N802
        """The same handle for the UUID."""
        if not uuid.startswith("GPU-"):
            raise self.NVMLError(6)
        return int(uuid.removeprefix("GPU-"))

    def nvmlDeviceGetUUID(self, handle: int) -> str | bytes:  # noqa: N802
        """The UUID as text, or as bytes, which old bindings give."""
        return f"GPU-{handle}".encode() if self.bytes else f"GPU-{handle}"

    def nvmlDeviceGetName(self, handle: int) -> str:  # noqa: N802
        """The name of the board."""
        return f"Board {handle}"

    def nvmlDeviceGetTotalEnergyConsumption(self, handle: int) -> int:  # noqa: N802
        """Energy since the driver was loaded, in mJ."""
        self._say("energy")
        return self.energy_mj

    def nvmlDeviceGetPowerUsage(self, handle: int) -> int:  # noqa: N802
        """Power, in mW."""
        self._say("power")
        return self.power_mw

    def nvmlDeviceGetEnforcedPowerLimit(self, handle: int) -> int:  # noqa: N802
        """Limit of the power, in mW."""
        self._say("limit")
        return 700_000

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        """The version of the driver."""
        self._say("driver")
        return "580.1"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeNvml:
    """A false pynvml in the place of the real one."""
    module = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", module)
    return module


def meter(root: Path) -> NvmlMeter:
    """The meter, on a system folder that holds at most the mark of a simulated machine."""
    return make(Roots(sysfs=root), None)


def test_energy_is_in_millijoules(fake: FakeNvml, tmp_path: Path) -> None:
    """A count is 1 mJ: 123456 counts are 123.456 J; the gauge is the same hardware, in mW."""
    nvml_meter = meter(tmp_path)
    energy, power = nvml_meter.survey().domains
    assert nvml_meter.read(energy.id).counts * energy.per_count == pytest.approx(123.456)
    assert nvml_meter.read(power.id).counts * power.per_count == pytest.approx(71.234)
    assert (energy.quantity, power.quantity) == (Quantity.ENERGY, Quantity.POWER)
    assert (energy.same_as, power.same_as) == (None, energy.id)
    assert (energy.kind, energy.id, energy.name) == (DomainKind.GPU, "GPU-0:energy", "Board 0")
    assert energy.max_power_w == pytest.approx(1400)
    assert energy.wraps_at_counts is None
    assert PREFERENCE == 10


def test_board_before_volta_has_its_power_alone(fake: FakeNvml, tmp_path: Path) -> None:
    """Where the counter is not supported the gauge stands by itself, and the counter is refused."""
    fake.fails["energy"] = 3
    survey = meter(tmp_path).survey()
    (power,) = survey.domains
    assert (power.id, power.same_as) == ("GPU-0:power", None)
    assert survey.reason is None
    assert [refusal.what for refusal in survey.refused] == ["GPU-0:energy"]


def test_each_board_has_its_own_twin(fake: FakeNvml, tmp_path: Path) -> None:
    """Two boards are four domains; a gauge refers to the counter of its own board."""
    fake.boards = 2
    twins = {domain.id: domain.same_as for domain in meter(tmp_path).survey().domains}
    assert twins == {"GPU-0:energy": None, "GPU-0:power": "GPU-0:energy",
                     "GPU-1:energy": None, "GPU-1:power": "GPU-1:energy"}  # fmt: skip


def test_old_bindings_give_bytes(fake: FakeNvml, tmp_path: Path) -> None:
    """The UUID is text in the id whatever the binding gives."""
    fake.bytes = True
    assert meter(tmp_path).survey().domains[0].id == "GPU-0:energy"


def test_missing_package_has_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without nvidia-ml-py the remedy is the optional extra."""
    monkeypatch.setitem(sys.modules, "pynvml", None)
    survey = meter(tmp_path).survey()
    assert survey.reason == "the Python package nvidia-ml-py is not installed"
    assert survey.remedy == "pip install 'joulemark[nvml]'"
    with pytest.raises(MeterError, match="not installed"):
        meter(tmp_path).read("GPU-0:energy")


def test_missing_driver_is_a_reason(fake: FakeNvml, tmp_path: Path) -> None:
    """A library that does not start is a reason, never a traceback."""
    fake.fails["init"] = 9
    assert meter(tmp_path).survey().reason == "NVML does not start (error 9)"


def test_machine_without_boards_says_so(fake: FakeNvml, tmp_path: Path) -> None:
    """A driver without boards has a reason that says so."""
    fake.boards = 0
    assert meter(tmp_path).survey().reason == "NVML lists no NVIDIA board"


def test_board_that_cannot_be_opened_is_refused(fake: FakeNvml, tmp_path: Path) -> None:
    """A board without permission does not hide the reason."""
    fake.fails["handle"] = 4
    assert meter(tmp_path).survey().reason == "NVML cannot open board 0 (error 4)"


@pytest.mark.parametrize(
    ("code", "fault"), [(4, Fault.PERMISSION), (15, Fault.VANISHED), (999, Fault.UNREADABLE)]
)
def test_read_errors_have_their_kind(
    fake: FakeNvml, tmp_path: Path, code: int, fault: Fault
) -> None:
    """A lost board has vanished; other codes are unreadable."""
    fake.fails["energy"] = code
    with pytest.raises(MeterError) as caught:
        meter(tmp_path).read("GPU-0:energy")
    assert caught.value.fault is fault


@pytest.mark.parametrize("domain", ["", "GPU-0", "GPU-0:heat", "MIG-7:energy"])
def test_unknown_domain_is_an_error(fake: FakeNvml, tmp_path: Path, domain: str) -> None:
    """Only energy and power of a board that exists are read."""
    with pytest.raises(MeterError) as caught:
        meter(tmp_path).read(domain)
    assert caught.value.fault is Fault.VANISHED


def test_missing_facts_are_none(fake: FakeNvml, tmp_path: Path) -> None:
    """Without a limit or a driver version the meter works, and these facts are None."""
    fake.fails |= {"limit": 3, "driver": 3}
    survey = meter(tmp_path).survey()
    assert survey.domains[0].max_power_w is None
    assert survey.facts["driver"] is None


def test_library_is_given_back(fake: FakeNvml, tmp_path: Path) -> None:
    """A survey gives the library back at its end, and a meter when it is closed, once."""
    nvml_meter = meter(tmp_path)
    nvml_meter.survey()
    assert fake.started == 0
    nvml_meter.read("GPU-0:energy")
    nvml_meter.read("GPU-0:power")
    assert fake.started == 1
    nvml_meter.close()
    nvml_meter.close()
    assert fake.started == 0


def test_simulated_machine_has_no_board(fake: FakeNvml, tmp_path: Path) -> None:
    """A real board does not belong to a simulated machine."""
    (tmp_path / SIMULATED_MARK).touch()
    assert meter(tmp_path).survey().reason == "a simulated machine has no NVIDIA driver"


def test_argument_is_refused(tmp_path: Path) -> None:
    """The meter takes no argument."""
    with pytest.raises(UsageError, match="takes no argument"):
        make(Roots(sysfs=tmp_path), "0")
