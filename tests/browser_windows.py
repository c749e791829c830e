# SPDX-License-Identifier: Apache-2.0
"""Windows of a headless Chromium, the messages of their pages, and every address they request.

A page opens in half the time in a window that has shown another page, since the browser knows the
scripts. So tests share a window.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["HEIGHT", "WIDTH", "Window", "chromium"]

WIDTH = 1280
HEIGHT = 720
"""Size of a window if a test asks for none, in pixels."""

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_STEP_REMARK = 'WARN Dropping "fit-y" because spec has discrete height.'
"""The warning of Vega-Lite about charts that fill the width and grow by rows, as ours should."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium from the system; skips without one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("no Chromium; on Debian install the package chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield started
        started.close()


class Window:
    """One window, which may only ask for addresses of the page's own.

    Args:
        browser: the browser of the window.
        wait_ms: longest wait for an element or a condition, in ms.
        **options: of the browser's context, such as `has_touch`.
    """

    def __init__(self, browser: Browser, wait_ms: int = 60_000, **options: Any) -> None:
        self.own = "about:"
        """Beginnings of the addresses that the page may ask for."""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._wait_ms = wait_ms
        self._kept = ""
        self._context: BrowserContext = browser.new_context(**options)
        self._context.route("**", self._only_own)
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(wait_ms)
        self.page.on("console", lambda message: self._note(message.text))
        self.page.on("pageerror", lambda error: self._note(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def close(self) -> None:
        """Close it."""
        self._context.close()

    def turn_to(
        self, own: str, *, width: int = WIDTH, height: int = HEIGHT, scheme: Any = "light"
    ) -> None:
        """Make the window ready for other pages, without a network if they are files.

        Args:
            own: beginnings of the addresses that the pages may ask for.
            width: width of the window, in pixels.
            height: height of the window, in pixels.
            scheme: the colours that the reader prefers.
        """
        self.page.goto("about:blank")  # or another fragment of the same page would be no new one
        self.own, self._kept = own, ""
        self.complaints.clear()
        self.requests.clear()
        self._context.set_offline(own.startswith("file:"))
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme, media="screen")

    def go(self, address: str) -> None:
        """Open the page with what stands behind `own` in its address; wait until it is drawn."""
        self.page.goto(f"{self.own}{address}")
        self.page.wait_for_selector("html[data-drawn]")

    def open(self, own: str, address: str = "", **wishes: Any) -> None:
        """Turn to a page and open it."""
        self.turn_to(own, **wishes)
        self.go(address)

    def keep(self, own: str) -> None:
        """Open a page, unless it is open since the last such call.

        A test that calls this leaves choices and size as they were.
        """
        if self._kept != own:
            self.open(own)
            self._kept = own

    def foreign(self) -> list[str]:
        """Addresses outside the page's own that the page asked for."""
        return [
            request
            for request in self.requests
            if not request.startswith((self.own, "data:", "blob:"))
        ]

    def until(self, expression: str) -> None:
        """Wait for a JavaScript condition; Python polls it, for the page's policy forbids eval."""
        for _ in range(self._wait_ms // 50):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"never true: {expression}; the page said {self.complaints}")

    def _note(self, text: str) -> None:
        if text != _STEP_REMARK:
            self.complaints.append(text)

    def _only_own(self, route: Any) -> None:
        if route.request.url.startswith(self.own):
            route.continue_()
        else:
            route.abort()
