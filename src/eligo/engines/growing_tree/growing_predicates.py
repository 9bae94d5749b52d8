"""Which tests does one event hit, while tests come and go? The predicate phase of A-Tree 2021, section 5.

Keys lead from what an event has to the tests that it hits:

    state = 'CA'                     key (state, CA)                              one look-up a value
    path under 'Sports/NFL'          key (path, under, Sports/NFL)                one look-up a step of the value's path
    name starts with 'Jo'            key (name, prefix, Jo)                       one look-up a length of prefix in use
    age between 18 and 24            a row of the axis (age, number), sorted by low ends
    age < 30, age >= 65              rows of two axes with one open end, so that what is read is what is hit

What no key leads to, results of tests that are not hit or whose attribute is missing, is listed by attribute, and only
for leaves that someone hears.
"""

from __future__ import annotations

from collections.abc import KeysView, Mapping
from typing import Any

import numpy as np

from eligo.data.schema.hierarchy import Hierarchy
from eligo.engines.growing_tree.growing_ranges import Axes, RangeLists, StringRanges, date_ranges, pair_of
from eligo.engines.growing_tree.kernels.growing_arrays import (
    FALSE,
    TRUE,
    WHEN_MISSING,
    WHEN_NOT_HIT,
    PredicateArrays,
    Probe,
)
from eligo.engines.growing_tree.leaf_form import HierarchyNodes, LeafForm, Prefix, Test, ValueSet
from eligo.engines.growing_tree.list_pool import ListPool, Numbers, copied_arrays, grown
from eligo.engines.growing_tree.node_paths import NodePaths
from eligo.language.value import Kind, Scalar, identity, kind_of


class AttributeTests:
    """The tests on one attribute."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.tests: dict[Test, int] = {}
        self.keys: dict[tuple[Kind, Scalar], int] = {}
        self.node_keys: dict[str, int] = {}
        self.paths = NodePaths()
        """The nodes of `node_keys`, to find those that a path is under."""
        self.prefix_keys: dict[str, int] = {}
        self.prefix_lengths: dict[int, int] = {}
        """How many prefixes of each length there are."""
        self.axes: dict[Kind, Axes] = {}
        """The axes of each kind that has ranges."""
        self.strings = StringRanges()

    def copy(self) -> AttributeTests:
        twin = AttributeTests(self.number)
        twin.tests, twin.keys = self.tests.copy(), self.keys.copy()
        twin.node_keys, twin.prefix_keys = self.node_keys.copy(), self.prefix_keys.copy()
        twin.prefix_lengths, twin.axes = self.prefix_lengths.copy(), self.axes.copy()
        twin.strings, twin.paths = self.strings.copy(), self.paths.copy()
        return twin


class GrowingPredicates:
    """The tests of all leaves, and how events reach them."""

    def __init__(self, zero_suppression: bool, hierarchies: Mapping[str, Hierarchy]) -> None:
        self._least = TRUE if zero_suppression else FALSE
        self._hierarchies = hierarchies
        self._attributes: dict[str, AttributeTests] = {}
        self._name_of_attribute: dict[int, str] = {}
        self._form_of_test: dict[int, Test] = {}
        self._attribute_numbers, self._test_numbers, self._key_numbers = Numbers(), Numbers(), Numbers()
        self.attribute_of_test = np.zeros(16, np.uint32)
        self.leaves = ListPool()
        self._postings = ListPool()
        self._ranges = RangeLists()
        self._not_hit = ListPool()
        self._missing = ListPool()
        self._missing_attributes: set[int] = set()
        self._arrays: PredicateArrays | None = None

    def copy(self) -> GrowingPredicates:
        """The same tests in other arrays."""
        twin = copied_arrays(self)
        twin._attributes = {name: attribute.copy() for name, attribute in self._attributes.items()}
        twin._name_of_attribute, twin._form_of_test = self._name_of_attribute.copy(), self._form_of_test.copy()
        twin._attribute_numbers, twin._test_numbers = self._attribute_numbers.copy(), self._test_numbers.copy()
        twin._key_numbers = self._key_numbers.copy()
        twin.leaves, twin._postings, twin._ranges = self.leaves.copy(), self._postings.copy(), self._ranges.copy()
        twin._not_hit, twin._missing = self._not_hit.copy(), self._missing.copy()
        twin._missing_attributes = self._missing_attributes.copy()
        twin._arrays = None
        return twin

    @property
    def num_tests(self) -> int:
        return len(self._test_numbers)

    @property
    def attribute_names(self) -> KeysView[str]:
        """The attributes that some test is on."""
        return self._attributes.keys()

    @property
    def num_attributes(self) -> int:
        return len(self._attributes)

    @property
    def sizes(self) -> tuple[int, int]:
        """One more than the largest number of a test and of an attribute."""
        return self._test_numbers.end, self._attribute_numbers.end

    def test_of(self, form: LeafForm) -> int:
        """The number of a form's test, which is made when it is new."""
        attribute = self._attributes.get(form.attribute)
        if attribute is None:
            attribute = AttributeTests(self._attribute_numbers.take())
            self._attributes[form.attribute] = attribute
            self._name_of_attribute[attribute.number] = form.attribute
        known = attribute.tests.get(form.test)
        if known is not None:
            return known
        self._arrays = None
        test = attribute.tests[form.test] = self._test_numbers.take()
        if test >= len(self.attribute_of_test):
            self.attribute_of_test = grown(self.attribute_of_test, 2 * len(self.attribute_of_test))
        self.attribute_of_test[test] = attribute.number
        self._form_of_test[test] = form.test
        self._register(attribute, test, form.test)
        return test

    def form_of(self, test: int, outcomes: int) -> LeafForm:
        """The form of a leaf of a test."""
        return LeafForm(self._name_of_attribute[int(self.attribute_of_test[test])], self._form_of_test[test], outcomes)

    def add_leaf(self, test: int, leaf: int) -> None:
        """Note a leaf of a test."""
        self._arrays = None
        self.leaves.append(test, leaf)

    def remove_leaf(self, test: int, leaf: int) -> None:
        """Forget a leaf that nobody hears, and its test with its last leaf."""
        self._arrays = None
        self.leaves.drop(test, self.leaves.find(test, leaf))
        if self.leaves.length(test):
            return
        name = self._name_of_attribute[int(self.attribute_of_test[test])]
        attribute = self._attributes[name]
        form = self._form_of_test.pop(test)
        del attribute.tests[form]
        self._unregister(attribute, test, form)
        self._test_numbers.give(test)
        if not attribute.tests:
            del self._attributes[name], self._name_of_attribute[attribute.number]
            self._attribute_numbers.give(attribute.number)

    def hear(self, leaf: int, test: int, outcomes: int, is_heard: bool) -> None:
        """Begin or stop to report a leaf's results where no hit tells of them."""
        self._arrays = None
        attribute = int(self.attribute_of_test[test])
        for shift, lists in ((WHEN_NOT_HIT, self._not_hit), (WHEN_MISSING, self._missing)):
            if outcomes >> shift & 3 < self._least:
                continue
            if is_heard:
                lists.append(attribute, leaf)
            else:
                lists.drop(attribute, lists.find(attribute, leaf))
        if self._missing.length(attribute):
            self._missing_attributes.add(attribute)
        else:
            self._missing_attributes.discard(attribute)

    def _register(self, attribute: AttributeTests, test: int, form: Test) -> None:
        if isinstance(form, ValueSet):
            for member in form.members:
                self._post(attribute.keys, member, test)
        elif isinstance(form, Prefix):
            if form.text not in attribute.prefix_keys:
                length = len(form.text)
                attribute.prefix_lengths[length] = attribute.prefix_lengths.get(length, 0) + 1
            self._post(attribute.prefix_keys, form.text, test)
        elif isinstance(form, HierarchyNodes):
            for node in form.nodes:
                if node not in attribute.node_keys:
                    attribute.paths.add(node)
                self._post(attribute.node_keys, node, test)
                for ends in date_ranges(node):
                    self._ranges.add(attribute.axes, test, ends)
        elif form.kind is Kind.STRING:
            attribute.strings.add(test, form)
        else:
            self._ranges.add(attribute.axes, test, form)

    def _unregister(self, attribute: AttributeTests, test: int, form: Test) -> None:
        if isinstance(form, ValueSet):
            for member in form.members:
                self._unpost(attribute.keys, member, test)
        elif isinstance(form, Prefix):
            self._unpost(attribute.prefix_keys, form.text, test)
            if form.text not in attribute.prefix_keys:
                length = len(form.text)
                attribute.prefix_lengths[length] -= 1
                if not attribute.prefix_lengths[length]:
                    del attribute.prefix_lengths[length]
        elif isinstance(form, HierarchyNodes):
            for node in form.nodes:
                self._unpost(attribute.node_keys, node, test)
                if node not in attribute.node_keys:
                    attribute.paths.remove(node)
                for ends in date_ranges(node):
                    self._ranges.remove(attribute.axes, test, ends)
        elif form.kind is Kind.STRING:
            attribute.strings.remove(test)
        else:
            self._ranges.remove(attribute.axes, test, form)

    def _post(self, keys: dict[Any, int], what: Any, test: int) -> None:
        key = keys.get(what)
        if key is None:
            key = keys[what] = self._key_numbers.take()
        self._postings.append(key, test)

    def _unpost(self, keys: dict[Any, int], what: Any, test: int) -> None:
        key = keys[what]
        self._postings.drop(key, self._postings.find(key, test))
        if not self._postings.length(key):
            del keys[what]
            self._key_numbers.give(key)

    def probe(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> Probe:
        """What an event asks for; `attributes` is what `event_attributes` makes of it."""
        present: list[int] = []
        keys: list[int] = []
        axes: list[int] = []
        values: list[float] = []
        rests: list[float] = []
        hits: list[int] = []
        for name, scalars in attributes.items():
            attribute = self._attributes.get(name)
            if attribute is None:
                continue
            present.append(attribute.number)
            for value in scalars:
                key = attribute.keys.get(identity(value))
                if key is not None:
                    keys.append(key)
                if isinstance(value, str):
                    self._probe_string(name, attribute, value, keys, hits)
                elif attribute.axes:
                    both, low, high = attribute.axes.get(kind_of(value), (None, 0, 0))
                    if both is not None:
                        rounded, rest = pair_of(value)
                        axes += (both, low, high)
                        values += (rounded, rounded, -rounded)
                        rests += (rest, rest, -rest)
        return Probe(
            np.array(present, np.uint32),
            np.array(keys, np.uint32),
            np.array(axes, np.uint32),
            np.array(values, np.float64),
            np.array(rests, np.float64),
            np.array(hits, np.uint32),
        )

    def _probe_string(self, name: str, attribute: AttributeTests, value: str, keys: list[int], hits: list[int]) -> None:
        node_keys = attribute.node_keys
        if node_keys:
            hierarchy = self._hierarchies.get(name)
            nodes = attribute.paths.above(value) if hierarchy is None else [value, *hierarchy.ancestors(value)]
            keys += [node_keys[node] for node in nodes if node in node_keys]
        for length in attribute.prefix_lengths:
            if length <= len(value) and value[:length] in attribute.prefix_keys:
                keys.append(attribute.prefix_keys[value[:length]])
        if len(attribute.strings):
            hits += attribute.strings.hit_by(value)

    def arrays(self) -> PredicateArrays:
        """The flat arrays, for the kernel; they hold until something changes."""
        if self._arrays is None:
            tests, attributes = self.sizes
            owners = (
                (self.leaves, tests),
                (self._postings, self._key_numbers.end),
                (self._ranges, self._ranges.num_axes),
                (self._not_hit, attributes),
                (self._missing, attributes),
            )
            for lists, end in owners:
                lists.cover(end)
            leaves, postings, ranges = self.leaves, self._postings, self._ranges
            not_hit, missing = self._not_hit, self._missing
            self._arrays = PredicateArrays._make(
                [
                    self.attribute_of_test,
                    *(leaves.start, leaves.count, leaves.items),
                    *(postings.start, postings.count, postings.items),
                    *(ranges.start, ranges.count, ranges.items, *ranges.beside),
                    *(not_hit.start, not_hit.count, not_hit.items),
                    *(missing.start, missing.count, missing.items),
                    np.array(sorted(self._missing_attributes), np.uint32),
                ]
            )
        return self._arrays

    def check(self, not_hit: Mapping[int, list[int]], missing: Mapping[int, list[int]]) -> None:
        """Raise an AssertionError unless just these leaves are reported, by attribute, and nothing else is kept."""
        numbers = {attribute.number for attribute in self._attributes.values()}
        assert self._name_of_attribute.keys() == numbers and self._missing_attributes == missing.keys() <= numbers
        for number in range(self._attribute_numbers.end):
            assert sorted(self._not_hit.values(number)) == sorted(not_hit.get(number, []))
            assert sorted(self._missing.values(number)) == sorted(missing.get(number, []))
        assert len(self._attribute_numbers) == len(numbers)
        assert self._form_of_test.keys() == {t for a in self._attributes.values() for t in a.tests.values()}
        num_keys = sum(
            len(keys)
            for attribute in self._attributes.values()
            for keys in (attribute.keys, attribute.node_keys, attribute.prefix_keys)
        )
        assert len(self._key_numbers) == num_keys
        assert self._ranges.num_used_axes == 3 * sum(len(attribute.axes) for attribute in self._attributes.values())

    def array_bytes(self) -> dict[str, int]:
        """Bytes of the flat arrays, by what they hold."""
        pools = {
            "leaves_of_test": self.leaves,
            "postings": self._postings,
            "ranges": self._ranges,
            "leaves_when_not_hit": self._not_hit,
            "leaves_when_missing": self._missing,
        }
        sizes = {name: sum(array.nbytes for array in pool.arrays()) for name, pool in pools.items()}
        return {"attribute_of_test": self.attribute_of_test.nbytes, **sizes}
