# SPDX-License-Identifier: Apache-2.0
"""The guard of every request: only methods that read, our own host names, headers that forbid more.

A page of another site may make a browser ask 127.0.0.1 under that site's name, which its owner has
led there (DNS rebinding). So a request is answered only if its Host header (RFC 9110, section 7.2)
has a name of this machine. Headers of the answer forbid whatever our pages do not need.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY", "Guard"]

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
    """Middleware around the application.

    Args:
        app: the application, which answers.
        port: port on which the server listens.
    """

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
            "headers": [(b"content-type", b"text/plain; charset=utf-8"),
                        (b"content-length", str(len(body)).encode()), *headers],
        }
    )  # fmt: skip
    await send({"type": "http.response.body", "body": body})
