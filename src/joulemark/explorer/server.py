# SPDX-License-Identifier: Apache-2.0
"""Serves a store on the loopback address until it is interrupted."""

from __future__ import annotations

import errno
import gc
import hashlib
import os
import re
import socket
import threading
from collections import OrderedDict
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import uvicorn
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from joulemark.errors import StoreError, UnavailableError, UsageError
from joulemark.explorer import ServeRequest
from joulemark.explorer.estimates.holdings import Fillers, Holdings, Moment, missing_estimates
from joulemark.explorer.estimates.kept import KeptEstimates, cache_file
from joulemark.explorer.render import (
    ASSETS,
    asset,
    csv_of,
    feed_of,
    html_of,
    json_of,
    latex_of,
    picture_of,
)
from joulemark.explorer.views import Page, ServerAddressing
from joulemark.explorer.views.routes import page_at
from joulemark.processes import search_seldom_for_cycles
from joulemark.report import Address, Notes
from joulemark.store.reading import open_for_reading

# The server's answer to an address: a page, data or a picture, kept until the store changes.

_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_FEED: Final = "application/atom+xml; charset=utf-8"
_MOST_KEPT_BYTES: Final = 48 << 20
_MOST_FIELDS: Final = 300
_LONGEST_QUERY: Final = 16_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sends back."""

    status: int
    type: str
    body: bytes
    file: str = ""
    """Name of a file that is downloaded; empty: the browser shows the answer."""

    @property
    def etag(self) -> str:
        """The entity tag, which is equal for equal content (RFC 9110, section 8.8.3)."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'


class Answers:
    """The answers about one store. Threads: may be shared."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._addressing = ServerAddressing()
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Reply] = OrderedDict()
        self._kept_bytes = 0
        self._moment: Moment | None = None

    def answer(self, path: str, query: str) -> Reply:
        """The answer to the path and query of a request, both percent-encoded as they came."""
        if path.startswith("/assets/"):
            name = path.removeprefix("/assets/")
            if name in ASSETS:
                return Reply(200, ASSETS[name], asset(name))
            return self._sentence(404, "There is no such file.")
        address = f"{path}?{query}"
        try:
            answer = self._kept_answer(address)
            if answer is not None:
                return answer
            moment = self._moment
            answer = self._new_answer(path, query)
        except UsageError as error:
            return self._sentence(400, str(error))
        except StoreError as error:
            return self._sentence(503, str(error))
        if answer.status == 200:
            self._keep(address, answer, moment)
        return answer

    def _kept_answer(self, address: str) -> Reply | None:
        moment = self._holdings.moment()
        with self._lock:
            if moment != self._moment:
                self._kept.clear()
                self._kept_bytes, self._moment = 0, moment
            if address in self._kept:
                self._kept.move_to_end(address)
            return self._kept.get(address)

    def _keep(self, address: str, answer: Reply, moment: Moment | None) -> None:
        with self._lock:
            if moment != self._moment or len(answer.body) > _MOST_KEPT_BYTES // 8:
                return
            if address not in self._kept:
                self._kept_bytes += len(answer.body)
            self._kept[address] = answer
            while self._kept_bytes > _MOST_KEPT_BYTES:
                _, gone = self._kept.popitem(last=False)
                self._kept_bytes -= len(gone.body)

    def _new_answer(self, path: str, query: str) -> Reply:
        if path == "/changes.atom":
            return Reply(200, _FEED, feed_of(self._holdings, self._addressing.link))
        segments, suffix = _segments(path)
        if len(query) > _LONGEST_QUERY:
            raise UsageError("the address is too long; pick fewer values")
        try:
            picked = parse_qs(query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise UsageError("the address has too many values; pick fewer") from None
        page = page_at(self._holdings, segments, picked)
        if page is None:
            return self._sentence(404, "There is no such page, run, machine or algorithm here.")
        if not suffix:
            return Reply(200, _HTML, self._html(page))
        body = _data(page, suffix)
        if body is None:
            return self._sentence(404, "This view has no picture.")
        name = f"joulemark-{'-'.join(segments) or 'index'}.{suffix}"
        return Reply(200, _TYPES[suffix], body, name)

    def _html(self, page: Page) -> bytes:
        return html_of({"": page}, self._addressing, forms=True, feed="/changes.atom")

    def _sentence(self, status: int, sentence: str) -> Reply:
        sentence = f"{sentence[:1].upper()}{sentence[1:]}"
        page = Page(
            "Nothing to show" if status == 404 else "That cannot be shown",
            [Notes("", [sentence])],
            address=Address(("",)),
        )
        return Reply(status, _HTML, self._html(page))


def _segments(path: str) -> tuple[tuple[str, ...], str]:
    """The segments of a path, and its ending, which asks for data or a picture."""
    parts = [unquote(word, errors="replace") for word in path.strip("/").split("/")]
    stem, _, suffix = parts[-1].rpartition(".")
    if stem and suffix in _TYPES:
        parts[-1] = stem
    else:
        suffix = ""
    return (() if parts in ([""], ["index"]) else tuple(parts)), suffix


def _data(page: Page, suffix: str) -> bytes | None:
    if suffix == "csv":
        return csv_of(page)
    if suffix == "tex":
        return latex_of(page)
    return json_of(page) if suffix == "json" else picture_of(page, suffix)


def attachment(name: str) -> str:
    """The header of a file that is downloaded (RFC 6266); its name has no letters to be quoted."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "-", name)
    return f'attachment; filename="{safe}"'


# The guard of every request: only methods that read, our own host names, headers that forbid more.
#
# A page of another site may make a browser ask 127.0.0.1 under that site's name, which its owner
# has led there (DNS rebinding). So a request is answered only if its Host header (RFC 9110, section
# 7.2) has a name of this machine. Headers of the answer forbid whatever our pages do not need.

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content Security Policy Level 3: no page has a script or a style within itself."""
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_NAMES: Final = {"127.0.0.1", "localhost", "::1"}
_METHODS: Final = {"GET", "HEAD"}


class Guard:
    """Middleware around the application."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses a request, or hands it to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if not self._is_ours(scope):
            await _refuse(send_with_headers, 421, "This server answers to 127.0.0.1 alone.")
        elif scope["method"] not in _METHODS:
            await _refuse(
                send_with_headers, 405, "The explorer only reads.", (b"allow", b"GET, HEAD")
            )
        else:
            await self._app(scope, receive, send_with_headers)

    def _is_ours(self, scope: Scope) -> bool:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            return False
        try:
            split = urlsplit(f"//{hosts[0].decode('ascii')}")
            name, port = split.hostname, split.port
        except ValueError:
            return False
        return name in _NAMES and port == self._port and not split.username


async def _refuse(send: Send, status: int, sentence: str, *headers: tuple[bytes, bytes]) -> None:
    body = f"{sentence}\n".encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"text/plain; charset=utf-8"),
                (b"content-length", str(len(body)).encode()),
                *headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


# The web application: one route, which only reads.

_AT_ONCE = 2
"""Most pages that are made at once: threads share one interpreter, so that more pages would only
wait for each other, and the first would be ready as late as the last."""


def application(answers: Answers, port: int) -> ASGIApp:
    """The ASGI application."""
    # The pages of FastAPI about itself are left out: they load scripts from other servers.
    app = FastAPI(title="Joulemark", docs_url=None, redoc_url=None, openapi_url=None)
    limiter = CapacityLimiter(_AT_ONCE)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def view(request: Request) -> Response:
        path = request.scope.get("raw_path", b"/").decode("ascii", "replace")
        query = request.scope.get("query_string", b"").decode("ascii", "replace")
        answer = await to_thread.run_sync(answers.answer, path, query, limiter=limiter)
        headers = {"cache-control": "no-cache", "etag": answer.etag}
        if request.headers.get("if-none-match") == answer.etag:
            return Response(status_code=304, headers=headers)
        if answer.file:
            headers["content-disposition"] = attachment(answer.file)
        return Response(answer.body, answer.status, headers, answer.type)

    return Guard(app, port)


_HOST: Final = "127.0.0.1"


def serve(request: ServeRequest) -> None:
    """Serves until SIGINT or SIGTERM."""
    with ExitStack() as stack:
        store = stack.enter_context(open_for_reading(request.location))
        listener = stack.enter_context(_listener(request.port))
        path = stack.enter_context(cache_file(store.location))
        estimates = stack.enter_context(closing(KeptEstimates(path)))
        fillers: list[Fillers] = []
        holdings = Holdings(store, estimates, lambda: any(filler.running for filler in fillers))
        missing = missing_estimates(holdings.known(), estimates)
        estimates.drop(missing.gone, missing.gates_gone)
        if not missing.nothing:
            # Half of the CPUs: the machine may be measuring.
            processes = max(1, len(os.sched_getaffinity(0)) // 2)
            fillers.append(Fillers(request.location, path, processes))
            stack.callback(fillers[0].end)
            request.say(
                f"{len(missing.runs)} runs are estimated, and changes found, while you look"
            )
        port = listener.getsockname()[1]
        request.say(f"the store {store.location} is at http://{_HOST}:{port}/ (Ctrl-C ends)")
        _leave_out_of_searches()
        config = uvicorn.Config(
            application(Answers(holdings), port),
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            timeout_keep_alive=30,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _leave_out_of_searches() -> None:
    """Makes Python's searches for cycles rare, and leaves all objects of this moment out of them.

    A full search takes 60 ms beside the index of 2 000 runs, and all pages wait for it (Python
    3.11, 124 000 objects, half of them the index's).
    """
    gc.collect()
    gc.freeze()
    search_seldom_for_cycles()


def _listener(port: int) -> socket.socket:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen()  # a browser that asks before the server is ready waits
    except OSError as error:
        listener.close()
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise UnavailableError(
            f"port {port} of {_HOST} cannot be used ({error.strerror}); choose another with "
            "--port, or 0 for any that is free"
        ) from None
    return listener
