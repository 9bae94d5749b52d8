"""Which conjunctions are subsumed by another one, so that each event that satisfies the one satisfies the other?

    b:  state = 'CA' and age between 20 and 24        is subsumed by        a:  state in ('CA', 'NY') and age >= 18

Every literal of a must be implied by b's literals on the same attribute. Comparing all pairs is out of the question, so
a conjunction is registered under keys of one literal only, the one whose keys the fewest others share, and looked up
with the keys that a conjunction which implies it must have:

    a's literal                     keys of a                  what b looks up
    x in (1, 2)                     (x, 1), (x, 2)             one member of each of its own positive sets
    not x in (1, 2)                 (x, not 1)                 every member of its own negative sets
    not x in (1, 2) [or missing]    (x, not 1), (x, missing)   that, and `missing` if it has a negative literal on x
    anything else on x              (x, other)                 always

Under a key, conjunctions are grouped by their attributes, and groups with an attribute that b lacks are passed over.
At most `CANDIDATES` groups and conjunctions are looked at for one b; past that a subsumption may go unnoticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterator, Sequence
from typing import NamedTuple

from eligo.language.rewrites.leaf import NO, YES, Leaf, leaf_of, members_of
from eligo.language.rewrites.value_sets import intersection
from eligo.language.tree import And, Expression, Literal
from eligo.language.value import identity

CANDIDATES = 1_000
"""Groups and conjunctions looked at for one conjunction."""

REMEMBERED = 1_000_000
"""Answers to "does this imply that?" that are kept, so that common pairs are compared once."""

Key = tuple[Hashable, ...]
Leaves = tuple[Leaf, ...]
"""What a conjunction says of one attribute."""


class LeavesByAttribute(NamedTuple):
    """What a conjunction says, by attribute."""

    number_of_attribute: dict[str, int]
    """The number of the `Leaves`; rarest first, so that most comparisons fail at once."""
    attributes: int
    """One bit for each attribute."""


class SubsumptionIndex:
    """All conjunctions among some simplified trees in negation normal form."""

    def __init__(self, trees: Sequence[Expression], single_valued: Container[str] = ()) -> None:
        self.single_valued = single_valued
        self.conjunctions: dict[int, LeavesByAttribute] = {}
        """By the place of the tree; trees that are no conjunctions are left out."""
        self._number_of_leaves: dict[Leaves, int] = {}
        self._leaves: list[Leaves] = []
        self._only_members: list[frozenset[Hashable] | None] = []
        """For each number, the members of the one positive set, if that is all the leaves say."""
        self._implied: dict[tuple[int, int], bool] = {}
        self._groups_of_key: dict[Key, dict[int, list[int]]] = {}
        self._add(trees)
        self._register()

    def _add(self, trees: Sequence[Expression]) -> None:
        numbers_of_place = {}
        for place, tree in enumerate(trees):
            leaves = _leaves(tree)
            if leaves is not None:
                numbers_of_place[place] = {attribute: self._number(each) for attribute, each in leaves.items()}
        frequency = Counter(number for numbers in numbers_of_place.values() for number in numbers.values())
        bit_of_attribute: dict[str, int] = {}
        for place, numbers in numbers_of_place.items():
            bits = sum(1 << bit_of_attribute.setdefault(each, len(bit_of_attribute)) for each in numbers)
            rarest_first = sorted(numbers.items(), key=lambda item: frequency[item[1]])
            self.conjunctions[place] = LeavesByAttribute(dict(rarest_first), bits)

    def _number(self, leaves: Leaves) -> int:
        number = self._number_of_leaves.setdefault(leaves, len(self._leaves))
        if number == len(self._leaves):
            self._leaves.append(leaves)
            is_one_set = len(leaves) == 1 and leaves[0].positive and leaves[0].when_missing == NO
            self._only_members.append(leaves[0].members if is_one_set else None)
        return number

    def _register(self) -> None:
        keys_of_number = [[self._keys(leaf) for leaf in leaves] for leaves in self._leaves]
        frequency: Counter[Key] = Counter()
        for conjunction in self.conjunctions.values():
            for number in conjunction.number_of_attribute.values():
                for keys in keys_of_number[number]:
                    frequency.update(keys)

        def most_shared(keys: list[Key]) -> int:
            return max(frequency[key] for key in keys)

        rarest = [min(keys_of_leaf, key=most_shared) for keys_of_leaf in keys_of_number]
        most_shared_of_number = list(map(most_shared, rarest))
        for place, conjunction in self.conjunctions.items():
            number = min(conjunction.number_of_attribute.values(), key=most_shared_of_number.__getitem__)
            for key in rarest[number]:
                groups = self._groups_of_key.setdefault(key, {})
                groups.setdefault(conjunction.attributes, []).append(place)

    def subsumers(self, place: int) -> Iterator[int]:
        """The places of conjunctions that hold whenever the one at `place` holds, as far as they are found."""
        narrow = self.conjunctions.get(place)
        if narrow is None:
            return
        left_to_look_at = CANDIDATES
        seen = {place}
        for key in self._looked_up(narrow):
            for attributes, members in self._groups_of_key.get(key, {}).items():
                left_to_look_at -= 1
                if attributes & ~narrow.attributes == 0:
                    for candidate in members[: max(0, left_to_look_at)]:
                        if candidate not in seen and self.implies(place, candidate):
                            yield candidate
                        seen.add(candidate)
                    left_to_look_at -= len(members)
                if left_to_look_at <= 0:
                    return

    def implies(self, narrow: int, wide: int) -> bool:
        """Whether each event that satisfies one conjunction is known to satisfy the other."""
        given = self.conjunctions[narrow].number_of_attribute
        for attribute, wanted in self.conjunctions[wide].number_of_attribute.items():
            number = given.get(attribute)
            if number is None or (number != wanted and not self._is_implied(number, wanted)):
                return False
        return True

    def _is_implied(self, given: int, wanted: int) -> bool:
        allowed, members = self._only_members[wanted], self._only_members[given]
        if allowed is not None and members is not None:
            return members <= allowed
        answer = self._implied.get((given, wanted))
        if answer is None:
            is_single = self._leaves[given][0].attribute in self.single_valued
            answer = all(_imply(self._leaves[given], leaf, is_single) for leaf in self._leaves[wanted])
            if len(self._implied) < REMEMBERED:
                self._implied[given, wanted] = answer
        return answer

    def _keys(self, leaf: Leaf) -> list[Key]:
        members = members_of(leaf.predicate)
        if members and leaf.positive:
            return [(leaf.attribute, identity(member)) for member in members]
        if members and leaf.attribute not in self.single_valued:  # there `a = 2` implies `a != 1`, whatever its members
            denied = (leaf.attribute, "not", identity(members[0]))
            return [denied, (leaf.attribute, "missing")] if leaf.when_missing == YES else [denied]
        return [(leaf.attribute, "other")]

    def _looked_up(self, conjunction: LeavesByAttribute) -> Iterator[Key]:
        for attribute, number in conjunction.number_of_attribute.items():
            for leaf in self._leaves[number]:
                members = members_of(leaf.predicate) or ()
                if leaf.positive and members:
                    yield (attribute, identity(members[0]))
                elif not leaf.positive:
                    yield (attribute, "missing")
                    yield from ((attribute, "not", identity(member)) for member in members)
            yield (attribute, "other")


def _leaves(tree: Expression) -> dict[str, Leaves] | None:
    """What each literal of a conjunction says, by attribute; None for any other tree."""
    operands = tree.operands if isinstance(tree, And) else (tree,)
    leaves: dict[str, Leaves] = {}
    for operand in operands:
        leaf = leaf_of(operand, "unknown") if isinstance(operand, Literal) else None
        if leaf is None:
            return None
        leaves[leaf.attribute] = (*leaves.get(leaf.attribute, ()), leaf)
    return leaves


def _imply(given: Leaves, wanted: Leaf, is_single: bool) -> bool:
    """Whether leaves of one attribute that hold together make another one of that attribute hold."""
    if wanted.when_missing != YES and all(leaf.when_missing == YES for leaf in given):
        return False
    if is_single and not wanted.is_opaque and not any(leaf.is_opaque for leaf in given):
        allowed = given[0].allowed if len(given) == 1 else intersection(leaf.allowed for leaf in given)
        return allowed.is_within(wanted.allowed)
    if wanted.positive and wanted.values.is_all:
        return True
    return any(_implies_when_present(leaf, wanted) for leaf in given)


def _implies_when_present(given: Leaf, wanted: Leaf) -> bool:
    if given.positive:
        return wanted.positive and given.values.is_within(wanted.values)
    return given.values.is_all or (not wanted.positive and wanted.values.is_within(given.values))
