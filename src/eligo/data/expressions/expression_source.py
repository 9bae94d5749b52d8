"""How do expressions come in? As a mapping, pairs, or a table; as text, tree or JSON form; some of them wrong.

Where all are texts they stay Arrow buffers from here to the index, and ids of a table do too: nothing is made for each
expression. A tree is made of a text only where a schema is to be checked, where other forms stand beside texts, or
where the text holds the JSON form. A tree that was given goes on in the postfix form, as a text does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.arguments import is_unicode, items
from eligo.arguments import text as text_argument
from eligo.data.events.column_wrappings import decoded_runs, decoded_words
from eligo.data.expressions.encode_texts import encode_texts
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.json_texts import holds_json_form, json_forms, with_trees
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.foreign_tables import is_pandas, read_once
from eligo.data.schema.schema import Schema
from eligo.data.sound_arrays import require_sound
from eligo.data.vocabulary import Vocabulary
from eligo.errors import DuplicateIdError, EligoError, ExpressionError, InputError, Reject, SchemaMismatchError, shown
from eligo.language.attribute_weights import read_weights, with_attribute_weights
from eligo.language.evaluate import Missing
from eligo.language.forms.builder import Column
from eligo.language.forms.json_form import from_json, loads
from eligo.language.limits import Limits
from eligo.language.text.parse import ParsedBatch, Source, parse, parse_all, parse_source
from eligo.language.text.tree_postfix import PostfixWriter
from eligo.language.tree import Expression
from eligo.language.value import INT64_MAX, INT64_MIN
from eligo.language.within import text_within, within

ExpressionId = str | int
OnDuplicate = Literal["error", "last"]
"""What to do with an id that comes again with another expression: refuse it, or take the last one."""
NAMED_IDS = 10
"""How many ids an error names."""


class Parsed(NamedTuple):
    """Expressions in the postfix form, among which the good ones are told by their rows."""

    batch: ParsedBatch
    rows: npt.NDArray[np.int64]


class GivenExpressions(NamedTuple):
    """The good expressions, in the order given, and those that were refused."""

    ids: pa.Array
    """Strings or 64-bit ints."""
    texts: pa.Array
    """Texts as they were given; the canonical text for an expression that came in another form."""
    parsed: Parsed
    """The same expressions in the postfix form."""
    rejects: list[Reject]

    def encode(
        self, missing: Missing, hierarchies: Mapping[str, Taxonomy] | None = None, only_strings: Collection[str] = ()
    ) -> tuple[Vocabulary, ExpressionTable]:
        """The vocabulary of the good expressions, and the table of them."""
        return encode_texts(self.parsed.batch, self.parsed.rows, missing, hierarchies, only_strings=only_strings)

    def at(self, rows: Sequence[int]) -> Iterable[tuple[ExpressionId, str]]:
        """The ids and texts of these rows."""
        chosen = pa.array(rows, pa.int64())
        return zip(self.ids.take(chosen).to_pylist(), self.texts.take(chosen).to_pylist(), strict=True)

    def without(self, rows: Sequence[int]) -> GivenExpressions:
        """The same without these rows."""
        kept = np.delete(np.arange(len(self.ids)), rows)
        return GivenExpressions(
            self.ids.take(pa.array(kept)),
            self.texts.take(pa.array(kept)),
            Parsed(self.parsed.batch, self.parsed.rows[kept]),
            self.rejects,
        )


def read_expressions(
    source: Any,
    *,
    schema: Schema | None,
    limits: Limits,
    id: str = "id",
    expression: str = "expression",
    weights: str | None = None,
    on_duplicate: OnDuplicate = "error",
) -> GivenExpressions:
    """Read and check expressions.

    An id that comes again with the same expression is no harm; with another one it is a `DuplicateIdError`, or with
    `on_duplicate="last"` the last one counts, also when it is a bad one: then the id is rejected.
    """
    if not isinstance(on_duplicate, str) or on_duplicate not in get_args(OnDuplicate):
        raise InputError(f'on_duplicate is "error" or "last", not {shown(on_duplicate)}')
    table = table_of(source, id=id, expression=expression, weights=weights)
    if table is not None and weights is not None and table["weights"].null_count < table.num_rows:
        return _read_forms(one_of_each_id(_weighted_rows(table), on_duplicate), schema, limits)
    if table is not None and (texts := texts_by_id(table, on_duplicate)) is not None:
        return _read_texts(*texts, schema, limits)
    given = one_of_each_id(_pairs(source) if table is None else _rows(table), on_duplicate)
    if all(type(form) is str for form in given.values()):
        return _read_texts(id_array(list(given)), list(given.values()), schema, limits)
    return _read_forms(given, schema, limits)


def table_of(source: Any, *, id: str, expression: str, weights: str | None = None) -> pa.Table | None:
    """The columns `id`, `expression` and `weights`, if any, of a table that Arrow can read; else None."""
    source = read_once(source)
    if isinstance(source, (pa.Table, pa.RecordBatch)):
        names: list[Any] = source.column_names
    elif is_pandas(source):
        names = list(source.columns)
    else:
        if weights is not None:
            raise InputError("only a table has a column of weights", help="write them in the text: age > 18^2")
        return None
    for name, column in (("id", id), ("expression", expression), ("weights", weights or "")):
        text_argument(column, name, help="it is the name of a column")
    wanted = {"id": id, "expression": expression, **({"weights": weights} if weights is not None else {})}
    for name in wanted.values():
        if name not in names:
            raise InputError(
                f"the table has no column {name!r}; it has {', '.join(repr(str(known)) for known in names)}",
                help="name the columns: build(table, id=…, expression=…)",
            )
    if not isinstance(source, (pa.Table, pa.RecordBatch)):
        source = _arrow_frame(source, list(wanted.values()))
    for name in wanted.values():
        if source.column_names.count(name) > 1:
            raise InputError(f"the table has two columns {shown(name)}", help="rename or drop one of them")
    chosen = pa.table({column: source.column(name) for column, name in wanted.items()})
    for column, name in wanted.items():
        require_sound(chosen[column].chunks, name)
    return chosen


def _arrow_frame(frame: Any, names: list[Any]) -> pa.Table:
    """The columns of a pandas frame."""
    try:
        return pa.Table.from_pandas(frame[names], preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"the frame's columns {', '.join(map(shown, names))} cannot be read: {error}",
            help="ids are strings or ints; expressions are texts or the JSON form",
        ) from None


def texts_by_id(table: pa.Table, on_duplicate: OnDuplicate) -> tuple[pa.Array, pa.Array] | None:
    """The ids of a table and the text of each, in the order of their first rows; None unless all are such."""
    ids, texts = _plain(table["id"]), _plain(table["expression"])
    if not _is_text(texts.type) or not (_is_text(ids.type) or pa.types.is_integer(ids.type)) or ids.null_count:
        return None
    try:
        ids = ids.cast(pa.large_string() if _is_text(ids.type) else pa.int64())
        texts = texts.cast(pa.large_string())
    except pa.ArrowInvalid:  # beyond 64 bits with a sign
        return None
    if pc.count_distinct(ids).as_py() < len(ids):
        rows = pa.table({"id": ids, "row": np.arange(len(ids))})
        found = rows.group_by("id").aggregate([("row", "min"), ("row", "max")])
        last = found.sort_by("row_min")["row_max"].combine_chunks()
        if on_duplicate == "error":
            _refuse_conflicts(ids, texts, last)
        ids, texts = ids.take(last), texts.take(last)
    return ids, texts


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """One array, of values where the column is a dictionary."""
    array = column.combine_chunks()
    while pa.types.is_dictionary(array.type) or pa.types.is_run_end_encoded(array.type):
        array = decoded_words(array) if pa.types.is_dictionary(array.type) else decoded_runs(array)
    return array


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _pairs(source: Any) -> Iterable[tuple[Any, Any]]:
    """(id, expression) pairs of a mapping or of an iterable of pairs."""
    if isinstance(source, Mapping):
        return source.items()
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise InputError(
            f"expressions cannot be read from {type(source).__name__}",
            help="give a mapping {id: expression}, an iterable of (id, expression), or an Arrow or pandas table",
        )
    return _checked_pairs(source)


def _checked_pairs(source: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    for number, pair in enumerate(items(source, "expressions")):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"item {number} is not a pair of id and expression: {shown(pair)}")
        yield pair[0], pair[1]


def _rows(table: pa.Table) -> Iterable[tuple[Any, Any]]:
    return zip(_objects(table, "id"), _objects(table, "expression"), strict=True)


def _objects(table: pa.Table, name: str) -> list[Any]:
    """The values of a column as Python's."""
    column = table[name]
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError, TypeError, pa.ArrowException) as error:
        raise InputError(
            f"the column {name!r} is of type {column.type}, and has values that cannot be read: {error}"
        ) from None


class _Weighted(NamedTuple):
    """An expression, and the weights of its attributes in a column of their own."""

    form: Any
    weights: Any


def _weighted_rows(table: pa.Table) -> Iterable[tuple[Any, Any]]:
    for (id, form), weights in zip(_rows(table), _objects(table, "weights"), strict=True):
        yield id, form if weights is None else _Weighted(form, weights)


def _refuse_conflicts(ids: pa.Array, texts: pa.Array, last: pa.Array) -> None:
    """Refuse ids of which not all texts are the last one."""
    chosen = pc.index_in(ids, ids.take(last))
    same = pc.equal(texts, texts.take(last).take(chosen))
    both_null = pc.and_(texts.is_null(), texts.take(last).take(chosen).is_null())
    differs = pc.invert(pc.or_(both_null, pc.fill_null(same, False)))
    repeated = pc.unique(ids.filter(differs))
    if len(repeated):
        raise repeated_ids(repeated.slice(0, NAMED_IDS + 1).to_pylist())


def repeated_ids(ids: Sequence[Any]) -> DuplicateIdError:
    """The error for ids that come with different expressions, of which some are given."""
    named = ", ".join(repr(id) for id in ids[:NAMED_IDS])
    return DuplicateIdError(
        f"ids come more than once, with different expressions: {named}{', …' if len(ids) > NAMED_IDS else ''}",
        help='leave one of each, or take the last one: on_duplicate="last"',
    )


def one_of_each_id(given: Iterable[tuple[Any, Any]], on_duplicate: OnDuplicate) -> dict[ExpressionId, Any]:
    """The expression of each id, at the place of the id's first; ids are all strings or all ints."""
    last: dict[ExpressionId, Any] = {}
    kind: type | None = None
    repeated: dict[ExpressionId, None] = {}
    for key, form in given:
        key = checked_id(key)
        kind = kind or type(key)
        if not isinstance(key, kind):
            raise InputError(f"ids are all strings or all ints, but {shown(key)} comes among {kind.__name__}s")
        if key in last and not _is_same(last[key], form):
            repeated[key] = None
        last[key] = form
    if repeated and on_duplicate == "error":
        raise repeated_ids(list(repeated))
    return last


def _is_same(one: Any, other: Any) -> bool:
    """Whether two forms are the same expression for sure."""
    if isinstance(one, Column) and isinstance(other, Column):
        return one is other  # == makes a predicate
    try:
        return type(one) is type(other) and not isinstance(one, Column) and bool(one == other)
    except Exception:  # what is no expression may compare as it likes
        return False


def checked_id(key: Any) -> ExpressionId:
    """An id as a string or an int, or an `InputError` for what is none."""
    if type(key) is str:
        if not key.isascii() and not is_unicode(key):
            raise InputError(f"the id {shown(key)} is not Unicode text", help="it holds half a surrogate pair")
        return key
    if type(key) is int:
        if not INT64_MIN <= key <= INT64_MAX:
            raise InputError(f"the id {shown(key)} does not fit in 64 bits")
        return key
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        item = getattr(key, "item", _nothing)() if getattr(key, "shape", None) == () else None  # a numpy integer
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            raise InputError(f"an id is a string or an int, not {shown(key)}")
        return checked_id(item)
    return checked_id(str.__str__(key) if isinstance(key, str) else int(key))  # of a subclass, such as an IntEnum


def _nothing() -> None:
    return None


def is_id(key: object) -> bool:
    """Whether something can be an id at all."""
    try:
        checked_id(key)
    except InputError:
        return False
    return True


def id_array(ids: list[ExpressionId]) -> pa.Array:
    """Ids as an Arrow array of strings or 64-bit ints."""
    return pa.array(ids, pa.int64() if ids and isinstance(ids[0], int) else pa.large_string())


def _read_texts(ids: pa.Array, texts: pa.Array | list[str], schema: Schema | None, limits: Limits) -> GivenExpressions:
    batch = parse_all(texts, limits=limits)
    errors: dict[int, EligoError] = dict(batch.errors())
    trees = json_forms(batch.text, errors, limits)
    if schema is not None:
        for row in [*np.flatnonzero(batch.outcome.error == 0).tolist(), *trees]:
            try:
                _checked(trees[row] if row in trees else batch.source(row), schema)
            except EligoError as error:
                errors[row] = error
    rejects = [Reject(ids[row].as_py(), batch.text(row), errors[row]) for row in sorted(errors)]
    rows = np.delete(np.arange(len(batch)), sorted(errors))
    if rejects:
        ids = ids.take(pa.array(rows))
    batch = with_trees(batch, trees)
    return GivenExpressions(ids, _stored_texts(batch, rows), Parsed(batch, rows), rejects)


def _stored_texts(batch: ParsedBatch, rows: npt.NDArray[np.int64]) -> pa.Array:
    """The texts of the good rows as strings."""
    texts = batch.texts if len(rows) == len(batch) else batch.texts.take(pa.array(rows))
    try:
        return texts.cast(pa.large_string())
    except pa.ArrowInvalid:  # half a surrogate pair in a comment
        return pa.array([batch.text(row) for row in rows.tolist()], pa.large_string())


def _read_forms(given: Mapping[ExpressionId, Any], schema: Schema | None, limits: Limits) -> GivenExpressions:
    text_of = {key: form for key, form in given.items() if isinstance(form, str) and not holds_json_form(form)}
    row_of_text = {key: row for row, key in enumerate(text_of)}
    parsed = parse_all(text_of.values(), limits=limits) if text_of else None
    postfix = PostfixWriter()
    good: dict[ExpressionId, str] = {}
    rejects: list[Reject] = []
    for key, form in given.items():
        try:
            if parsed is None or (row := row_of_text.get(key)) is None:
                tree = _checked(_tree_of(form, limits), schema)
                text = text_within(tree, limits)
            else:
                tree = _checked(parsed.source(row), schema)
                text = parsed.text(row)
            postfix.add(tree)
            good[key] = text
        except EligoError as error:
            given_form = form.form if isinstance(form, _Weighted) else form
            text = given_form if isinstance(given_form, str) else shown(given_form, 200)
            rejects.append(Reject(key, text, error))
    parsed_trees = Parsed(postfix.finish(), np.arange(len(good)))
    return GivenExpressions(id_array(list(good)), pa.array(good.values(), pa.large_string()), parsed_trees, rejects)


def read_expression(form: Any, *, schema: Schema | None, limits: Limits) -> tuple[str, Expression]:
    """The text and the tree of one expression in any form, or the error that it has."""
    if not isinstance(form, str) or holds_json_form(form):
        tree = _checked(_tree_of(form, limits), schema)
        return text_within(tree, limits), tree
    tree = parse(form, limits=limits) if schema is None else _checked(parse_source(form, limits=limits), schema)
    return form.encode("utf-8", "surrogatepass").decode("utf-8", "replace"), tree


def _tree_of(form: Any, limits: Limits) -> Expression:
    if isinstance(form, _Weighted):
        return with_attribute_weights(_tree_of(form.form, limits), read_weights(form.weights))
    if isinstance(form, str):
        return loads(form, limits=limits) if holds_json_form(form) else parse(form, limits=limits)
    if isinstance(form, Expression):
        return within(form, limits)
    if isinstance(form, Mapping):
        return from_json(form, limits=limits)
    if isinstance(form, Column):
        return within(form.as_expression(), limits)
    raise ExpressionError(f"an expression is a text, a tree or the JSON form, not {type(form).__name__}")


def _checked(source: Source | Expression, schema: Schema | None) -> Expression:
    """The tree, or one error that has all violations of the schema."""
    errors = schema.check(source) if schema is not None else []
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SchemaMismatchError("\n".join(str(error) for error in errors))
    return source.tree if isinstance(source, Source) else source
