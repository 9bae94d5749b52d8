"""How do the columns of a table become event values? Column by column, each chunk as numpy views of its buffers.

    age: int64    interests: list<string>    user: struct<vip: bool>    facts: map<string, double>
    age           interests                  user.vip                   facts.<key>

A struct gives dotted names, and so does a map, whose keys are looked up; what the vocabulary does not have is passed
over unread, unless a schema asks for it to be checked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.encoded_value import EncodedValuesWriter, encode, read_only, read_only_arrays
from eligo.data.events.column_guards import read_guard
from eligo.data.events.column_maps import as_list_of_entries, keys_as_dictionary, with_prefix
from eligo.data.events.column_schema import check_column, check_single
from eligo.data.events.column_sizes import most_sizes, oversized, repetitions
from eligo.data.events.column_text import is_text, read_text
from eligo.data.events.column_values import (
    NO_INTS,
    ColumnValues,
    Ints,
    Refuse,
    as_scalars,
    fixed_width,
    plain,
    read_lists,
    read_scalars,
    refuse_nothing,
    taken,
)
from eligo.data.events.column_weights import ColumnWeights
from eligo.data.events.event import OnError, check_on_error
from eligo.data.events.event_values import EventValues, of_rows
from eligo.data.events.event_weights import Weights
from eligo.data.events.text_values import text_readers, with_lists
from eligo.data.kernels.vocabulary_lookup import EncodedValues, find_attributes
from eligo.data.schema.guards import GUARDS
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import read_values, unknown_attribute
from eligo.data.sound_arrays import require_sound
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError, InputError
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.language.event_size import EventSize, is_several, too_deep
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import event_values, flat, given_twice


class ColumnReader:
    """Reads the columns of one table."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        num_rows: int,
        schema: Schema | None,
        weights: Weights | None,
        from_text: bool,
        on_error: OnError,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        check_on_error(on_error)
        self.vocabulary = vocabulary
        self.num_rows = num_rows
        self.schema = schema
        self.weights = ColumnWeights(vocabulary, num_rows, weights)
        self.from_text = from_text
        self.on_error = on_error
        self.limits = checked_limits(limits)
        self.errors: dict[int, EventError] = {}
        """For each bad row: its first error."""
        self.parts: list[tuple[int, EventValues]] = []
        self._readers = text_readers(vocabulary, schema, from_text=from_text) if from_text or schema else {}
        self._wanted = set(vocabulary.event_numbers) | set(schema.names if schema is not None else ())
        self._sorted_names = sorted(self._wanted)
        self._repeated: list[tuple[int, int, int]] = []
        """For rows with Python objects: values, and bytes of text, that are in no part because they came before."""
        self._num_sized = 0
        """How many parts there were when rows were last compared with the limits."""
        self._rows_of: dict[str, list[Ints]] = {}
        """For each attribute of columns that were read: the rows of its values."""

    def add_weights(self, cells: Iterable[Any], name: str) -> None:
        """Read a column of Python mappings from attribute to weight."""
        self.weights.add_objects(cells, name)
        self._refuse_weights()

    def _refuse_weights(self) -> None:
        if self.weights.errors and self.on_error == "raise":
            raise self.weights.errors[min(self.weights.errors)]
        self.errors |= self.weights.errors

    def add_table(self, table: pa.Table, exclude: Iterable[str], weights_column: str | None) -> None:
        """Read every column but the excluded ones."""
        if weights_column is not None:
            if weights_column not in table.column_names:
                raise InputError(f"the table has no column {weights_column!r} of weights")
            require_sound(table[weights_column].chunks, weights_column)
            self.weights.add_column(table[weights_column], weights_column)
            self._refuse_weights()
        left_out = {*exclude, *([weights_column] if weights_column is not None else [])}
        names = [name for name in table.column_names if name not in left_out and self.may_want(name)]
        if len(set(names)) < len(names):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise InputError(f"two columns give the attribute {twice!r}", help="rename or drop one of them")
        given = [each for each in zip(table.column_names, table.columns, strict=True) if each[0] in names]
        for name, column in given:
            require_sound(column.chunks, name)
        pending = [(name, column.chunks, 0) for name, column in reversed(given)]
        while pending:
            path, chunks, depth = pending.pop()
            if not chunks or not self.may_want(path):
                continue
            chunks = [plain(chunk) for chunk in chunks]
            kind = chunks[0].type
            if pt.is_struct(kind):
                if self._wants_below(path):
                    if depth >= self.limits.event_depth:
                        raise too_deep(self.limits)
                    fields = zip(*(chunk.flatten() for chunk in chunks), strict=True)
                    inner = [
                        (f"{path}.{kind.field(i).name}", list(column), depth + 1) for i, column in enumerate(fields)
                    ]
                    pending.extend(reversed(inner))
            elif pt.is_map(kind):
                if self._wants_below(path):
                    self.add_maps(chunks, f"{path}.")
            else:
                self._add_column(path, chunks)

    def may_want(self, name: str) -> bool:
        """Whether a column of this name may give an attribute, or names below one, that is to be read."""
        return name in self._wanted or self._wants_below(name)

    def _wants_below(self, path: str) -> bool:
        """Whether some attribute's name begins with the path and a dot; in a closed schema all are looked at."""
        prefix = f"{path}."
        place = bisect_left(self._sorted_names, prefix)
        is_wanted = place < len(self._sorted_names) and self._sorted_names[place].startswith(prefix)
        return is_wanted or (self.schema is not None and self.schema.closed)

    def _add_column(self, name: str, chunks: Sequence[pa.Array]) -> None:
        if not self._is_wanted(name):
            return
        base = 0
        rows: list[Ints] = []
        for chunk in chunks:
            scalars, places = as_scalars(chunk)
            rows.append(self._add_scalars(name, scalars, base + places))
            base += len(chunk)
        self._note(name, rows)

    def _note(self, name: str, rows: Sequence[Ints]) -> None:
        """Note which rows a column gives an attribute, and refuse those that another column has given it already."""
        earlier = self._rows_of.setdefault(name, [])
        if earlier:
            for row in np.intersect1d(np.concatenate(earlier), np.concatenate([NO_INTS, *rows])).tolist():
                self._refuse_row(row, given_twice(name))
        earlier += rows

    def add_maps(self, chunks: Sequence[pa.Array], prefix: str = "", without: Collection[str] = ()) -> None:
        """Read an array of maps, or of lists of (key, value) structs, from attribute names to values.

        Attributes of the names in `without` are passed over: they are given elsewhere.
        """
        require_sound(chunks, prefix.rstrip(".") or "of events")
        base = 0
        rows: dict[str, list[Ints]] = {}
        for chunk in chunks:
            entries, places = read_lists(as_list_of_entries(chunk))
            keys, items = entries.flatten()
            scalars, entry_at = as_scalars(items)
            for name, own in self._places_by_name(keys, entry_at, prefix):
                if name in without:
                    continue
                given = self._add_scalars(name, taken(scalars, own), base + places[entry_at[own]])
                rows.setdefault(name, []).append(given)
            base += len(chunk)
        for name, given_rows in rows.items():
            self._note(name, given_rows)

    def add_objects(self, name: str, cells: Iterable[Any]) -> None:
        """Read a column of Python objects, which may be of different kinds; mappings give dotted names."""
        found: dict[str, tuple[list[int], list[Any]]] = {}
        for row, raw in enumerate(cells):
            try:
                given = list(flat({name: raw}, self.limits))
            except EventError as error:
                self._refuse_row(row, error)
                continue
            for path, own in given:
                rows, values = found.setdefault(path, ([], []))
                rows.append(row)
                values.append(own)
        for path, (rows, values) in found.items():
            if self._is_wanted(path):
                self._add_objects(path, rows, values)

    def _add_objects(self, name: str, cell_rows: Sequence[int], cells: Sequence[Any]) -> None:
        attribute = self.schema.get(name) if self.schema is not None else None
        reader = with_lists(self._readers).get(name)
        writer = EncodedValuesWriter()
        rows: list[int] = []
        for row, raw in zip(cell_rows, cells, strict=True):
            try:
                EventSize(self.limits).add(raw)
                if attribute is not None:
                    values = read_values(attribute, raw, from_text=self.from_text)
                else:
                    values = event_values(raw if reader is None else reader(raw), name)
            except EventError as error:
                error.attribute = name
                self._refuse_row(row, error)
                continue
            for value in values:
                writer.add(0, encode(value))
                rows.append(row)
            if is_several(raw):
                self._repeated.append((row, *repetitions(raw, values)))
        places = np.array(rows, np.int64)
        if (number := self.vocabulary.event_numbers.get(name)) is not None:
            encoded = writer.finish()
            self._add_part(number, places, ColumnValues(codes.BOOL, places, *encoded[2:], kinds=encoded.kinds))
        self._note(name, [places])

    def _places_by_name(self, keys: pa.Array, entry_at: Ints, prefix: str) -> Iterator[tuple[str, Ints]]:
        """Each attribute that is wanted, with the places of the values that belong to keys which name it."""
        words = keys_as_dictionary(keys)
        names = with_prefix(words.dictionary, prefix)
        found = read_scalars(names, refuse_nothing)
        numbers = find_attributes(self.vocabulary.data, found.text, read_only(found.starts), read_only(found.ends))
        word_at = fixed_width(words.indices.cast(pa.int64()), np.int64)[entry_at]
        order = np.argsort(word_at, kind="stable")
        borders = np.searchsorted(word_at[order], np.arange(len(names) + 1))
        for word in range(len(names)) if self.schema is not None else np.flatnonzero(numbers != NONE).tolist():
            name = _name(names[word])
            if self._is_wanted(name):
                yield name, order[borders[word] : borders[word + 1]]

    def _is_wanted(self, name: str) -> bool:
        """Whether to read an attribute; a closed schema refuses those that it does not have."""
        in_schema = self.schema is not None and name in self.schema
        if self.schema is not None and self.schema.closed and not in_schema:
            raise unknown_attribute(name, self.schema.names)
        return in_schema or name in self.vocabulary.event_numbers

    def _add_scalars(self, name: str, array: pa.Array, rows: Ints) -> Ints:
        """Read an array of scalars whose place i belongs to rows[i]; the rows of the values that are there."""
        attribute = self.schema.get(name) if self.schema is not None else None
        refuse = self._refuse(name, rows)
        if attribute is not None and name in GUARDS:
            values = read_guard(attribute, array, self._readers.get(name), refuse)
        elif name in self._readers and is_text(array.type):
            values = read_text(array, self._readers[name], refuse)
        else:
            values = read_scalars(array, refuse)
        if attribute is not None:
            check_column(attribute, values, refuse)
            check_single(attribute, values, rows[values.places], refuse)
        if (number := self.vocabulary.event_numbers.get(name)) is not None:
            self._add_part(number, rows[values.places], values)
        return rows[values.places]

    def _refuse(self, name: str, rows: Ints) -> Refuse:
        def refuse(places: Ints, problem: str, help: str) -> None:
            for row in rows[places].tolist():
                self._refuse_row(row, EventError(problem, attribute=name, help=help))

        return refuse

    def _refuse_row(self, row: int, error: EventError) -> None:
        error.row = row
        if self.on_error == "raise":
            raise error
        self.errors.setdefault(row, error)

    def _add_part(self, number: int, rows: Ints, values: ColumnValues) -> None:
        attributes = np.full(len(rows), number, np.uint32)
        kinds = values.kinds if values.kinds is not None else np.full(len(rows), values.kind, np.uint8)
        encoded = EncodedValues(attributes, kinds, *values[2:7])
        row_column = rows.astype(np.uint32)
        weights, present_weights = self.weights.of(number, row_column, values)
        arrays = read_only_arrays((*encoded, row_column))
        self.parts.append((number, EventValues(EncodedValues(*arrays[:-1]), arrays[-1], weights, present_weights)))

    def values(self) -> list[EventValues]:
        """The values of the good rows, by attribute, which is the order that is laid out fastest."""
        self._refuse_oversized()
        parts = [part for _, part in sorted(self.parts, key=lambda numbered: numbered[0])]
        if not self.errors:
            return parts
        is_good = np.ones(self.num_rows, np.bool_)
        is_good[list(self.errors)] = False
        return [of_rows(part, is_good) for part in parts]

    def _refuse_oversized(self) -> None:
        if self._num_sized < len(self.parts):
            self._num_sized = len(self.parts)
            parts = [part for _, part in self.parts]
            for row, error in oversized(parts, self._repeated, self.num_rows, self.limits):
                self._refuse_row(row, error)

    def most_sizes(self) -> tuple[int, int]:
        """The most values, and bytes of text, that any row can have."""
        return most_sizes([part for _, part in self.parts], self._repeated)

    @property
    def num_good_rows(self) -> int:
        self._refuse_oversized()
        return self.num_rows - len(self.errors)


def _name(key: pa.Scalar) -> str:
    """A key of a map; one that is not UTF-8 is no attribute's name, and is shown as near as it can be."""
    return bytes(key.cast(pa.large_binary()).as_py()).decode("utf-8", "replace")
