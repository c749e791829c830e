# SPDX-License-Identifier: Apache-2.0
"""The title of a page is the result of its run."""

from __future__ import annotations

import re
from html import unescape

import fake_results as fake
import pytest

from joulemark.analyse import Result, ResultFailure
from joulemark.records import FailureKind
from joulemark.report.page.html import headline, render_html


def of(provider: str, ns: float, size: int = 64, algorithm: str = "hmac-sha256") -> Result:
    """One implementation of a provider that takes `ns` nanoseconds for any message."""
    return fake.result(fake.Fake(f"{algorithm}/{provider}_one", provider, ns, 0.0), size)


ABSENT = [
    ResultFailure(implementation=name, kind=FailureKind.UNAVAILABLE, reason="not found",
                  size_bytes=None)
    for name in ("*/botan", "*/blake3", "*/mine", "*/openssl", "sha256/avx512")
]  # fmt: skip
"""Two libraries that are missing; a plugin, one that was measured, and a variant are not."""


@pytest.mark.parametrize(
    ("ours_ns", "title"),
    [
        (50.0, "Joulemark is 2.00 times as fast as openssl"),
        (100.0, "Joulemark and openssl are level"),
        (300.0, "openssl is 3.00 times as fast as Joulemark"),
    ],
)
def test_one_algorithm_is_held_to_the_best_other(ours_ns: float, title: str) -> None:
    """The comparison is at 64 bytes if they were measured; the slower library is not named."""
    found = [of("joulemark", ours_ns), of("openssl", 100.0), of("nettle", 200.0)]
    found += [of("joulemark", 9999.0, 16), of("openssl", 1.0, 16)]
    at = f"hmac-sha256 at 64\N{NO-BREAK SPACE}B: {title}"
    assert headline(fake.result_set(found)) == f"{at}; compared: nettle, openssl"
    without = headline(fake.result_set(found, failures=ABSENT))
    assert without == f"{at}; compared: nettle, openssl; not installed: blake3, botan"


def test_several_algorithms_are_counted() -> None:
    """Each algorithm and length is one comparison: here ours wins one, ties one and loses one."""
    found = [
        of("joulemark", 50.0), of("openssl", 100.0),
        of("joulemark", 100.0, 1024), of("openssl", 100.0, 1024),
        of("joulemark", 100.0, 64, "siphash-2-4"), of("cryptopp", 50.0, 64, "siphash-2-4"),
        of("joulemark", 1.0, 64, "poly1305"),
    ]  # fmt: skip
    against = "Joulemark against the fastest of cryptopp, openssl"
    title = f"{against}: faster in 1 of 3 comparisons, level in 1"
    assert headline(fake.result_set(found)) == title
    without = fake.result_set(found, failures=ABSENT)
    assert headline(without) == f"{title}; not installed: blake3, botan"


def test_without_a_rival_the_title_counts_what_was_measured() -> None:
    """A title of one provider alone, or of no result, claims no advantage."""
    alone = fake.result_set([of("joulemark", 50.0), of("joulemark", 60.0, 64, "poly1305")])
    assert headline(alone) == "2 implementations of 2 algorithms"
    assert headline(fake.result_set([])) == "Nothing was measured"


def test_the_page_has_the_answer_beside_its_chart() -> None:
    """The answer (our time, the best other's, the factor, the evidence) precedes all tables."""
    found = [of("joulemark", 50.0), of("openssl", 100.0), of("nettle", 200.0)]
    found += [of("joulemark", 8.0, 64, "poly1305")]
    text = unescape(render_html(fake.result_set(found))).replace("<wbr>", "")
    assert (
        "<h1>Joulemark against the fastest of nettle, openssl: faster in 1 of 1 comparison</h1>"
        in text
    )
    answer = text.split('<section id="answer">')[1].split("</section>", maxsplit=1)[0]
    assert "; measured</caption>" in answer
    sign, times = "\N{BLACK UP-POINTING TRIANGLE}", "\N{MULTIPLICATION SIGN}"
    factor = f'<span class="tone faster"><b>{sign}</b> 2.00{times}</span>'
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in answer.split("<tr>")[2:]]
    assert rows == [
        ["hmac-sha256", '50 ns<small class="more">joulemark_one</small>',
         '100 ns<small class="more">openssl_one</small>', factor],
        ["poly1305", '8 ns<small class="more">joulemark_one</small>', "-", "-"],
    ]  # fmt: skip
    assert text.index('<section id="answer">') < text.index('<section id="tables">')


def test_the_fastest_go_by_use_and_ten_are_shown() -> None:
    """HMAC, CMAC and SipHash come first; a style hides all rows after the tenth until asked."""
    names = ["aegismac-128l", "siphash-2-4", "cmac-aes128", "hmac-sha512", "hmac-sha256"]
    names += ["cmac-serpent128", "chaskey-12", "gmac-aes128", "hmac-sha1", "kmac128", "poly1305"]
    found = [of(provider, cost, 64, name) for name in names
             for provider, cost in (("joulemark", 50.0), ("openssl", 60.0))]  # fmt: skip
    text = render_html(fake.result_set(found)).replace("<wbr>", "")
    answer = text.split('<section id="answer">')[1].split("</section>", maxsplit=1)[0]
    shown = re.findall(r'<tr( class="rest")?><th scope="row">(.*?)</th>', answer)
    assert [name for _, name in shown][:5] == [
        "hmac-sha256", "hmac-sha512", "cmac-aes128", "siphash-2-4", "aegismac-128l",
    ]  # fmt: skip
    assert [bool(rest) for rest, _ in shown] == [False] * 10 + [True]
    assert "<summary>All 11</summary>" in answer


def test_the_answer_begins_with_own_code() -> None:
    """The table beside the first chart has the user's own code in its first column."""
    mine = fake.result(fake.Fake("hmac-sha256/mine", "mine-hmac-sha256", 70.0, 0.0), 64)
    found = [of("joulemark", 50.0), of("openssl", 60.0), mine, of("joulemark", 8.0, 64, "poly1305")]
    text = unescape(render_html(fake.result_set(found))).replace("<wbr>", "")
    answer = text.split('<section id="answer">')[1].split("</section>", maxsplit=1)[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in answer.split("<tr>")[1:]]
    assert rows[0][1:3] == ["yours", "Joulemark"]
    assert rows[1][1] == '70 ns<small class="more">mine</small>'
    assert rows[2][1] == "-"
