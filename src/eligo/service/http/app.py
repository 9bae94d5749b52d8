"""How is a service asked over HTTP? By an ASGI app, which any server can run.

uvicorn.run(create_app(Service.open("data")))
"""

from __future__ import annotations

from fastapi import FastAPI

from eligo.service.http.front import Front
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service


def create_app(service: Service, settings: HttpSettings | None = None) -> Front:
    """The app of a service; it does not close it."""
    known = settings or HttpSettings()
    inner = FastAPI()
    return Front(service, known, inner)
