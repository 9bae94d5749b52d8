"""How is one event answered? By the parts and by what the tails said at the same moment, without freezing the tails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from eligo.data.events.event_batch import EventBatch, encoded_event
from eligo.data.events.event_weights import Weights
from eligo.data.expressions.expression_source import ExpressionId
from eligo.engines.ranking import best
from eligo.index.document_questions import AskedEvents
from eligo.index.live.live_state import State
from eligo.index.live.live_tail import TailEntry
from eligo.index.settings import Settings
from eligo.kernels.score_units import UNITS
from eligo.language.score import score_units


class Asked(NamedTuple):
    """An event, and the index at the moment when it came."""

    event: Mapping[str, Any]
    state: State
    from_tails: list[TailEntry]
    """What the event satisfies of the tails, in the order in which it came."""
    asked: AskedEvents | None
    """The event, compared with documents; None when no expression is about any."""
    settings: Settings
    """Those of the index."""

    def match(self) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies."""
        found: list[ExpressionId] = []
        for number, live in enumerate(self.state.parts):
            part, limits = live.part, self.settings.limits
            if self.asked is None:
                positions = part.match_event(self.event, limits)
            else:
                batch = encoded_event(self.event, part.vocabulary, limits)
                positions = part.match(self.asked.completed(number, batch))
            is_live = self.state.living(live)
            found += live.part.ids_at(positions if is_live is None else positions[is_live(positions)])
        return found + [entry.id for entry in self.from_tails]

    def _completed(self, number: int, batch: EventBatch) -> EventBatch:
        """The event, encoded for a part, with what holds of documents."""
        return batch if self.asked is None else self.asked.completed(number, batch)

    def top(self, n: int, weights: Weights | None) -> list[tuple[ExpressionId, float]]:
        """The n best matches with their scores; among equal ones those that came first."""
        missing, hierarchies, limits = self.settings.missing, self.settings.hierarchies, self.settings.limits
        ids: list[ExpressionId] = []
        units: list[int] = []
        truths = {} if self.asked is None else self.asked.tail_attributes()
        for number, live in enumerate(self.state.parts):
            batch = EventBatch.from_dicts([self.event], live.part.vocabulary, weights=weights, limits=limits)
            found = live.part.top(self._completed(number, batch), n, self.state.living(live))
            # The best of a part stand by score; among equal ones by position, and so they do here.
            ids += live.part.ids_at(found.positions)
            units += found.units.tolist()
        for entry in self.from_tails:
            own = score_units(entry.tree, self.event, missing, weights=weights, hierarchies=hierarchies, truths=truths)
            if own is not None:
                ids.append(entry.id)
                units.append(own)
        ranked = best(np.arange(len(ids), dtype=np.uint32), np.array(units, np.int64), n)
        return [(ids[place], units[place] / UNITS) for place in ranked.positions.tolist()]
