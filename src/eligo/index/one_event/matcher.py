"""How is an index asked millions of times? Through a matcher: what can be known before the event is looked at once.

A matcher follows its index: each answer is that of the moment when it was asked, whatever was inserted, deleted or
merged before. What it prepares, and the scratch that it keeps, belong to one state of the index, and are made anew when
there is another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eligo.data.expressions.expression_source import ExpressionId
from eligo.index.live.live_set import LiveSet
from eligo.index.one_event.json_event import JsonText, json_bytes
from eligo.index.one_event.json_path import JsonPath
from eligo.index.one_event.quick_path import QuickPath
from eligo.index.settings import Settings

LongWay = Callable[[Mapping[str, Any]], list[ExpressionId]]
"""Asks for what is not prepared: what is in the tails, and what is about documents."""
JsonWay = Callable[[JsonText], list[ExpressionId]]
"""Asks about an event as JSON."""


class Matcher:
    """Asks an index which expressions events satisfy, one event at a time; made by `Index.matcher`.

    It keeps scratch of its own: one for each thread asks without sharing any. Yet any number of threads may share one,
    and a process that was forked may go on with it; it waits for no one.
    """

    def __init__(self, live: LiveSet, settings: Settings, long_way: LongWay, match_json: JsonWay) -> None:
        self._quick = QuickPath(live, settings)
        self._json = JsonPath(live, settings)
        self._long_way = long_way
        self._long_json_way = match_json

    def match(self, event: Mapping[str, Any]) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies, in the order of `Index.ids`.

        An error where expressions are about documents: these are for `Index.match`.
        """
        found = self._quick.match(event)
        return found if found is not None else self._long_way(event)

    def match_json(self, text: JsonText) -> list[ExpressionId]:
        """The same for an event as a JSON object, a text or its bytes; see `Index.match_json`."""
        found = self._json.match(json_bytes(text))
        return found if found is not None else self._long_json_way(text)

    def count(self, event: Mapping[str, Any]) -> int:
        """How many expressions the event satisfies."""
        found = self._quick.count(event)
        return found if found is not None else len(self._long_way(event))
