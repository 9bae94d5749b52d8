"""What runs the app? Uvicorn, with the quickest loop and parser that there are; it stops when all is answered.

On SIGTERM and SIGINT it takes no more, lets streams go, has the rest finished, and returns; a second signal does not
wait for anybody. A client that reads nothing for a while then is cut off, and in the end every one that is left.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from eligo.errors import InputError
from eligo.service.delivery.deliverer import DeliveryOptions
from eligo.service.http.app import create_app
from eligo.service.http.entrance.connections import bounded_protocol
from eligo.service.http.events import event_matching
from eligo.service.http.events.event_matching import Event
from eligo.service.http.front import Front
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service

GRACE = 20
"""Seconds that requests have to finish after a signal to stop."""
STUCK = 2.0
"""Seconds after which a client is cut off then that reads nothing of what it was sent."""
LOOKS_EACH = 0.2
SIGNALS = (signal.SIGINT, signal.SIGTERM)
BACKLOG = 2_048
TURN = 0.0001
"""Seconds after which a thread that computes lets another one have its turn: the loop must not wait for long."""


def server_config(app: Front) -> uvicorn.Config:
    """How the server is run."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=bounded_protocol(app.settings),
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
    )


class StoppableServer(uvicorn.Server):
    """A server that has streams end when it is to stop, and that does not die of the signal afterwards."""

    def __init__(self, app: Front, started: Callable[[], None] = lambda: None) -> None:
        super().__init__(server_config(app))
        self._front = app
        self._says_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        sys.setswitchinterval(TURN)
        await super().startup(sockets)
        if self.started:
            self._says_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._front.end_streams()
        cutting_off = asyncio.get_running_loop().create_task(self._cut_off())
        try:
            await super().shutdown(sockets)
        finally:
            cutting_off.cancel()

    async def _cut_off(self) -> None:
        """Close the connections of clients that read nothing, and of all before the server would tear their answers."""
        clock = asyncio.get_running_loop().time
        ends = clock() + GRACE - STUCK
        last: dict[Any, tuple[int, float]] = {}
        """What each connection has to send, and since when it is so much."""
        while True:
            now = clock()
            for connection in list(self.server_state.connections):
                transport: Any = getattr(connection, "transport", None)
                if transport is None:
                    continue
                size = transport.get_write_buffer_size()
                known = last.get(connection)
                if known is None or known[0] != size:
                    known = last[connection] = (size, now)
                if now >= ends or (size and now - known[1] >= STUCK):
                    transport.abort()
            await asyncio.sleep(LOOKS_EACH)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen to signals while it runs, in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._signalled) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, or an error that says what is in the way."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror or error}",
            help="choose another --port, or 0 for any",
        ) from None
    return listening


def run_service(
    service: Service,
    host: str,
    port: int,
    settings: HttpSettings,
    delivery: DeliveryOptions,
    started: Callable[[str], None],
) -> None:
    """Serve until a signal comes; `started` is told the address."""
    with listening_socket(host, port) as listening:
        app = create_app(service, settings, delivery)
        # What is made once for all questions, compiled code included, is made while nobody waits for the loop.
        event_matching.matched(service, [Event(b"{}", None, None)])
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listening.getsockname()[1]}"
        gc.collect()
        gc.freeze()  # what is there now stays, and need not be looked through again and again
        StoppableServer(app, lambda: started(address)).run(sockets=[listening])
