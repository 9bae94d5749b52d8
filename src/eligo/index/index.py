"""What does a user hold? An `Index`: asked with events, changed by inserting and deleting, saved and opened again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal, TextIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo import arguments
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_weights import Weights
from eligo.data.expressions.expression_source import (
    ExpressionId,
    checked_id,
    is_id,
    read_expression,
)
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.engines.protocol import Engine
from eligo.errors import EligoError, InputError, Reject, UnknownIdError, shown
from eligo.index.bounded_build import freeze_part
from eligo.index.document_questions import Given, IndexJoins, values_are_gone
from eligo.index.drawing import draw, relatives
from eligo.index.in_order import InOrder, times_of_events
from eligo.index.inspection import Inspection, inspect
from eligo.index.live.changes import FEW_PUTS, new_entries, new_part, read_changes
from eligo.index.live.due_merge import MERGE_AT, merge_if_due, merge_now
from eligo.index.live.live_part import LivePart
from eligo.index.live.live_set import FewEvents, LiveSet
from eligo.index.live.live_state import Place, State
from eligo.index.live.live_tail import NewEntry, Tail, TailEntry
from eligo.index.matches import JsonMatches, Matches, TopMatches
from eligo.index.one_event.explanation import expected_cost, explanation_of, takes_colours, text_file
from eligo.index.one_event.json_block import json_texts
from eligo.index.one_event.json_event import JsonText, json_bytes, json_event
from eligo.index.one_event.json_path import JsonPath
from eligo.index.one_event.matcher import Matcher
from eligo.index.one_event.quick_path import QuickPath
from eligo.index.one_event.single_event import Asked
from eligo.index.part import Events, Part, encoded_events, require_shape
from eligo.index.settings import Settings
from eligo.index.stats import IndexStats, measure
from eligo.index.stored.loss_bounds import Bound
from eligo.index.stored.publisher import Publisher
from eligo.index.view import OnError, View, checked_count, known_event
from eligo.joins.asking.given_documents import GivenDocuments
from eligo.joins.asking.question import Order
from eligo.language.evaluate import Missing
from eligo.language.explain.explain import Explanation
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from eligo.storage.manifest import Manifest
from eligo.storage.retention import KEPT_VERSIONS
from eligo.stores.address import named

MOST_RADIUS = 1_000
"""Edges from an expression that a drawing may go."""
FEW_EVENTS = 64
"""Up to so many events meet new expressions one by one rather than wait until these are frozen."""


class Index:
    """An expression set that can be asked which expressions an event satisfies, and that can be changed.

    Made by `eligo.build` or `eligo.open`. One index may serve many threads: each answer is that of one moment, and
    updates take turns. See `docs/index.md`.
    """

    def __init__(
        self,
        parts: Sequence[LivePart],
        settings: Settings,
        *,
        merge_at: float | None = MERGE_AT,
        sample: Events | None = None,
        opened: tuple[str | os.PathLike[str], Manifest] | None = None,
    ) -> None:
        self.settings = settings
        """What its expressions mean."""
        self.merge_at = merge_at
        """The share of the base that changes may make up before they are merged in the background; None for never."""
        self.rejects: tuple[Reject, ...] = ()
        """The expressions that were refused when it was built with `on_error="reject"`."""
        self._publisher = Publisher()
        if opened is not None:
            self._publisher.opened(*opened)
        self._joins: tuple[int, IndexJoins] | None = None
        """The quantified parts, with the moment that they are of."""
        self._id_list: tuple[pa.Array, list[ExpressionId]] | None = None
        self._live = LiveSet(
            list(parts),
            freeze=partial(freeze_part, settings=settings),
            freeze_base=partial(freeze_part, settings=settings, sample=sample),
            new_tail=partial(Tail, settings),
            new_view=partial(View, settings=settings),
        )
        self._quick = QuickPath(self._live, settings)
        self._json = JsonPath(self._live, settings)

    def __len__(self) -> int:
        return self._live.state.num_live

    def __contains__(self, id: object) -> bool:
        return is_id(id) and self._live.find(checked_id(id)) is not None

    def __repr__(self) -> str:
        return f"<eligo.Index of {len(self):,} expressions, engine {self.engine_name!r}, missing={self.missing!r}>"

    @property
    def engine_name(self) -> str:
        """The name of the engine that answers for what is frozen; "auto" where that differs from shard to shard."""
        names = {shard.engine.name for part in self.parts for shard in part.shards}
        return names.pop() if len(names) == 1 else self.settings.engine

    @property
    def missing(self) -> Missing:
        """What a predicate on a missing attribute is: "unknown" or "false"."""
        return self.settings.missing

    @property
    def schema(self) -> Schema | None:
        """What is known of the attributes in advance, if anything is."""
        return self.settings.schema

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        """The taxonomies, by attribute."""
        return self.settings.hierarchies

    @property
    def limits(self) -> Limits:
        """Bounds of expressions that are inserted, and of events."""
        return self.settings.limits

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is frozen, from the oldest to the newest; changes that came since are not in it."""
        return tuple(live.part for live in self._live.state.parts)

    @property
    def engine(self) -> Engine:
        """The engine of an index that is one shard; changes that came since are not in it."""
        shards = [shard for part in self.parts for shard in part.shards]
        if len(shards) != 1:
            raise InputError(f"this index has {len(shards)} shards", help="ask `parts` for the engines of all")
        return shards[0].engine

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the base; changes that came since have their own."""
        return self.parts[0].vocabulary

    def view(self) -> View:
        """The index as it is now, for what is to be of one moment throughout; changes that came are frozen for it."""
        return self._live.view()

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Every attribute that some expression is on, sorted; some may be left over from deleted ones."""
        return self.view().attribute_names

    @property
    def ids(self) -> list[ExpressionId]:
        """All ids, in the order in which they were given; a replaced one stands where its last expression came."""
        ids = self._live.ids()
        kept = self._id_list
        if kept is None or kept[0] is not ids:
            kept = self._id_list = (ids, ids.to_pylist())
        return kept[1]

    def ids_array(self) -> pa.Array:
        """All ids by position, as an Arrow array of strings or 64-bit ints."""
        return self._live.ids()

    def text(self, id: ExpressionId) -> str:
        """One expression as it was given; the canonical text of one that was not given as a text."""
        place = self._place(id)
        if isinstance(place, TailEntry):
            return place.text
        return place.live.part.text_at(place.position)

    def _place(self, id: ExpressionId) -> Place:
        place = self._live.find(checked_id(id))
        if place is None:
            raise UnknownIdError(f"there is no expression {shown(id)} in this index")
        return place

    def tree(self, id: ExpressionId) -> Expression:
        """One expression as a tree."""
        return parse(self.text(id), limits=UNBOUNDED)

    def encode(self, events: Events, *, exclude: Iterable[str] = ()) -> EventBatch:
        """Events in the form that engines take; `exclude` names columns of a table that are not attributes.

        Only an index without deltas and changes has one form for all; others are given the events themselves.
        """
        view = self.view()
        return view.encoder(events, exclude, one_vocabulary=True)(view.parts[0].part.vocabulary)

    def insert(self, id: ExpressionId, expression: Any) -> None:
        """Add an expression: a text, a tree, the JSON form or the builder's. Its id must be new."""
        self._live.insert(self._new_entry(id, expression))
        merge_if_due(self._live, self.merge_at)

    def replace(self, id: ExpressionId, expression: Any) -> None:
        """Give an id another expression, or insert it; no reader sees both or none. The id moves to the end."""
        self._live.change([self._new_entry(id, expression)], ())
        merge_if_due(self._live, self.merge_at)

    def _new_entry(self, id: ExpressionId, expression: Any) -> NewEntry:
        known_id = checked_id(id)
        text, tree = read_expression(expression, schema=self.schema, limits=self.limits)
        require_shape(known_id, text, self.settings)  # refused now, not at a merge
        return NewEntry.of(known_id, text, tree, self.missing)

    def delete(self, id: ExpressionId) -> None:
        """Give up an expression."""
        self._live.change((), [checked_id(id)])
        merge_if_due(self._live, self.merge_at)

    def change(self, puts: Sequence[tuple[ExpressionId, Any]] = (), deletes: Sequence[ExpressionId] = ()) -> None:
        """Make many changes at once: all of them or, when anything is raised, none; no reader sees a part of them.

        Each of `puts` is a pair of id and expression, inserted or in the place of what its id has; of several for
        one id the last one counts. `deletes` are ids that are there and are not put. Expressions that cannot be read
        are told all together, in a `BuildError`.
        """
        wanted = read_changes(puts, deletes)
        if len(wanted.puts) <= FEW_PUTS:
            self._live.change(new_entries(wanted.puts, self.settings), wanted.deletes)
        else:
            self._live.add_part(new_part(wanted.puts, self.settings), wanted.deletes)
        merge_if_due(self._live, self.merge_at)

    def merge(self, *, background: bool = False) -> Future[None] | None:
        """Freeze changes and base into a new base, while others read and write on.

        In the background, returns what can be waited for with `result()`. A merge that fails changes nothing; the
        automatic ones are tried again, and `stats().last_merge_error` says why.
        """
        if arguments.flag(background, "background"):
            return self._live.merge(background=True)
        merge_now(self._live)
        return None

    def match(
        self,
        event: Mapping[str, Any],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies, in the order of `ids`.

        `documents` are those that `exists d (…)` and `forall d (…)` are about: an `eligo.DocumentBase`, a snapshot of
        one, or a list. `at` is the moment from which `in last '7 days'` counts back, now unless given. What is looked
        at first is chosen by its cost unless `order` says it, "joins" or "constants"; the answer is the same.
        """
        if documents is None and at is None and order is None:
            found = self._quick.match(event)
            if found is not None:
                return found
        return self._ask(event, Given(documents, at, order)).match()

    def match_json(
        self,
        text: JsonText,
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[ExpressionId]:
        """The same for an event as a JSON object, a text or its bytes in UTF-8.

        It is read without a Python object for any value, but is parsed where the index has a schema, is about
        documents, or has expressions so new that they are not frozen yet, and where the text is unusual.

        A text is read as a date or timestamp where all expressions compare its attribute with such only.
        """
        data = json_bytes(text)
        found = self._json.match(data)
        if found is not None:
            return found
        known = json_event(data, self.view().temporal_kinds, self.schema, self.limits)
        return self._ask(known, Given(documents, at, order)).match()

    def match_json_batch(
        self,
        texts: Sequence[JsonText],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
        on_error: OnError = "raise",
    ) -> JsonMatches:
        """The matches of many events as JSON objects, each a text or its bytes, as one block.

        A text that is no event is an `EventError` that names its row; with `on_error="reject"` it has no matches, and
        is told in the `errors` of what is returned, by row.
        """
        data = json_texts(texts)
        if len(data) <= FEW_EVENTS and not self._live.has_view:
            with suppress(EligoError):  # which is told below, with all others
                found = self._live.match_few(self._json.few(data))
                if found is not None:
                    return JsonMatches(found.offsets, found.positions, found.ids_by_position, {})
        return self.view().match_json_batch(data, documents=documents, at=at, order=order, on_error=on_error)

    def matcher(self) -> Matcher:
        """What asks the same as `match` of one event after another, for those who ask millions of times.

        It follows the index: every answer is that of the moment when it was asked.
        """
        return Matcher(self._live, self.settings, self.match, self.match_json)

    def _ask(self, event: Mapping[str, Any], given: Given) -> Asked:
        known = known_event(event, self.settings)
        asked = self._live.ask(known, lambda state: self._joins_of(state).asked(known, given, self.limits))
        return Asked(known, *asked, self.settings)

    def _joins_of(self, state: State) -> IndexJoins:
        """The quantified parts of a state, whose tails the caller reads; kept until something changes."""
        kept = self._joins
        if kept is None or kept[0] != state.moment:
            parts = [live.part for live in state.parts]
            kept = self._joins = (state.moment, IndexJoins(parts, self.settings, state.part_names()))
        return kept[1]

    def match_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> Matches:
        """The matches of many events at once: the quick way when there is more than one.

        All of them are compared with the same `documents`; see `match`, and `match_in_order` for each with those
        before it.
        """
        if isinstance(events, list) and len(events) <= FEW_EVENTS and not self._live.has_view:
            known = [known_event(event, self.settings) for event in events]
            few = FewEvents(known, partial(encoded_events, known, schema=None, limits=self.limits))
            found = self._live.match_few(lambda state: None if self._joins_of(state) else few)
            if found is not None:
                return found
        return self.view().match_batch(events, exclude=exclude, documents=documents, at=at, order=order)

    def match_bitmap(
        self,
        event: Mapping[str, Any],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> npt.NDArray[np.uint64]:
        """The expressions that the event satisfies as a set: one bit for each, in words of 64.

        The expression at position p of `ids_array()` has bit p % 64 of word p // 64, the lowest bit being 0. Changes
        that came since the last merge are frozen for it, as for a batch. For the rest see `match`.
        """
        return self.view().match_bitmap(event, documents=documents, at=at, order=order)

    def match_bitmap_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> npt.NDArray[np.uint64]:
        """As `match_bitmap` for many events at once: a row of words for each."""
        return self.view().match_bitmap_batch(events, exclude=exclude, documents=documents, at=at, order=order)

    def match_in_order(
        self,
        events: Events,
        *,
        window: int | timedelta | None = None,
        time: str | None = None,
        exclude: Iterable[str] = (),
    ) -> Matches:
        """The matches of events each of which is compared with those before it: they are its documents.

        `window` narrows these to so many events, or to so much time. `time` names the attribute that says when an event
        came, from which `in last '7 days'` counts back too; times do not go back.
        """
        view = self.view()
        in_order = InOrder(view, window, has_times=time is not None)
        if isinstance(events, EventBatch):
            raise values_are_gone()
        encode = view.encoder(events, exclude)
        found = in_order.match(encode, None if time is None else times_of_events(encode, arguments.text(time, "time")))
        return Matches(found.offsets, found.positions, lambda: view.ids)

    def count_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, by position: reach, without writing a single pair."""
        return self.view().count_batch(events, exclude=exclude, documents=documents, at=at, order=order)

    def top(
        self,
        event: Mapping[str, Any],
        n: int = 10,
        *,
        weights: Weights | None = None,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[tuple[ExpressionId, float]]:
        """The n best matches with their scores, best first; among equal scores, in the order of `ids`.

        `weights` weighs the event's attributes (`{"age": 0.8}`) or values (`{"interests": {"golf": 2.0}}`). A part
        about documents that is true scores 1, whatever is in it. For `documents` see `match`.
        """
        return self._ask(event, Given(documents, at, order)).top(checked_count(n), weights)

    def top_batch(
        self,
        events: Events,
        n: int = 10,
        *,
        weights: Weights | None = None,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> TopMatches:
        """The n best matches of many events, with their scores."""
        return self.view().top_batch(
            events, checked_count(n), weights=weights, exclude=exclude, documents=documents, at=at, order=order
        )

    def explanation(
        self,
        id: ExpressionId,
        event: Mapping[str, Any],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
    ) -> Explanation:
        """Why the event does or does not satisfy the expression, as an object with text and JSON forms."""
        known, tree = known_event(event, self.settings), self.tree(id)
        return explanation_of(tree, known, Given(documents, at), self.settings)

    def explain(
        self,
        id: ExpressionId,
        event: Mapping[str, Any],
        *,
        file: TextIO | None = None,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
    ) -> None:
        """Print why the event does or does not satisfy the expression."""
        out = text_file(file)
        explanation = self.explanation(id, event, documents=documents, at=at)
        print(explanation.to_text(color=takes_colours(out)), file=out)
        if explanation.parts:
            known = known_event(event, self.settings)
            cost = expected_cost(self._place(id), known, Given(documents, at), self.settings)
            if cost is not None:
                print(cost, file=out)

    def to_graphviz(self, id: ExpressionId, *, radius: int = 3, most_expressions: int = 20) -> str:
        """DOT text of an expression's nodes and what is near them, for Graphviz: `dot -Tsvg`.

        Others are drawn as far as they share parts with it, at most so many; those that an engine without a tree
        holds, or that came since the last merge, are not.
        """
        radius = arguments.whole_number(radius, "radius", least=0, most=MOST_RADIUS)
        most_expressions = arguments.whole_number(most_expressions, "most_expressions", least=0)
        place = self._place(id)
        near = [] if isinstance(place, TailEntry) else relatives(*place, most_expressions)
        shown = {each: self.tree(each) for each in (id, *near) if each in self}
        return draw(shown, self.missing, self.hierarchies, radius)

    def stats(self) -> IndexStats:
        """What the index holds, and what its engines have done so far."""
        with self._live.reading() as state:
            joins = self._joins_of(state)
        return measure(state, self.settings, self._live, joins)

    def inspect(self, *, costliest: int = 10) -> Inspection:
        """What the index holds: sizes, shapes, sharing, and the expressions that cost most. Reads all texts again."""
        return inspect(self.view(), arguments.whole_number(costliest, "costliest", least=0))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        expected_version: int | Literal["any"] | None = None,
        max_shrink: Bound | None = None,
    ) -> None:
        """Write the index to a directory; as `publish`."""
        self.publish(path, expected_version=expected_version, max_shrink=max_shrink)

    def publish(
        self,
        path: str | os.PathLike[str],
        *,
        expected_version: int | Literal["any"] | None = None,
        keep_versions: int | None = KEPT_VERSIONS,
        max_shrink: Bound | None = None,
        view: View | None = None,
    ) -> int:
        """Write what is not in the directory yet and make it the live version, whose number is returned.

        Nothing is published, and a `VersionConflictError` says what to do, unless the live version is the one that
        this index was opened from or has published there last; for an index that never was there, unless there is
        none. `expected_version` names another (0 for none); "any" replaces whatever is live. `keep_versions` is how
        many versions stay openable; None keeps all. `max_shrink` is how many expressions of the live version, or what
        share of them, may be gone: half when the index of another is replaced, any number of one's own. `view` is what
        `view()` has given before, and is published as it was then, whatever has changed since.
        """
        path = named(path)
        if keep_versions is not None:
            keep_versions = arguments.whole_number(keep_versions, "keep_versions", least=1)
        if view is not None:
            arguments.instance(view, "view", View, "what view() has given")
        if expected_version is not None and not isinstance(expected_version, str):
            expected_version = arguments.whole_number(expected_version, "expected_version", least=0)
        return self._publisher.publish(
            path,
            self.settings,
            self._live.freeze_tail if view is None else lambda: view,
            partial(freeze_part, settings=self.settings),
            expected_version=expected_version,
            keep_versions=keep_versions,
            max_shrink=max_shrink,
        )
