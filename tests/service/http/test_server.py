"""Is everything ready when a server begins to answer?"""

from __future__ import annotations

from typing import Any

import pytest

from eligo.service.delivery.deliverer import DeliveryOptions
from eligo.service.http.events import event_matching
from eligo.service.http.server import StoppableServer, run_service
from eligo.service.http.settings import HttpSettings
from eligo.service.records import PutExpression
from eligo.service.service import Service


def test_an_event_is_matched_before_the_loop_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the first question does not keep all others waiting for what is made once."""
    steps: list[Any] = []
    matched = event_matching.matched

    def noted(service: Service, events: Any) -> Any:
        steps.append(matched(service, events))
        return steps[-1]

    monkeypatch.setattr(event_matching, "matched", noted)
    monkeypatch.setattr(StoppableServer, "run", lambda self, sockets: steps.append("runs"))
    with Service.open(None) as service:
        service.write(PutExpression(id="a", expression="x is missing or exists d (d.x = y)"))
        run_service(service, "127.0.0.1", 0, HttpSettings(), DeliveryOptions(), lambda address: None)
    assert steps == [[["a"]], "runs"]
