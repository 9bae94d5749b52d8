"""What do questions need of an event? The values that are compared with documents, and what it makes true by itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eligo.data.encoded_value import encode
from eligo.joins.kernels.work_arrays import FALSE, TRUE, UNKNOWN, EventArrays
from eligo.joins.questions import QuestionSet, values_of
from eligo.language.evaluate import Missing, predicate_truth
from eligo.language.tree import Equals, Predicate
from eligo.language.value import Kind, Scalar, identity

_CODE_OF_TRUTH = {False: FALSE, None: UNKNOWN, True: TRUE}


class EventLeaves:
    """The leaves about the event alone, by attribute; those that an event says nothing of are not looked at."""

    def __init__(self, questions: QuestionSet, missing: Missing) -> None:
        self._questions = questions
        self._missing: Missing = missing
        self._without = np.zeros(len(questions.of_event), np.uint8)
        """For each leaf: its truth when its attribute is missing."""
        self._equals: dict[str, dict[tuple[Kind, Scalar], list[int]]] = {}
        """For each attribute: the leaves that it is equal to a value."""
        self._others: dict[str, list[tuple[int, Predicate]]] = {}
        for number, leaf in enumerate(questions.of_event):
            predicate = leaf.predicate
            self._without[number] = _CODE_OF_TRUTH[predicate_truth(predicate, (), missing)]
            if isinstance(predicate, Equals):
                of_attribute = self._equals.setdefault(predicate.attribute, {})
                of_attribute.setdefault(identity(predicate.value), []).append(number)
            else:
                self._others.setdefault(predicate.attribute, []).append((number, predicate))
        self._numbers = {
            name: np.array([number for numbers in by_value.values() for number in numbers])
            for name, by_value in self._equals.items()
        }

    def arrays(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> EventArrays:
        """What kernels need of an event."""
        given = [attributes.get(name, ()) for name in self._questions.attributes]
        offsets = np.cumsum([0, *map(len, given)]).astype(np.int64)
        values = values_of([encode(value) for several in given for value in several])
        return EventArrays(offsets, values, self._truths(attributes))

    def _truths(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> np.ndarray:
        truths = self._without.copy()
        for name, by_value in self._equals.items():
            if several := attributes.get(name, ()):
                truths[self._numbers[name]] = FALSE
                for value in several:
                    truths[by_value.get(identity(value), [])] = TRUE
        for name, leaves in self._others.items():
            if several := attributes.get(name, ()):
                hierarchy = self._questions.hierarchies.get(name)
                for number, predicate in leaves:
                    truths[number] = _CODE_OF_TRUTH[predicate_truth(predicate, several, self._missing, hierarchy)]
        return truths
