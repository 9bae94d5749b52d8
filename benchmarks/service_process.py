"""What is put under load? The server as users run it, in a process of its own, with a bare handler beside its routes.

    python -m benchmarks.service_process DIRECTORY        says its address and process, and serves until it ends

The bare handler reads the body and answers a constant: what the same server costs when nothing is done.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from typing import Any

BARE = "/bare"
ANSWER = b'{"matches":["ad-1","ad-2"],"seq":1,"version":1}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]
MERGE = signal.SIGUSR1
"""Tells it to merge what was loaded, as it would do by itself in time."""
KEEP_LAST = 10_000
"""Documents that the base keeps, so that memory can be seen to stand still."""


def with_bare_handler(app: Any) -> Any:
    """The app, with the handler that does nothing in front of it."""

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != BARE:
            await app(scope, receive, send)
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": ANSWER})

    return asked


def serve(directory: str) -> None:
    """Serve a directory as `eligo serve` does; the port is one that is free."""
    from eligo.service.delivery.deliverer import DeliveryOptions
    from eligo.service.http.app import create_app
    from eligo.service.http.server import StoppableServer, listening_socket
    from eligo.service.http.settings import HttpSettings
    from eligo.service.service import Service, ServiceOptions

    service = Service.open(directory, ServiceOptions(keep_last=KEEP_LAST))
    try:
        signal.signal(MERGE, lambda *_: service.expressions.index.merge(background=True))
        with listening_socket("127.0.0.1", 0) as listening:
            told = {"port": listening.getsockname()[1], "process": os.getpid()}
            app = create_app(service, HttpSettings(), DeliveryOptions(allow_webhooks=("127.0.0.1",)))
            server = StoppableServer(app, lambda: print(json.dumps(told), flush=True))
            server.config.app = with_bare_handler(server.config.app)
            gc.collect()
            gc.freeze()
            server.run(sockets=[listening])
    finally:
        service.close()


if __name__ == "__main__":
    serve(sys.argv[1])
