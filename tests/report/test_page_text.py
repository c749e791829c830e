# SPDX-License-Identifier: Apache-2.0
"""`report.html` as text: self-contained, escaped, complete."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import fake_results as fake
import pytest

from joulemark.analyse import ResultFailure, ResultSet
from joulemark.records import FailureKind
from joulemark.records.figures import Absence, Doubt, DoubtKind, Evidence
from joulemark.report.page import script_json
from joulemark.report.page.html import render_html, write_html

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>&amp;"


class Page(HTMLParser):
    """Elements, attributes and scripts of a page, as a browser would see them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.data: dict[str, str] = {}
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element and its attributes."""
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "script":
            self._inside = dict(attrs).get("id") or ""

    def handle_endtag(self, tag: str) -> None:
        """Leave a script."""
        if tag == "script":
            self._inside = None

    def handle_data(self, data: str) -> None:
        """Keep the text of scripts, data scripts by their id."""
        if self._inside is None:
            return
        if self._inside and self._inside.endswith("-gzip"):
            unpacked = gzip.decompress(base64.b64decode(data)).decode()
            self.data[self._inside.replace("-gzip", "-json")] = unpacked
            self.scripts += [unpacked] if self._inside == "library-gzip" else []
        elif self._inside:
            self.data[self._inside] = data
        else:
            self.scripts.append(data)


@pytest.fixture(scope="module")
def text() -> str:
    """The page of a realistic run."""
    return render_html(fake.realistic())


def evil() -> ResultSet:
    """A run in which every text from outside is an attack."""
    result = fake.result(fake.Fake(f"{EVIL}/{EVIL}", EVIL, 9.0, 1.0), 64, warnings=[EVIL])
    result = result.model_copy(
        update={"target": EVIL, "reasons": {"joules_per_byte": Absence(EVIL)}}
    )
    failure = ResultFailure(
        implementation=EVIL, kind=FailureKind.ERROR, reason=EVIL, size_bytes=None
    )
    results = fake.result_set(
        [result, result.model_copy(update={"chosen": EVIL})], [failure], [EVIL]
    )
    context = {
        "run": {"id": EVIL, "started_at": EVIL, "joulemark_version": EVIL, EVIL: EVIL},
        "environment": {"cpu_model": EVIL, EVIL: [EVIL], "reasons": {EVIL: EVIL}},
        "implementations": {EVIL: {"provider": EVIL, "flags": EVIL, "cpu_features": [EVIL]}},
    }
    return results.model_copy(update={"context": context})


def test_text_from_outside_stays_text() -> None:
    """A hostile name, reason, warning or fact adds no element and no script to the page."""
    harmless = Page(render_html(fake.small()))
    hostile = Page(render_html(evil()))
    assert len(hostile.scripts) == len(harmless.scripts) == 2
    assert hostile.scripts == harmless.scripts
    assert "img" not in hostile.tags
    assert not [name for name, _ in hostile.attributes if name.startswith("on")]


def test_embedded_data_survives_hostile_text() -> None:
    """The data in the page reads back to the very results, hostile text included."""
    results = evil()
    data = json.loads(Page(render_html(results)).data["results-json"])
    assert data["failures"][0]["reason"] == EVIL
    assert ResultSet.model_validate(data) == fake.rounded(results)


def test_script_data_holds_no_sign_that_html_acts_on() -> None:
    """No tag, comment or entity can begin inside embedded JSON."""
    text = script_json({"a": "</script><!--&\u2028\u2029"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": "</script><!--&\u2028\u2029"}


def test_raw_samples_stay_out_of_the_page() -> None:
    """The page embeds figures, not raw samples, which would make it enormous."""
    result = fake.result(fake.HMAC_SHA256[0], 64).model_copy(
        update={"samples": [{"wall_ns": 424242}]}
    )
    assert "424242" not in render_html(fake.result_set([result]))


def test_page_loads_nothing(text: str) -> None:
    """No element refers to an address outside the page."""
    page = Page(text)
    for name, value in page.attributes:
        if name in {"src", "srcset", "action", "data", "poster"}:
            pytest.fail(f"{name}={value}")
        if name == "href":
            assert value is not None
            assert value.startswith(("#", "data:,"))
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_vega_is_in_the_page_once(text: str) -> None:
    """The drawing library is embedded once for all charts, and the charts are data."""
    page = Page(text)
    assert (
        sum("vegaEmbed = vegaEmbed" in script or len(script) > 500_000 for script in page.scripts)
        == 1
    )
    charts = json.loads(page.data["charts-json"])
    assert [chart["name"] for chart in charts] == [
        "ratio_to_library",
        "nanoseconds_per_message",
        "ranking",
        "cycles_per_byte",
    ]
    assert not any({"$schema", "config"} & set(chart["spec"]) for chart in charts)


def test_security_policy_names_the_scripts(text: str) -> None:
    """The policy forbids everything but the two scripts of the page, by hash, without eval."""
    page = Page(text)
    policy = next(v for _, v in page.attributes if v and v.startswith("default-src 'none'"))
    for script in page.scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'unsafe-inline'" not in policy


def test_every_figure_has_its_evidence_word(text: str) -> None:
    """The heading of a column says how its figures were obtained, or each cell does."""
    figures = 0
    for table in text.split('<table class="sortable')[1:]:
        titles = re.findall(r'<th scope="col" class="number[^"]*">(.*?)</th>', table)
        for line in table.split("</table>", maxsplit=1)[0].split("<tr>")[2:]:
            cells = re.findall(r'<td class="number[^"]*"(?: data-key="([^"]*)")?>(.*?)</td>', line)
            for title, (key, cell) in list(zip(titles, cells, strict=True))[1:]:
                figures += key != ""
                assert (key == "") or (('class="evidence"' in title) ^ ('class="evidence"' in cell))
    assert figures > 300


def test_a_column_of_several_kinds_keeps_the_word_in_each_cell() -> None:
    """Where one column has measured and modelled core cycles, each cell has its word."""
    first, second = fake.HMAC_SHA256[:2]
    counted = fake.result(first, 64)
    cycles = fake.figure(9.0, Evidence.MEASURED)
    counted = counted.model_copy(update={"core_cycles_per_byte": cycles})
    text = render_html(fake.result_set([counted, fake.result(second, 64)]))
    table = text.split('<table class="sortable')[1].split("</table>", maxsplit=1)[0]
    heading, rows = table.split("<tbody>")
    assert "measured</em>" not in heading.split("Core cycles per byte")[1].split("</th>")[0]
    assert rows.count('<em class="evidence">measured</em>') == 1
    assert rows.count('<em class="evidence">modelled</em>') == 1


def test_warnings_stand_below_their_table(text: str) -> None:
    """A row names its doubts, which are explained below its table; doubts of the run come first."""
    mark = 'nettle<small class="doubts" title="explained below the table">other</small>'
    group = next(part for part in text.split('<div class="group"')[1:] if mark in part)
    assert "<li>Another process used 4 % of this CPU" in group


def test_doubts_of_one_cause_are_named_once() -> None:
    """Counters that saw other programs share one name of a doubt; another cause has its own."""
    seen = [
        Doubt(DoubtKind.OFF_CPU, "a."),
        Doubt(DoubtKind.STEAL, "b."),
        Doubt(DoubtKind.DRIFT, "c."),
    ]
    result = fake.result(fake.HMAC_SHA256[0], 64).model_copy(update={"warnings": seen})
    text = render_html(fake.result_set([result]))
    assert ">foreign CPU time, drift</small>" in text
    notes = text.split('<ul class="notes">')[1].split("</ul>", maxsplit=1)[0]
    assert notes.count("<li>") == 2


def test_warnings_of_the_run_come_before_the_other_charts(text: str) -> None:
    """Warnings of the run stand below the answer and before the other charts."""
    assert text.index('<section id="answer">') < text.index("Before you read the figures")
    assert text.index("Before you read the figures") < text.index('id="charts"')


def test_failures_name_the_remedy(text: str) -> None:
    """Each implementation without a figure is listed with a remedy."""
    assert "library not found: install libwolfssl-dev and run make again" in text
    assert "wrong output" in text


def test_absent_chart_says_why() -> None:
    """A chart without data leaves its reason in its place."""
    text = render_html(fake.result_set([fake.result(fake.HMAC_SHA256[0], 64, cycles=None)]))
    assert "Not drawn: no cycle counter: the kernel forbids it" in text


def test_run_without_results_still_gives_a_page() -> None:
    """The page of a run without results says so and lists the failures."""
    text = render_html(fake.result_set([], fake.realistic().failures))
    assert "Nothing was measured" in text
    assert "wolfssl" in text


def test_unknown_circumstances_are_no_error() -> None:
    """A context without environment or dates still gives a page."""
    text = unescape(render_html(fake.small().model_copy(update={"context": {}})))
    assert "an unnamed CPU" in text
    assert "an unknown date" in text


def test_environment_is_in_words() -> None:
    """Facts are shown with units, and unknown ones with the reason."""
    environment = {
        "tsc_hz": 2100000000,
        "memory_bytes": 24684092 << 10,
        "caches_bytes": {"L1d": 49152},
        "turbo": None,
        "smt_active": False,
        "reasons": {"turbo": "no file says"},
    }
    results = fake.small()
    results = results.model_copy(update={"context": {"environment": environment}})
    text = render_html(results)
    for fact in ("2.1 GHz", "25.3 GB", "caches L1d</dt><dd>48 KiB", "unknown: no file says"):
        assert fact in text
    assert "smt active</dt><dd>no" in text


def test_page_is_written_whole(tmp_path: Path) -> None:
    """The file is complete, and of a size that can be sent by mail."""
    path = tmp_path / "report.html"
    write_html(fake.small(), path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert path.stat().st_size < 2_000_000
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
