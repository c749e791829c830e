# SPDX-License-Identifier: Apache-2.0
"""From stored samples to estimates, warnings, comparisons and verdicts.

Here is the published shape of a result: what `--json` prints, exports carry and reports draw.

`SCHEMA_VERSION` history:
    1  first version.
    2  energy: `energy`, `joules_per_message`, `gross_joules_per_message`, `watts`,
       `joule_seconds_per_message`, `modelled_joules_per_message`, `modelled_joules_per_byte`;
       `context.meter`.
    3  `mix`, `mean_bytes` and `batch_calls` of a result; `batch` above 1, key set-up `distinct`,
       failures of kind `refused`.
    4  hardware cores: target `rtl:verilator` with `clocks_per_message`, `clocks_per_byte` and
       `key_setup_clocks`, all `simulated`; `core_reports`.
    5  intervals by process generation; `repeatability`; `context.run.conditions`; raw samples have
       `window_index`, `visit_wall_ns` and `visit_thread_cpu_ns`.
    6  clocks of hardware cores in hertz: `fmax_hz` and others in place of `fmax_mhz`.
    7  firmware targets `mcu:...`: `instructions_per_message`, `key_setup_core_cycles`,
       `code_bytes`, `constant_bytes`, `static_ram_bytes`, `state_bytes`, `stack_bytes`,
       `toolchain`; their `core_cycles_per_message` is `simulated` or `modelled`. `raw`: all
       else that a store has of a run, so that it can be imported; only with --raw.
       `context.environment` has `machine_digest` and `machine_name`.
    8  `constant_time` of an implementation is `null` where nobody has checked it; `false` says that
       branches or addresses depend on secrets.
    9  each of `core_reports` has the fields of `joulemark core report --json`: with version, title,
       device and modules.

A figure that does not exist is `null`, and `reasons` says why under the figure's own name. Of the
figures that firmware targets alone have, results of other targets give no reason.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    field_validator,
)

from joulemark.records import FailureKind
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.figures import Absence, Doubt, Evidence
from joulemark.records.trial import Cache, KeySetup, Mode

# The part of the published JSON from which a run can be put into a store again.
#
# It holds what the results beside it lack: together with their samples it is all that a store has.


class PublishedModel(BaseModel):
    """A part of published JSON: it does not change, and has no fields but those of its class."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RawTrial(PublishedModel):
    """The words that name a trial."""

    implementation: str
    """`algorithm/variant`, with `#2` for an A/A twin."""
    target: str
    size_bytes: int
    """Length of every message; for a mix of lengths the mean, rounded."""
    mode: Mode
    cache: Cache
    key_setup: KeySetup
    batch: int
    """Messages handed over at a time."""
    mix: str = ""
    """`imix` or `uniform:LOW-HIGH` in bytes; empty where all messages have one length."""


class RawWindow(PublishedModel):
    """One energy window as it was taken."""

    trial: RawTrial | None
    """Null for a baseline."""
    void: str | None
    """Why it was taken again; null if it was accepted."""
    window: dict[str, Any]
    """The fields of [EnergyWindow](#energywindow)."""


class RawSeries(PublishedModel):
    """What was observed in a trial that has no result."""

    trial: RawTrial
    samples: list[dict[str, Any]]
    """The same as `samples` of a [Result](#result)."""


class ResultFailure(PublishedModel):
    """An implementation without a figure."""

    implementation: str
    kind: FailureKind
    reason: str
    size_bytes: int | None


class RawRun(PublishedModel):
    """What a store has of the run besides the samples of the results; only with --raw."""

    study: dict[str, Any]
    """As `context.run.study`, with the whole plan."""
    study_digest: str
    loop: dict[str, Any] | None
    """Wall times of the timed loop alone; null if the run died before they were taken."""
    meter: dict[str, Any] | None
    """The fields of [MeterRecord](#meterrecord); null where nothing was metered."""
    energy_windows: list[RawWindow]
    """In the order in which they were taken, void ones and baselines too."""
    withheld: list[RawSeries]
    """Trials that have no result, because their implementation failed."""
    failures: list[ResultFailure]
    """Failures that are not among those beside the results, which tell them in other words."""


__all__ = [
    "SCHEMA_VERSION",
    "DomainEnergy",
    "Figure",
    "Reason",
    "Repeatability",
    "Result",
    "ResultFailure",
    "ResultSet",
    "Warned",
]

SCHEMA_VERSION: Final = 9
Reason = Annotated[
    Absence,
    BeforeValidator(
        lambda value: Absence.from_sentence(value) if isinstance(value, str) else value
    ),
    PlainSerializer(lambda absence: absence.sentence, return_type=str),
]
"""Why a figure is missing; a sentence in JSON."""
Warned = Annotated[
    Doubt,
    BeforeValidator(lambda value: Doubt.from_sentence(value) if isinstance(value, str) else value),
    PlainSerializer(lambda doubt: doubt.sentence, return_type=str),
]
"""What is doubtful about a result; a sentence in JSON."""


class Repeatability(PublishedModel):
    """How much the median of a trial moved between runs on this machine, this one included.

    The interval of a figure covers what one run can show. Between runs the machine changes too, and
    so may code whose version did not.
    """

    runs: int
    """This run, and earlier finished ones of the same store in the same environment, in which the
    implementation said the same of itself; at least 2, at most the newest ten."""
    half_range: float
    """Half of the distance from the smallest to the largest median of seconds_per_message, over
    this run's median."""


class SampleHistogram(NamedTuple):
    """How the samples of a figure lie, for pictures: counts in bins of one width."""

    low: float
    """Lower edge of the first bin, in the unit of the figure."""
    width: float
    """Width of a bin, above 0, in the same unit."""
    counts: tuple[int, ...]
    outside: int
    """Samples below or above all bins."""


class Figure(PublishedModel):
    """One estimate with its 95 % interval for the median, in the unit its field name states."""

    median: float
    low: float
    high: float
    minimum: float
    quartile_1: float
    quartile_3: float
    mad: float
    """Median absolute deviation from the median, not scaled."""
    evidence: Evidence
    samples: int
    """Samples that the figure stands on."""


class DomainEnergy(PublishedModel):
    """The energy of one trial in one domain of a meter, with all that the figures stand on.

    Domains contain one another (`parent`): their figures are never added.
    """

    domain: str
    """Id of the domain within its meter."""
    name: str
    """Name that the instrument gives the domain."""
    kind: str
    parent: str | None
    """Id of the smallest domain that contains this one."""
    headline: bool
    """Whether the result's own figures in joules are those of this domain."""
    meter: str
    method: str
    """`edges`, `gauge` or `westermann2010`."""
    evidence: Evidence
    window_seconds: float | None
    """Median length of the windows kept; null without one."""
    windows_kept: int
    windows_void: dict[str, int]
    """Why windows were not used -> how many windows."""
    baseline: str
    """What was subtracted, in words."""
    gross_joules_per_message: Figure | None
    """All that the domain used, over the messages; nothing subtracted."""
    gross_joules_per_byte: Figure | None
    joules_per_message: Figure | None
    """Net of deep idle: what the work adds to a machine that would otherwise rest."""
    joules_per_byte: Figure | None
    active_net_joules_per_message: Figure | None
    """Net of active idle: what the work adds to a core that is awake anyway."""
    watts: Figure | None
    """Gross power while working."""
    net_watts: Figure | None
    """Gross power less deep idle."""
    joule_seconds_per_message: Figure | None
    """Energy-delay product: joules_per_message times seconds per message, of the same windows."""
    static_watts: Figure | None
    """Power in deep idle."""
    active_idle_watts: Figure | None
    reasons: dict[str, Reason] = Field(default_factory=dict)
    """Field name of a null figure -> why it is null, and what would help."""
    upper_bounds: dict[str, float] = Field(default_factory=dict)
    """Field name of a net figure that is null because it is not told from 0 -> upper end of its
    95 % interval, in the figure's unit: it lies below that."""


class Result(RawTrial):
    """The figures of one trial."""

    algorithm: str
    chosen: str | None
    """What `auto` chose; null for every explicit variant."""
    provider: str
    mean_bytes: float | None = None
    """Exact mean length, by which rates and costs per byte divide; null in versions 1 and 2."""
    batch_calls: bool | None = None
    """Whether the implementation takes them in one call; else they go through one by one."""
    evidence: Evidence
    """Evidence of `seconds_per_message`, of `clocks_per_message` where a core was simulated, or of
    `core_cycles_per_message` on a firmware target. Each figure has its evidence as well."""
    seconds_per_message: Figure | None
    thread_cpu_seconds_per_message: Figure | None
    bytes_per_second: float | None
    """mean_bytes over the median of seconds_per_message."""
    tsc_ticks_per_message: Figure | None
    tsc_ticks_per_byte: Figure | None
    core_cycles_per_message: Figure | None
    core_cycles_per_byte: Figure | None
    clocks_per_message: Figure | None = None
    """Periods of a hardware core's clock, of any frequency: from one result to the next, or for
    `latency` of one message alone in an idle core. Exact, so its interval has no width."""
    clocks_per_byte: Figure | None = None
    key_setup_clocks: Figure | None = None
    """Clocks in which a hardware core takes and prepares a key; no figure per message contains
    them."""
    instructions_per_message: Figure | None = None
    """This figure and all below, down to `toolchain`, belong to firmware targets alone and are
    exact."""
    key_setup_core_cycles: Figure | None = None
    """Core cycles in which a key is set up; no figure per message contains them."""
    code_bytes: Figure | None = None
    """What the implementation adds to a program: its functions, and those of the compiler's
    library and of the C library that it needs."""
    constant_bytes: Figure | None = None
    static_ram_bytes: Figure | None = None
    """Variables; on a target that copies constants to RAM, these again."""
    state_bytes: Figure | None = None
    """A key state, or the schedule of a cipher."""
    stack_bytes: Figure | None = None
    """Deepest stack of key set-up and message, below the caller's."""
    toolchain: str | None = None
    """Compiler, flags and simulator."""
    joules_per_message: Figure | None = None
    """Net of deep idle, of the headline domain; `energy` says which, and how it was obtained."""
    joules_per_byte: Figure | None
    gross_joules_per_message: Figure | None = None
    watts: Figure | None = None
    """Gross power of the headline domain while working."""
    joule_seconds_per_message: Figure | None = None
    """Energy-delay product of the headline domain."""
    energy: list[DomainEnergy] = Field(default_factory=list)
    """Every metered domain, parents before children."""
    modelled_joules_per_message: Figure | None = None
    """Seconds per message times a power that the user stated; only when asked for."""
    modelled_joules_per_byte: Figure | None = None
    repeatability: Repeatability | None = None
    """Null without an earlier run that can be compared."""
    reasons: dict[str, Reason] = Field(default_factory=dict)
    """Field name of a null figure -> why it is null."""
    warnings: list[Warned] = Field(default_factory=list)
    """Sentences that say what is doubtful and what to do about it."""
    histogram: SampleHistogram | None = Field(default=None, exclude=True)
    """Of the samples of `seconds_per_message`, only where a page needs it; never in JSON."""
    samples: list[dict[str, Any]] | None = None
    """Raw samples (fields of `RawSample`, `ClockCount` of a core, or `FirmwareCount` of a firmware
    target), only with --raw."""


class TrialPercentile(PublishedModel):
    """A percentile of the windows of one trial; a window gives the mean time of its messages."""

    implementation: str
    message: str
    """Length, and what else is special, as in "64 B, latency"."""
    percent: float
    """Share of windows that take no longer, in percent."""
    median: float | None
    """Seconds per message, of the same windows."""
    seconds_per_message: float | None
    """Null where the trial has too few windows for an interval."""
    low: float | None
    """Lower end of the 95 % interval, an order statistic."""
    high: float | None
    windows: int
    """Windows of the trial, interrupted ones too."""


class ResultSet(PublishedModel):
    """All figures of one run."""

    schema_version: Literal[1, 2, 3, 4, 5, 6, 7, 8, 9] = SCHEMA_VERSION
    """9 is written. The older versions can still be read: 1 had no energy, 2 had single messages of
    one size alone, 3 had no hardware cores, intervals of 4 took all samples of a run for
    independent, 5 had the clocks of cores in megahertz, 6 had neither firmware targets nor
    `raw`, in 7 `constant_time` was false also where nobody had checked it, and 8 had parts of
    core reports."""
    context: dict[str, Any]
    """`run`: id, started_at (UTC, ISO 8601), finished_at or null, joulemark_version, study, seed,
    rounds, conditions (null, or the fields of `joulemark.measure.run_plan.conditions_now`);
    `environment`: the fields of `joulemark.environment.Environment`;
    `implementations`: id -> {provider, library_version, compiler, flags, cpu_features,
    library_files: [{name, sha256}], ...};
    `loop`: {seconds_per_message, ...} the harness's own cost; `meter`: null, or the fields of
    `joulemark.records.energy_window.MeterRecord`; `modelled_watts`: null, or what was stated;
    `load`, only of `bench --rate`: {messages_per_second, watts_per_core, price_per_core_hour,
    costs: [{implementation, size_bytes, ..., sentence, cores, ...}]}."""
    results: list[Result]
    failures: list[ResultFailure]
    core_reports: list[StoredCoreReport] = Field(default_factory=list)
    """The newest of each core, parameters, target and settings in the store. They belong to no
    run: area, clock and power were modelled or simulated, not measured with the results."""
    warnings: list[str]
    """Warnings about the run as a whole."""
    percentiles: list[TrialPercentile] = Field(default_factory=list)
    """Only with --percentile."""
    raw: RawRun | None = None
    """All else that the store has of the run; only with --raw."""

    @field_validator("schema_version", mode="before")
    @classmethod
    def _no_truth(cls, value: Any) -> Any:
        """Makes a word of `true`, which would count as 1."""
        return str(value) if isinstance(value, bool) else value
