# SPDX-License-Identifier: Apache-2.0
"""A server of the explorer in a thread of this process, and requests to it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection

import uvicorn

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.server import Answers, application


@dataclass(frozen=True)
class Reply:
    """Status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


@dataclass(frozen=True)
class Served:
    """The address of a server."""

    port: int

    @property
    def base(self) -> str:
        """The address of the server, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, method: str = "GET", headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Sends one request."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, headers=dict(headers or {}))
            found = connection.getresponse()
            known = {name.lower(): value for name, value in found.getheaders()}
            return Reply(found.status, known, found.read())
        finally:
            connection.close()


@contextmanager
def served(holdings: Holdings) -> Iterator[Served]:
    """A server while the block runs."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        application(Answers(holdings), port), log_level="error", access_log=False, lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(port)
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
