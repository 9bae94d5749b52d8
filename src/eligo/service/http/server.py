"""What runs the app? Uvicorn, with the quickest loop and parser that there are; it stops when all is answered."""

from __future__ import annotations

import uvicorn

from eligo.service.http.call import AsgiApp

GRACE = 20
"""Seconds that requests have to finish after a signal to stop."""


def server_config(app: AsgiApp, host: str = "127.0.0.1", port: int = 0) -> uvicorn.Config:
    """How the server is run."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
    )
