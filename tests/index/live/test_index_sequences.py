"""Does any sequence of updates, merges and saves leave an index that answers as the oracle and a fresh one do?"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import eligo
import strategies
from eligo.errors import DuplicateIdError, UnknownIdError
from eligo.kernels.score_units import UNITS
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing, matches
from eligo.language.forms.json_form import to_json
from eligo.language.score import score_units
from eligo.language.tree import Expression

ENGINES = ("a_tree", "scan")
ids = st.integers(0, 9)
forms = st.sampled_from((lambda tree: tree, canonical_text, to_json))


def sayable(event: dict[str, Any]) -> dict[str, Any]:
    """What of an event JSON has a word for."""
    plain = (bool, int, str)
    said: dict[str, Any] = {}
    for name, value in event.items():
        values = [each for each in value if type(each) in plain] if isinstance(value, list) else value
        if isinstance(values, list) or type(values) in plain:
            said[name] = values
    return said


class IndexMachine(RuleBasedStateMachine):
    """An index beside a plain dictionary of expressions, in whose order a replaced one comes last."""

    events = Bundle("events")

    @initialize(
        engine=st.sampled_from(ENGINES),
        missing=strategies.policies(),
        trees=st.lists(strategies.expressions(), max_size=6),
    )
    def build(self, engine: str, missing: Missing, trees: list[Expression]) -> None:
        self.engine, self.missing = engine, missing
        self.model: dict[int, Expression] = dict(enumerate(trees))
        self.index = eligo.build(self.model, engine=engine, missing=missing, merge_at=None)
        self.directory = Path(tempfile.mkdtemp(prefix="eligo-sequences-"))

    def teardown(self) -> None:
        if hasattr(self, "directory"):
            shutil.rmtree(self.directory)

    @rule(target=events, event=strategies.events())
    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        return event

    @rule(id=ids, tree=strategies.expressions(), form=forms)
    def insert(self, id: int, tree: Expression, form: Any) -> None:
        if id in self.model:
            with pytest.raises(DuplicateIdError):
                self.index.insert(id, form(tree))
        else:
            self.index.insert(id, form(tree))
            self.model[id] = tree

    @rule(id=ids, tree=strategies.expressions(), form=forms)
    def replace(self, id: int, tree: Expression, form: Any) -> None:
        self.index.replace(id, form(tree))
        self.model.pop(id, None)
        self.model[id] = tree

    @rule(id=ids)
    def delete(self, id: int) -> None:
        if id in self.model:
            self.index.delete(id)
            del self.model[id]
        else:
            with pytest.raises(UnknownIdError):
                self.index.delete(id)

    @rule(
        puts=st.lists(st.tuples(ids, strategies.expressions()), max_size=8),
        gone=st.sets(ids, max_size=4),
        form=forms,
        copies=st.sampled_from((1, 40)),
    )
    def change(self, puts: list[tuple[int, Expression]], gone: set[int], form: Any, copies: int) -> None:
        """With many copies of its puts, of which the last ones count, and which are read otherwise than few."""
        deletes = [id for id in self.model if id in gone and id not in dict(puts)]
        self.index.change([(id, form(tree)) for id, tree in puts] * copies, deletes)
        for id in deletes:
            del self.model[id]
        for id, tree in puts:
            self.model.pop(id, None)
            self.model[id] = tree

    @rule()
    def merge(self) -> None:
        self.index.merge()

    @rule(id=ids, tree=strategies.expressions())
    def change_while_merging(self, id: int, tree: Expression) -> None:
        future = self.index.merge(background=True)
        self.replace(id, tree, canonical_text)
        self.delete((id + 1) % 10)
        assert future is not None
        future.result(timeout=60)

    @rule(other=st.booleans())
    def save_and_open(self, other: bool) -> None:
        path = self.directory / ("other" if other else "index")
        self.index.save(path, expected_version="any", max_shrink="100%")
        self.index = eligo.open(path, merge_at=None)

    def expected(self, event: dict[str, Any]) -> list[int]:
        return [id for id, tree in self.model.items() if matches(tree, event, self.missing)]

    @rule(event=events)
    def match(self, event: dict[str, Any]) -> None:
        assert self.index.match(event) == self.expected(event)

    @rule(chosen=st.lists(events, max_size=3), copies=st.sampled_from((1, 20)))
    def match_batch(self, chosen: list[dict[str, Any]], copies: int) -> None:
        found = self.index.match_batch(chosen * copies)
        assert [found.ids(row) for row in range(len(found))] == [self.expected(event) for event in chosen * copies]

    @rule(chosen=st.lists(events, max_size=3), copies=st.sampled_from((1, 25)))
    def match_json(self, chosen: list[dict[str, Any]], copies: int) -> None:
        """What JSON can say, which may be another event: a text that is compared with dates alone is one."""
        texts = [json.dumps(event).encode() for event in map(sayable, chosen)] * copies
        view = self.index.view()
        expected = [view.match_json(text) for text in texts]
        assert [self.index.match_json(text) for text in texts] == expected
        assert self.index.match_json_batch(texts).id_lists() == expected
        assert [set(ids) for ids in expected] == [set(self.fresh().match_json(text)) for text in texts]

    def fresh(self) -> eligo.Index:
        return eligo.build(self.model, engine=self.engine, missing=self.missing)

    @rule(chosen=st.lists(events, max_size=3))
    def count_batch(self, chosen: list[dict[str, Any]]) -> None:
        counts = dict.fromkeys(self.model, 0)
        for event in chosen:
            for id in self.expected(event):
                counts[id] += 1
        assert dict(zip(self.index.ids, self.index.count_batch(chosen).tolist(), strict=True)) == counts

    @rule(event=events, weights=strategies.event_weights(), n=st.integers(0, 12))
    def top(self, event: dict[str, Any], weights: dict[str, Any], n: int) -> None:
        units = {id: score_units(tree, event, self.missing, weights=weights) for id, tree in self.model.items()}
        ranked = sorted((-own, place, id) for place, (id, own) in enumerate(units.items()) if own is not None)
        expected = [(id, -own / UNITS) for own, _, id in ranked[:n]]
        in_batch = self.index.top_batch([event], n, weights=weights).scored_ids(0)
        assert self.index.top(event, n, weights=weights) == in_batch == expected

    @rule(chosen=st.lists(events, max_size=3))
    def compare_with_a_fresh_index(self, chosen: list[dict[str, Any]]) -> None:
        fresh = self.fresh()
        one, other = self.index.match_batch(chosen), fresh.match_batch(chosen)
        assert one.offsets.tolist() == other.offsets.tolist() and one.positions.tolist() == other.positions.tolist()
        assert one.all_ids.equals(other.all_ids) or not len(self.model)

    @invariant()
    def has_the_ids_of_the_model(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == len(self.model)
            for id in range(10):
                assert (id in self.index) == (id in self.model)
                if id in self.model:
                    assert self.index.tree(id) == self.model[id]


def test_any_sequence_of_updates() -> None:
    run_state_machine_as_test(IndexMachine, settings=settings(max_examples=20, stateful_step_count=20))


@pytest.mark.long
def test_thousands_of_sequences_of_updates() -> None:
    run_state_machine_as_test(IndexMachine, settings=settings(max_examples=2_500, stateful_step_count=25))


def test_strategies_are_shown_by_name() -> None:
    """Hypothesis keeps what a machine's strategies look like with thousands of sequences."""
    shown = (strategies.expressions(), strategies.events(), strategies.event_weights())
    assert max(len(repr(strategy)) for strategy in shown) < 200
