"""Which integers stand for what an event can have? A vocabulary: keys for attributes and values, cells for order.

    expressions:  age between 18 and 24,  state in ('CA', 'NY'),  state exists

    keys     0 age exists    1 state exists    2 state = 'CA'    3 state = 'NY'
    axis 0   age, numbers, bounds 18 and 24:      cell   0  |  1  |   2   |  3  |  4
                                                       < 18   18   between   24   > 24

Keys 0 … num_attributes - 1 say that an attribute is present; the others are entries: an attribute with a value, or
with a node of an `under`. A value off the vocabulary has no key, and a value of a kind that no range uses no cell.
Lookups are exact: a hash finds a candidate, and the candidate is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue, EncodedValuesWriter, decode, encode, read_only_arrays
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays, find_cells, find_keys
from eligo.data.stored_form import require
from eligo.data.vocabulary_form import vocabulary_problems
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.kernels.addresses import addresses_of
from eligo.kernels.hashing import NONE
from eligo.language.canonical import attribute_text, value_text
from eligo.language.quantified import stands_for_part
from eligo.language.value import Kind, Scalar, canonical_value
from eligo.sharing import once

NODE_BIT = 1 << 5
"""In `attribute_kinds`: some `under` has a node that is no date node."""
DATE_NODE_BIT = 1 << 6
"""In `attribute_kinds`: some `under` has a node that is a date node."""


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """All attributes, values and bounds that a set of expressions names; shared by all shards of a version."""

    data: VocabularyArrays
    keeps_values: bool = False
    """Whether events that are encoded with it keep their values, see `EventBatch.values`."""
    kept: dict[str, Any] = field(default_factory=dict, init=False)
    """What is made of it once and used as long as it lives, such as its `EventEncoder`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", VocabularyArrays(*read_only_arrays(self.data)))

    @once
    def book(self) -> npt.NDArray[np.int64]:
        """The address and the length of each of its arrays, for kernels that take it by address.

        Two words more are for `whole_numbers`, and 0 here.
        """
        return np.append(addresses_of(self.data), (0, 0))

    @once
    def kept_plans(self) -> list[Any]:
        """How tables of events were read before; see `events.direct.column_plan`."""
        return []

    @property
    def num_attributes(self) -> int:
        return len(self.data.attribute_kinds)

    @property
    def num_keys(self) -> int:
        return self.num_attributes + len(self.data.entry_kind)

    @property
    def num_axes(self) -> int:
        return len(self.data.axis_kind)

    def num_cells(self, axis: int) -> int:
        """Cells of an axis: one for each bound, and one below, between and above them."""
        return 2 * int(self.data.bound_offsets[axis + 1] - self.data.bound_offsets[axis]) + 1

    @once
    def attribute_names(self) -> tuple[str, ...]:
        """The name of each attribute, by number; sorted."""
        offsets, data = self.data.attribute_offsets.tolist(), self.data.attribute_bytes.tobytes()
        return tuple(data[start:end].decode() for start, end in pairwise(offsets))

    @once
    def attribute_numbers(self) -> dict[str, int]:
        """The number of each attribute, by name; also its key for being present."""
        return {name: number for number, name in enumerate(self.attribute_names)}

    @once
    def event_numbers(self) -> dict[str, int]:
        """The same for the attributes that an event may give: the truth of a quantified part is found, not given."""
        return {name: number for name, number in self.attribute_numbers.items() if not stands_for_part(name)}

    def attribute_kinds(self) -> dict[str, frozenset[Kind]]:
        """The kinds of value that the expressions compare each attribute with; `exists` compares with none."""
        return {name: kinds_of(bits) for name, bits in zip(self.attribute_names, self._kind_bits, strict=True)}

    @once
    def temporal_kinds(self) -> dict[str, Kind]:
        """DATE or TIMESTAMP for each attribute whose every operand is one, so that a text stands for one.

        An `under` of a date node goes with either; alone it asks for dates.
        """
        kinds = {name: temporal_kind(bits) for name, bits in zip(self.attribute_names, self._kind_bits, strict=True)}
        return {name: kind for name, kind in kinds.items() if kind is not None}

    @property
    def _kind_bits(self) -> list[int]:
        bits: list[int] = self.data.attribute_kinds.tolist()
        return bits

    def key_of(self, attribute: str, value: Scalar) -> int | None:
        """The key of (attribute, value), or None."""
        return self._find(attribute, encode(canonical_value(value)))[0]

    def cell_of(self, attribute: str, value: Scalar) -> tuple[int, int] | None:
        """The axis and cell of a value, or None when no range is on values of its kind."""
        encoded = encode(canonical_value(value))
        cell = self._find(attribute, encoded)[1]
        if cell is None:
            return None
        return int(self.data.attribute_axes[self.attribute_numbers[attribute] * len(Kind) + encoded.kind]), cell

    def _find(self, attribute: str, value: EncodedValue) -> tuple[int | None, int | None]:
        number = self.attribute_numbers.get(attribute)
        if number is None:
            return None, None
        writer = EncodedValuesWriter()
        writer.add(number, value)
        values = writer.finish()
        key, cell = find_keys(self.data, values)[0], find_cells(self.data, values)[1][0]
        return (int(key) if key != NONE else None), (int(cell) if cell != NONE else None)

    def describe_key(self, key: int) -> str:
        """What a key stands for, for people: `age = 3`, `state exists`, `page under 'Sports'`."""
        if not 0 <= key < self.num_keys:
            raise InputError(f"there is no key {key}: this vocabulary has {self.num_keys}")
        if key < self.num_attributes:
            return f"{attribute_text(self.attribute_names[key])} exists"
        entry = key - self.num_attributes
        kind, high = int(self.data.entry_kind[entry]), int(self.data.entry_high[entry])
        name = attribute_text(self.attribute_names[int(self.data.entry_attribute[entry])])
        if kind == codes.UNDER_NODE:
            return f"{name} under {value_text(self._string(high).decode())}"
        if kind == codes.STRING:
            return f"{name} = {value_text(self._string(high).decode())}"
        return f"{name} = {value_text(decode(EncodedValue(kind, high, float(self.data.entry_low[entry]), b'')))}"

    def value_texts(self, attribute: str) -> Iterator[str]:
        """The values that expressions compare an attribute with one by one, as they are written there."""
        number = self.attribute_numbers.get(attribute)
        if number is None:
            return
        first, last = np.searchsorted(self.data.entry_attribute, [number, number + 1]).tolist()
        prefix = f"{attribute_text(attribute)} = "
        for entry in range(first, last):
            text = self.describe_key(self.num_attributes + entry)
            if text.startswith(prefix):
                yield text.removeprefix(prefix)

    def _string(self, number: int) -> bytes:
        first, last = int(self.data.string_offsets[number]), int(self.data.string_offsets[number + 1])
        return self.data.string_bytes[first:last].tobytes()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back."""
        return self.data._asdict()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Vocabulary:
        """A vocabulary over arrays as they are, also memory-mapped ones; nothing is built.

        A `StorageError` for arrays whose types or lengths are not those of a vocabulary.
        """
        require(vocabulary_problems(arrays, deep=False), "the vocabulary")
        return cls(VocabularyArrays(**{name: arrays[name] for name in VocabularyArrays._fields}))

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary.from_arrays, (self.arrays(),)

    def __repr__(self) -> str:
        return f"Vocabulary({self.num_attributes} attributes, {self.num_keys} keys, {self.num_axes} axes)"


def temporal_kind(bits: int) -> Kind | None:
    """DATE or TIMESTAMP if all operands are such, by an attribute's bits in `attribute_kinds`."""
    exact = {1 << Kind.DATE: Kind.DATE, 1 << Kind.TIMESTAMP: Kind.TIMESTAMP, 0: Kind.DATE}
    return exact.get(bits & ~DATE_NODE_BIT) if bits else None


def kinds_of(bits: int) -> frozenset[Kind]:
    """The kinds of value that are compared, by an attribute's bits in `attribute_kinds`."""
    kinds = {kind for kind in Kind if bits & (1 << kind)}
    if bits & (NODE_BIT | DATE_NODE_BIT):
        kinds.add(Kind.STRING)
    if bits & DATE_NODE_BIT:
        kinds |= {Kind.DATE, Kind.TIMESTAMP}
    return frozenset(kinds)
