# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench`: measure, store, and show; `measuring` does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.analyse.load import OfferedLoad
from joulemark.cli.shared.command import Command, SpreadOptions
from joulemark.cli.shared.load_options import ClaimOptions, LoadOptions
from joulemark.cli.shared.measuring_options import (
    ALL_OPTION,
    JSON_OPTION,
    PERCENTILE_OPTION,
    EnergyOptions,
    StoreOptions,
    TreeOptions,
)
from joulemark.cli.shared.terminal import require_writable
from joulemark.cli.study_options import EffortOptions, WorkloadOptions, study_of
from joulemark.errors import UsageError
from joulemark.measure.quiet import require_allowed
from joulemark.measure.study import Study
from joulemark.records.trial import HOST, Mode, is_firmware, is_gates
from joulemark.units import parse_percentile, parse_size

# The options of `bench` about what is printed and written.


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Forms of the results."""

    all_of_them: Annotated[bool, ALL_OPTION] = False
    json_: Annotated[bool, JSON_OPTION] = False
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of a table.")
    ] = False
    latex: Annotated[
        bool, typer.Option("--latex", help="Print tables for LaTeX (booktabs) instead of a table.")
    ] = False
    raw: Annotated[bool, typer.Option("--raw", help="With --json: every raw sample too.")] = False
    report: Annotated[Path | None, typer.Option(help="Also write this HTML page.")] = None
    percentile: Annotated[float | None, PERCENTILE_OPTION] = None

    def check(self) -> None:
        """Refuses options now, not after an hour of measuring."""
        if self.percentile is not None:
            parse_percentile(self.percentile)
            if self.csv or self.markdown or self.latex:
                raise UsageError("--percentile is shown in the table and by --json alone")
        if sum(self._asked.values()) > 1:
            raise UsageError(
                "--json, --csv, --markdown and --latex exclude one another; name one, and use "
                "joulemark export for the others"
            )
        if self.report is not None:
            require_writable(self.report)

    @property
    def kind(self) -> str | None:
        """Name of an export format; None for a table."""
        return next((name for name, wanted in self._asked.items() if wanted), None)

    @property
    def _asked(self) -> dict[str, bool]:
        return {"json": self.json_, "csv": self.csv, "markdown": self.markdown, "latex": self.latex}


# The options of `bench` that name a packet, of which target and lengths follow.

USUAL_PAYLOAD: Final = "24"
USUAL_NODE: Final = "mica2"
"""The packet and the node of `joulemark budget` if the user says no more."""


@dataclass(frozen=True, slots=True)
class PacketOptions:
    """A packet whose budget the counts are for."""

    protocol: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="PROTOCOL",
            help="Count what 'joulemark budget PROTOCOL' needs: the protocol's MACs, at the length "
            "that the MAC reads for such a payload, on the node's core.",
        ),
    ] = None
    payload: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help=f"With --for: bytes of one packet; {USUAL_PAYLOAD} unless given."
        ),
    ] = None
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"With --for: the node whose core is simulated; {USUAL_NODE} unless given.",
        ),
    ] = None

    def of_packet(self, workload: WorkloadOptions) -> WorkloadOptions:
        """The workload; with `--for` its target, lengths and algorithms are those of the packet."""
        if self.protocol is None:
            alone = "--payload" if self.payload is not None else "--node"
            if self.payload is not None or self.node is not None:
                raise UsageError(f"{alone} says more about the packet of --for PROTOCOL; give both")
            return workload
        if workload.size is not None:
            raise UsageError(
                "--for takes the length from the packet's --payload; leave out --size, or --for"
            )
        from joulemark.budget.planner import counts_wanted  # noqa: PLC0415 - slow; few ask for it

        wanted = counts_wanted(
            self.protocol,
            self.node or USUAL_NODE,
            parse_size(self.payload or USUAL_PAYLOAD),
            workload.patterns or (),
        )
        return replace(
            workload,
            patterns=list(wanted.algorithms),
            size=",".join(map(str, wanted.sizes_bytes)),
            target=wanted.target if workload.target == HOST else workload.target,
        )


# The options of `bench` for the netlists of CPUs.

USUAL_CLOCK: Final = "500k"
"""The clock of `joulemark core report`."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """Cells and clock of CPUs that run firmware as netlists."""

    liberty: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --target gate:NAME: the cell library, plain or .gz, to which the CPU is "
            "mapped.",
        ),
    ] = None
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="HZ",
            help=f"With --target gate:NAME: the clock of the joules, as 500k or 100MHz; "
            f"{USUAL_CLOCK} unless given.",
        ),
    ] = None
    glitches: Annotated[
        bool,
        typer.Option(
            "--glitches",
            help="With --target gate:NAME: measure what glitches add, on three slices of each "
            "message with the delays of the cells; takes minutes a row.",
        ),
    ] = False
    mappings: Annotated[
        int,
        typer.Option(
            "--mappings",
            metavar="N",
            help="With --target gate:NAME: map each CPU N times, and show the range; each mapping "
            "takes a minute or more.",
        ),
    ] = 1

    def require_none(self) -> None:
        """Refuses these options where no netlist is asked for."""
        for option, given in (
            ("--liberty", self.liberty),
            ("--clock", self.clock),
            ("--glitches", self.glitches or None),
            ("--mappings", None if self.mappings == 1 else self.mappings),
        ):
            if given is not None:
                raise UsageError(f"{option} is for the netlist of a CPU, --target gate:NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """Joules of firmware on netlists, which are kept as reports of cores, and shown."""

    study: Study
    liberty: str
    clock: str
    glitches: bool
    mappings: int
    store_location: str | None
    """Where the reports are kept; None keeps nothing."""
    as_json: bool


def _gate_request(
    study: Study, gates: GateOptions, output: OutputOptions, store: str | None, *, more: bool
) -> GateRequest:
    """The request for joules on netlists; `more`: whether options of other targets are given."""
    study.require_gates()
    if not study.patterns:
        raise UsageError(
            "a netlist takes seconds for each implementation: name those to be measured, as in "
            f"joulemark bench chaskey-12 --target {study.targets[0]}"
        )
    if gates.liberty is None:
        raise UsageError(
            f"--target {study.targets[0]} maps the CPU to a cell library and finds none: give "
            "--liberty FILE"
        )
    if output.kind not in {None, "json"} or output.report is not None or output.raw:
        raise UsageError("joules on a netlist are shown as a table or by --json alone")
    if more or output.percentile is not None:
        raise UsageError(
            "--rate, --plugin, --percentile, --scheduler and --workers have no place beside "
            f"--target {study.targets[0]}; leave them out"
        )
    return GateRequest(
        study=study,
        liberty=gates.liberty,
        clock=gates.clock or USUAL_CLOCK,
        glitches=gates.glitches,
        mappings=gates.mappings,
        store_location=store,
        as_json=output.json_,
    )


# What a command asks `joulemark.cli.measuring` for, once its options are understood.


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """A study that is carried out on this machine, kept, and shown."""

    study: Study
    store_location: str | None
    """Where every sample is kept; None keeps nothing."""
    hang_limit_s: float
    """Seconds without an answer after which code counts as hung."""
    output: OutputOptions = field(default_factory=OutputOptions)
    plugins: Sequence[str] = ()
    """The user's files."""
    fresh: bool = False
    """Whether an unfinished run of the same study is left as it is."""
    cpu: int | None = None
    """The CPU to measure on; None: the least busy one."""
    kept_in: Path | None = None
    """Folder of the plugins that this user keeps; None: the usual one."""
    spread: SpreadOptions = field(default_factory=SpreadOptions)
    """The cluster that simulates firmware, if any."""
    wait_quiet_s: float | None = None
    """Longest time to wait for a quiet machine; None: not at all."""
    load: OfferedLoad | None = None
    """Messages whose cost is shown first."""
    claims: ClaimOptions = field(default_factory=ClaimOptions)
    """What an algorithm must claim to be measured."""


_EXIT_CODES = """\b
Exit codes:
  0  all that could be run was measured; a length that an implementation does
     not take is named as refused
  2  an implementation crashed, hung or computed something wrong (the figures
     of the others stand; without patterns an outside library that does so is
     named and left out, and the code is 0), or energy was asked for and
     nothing here meters it or no figure of it could be stated (the times
     stand), or the command makes no sense, or nothing could be measured
"""


@dataclass(frozen=True, slots=True)
class RunStoreOptions(StoreOptions):
    """The store, and what becomes of an unfinished run in it."""

    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Begin a new run instead of going on with an unfinished one."),
    ] = False


def bench(
    *,
    workload: WorkloadOptions,
    packet: PacketOptions,
    effort: EffortOptions,
    offered: LoadOptions,
    claims: ClaimOptions,
    output: OutputOptions,
    store: RunStoreOptions,
    energy: EnergyOptions,
    trees: TreeOptions,
    spread: SpreadOptions,
    gates: GateOptions,
) -> MeasureRequest | GateRequest:
    """Measure implementations on this machine, store every sample, show the figures.

    With --rate the screen begins with the part of a core that so many messages take: for each
    algorithm and length with your own code, and with the cheapest implementation.

    With --target gate:NAME firmware runs on an open CPU that is mapped to a cell library, and the
    screen has the joules of a message. The store keeps them as reports of cores, from which
    'joulemark compare-targets' and 'joulemark budget --engine' take them.
    """
    output.check()
    workload = packet.of_packet(workload)
    study = study_of(workload, effort, energy, trees)
    spread.check(None)
    load = offered.load()
    if any(map(is_gates, study.targets)):
        more = load is not None or spread.given or bool(workload.plugin)
        return _gate_request(study, gates, output, store.location, more=more)
    gates.require_none()
    if spread.given and not all(map(is_firmware, study.targets)):
        raise UsageError(
            "--scheduler and --workers spread simulations of firmware alone (--target mcu:NAME); "
            "'joulemark fleet bench' measures on other machines"
        )
    if load is not None:
        _require_answer_to_load(study, output)
    wait_quiet_s = effort.wait_s()
    require_allowed(effort.cpu)
    return MeasureRequest(
        study=study,
        output=output,
        store_location=store.location,
        plugins=workload.plugin or (),
        fresh=store.fresh,
        hang_limit_s=effort.hang_limit,
        cpu=effort.cpu,
        spread=spread,
        wait_quiet_s=wait_quiet_s,
        load=load,
        claims=claims,
    )


def _require_answer_to_load(study: Study, output: OutputOptions) -> None:
    """Refuses `--rate` where no figure or no form of output has an answer to it."""
    if HOST not in study.targets or Mode.THROUGHPUT not in study.modes:
        raise UsageError(
            "--rate asks for messages that do not wait for one another on this machine; measure "
            "with --target host and --mode throughput, or leave --rate out"
        )
    if output.kind in {"csv", "markdown"}:
        raise UsageError(f"--rate has no place in --{output.kind}; take --json, or leave it out")


COMMAND: Final = Command(
    bench,
    (
        "joulemark bench",
        "joulemark bench hmac-sha256 --size 16,64..1024",
        "joulemark bench 'hmac-*/openssl_*' --mode latency --json > run.json",
        "joulemark bench hmac-sha256 --precision 0.5% --budget 5min --wait-quiet 10min",
        "joulemark bench cmac-aes128 --key kept,fresh --report report.html",
        "joulemark bench hmac-sha256 --size 1KiB --energy",
        "joulemark bench hmac-sha256 --batch 1,64 --key distinct --mix imix",
        "joulemark bench sha256 --target rtl:verilator --size 0,64,1KiB --mode latency",
        "joulemark bench hmac-sha256 cmac-aes128 --size 64 --rate 1M --watts-per-core 15",
        "joulemark bench --size 64 --rate 1M --security-bits 128 --approved nist",
        "joulemark bench --target mcu:atmega128,mcu:cortex-m4 --workers 2",
        "joulemark bench --for lorawan_1_0 --node lora_sf7 --payload 24",
        "joulemark bench chaskey-12 --size 33 --target gate:serv --liberty typical.lib",
    ),
    notes=(_EXIT_CODES,),
)
