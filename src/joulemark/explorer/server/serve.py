# SPDX-License-Identifier: Apache-2.0
"""Serves a store on the loopback address until it is interrupted."""

from __future__ import annotations

import errno
import gc
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Final

import uvicorn

from joulemark.errors import UnavailableError
from joulemark.explorer.estimates.filling import Fillers, cache_file, missing_estimates
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.server.answers import Answers
from joulemark.explorer.server.app import application
from joulemark.processes.cycles import search_seldom_for_cycles
from joulemark.store.reading import open_for_reading

__all__ = ["serve"]

_HOST: Final = "127.0.0.1"


def serve(location: str, port: int, say: Callable[[str], None]) -> None:
    """Serves until SIGINT or SIGTERM.

    Args:
        location: address of the store.
        port: port to listen on; 0: a free one.
        say: called with sentences that say where the pages are.

    Raises:
        StoreError: the store cannot be read.
        UnavailableError: the port is taken.
    """
    with ExitStack() as stack:
        store = stack.enter_context(open_for_reading(location))
        listener = stack.enter_context(_listener(port))
        path = stack.enter_context(cache_file(store.location))
        estimates = stack.enter_context(closing(KeptEstimates(path)))
        holdings = Holdings(store, estimates)
        missing = missing_estimates(holdings.known(), estimates)
        estimates.drop(missing.gone, missing.gates_gone)
        if not missing.nothing:
            # Half of the CPUs: the machine may be measuring.
            processes = max(1, len(os.sched_getaffinity(0)) // 2)
            stack.callback(Fillers(location, path, processes).end)
            say(f"{len(missing.runs)} runs are estimated, and changes found, while you look")
        port = listener.getsockname()[1]
        say(f"the store {store.location} is at http://{_HOST}:{port}/ (Ctrl-C ends)")
        _leave_out_of_searches()
        config = uvicorn.Config(
            application(Answers(holdings), port), log_level="warning", access_log=False,
            server_header=False, date_header=False, lifespan="off", timeout_keep_alive=30,
        )  # fmt: skip
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
