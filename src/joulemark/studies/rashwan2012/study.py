# SPDX-License-Identifier: Apache-2.0
"""rashwan2012 from end to end: options, sessions on one core and on all cores, verdicts, page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

import typer

from joulemark.catalogue.algorithms import every_algorithm
from joulemark.errors import UsageError
from joulemark.measure.sessions.work import MessageLengths, require_sessions
from joulemark.report.drawing.specs import Spec, channel, chart_part, interval, mark, palette_colour
from joulemark.report.sheet import Chart, Table, text_table
from joulemark.stats.location import median
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.rashwan2012.claims import answers, ratios
from joulemark.studies.rashwan2012.findings import (
    BUILDS,
    LIBRARIES,
    OWN,
    STAND_IN,
    Build,
    FunctionCell,
    PerThread,
    RashwanFindings,
    Scope,
)
from joulemark.studies.rashwan2012.measurement import RashwanWork, measure
from joulemark.studies.rashwan2012.paper import Rashwan2012, rashwan2012
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.units import format_bytes, format_percent, format_seconds

# Figures 4 to 11 of rashwan2012 with this machine's data.

_SIZE: Final[dict[Build, tuple[str, str]]] = {
    "hardware-assisted": ("fig4_5", "Fig. 4 and 5"),
    "software-only": ("fig6_7", "Fig. 6 and 7"),
}
_THREADS: Final[dict[Scope, tuple[str, str]]] = {
    "one core": ("fig8_9", "Fig. 8 and 9"),
    "all cores": ("fig10_11", "Fig. 10 and 11"),
}
_KINDS: Final = {
    "wall_ticks": "wall clock",
    "absolute_ticks": "absolute",
    "apparent_ticks": "apparent",
}


def charts(findings: RashwanFindings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    by_scope = {per_thread.scope: per_thread for per_thread in findings.per_thread}
    return [
        *(_over_size(findings, build) for build in _SIZE),
        *(_threads(findings, by_scope.get(scope), scope) for scope in _THREADS),
    ]


def _over_size(findings: RashwanFindings, build: Build) -> Chart:
    name, figure = _SIZE[build]
    scope = findings.scopes[-1]
    title = f"{figure}: absolute processing over message size, {build}"
    caption = (
        f"{findings.sessions} sessions on {scope}; median of {findings.rounds} windows, the line "
        "from the lowest to the highest of them (measured)."
    )
    data: list[dict[str, Any]] = []
    for cell in findings.cells:
        if (cell.build, cell.scope) != (build, scope):
            continue
        values = cell.values("absolute", cycles=findings.cycles)
        data.append(
            {
                "function": cell.function,
                "size": cell.size_bytes,
                "value": findings.absolute(cell),
                "low": min(values),
                "high": max(values),
                "implementation": cell.implementation,
            }
        )
    if not data:
        return Chart(title, caption, None, "nothing measured", name)
    names = list(dict.fromkeys(row["function"] for row in data))
    base = {
        "x": channel(
            "size:Q",
            title="message size in bytes",
            scale={"type": "log", "base": 2, "nice": False, "padding": 10},
        ),
        "color": palette_colour("function:N", names),
    }
    lines = {
        **base,
        "y": _per_byte(findings),
        "tooltip": [*map(channel, ("function:N", "implementation:N", "size:Q")), _VALUE],
    }
    ranges = {**base, **interval("y", "low:Q", "high:Q", {"title": None})}
    layers = [mark("rule", ranges), mark("line", lines, point=True)]
    return chart_part(name, title, caption, data, layers)


_VALUE: Final = channel("value:Q", format=".4~g")


def _per_byte(findings: RashwanFindings) -> Spec:
    return channel("value:Q", title=f"{findings.unit} per byte", scale={"type": "log"})


def _threads(findings: RashwanFindings, per_thread: PerThread | None, scope: Scope) -> Chart:
    name, figure = _THREADS[scope]
    title = f"{figure}: each of {findings.sessions} sessions on {scope}"
    if per_thread is None:
        reason = "this machine has one core to be used" if findings.per_thread else "not measured"
        return Chart(title, "", None, reason, name)
    caption = f"{per_thread.implementation} at {format_bytes(per_thread.size_bytes)}"
    if per_thread.function == STAND_IN:
        caption += ", in place of VMAC-AES128, which is not here"
    troubles = f"; {', '.join(per_thread.troubles)}" if per_thread.troubles else ""
    caption += f"; one window of {per_thread.window_s:g} s (measured{troubles})."
    factor = (per_thread.core_cycles_per_tick or 1.0) if findings.cycles else 1.0
    data = [
        {"session": number, "kind": kind, "value": value * factor}
        for number, row in enumerate(per_thread.sessions, start=1)
        for field, kind in _KINDS.items()
        if (value := getattr(row, field)) is not None
    ]
    kinds = list(_KINDS.values())
    points = {
        "x": channel("session:Q", title="session"),
        "y": _per_byte(findings),
        "color": palette_colour("kind:N", kinds),
        "tooltip": [*map(channel, ("session:Q", "kind:N")), _VALUE],
    }
    return chart_part(name, title, caption, data, [mark("point", points, filled=True, size=22)])


# Tables: absolute and apparent processing of every function, and the effect of more cores.

_NONE: Final = "-"


def tables(findings: RashwanFindings) -> list[Table]:
    """Returns every table; "-" stands for a missing figure."""
    costs = [_costs(findings, build, scope) for build in BUILDS for scope in findings.scopes]
    return [*costs, _cores(findings), _windows(findings), _absent(findings)]


def _names(findings: RashwanFindings) -> list[str]:
    return list(dict.fromkeys(cell.function for cell in findings.cells))


def _costs(findings: RashwanFindings, build: Build, scope: Scope) -> Table:
    names = _names(findings)
    sizes = sorted({cell.size_bytes for cell in findings.cells})
    rows = [
        [
            format_bytes(size),
            *(_cost(findings, findings.cell(name, build, scope, size)) for name in names),
        ]
        for size in sizes
    ]
    return text_table(
        title=f"{build}, {scope}",
        caption=f"Absolute / apparent processing in {findings.unit} per byte; medians of "
        f"{findings.rounds} windows (measured).",
        headings=["size", *names],
        rows=rows,
    )


def _cost(findings: RashwanFindings, cell: FunctionCell | None) -> str:
    return (
        _NONE if cell is None else f"{findings.absolute(cell):.3g} / {findings.apparent(cell):.3g}"
    )


def _cores(findings: RashwanFindings) -> Table:
    rows = []
    for name in _names(findings):
        for build in BUILDS:
            pairs = [
                (cell, more)
                for cell, more in findings.pairs()
                if (cell.function, cell.build) == (name, build)
            ]
            if not pairs:
                continue
            absolute = [findings.absolute(more) / findings.absolute(cell) for cell, more in pairs]
            apparent = [findings.apparent(more) / findings.apparent(cell) for cell, more in pairs]
            moved = [row.migrations_per_s for _, more in pairs for row in more.windows]
            rows.append(
                [
                    name,
                    build,
                    f"{median(absolute):.3f}",
                    f"{median(apparent):.3f}",
                    f"{median(moved):.3g}",
                ]
            )
    return text_table(
        title=f"{len(findings.cores)} cores over one core",
        caption="Medians over the sizes (measured): the ratio of absolute and of apparent "
        "processing, and changes of the core of all sessions together.",
        headings=["function", "build", "absolute", "apparent", "migrations per s"],
        rows=rows,
    )


def _windows(findings: RashwanFindings) -> Table:
    rows = []
    for scope in findings.scopes:
        taken = [row for cell in findings.cells if cell.scope == scope for row in cell.windows]
        if not taken:
            continue
        share = median([window.own_share for window in taken])
        kinds = sorted({kind for window in taken for kind in window.troubles})
        rows.append(
            [
                scope,
                str(len(taken)),
                str(sum(window.attempts for window in taken)),
                str(sum(bool(window.troubles) for window in taken)),
                format_percent(share, digits=3),
                ", ".join(kinds) or _NONE,
            ]
        )
    return text_table(
        title="Validation of the windows",
        caption="Windows that figures stand on, attempts that it took, how many do not count after "
        "all attempts, and the share of the cores that the sessions had (median).",
        headings=["cores", "windows", "attempts", "do not count", "own share", "because"],
        rows=rows,
    )


def _absent(findings: RashwanFindings) -> Table:
    return text_table(
        title="Functions of the paper that are not here",
        caption="Nothing stands in for them in the figures above.",
        headings=["function", "why"],
        rows=[[name, why] for name, why in findings.absent.items()],
    )


# The page of rashwan2012: its first sentences, its notes and its figures.


def page(paper: Rashwan2012, findings: RashwanFindings) -> StudyPage:
    """Returns the page beside the claims."""
    return StudyPage(
        done=_done(findings),
        summary=_summary(findings),
        notes=_notes(paper, findings),
        tables=tables(findings),
        charts=charts(findings),
        data={**asdict(findings), "unit": findings.unit},
        missing=findings.missing,
    )


def _done(findings: RashwanFindings) -> str:
    """What was measured here and what was not."""
    functions = {cell.function for cell in findings.cells if cell.windows}
    return done_words([f"{len(functions)} functions"] if functions else [], [*findings.absent])


def _summary(findings: RashwanFindings) -> str:
    parts = []
    largest = max((cell.size_bytes for cell in findings.cells), default=0)
    for build in BUILDS:
        order = findings.order(build, findings.scopes[-1], largest)
        if order:
            parts.append(
                f"{build.capitalize()}, at {format_bytes(largest)}, {order[0].function} is the "
                f"cheapest ({findings.absolute(order[0]):.3g} {findings.unit} a byte) and "
                f"{order[-1].function} the dearest ({findings.absolute(order[-1]):.3g})."
            )
    if values := ratios(findings, "apparent", counted=True):
        spent = ratios(findings, "absolute")
        parts.append(
            f"On {len(findings.cores)} cores apparent processing is {median(values):.3f} of that "
            f"on one core, and absolute processing {median(spent):.3f} of it."
        )
    return " ".join(parts) or "Nothing could be measured."


def _notes(paper: Rashwan2012, findings: RashwanFindings) -> list[str]:
    experiment, cores = paper.experiment, findings.cores
    windows = [row for cell in findings.cells for row in cell.windows]
    bad = sum(bool(window.troubles) for window in windows)
    notes = [
        (
            f"{findings.sessions} sessions, each a thread with a separate key, message and tag, on "
            f"core {cores[0]} and on cores {', '.join(map(str, cores))}; {findings.rounds} rounds "
            f"of windows of {format_seconds(findings.window_s)}, longer where that was too short."
        ),
        f"{LIBRARIES[findings.library].note} The paper compiled Crypto++ in two ways.",
        f"Sizes: {experiment.sizes_interpretation}.",
        f"The paper: {experiment.machine}; {experiment.library}.",
        (
            "Per session, apparent is the window over n times the session's bytes; were all "
            "sessions alike, that were the apparent processing of all. This is our reading of "
            f"{experiment.per_thread_place}."
        ),
    ]
    lost = len(findings.cells) * findings.rounds - len(windows)
    if lost:
        notes.append(f"In {lost} windows no session tagged a message; no figure stands on them.")
    if bad:
        notes.append(
            f"{bad} of {len(windows)} windows do not count after all attempts, for the most part "
            "because others used the cores: repeat the study with --fresh at a quiet moment."
        )
    if findings.beyond:
        notes.append(
            f"Beyond the paper, and so in no claim: {', '.join(findings.beyond)}. A MAC with "
            "nonces gets another nonce for each message."
        )
    if findings.absent:
        notes.append(f"Not here yet: {', '.join(findings.absent)}.")
    return notes


_MOST_SCALE: Final = 10.0
_MOST_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True)
class _Options:
    """How much is measured."""

    scale: Annotated[
        float,
        typer.Option(
            help="Length of the windows, by the usual 0.1 s: above 0 and at most 10. The usual "
            "study takes less than ten minutes."
        ),
    ] = 1.0
    rounds: Annotated[int, typer.Option(help="Windows of each point.")] = 3
    sessions: Annotated[
        int | None,
        typer.Option(help="Sessions at once; the paper's 100 unless given.", show_default=False),
    ] = None
    library: Annotated[
        str,
        typer.Option(
            help=f"Where the functions come from, the same library in both builds: "
            f"{', '.join(LIBRARIES)}."
        ),
    ] = OWN
    also: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="MACs of the catalogue to measure beside, as in kmac128,blake3-keyed.",
            show_default=False,
        ),
    ] = None
    fresh: Annotated[bool, FRESH_OPTION] = False

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of `--also`, each once."""
        words = (self.also or "").split(",")
        return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))


def _check(options: _Options) -> None:
    """Refuses work that gives no figure."""
    scale, rounds = options.scale, options.rounds
    if not 0 < scale <= _MOST_SCALE:
        raise UsageError(
            f"--scale {scale:g}: give more than 0 and at most {_MOST_SCALE:g}, as in 0.1"
        )
    if not 2 <= rounds <= _MOST_ROUNDS:
        raise UsageError(f"--rounds {rounds}: give a number from 2 to {_MOST_ROUNDS}")
    if options.library not in LIBRARIES:
        raise UsageError(f"--library {options.library}: name one of {', '.join(LIBRARIES)}")
    for name in options.algorithms:
        facts = every_algorithm().get(name)
        if facts is None or facts.kind != "mac" or facts.one_time_key:
            raise UsageError(
                f"--also {name}: name MACs whose keys serve many messages; see 'joulemark list'"
            )
    if options.sessions is not None:
        require_sessions(options.sessions, MessageLengths(rashwan2012().experiment.largest_bytes))


def _measure(paper: Rashwan2012, options: _Options, equipment: CpuEquipment) -> RashwanFindings:
    work = RashwanWork(
        scale=options.scale,
        rounds=options.rounds,
        sessions=options.sessions,
        fresh=options.fresh,
        library=options.library,
        also=options.algorithms,
    )
    return measure(paper, work, equipment)


STUDY: Final = PaperStudy(
    paper=rashwan2012,
    options=_Options,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=exit_codes(
        "a meter that was named, a function that computes something wrong, a full disk (functions "
        "that were finished are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce rashwan2012",
        "joulemark reproduce rashwan2012 --scale 0.1 --rounds 2 --output first-look",
        "joulemark reproduce rashwan2012 --library cryptopp --output with-cryptopp",
        "joulemark reproduce rashwan2012 --sessions 1000 --fresh",
    ),
)
