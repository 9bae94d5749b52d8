"""How do quantified parts get into an index? Each becomes one node: a bare attribute whose name is its canonical text.

    shop = 'A' and exists x (x.price > price)          the text goes on with the names:  …@exists d (price < d.price)

    node   EQUALS  LESS  EXISTS_DOCUMENT  AND          node   EQUALS  IS_TRUE  AND
    name   shop    price x                             name   shop    @exists d (price < d.price)

Whatever is made of the postfix form below the language sees attributes only. A tree is made for each part that is
written differently, never for an expression; texts without parts are looked at and left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.kernels import codes
from eligo.kernels.codes import IS_SCOPED
from eligo.language.limits import UNBOUNDED
from eligo.language.quantified import Quantified
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.parse import ParsedBatch, parse_all


def collapse_parts(batch: ParsedBatch) -> ParsedBatch:
    """The batch with an attribute in the place of each quantified part; the same batch where there is none."""
    postfix, outcome = batch.postfix, batch.outcome
    parts = np.flatnonzero(postfix.node_kind >= codes.EXISTS_DOCUMENT)
    if not len(parts):
        return batch
    texts_of_parts = np.searchsorted(outcome.node_offsets, parts, side="right") - 1
    data, text_offsets = batch.buffers()
    bases = text_offsets[texts_of_parts]
    written = _slices(data, bases + postfix.node_start[parts], bases + postfix.node_end[parts]).dictionary_encode()
    names = _names(written.dictionary).take(written.indices)

    sizes = np.diff(text_offsets)
    name_sizes = pc.binary_length(names).to_numpy(zero_copy_only=False).astype(np.int64)
    name_ends = np.cumsum(name_sizes)
    firsts = np.searchsorted(texts_of_parts, texts_of_parts)
    name_starts = sizes[texts_of_parts] + name_ends - name_sizes - (name_ends - name_sizes)[firsts]

    kinds, flags = postfix.node_kind.copy(), postfix.node_flags.copy()
    name_start, name_end = postfix.name_start.copy(), postfix.name_end.copy()
    kinds[parts], flags[parts] = codes.IS_TRUE, 0
    name_start[parts], name_end[parts] = name_starts, name_starts + name_sizes
    renamed = postfix._replace(node_kind=kinds, name_start=name_start, name_end=name_end, node_flags=flags)
    rows, places = _without_bodies(postfix, renamed, outcome, parts, texts_of_parts)
    return ParsedBatch(_with_names(batch.texts, names, name_ends, texts_of_parts), rows, places, batch.limits)


def _slices(data: npt.NDArray[np.uint8], starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> pa.LargeBinaryArray:
    """Pieces of a buffer, as an array."""
    offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], ends - starts)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data[places])]
    return pa.Array.from_buffers(pa.large_binary(), len(starts), buffers, null_count=0)


def _names(written: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """The attribute of each quantified part."""
    parts = parse_all(written, limits=UNBOUNDED).trees()
    return pa.array([part.attribute.encode() for part in parts if isinstance(part, Quantified)], pa.large_binary())


def _with_names(
    texts: pa.Array,
    names: pa.LargeBinaryArray,
    name_ends: npt.NDArray[np.int64],
    texts_of_parts: npt.NDArray[np.int64],
) -> pa.Array:
    """The texts, each with the names of its parts behind it."""
    name_offsets = np.concatenate([[0], name_ends])
    offsets = name_offsets[np.searchsorted(texts_of_parts, np.arange(len(texts) + 1))]  # all names of a text at once
    buffers = [None, pa.py_buffer(offsets), names.buffers()[2]]
    behind = pa.Array.from_buffers(pa.large_binary(), len(texts), buffers, null_count=0)
    return pc.binary_join_element_wise(texts, behind, pa.scalar(b"", pa.large_binary()))


def _without_bodies(
    given: Postfix,
    renamed: Postfix,
    outcome: Outcome,
    parts: npt.NDArray[np.int64],
    texts_of_parts: npt.NDArray[np.int64],
) -> tuple[Postfix, Outcome]:
    """The rows without those of bodies and their operands, and the bounds of each expression's."""
    num_nodes, num_operands = len(given.node_kind), len(given.operand_kind)
    counts = given.node_count[parts]
    in_body = _covered(parts - counts, parts, num_nodes)
    leaves = np.flatnonzero(in_body & (given.node_kind >= codes.EQUALS))
    owners = np.searchsorted(outcome.node_offsets, leaves, side="right") - 1
    firsts = outcome.operand_offsets[owners] + given.node_first_operand[leaves]
    scoped = (given.node_flags[parts] & IS_SCOPED) != 0
    scopes = (outcome.operand_offsets[texts_of_parts] + given.node_first_operand[parts])[scoped]
    is_dropped = _covered(
        np.concatenate([firsts, scopes]),
        np.concatenate([firsts + given.node_count[leaves], scopes + 1]),
        num_operands,
    )
    node_counts, first_operands = given.node_count.copy(), given.node_first_operand.copy()
    node_counts[parts] = 0
    dropped_before = np.concatenate([[0], np.cumsum(is_dropped)])
    kept_before = np.concatenate([[0], np.cumsum(~in_body)])
    # Of the operands before a predicate's first one in its expression, those that go.
    predicates = np.flatnonzero(~in_body & (renamed.node_kind >= codes.EQUALS))
    bases = outcome.operand_offsets[np.searchsorted(outcome.node_offsets, predicates, side="right") - 1]
    first_operands[predicates] -= (
        dropped_before[bases + given.node_first_operand[predicates]] - dropped_before[bases]
    ).astype(np.int32)
    rows = renamed._replace(node_count=node_counts, node_first_operand=first_operands)
    places = outcome._replace(
        node_offsets=kept_before[outcome.node_offsets],
        operand_offsets=outcome.operand_offsets - dropped_before[outcome.operand_offsets],
    )
    return rows.rows(~in_body, ~is_dropped), places


def _covered(starts: npt.NDArray[Any], ends: npt.NDArray[Any], size: int) -> npt.NDArray[np.bool_]:
    """Which places lie within ranges that are apart from one another."""
    steps = np.zeros(size + 1, np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, ends, -1)
    return np.cumsum(steps[:-1]) > 0
