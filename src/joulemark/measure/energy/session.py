# SPDX-License-Identifier: Apache-2.0
"""Opens the meter of a run: chosen and observed now, or that of a run that goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from joulemark.measure.energy.choose import Place, choose_meter
from joulemark.measure.energy.giving_up import refuse_if_busy
from joulemark.measure.energy.prepare import PreparedMeter, prepare
from joulemark.measure.planning.energy import METHODS, EnergyPlan
from joulemark.measure.windows.activity import SystemActivity
from joulemark.measure.windows.clock import SystemClock
from joulemark.measure.windows.observe import LONGEST_S
from joulemark.measure.worker_messages.energy import MeteredDomains, ObserveMeter
from joulemark.measure.workers.pool import WorkerPool
from joulemark.meters.contract import Roots
from joulemark.meters.instruments import open_session
from joulemark.meters.sysfs import text_or_none
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import MeterRecord, Observation

__all__ = ["cpu_facts", "place_of", "prepared_meter"]


def place_of(cpu: int | None, sysfs: Path) -> Place:
    """Numbers of the physical package (socket) and the die of a CPU."""
    if cpu is None:
        return None, None
    topology = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
    package, die = (text_or_none(topology / name) for name in ("physical_package_id", "die_id"))
    return (
        int(package) if package and package.isdecimal() else None,
        int(die) if die and die.isdecimal() else None,
    )


@contextmanager
def prepared_meter(
    plan: EnergyPlan, kept: MeterRecord | None, pool: WorkerPool
) -> Iterator[tuple[EnergyPlan, PreparedMeter]]:
    """The plan with the trees that the meter reads, and the meter ready for windows.

    Args:
        plan: settings of the user.
        kept: the meter of an earlier part of this run; None for a new run.
        pool: workers pinned to the measured CPU.

    Raises:
        UnavailableError: nothing here reads joules as asked, or other programs are too busy.
        UsageError: the meter's name or argument makes no sense.
    """
    roots = Roots(Path(plan.sysfs), Path(plan.proc))
    with open_session(plan.meter, roots) as (name, roots_used):
        used = replace(plan, sysfs=str(roots_used.sysfs), proc=str(roots_used.proc))
        place = place_of(pool.cpu, roots_used.sysfs)
        chosen = choose_meter(name, roots_used, place, shown=plan.meter)
        try:
            refuse_if_busy(plan.foreign_limit, SystemClock(), SystemActivity(roots_used.sysfs))
            shown = plan.meter or chosen.name
            if kept is not None and kept.meter == shown:
                yield used, _go_on_with(kept, chosen.name)
            else:

                def watch(domains: Sequence[Domain]) -> Sequence[Observation]:
                    metered = MeteredDomains(chosen.name, used.sysfs, used.proc, tuple(domains))
                    request = ObserveMeter(metered, LONGEST_S)
                    return pool.ask_own(request, limit_s=LONGEST_S + 30.0).observations

                prepared = prepare(chosen, used, watch, shown=shown)
                facts = {**prepared.record.facts, **cpu_facts(pool.cpu, roots_used.sysfs)}
                yield used, replace(prepared, record=replace(prepared.record, facts=facts))
        finally:
            chosen.meter.close()


def cpu_facts(cpu: int | None, sysfs: Path) -> dict[str, Any]:
    """The measured CPU and the CPUs of its core: a busy sibling changes power and speed of both."""
    topology = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
    return {
        "measured_cpu": cpu,
        "thread_siblings": text_or_none(topology / "thread_siblings_list"),
        "core_siblings": text_or_none(topology / "core_siblings_list"),
    }


def _go_on_with(record: MeterRecord, meter: str) -> PreparedMeter:
    """The meter of an earlier part of the run, with the same windows."""
    protocol = METHODS[record.method]
    periods = {
        domain.id: float(record.paces[domain.id]["period_s"])
        if domain.quantity is Quantity.ENERGY and domain.id in record.paces
        else domain.update_period_s or record.window_s / max(protocol.samples, 1)
        for domain in record.domains
    }
    first = next(domain for domain in record.domains if domain.id == record.headline)
    return PreparedMeter(record, meter, protocol, first, periods)
