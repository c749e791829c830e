# SPDX-License-Identifier: Apache-2.0
"""The verdict on waiting, by figures known by hand; its words and its chart."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace

import pytest

from joulemark.analyse.gathering import GatherWay, curves, what_pays
from joulemark.report.page.gathering import (
    HEADINGS,
    GatheringPage,
    gathering_chart,
    row,
    verdict_sentence,
    write_gathering_page,
)

US = 1e-6


@pytest.fixture
def ways(figures):
    """Alone 100 ns; gathered 100, 80, 60 and 59 ns, for waits of 0, 5, 20 and 50 us."""

    def made(*, kept_up=(True, True, True, True), costs=(100, 80, 60, 59)):
        waits = (0.0, 5 * US, 20 * US, 50 * US)
        return [
            GatherWay(0.0, True, figures(100)),
            *(
                GatherWay(wait, False, figures(cost, kept_up=kept, latency=480 + 32 * place))
                for place, (wait, cost, kept) in enumerate(zip(waits, costs, kept_up, strict=True))
            ),
        ]

    return made


def test_the_shortest_wait_that_saves_nearly_most(ways) -> None:
    """20 us pay: their 60 ns are within 5 % of 59 ns, for which 50 us would add latency."""
    found = what_pays(ways())
    assert found.best.wait_s == 20 * US
    assert found.times_as_many == pytest.approx(100 / 60)
    assert found.gathering == pytest.approx(1.0)
    usual, more = (
        gather_way.figures.latency_s["p50"].median for gather_way in (found.now, found.best)
    )
    assert found.added_s["p50"] == pytest.approx(more - usual)
    assert more > usual


def test_a_saving_that_is_too_small_pays_nothing(ways) -> None:
    """A saving of 4 % is not worth a wait, and a saving of 1.5 % cannot be told from none."""
    assert what_pays(ways(costs=(100, 99, 98.5, 96))).best is None
    assert what_pays(ways(costs=(100, 99, 98.5, 94))).best.wait_s == 50 * US


def test_a_saving_that_is_not_told_apart_pays_nothing(figures) -> None:
    """8 % less on the median pays nothing if the interval reaches the usual cost."""
    now = GatherWay(0.0, False, figures(100))
    assert what_pays([now, GatherWay(5 * US, False, figures(92, wide=0.02))]).best is not None
    assert what_pays([now, GatherWay(5 * US, False, figures(92, wide=0.2))]).best is None


def test_a_wait_that_does_not_keep_up_pays_nothing(ways) -> None:
    """A wait that does not keep up is passed over, since its latency has no end."""
    found = what_pays(ways(kept_up=(True, True, False, False)))
    assert found.best.wait_s == 5 * US


def test_without_the_wait_of_0_there_is_nothing_to_say(ways) -> None:
    """Without figures for the wait of 0 there is no verdict."""
    assert what_pays([way for way in ways() if way.wait_s or way.alone]) is None


def measured(ways, *, rate=100_000.0, counts=True, name="cmac-aes128/engine"):
    """The same ways as a command measures them, in another order."""
    return [((name, "64 B", rate), replace(way, counts=counts)) for way in reversed(ways)]


def test_curves_and_sentences(ways) -> None:
    """The way alone comes first, then the others by their wait; each rate has an answer."""
    (full,) = curves(measured(ways()[:2], rate=None))
    assert "batches are full at once" in verdict_sentence(full)
    (curve,) = curves(measured(ways()))
    assert [(way.alone, way.wait_s) for way in curve.ways] == [
        (True, 0.0), (False, 0.0), (False, 5 * US), (False, 20 * US), (False, 50 * US)
    ]  # fmt: skip
    said = verdict_sentence(curve)
    assert said.startswith(
        "wait 20 \N{MICRO SIGN}s: a message then takes 60 ns of a core instead of 100 ns (1.67 "
        "times"
    )
    assert ", the cores busy 10.0% instead of 10.0%; latency +" in said
    (none,) = curves(measured(ways(costs=(100, 99, 99, 99))))
    assert verdict_sentence(none).startswith("do not wait: ")
    assert all(len(row(way)) == len(HEADINGS) for way in curve.ways)


def test_windows_that_do_not_count_give_no_answer(ways) -> None:
    """Windows that do not count give neither an answer nor a figure, nor a point in the chart."""
    (curve,) = curves(measured(ways(), counts=False))
    assert curve.pays is None
    assert verdict_sentence(curve).startswith("no answer")
    assert {cell for way in curve.ways for cell in row(way)[1:]} == {"-"}
    assert gathering_chart([curve], "p50").spec is None


def test_one_wait_that_does_not_count_takes_the_answer(ways) -> None:
    """The waits that count keep their figures; there is no answer where one of them is missing."""
    *others, last = measured(ways())
    (curve,) = curves([*others, (last[0], replace(last[1], counts=False))])
    assert (curve.counts, curve.pays) == (False, None)
    assert [row(way)[1] == "-" for way in curve.ways] == [True, False, False, False, False]


def test_cores_that_keep_up_with_a_wait_alone(ways) -> None:
    """That no wait pays is not said where the cores keep up with a wait alone, or not at all."""
    costs = (100, 99, 99, 99)
    (with_a_wait,) = curves(measured(ways(costs=costs, kept_up=(False, False, True, True))))
    assert verdict_sentence(with_a_wait).startswith(
        "without a wait the cores do not keep up with this rate; with 20 \N{MICRO SIGN}s they do"
    )
    (never,) = curves(measured(ways(costs=costs, kept_up=(False,) * 4)))
    assert "whatever the wait" in verdict_sentence(never)


def test_the_chart_leaves_out_what_did_not_keep_up(ways) -> None:
    """Each way that kept up has a point in the chart; its throughput is the inverse of its cost."""
    found = curves(measured(ways(kept_up=(True, True, False, True))))
    spec = gathering_chart(found, "p50").spec
    (values,) = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
    assert [item["wait"] for item in values] == [
        "alone", "0", "5 \N{MICRO SIGN}s", "50 \N{MICRO SIGN}s"
    ]  # fmt: skip
    titles = {layer["encoding"]["y"]["title"] for layer in spec["layer"]}
    assert titles == {"messages for a second of a core (measured)"}
    assert values[-1]["rate"] == pytest.approx(1 / 59e-9, rel=0.01)
    lost = curves(measured(ways(kept_up=(False,) * 4)[1:]))
    assert gathering_chart(lost, "p50").spec is None


def test_page(ways, tmp_path) -> None:
    """The page is a file with the answer, two charts and the data; the user's names are escaped."""
    found = curves(measured(ways(), name="mine/<b>"))
    page = GatheringPage(
        curves=found, scenario="100 sessions", machine="Model A", verdict="Valid",
        notes=["a note"], version="1", data={"curves": []},
    )  # fmt: skip
    write_gathering_page(page, tmp_path / "gather.html")
    text = (tmp_path / "gather.html").read_text("utf-8")
    assert "wait 20 \N{MICRO SIGN}s" in text
    assert "mine/&lt;b&gt;" in text
    assert "<b>" not in text.partition("<script")[0]
    packed = text.partition('id="charts-gzip">')[2].partition("</script>")[0]
    charts = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert [load["name"] for load in charts] == ["p50", "p99"]
