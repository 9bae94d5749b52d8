"""What is an engine? One index structure with its matching algorithm, behind the same few methods.

Every engine is built from the same expression table and takes the same encoded events, so engines differ in speed and
memory only. Positions are the places of expressions in the order in which they were given; an engine returns them
ascending, each once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.data.events.encoder.hits import Items
from eligo.data.events.event_batch import EventBatch, batch_of_items
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.match_bits import Bits, bits_of_rows
from eligo.engines.normal_forms import require_forms
from eligo.engines.own_scratch import OwnScratch
from eligo.engines.ranking import ScoredPositions, best, score_matches
from eligo.ranges.list_choice import RangeLists


class MatchArrays(NamedTuple):
    """The matches of a batch of events, as compressed rows."""

    offsets: npt.NDArray[np.uint64]
    """Event i has `positions[offsets[i]:offsets[i + 1]]`."""
    positions: npt.NDArray[np.uint32]
    """Expressions by their position, ascending for each event."""


@dataclass(frozen=True)
class Capabilities:
    """What an engine can do beyond building and matching, so that callers never guess."""

    inserts: bool = False
    """Takes new expressions without being built again."""
    deletes: bool = False
    """Gives up expressions without being built again."""
    prunes_top: bool = False
    """Finds the best n without scoring every match."""
    normal_form: Literal["disjunctive", "conjunctive", "alternating", "diagram"] | None = None
    """What it brings expressions to, where one whose form is too large is a `NormalFormTooLargeError`.

    Alternating is a tree of AND and OR by turns in which nothing is shared.
    """

    @property
    def takes_any_shape(self) -> bool:
        """Whether it takes every expression."""
        return self.normal_form is None


@dataclass(frozen=True)
class EngineStats:
    """What an engine holds and has done so far."""

    num_expressions: int
    num_nodes: int
    """Nodes or entries of the structure, whatever it is made of."""
    num_postings: int
    num_bytes: int
    """Bytes of the engine's own arrays."""
    num_evaluations: int
    """Tests of literals made since the engine was built or opened."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further figures of this engine."""


class Engine(ABC):
    """One index structure with its matching algorithm."""

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    table: ExpressionTable
    """The literals and predicates, and the nodes where the engine has no form of its own for them."""
    vocabulary: Vocabulary

    @classmethod
    @abstractmethod
    def build(
        cls,
        table: ExpressionTable,
        vocabulary: Vocabulary,
        sample: EventBatch | None = None,
        *,
        ranges: RangeLists = "auto",
    ) -> Self:
        """Index the expressions of a table.

        `sample` has events like those to come, for engines that use one; `ranges` says what lists ranges get, in
        engines that have such.
        """

    @classmethod
    def require_shapes(cls, table: ExpressionTable, bound: int) -> None:
        """Refuse the expressions that `build` would refuse within a bound, by the same error; nothing is built."""
        if cls.capabilities.normal_form is not None:
            require_forms(table, bound, is_dnf=cls.capabilities.normal_form == "disjunctive")

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The engine's own named arrays: all that storage sees of it."""

    @classmethod
    @abstractmethod
    def from_arrays(
        cls, arrays: Mapping[str, npt.NDArray[Any]], table: ExpressionTable, vocabulary: Vocabulary
    ) -> Self:
        """The engine that `arrays` came from."""

    @classmethod
    @abstractmethod
    def problems(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        table: ExpressionTable,
        vocabulary: Vocabulary,
        num_expressions: int,
        *,
        deep: bool,
    ) -> Iterator[str]:
        """What is wrong with arrays from a file, before `from_arrays` takes them; see `data.stored_form`.

        The table must have been looked at as deeply, and the vocabulary too.
        """

    @abstractmethod
    def match_batch(self, events: EventBatch) -> MatchArrays:
        """The matches of every event."""

    def match_part(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, in this thread, where the engine has batches matched by several."""
        return self.match_batch(events)

    @abstractmethod
    def stats(self) -> EngineStats:
        """What the engine holds and has done so far."""

    def match(self, event: EventBatch) -> npt.NDArray[np.uint32]:
        """The matches of a batch's only event."""
        return self.match_batch(event).positions

    def match_items(self, items: Items) -> npt.NDArray[np.uint32]:
        """The matches of one event by the items that it hits, in any order and repeated ones too; see `event_items`."""
        return self.match(batch_of_items(items))

    def own_scratch(self) -> OwnScratch | None:
        """Scratch for a caller who keeps it, and asks again and again; None where an engine has none."""
        return None

    def match_bits(self, events: EventBatch) -> Bits:
        """The matches of every event as a row of words: bit p % 64 of word p // 64 for the expression at p."""
        return bits_of_rows(*self.match_batch(events), self.stats().num_expressions)

    def count_batch(self, events: EventBatch) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, by position."""
        counts = np.bincount(self.match_batch(events).positions, minlength=self.stats().num_expressions)
        return counts.astype(np.int64)

    def top(self, event: EventBatch, n: int) -> ScoredPositions:
        """The n best matches of a batch's only event: by score, then by position."""
        positions = self.match(event)
        return best(positions, score_matches(positions, event, self.table, self.vocabulary), n)

    def range_lists(self) -> npt.NDArray[np.uint32]:
        """For each axis: the size of what its lists belong to, as in `AxisLists`; nothing where there are none."""
        return np.zeros(0, np.uint32)

    def relatives(self, position: int, most: int) -> npt.NDArray[np.uint32]:
        """Positions of expressions that share parts with one, at most so many; none where nothing is shared."""
        return np.zeros(0, np.uint32)
