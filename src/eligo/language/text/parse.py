"""Is this text an expression, and which? One text to a tree, or many at once to the postfix form.

There is one grammar, `shunting_yard`. One text runs through it interpreted, or compiled where many have been before it;
many run through it compiled, and no Python object is made for any of them until its tree or its error is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from eligo.errors import ExpressionError, InputError, Position
from eligo.kernels import codes
from eligo.kernels.kernel import call_compiled
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.text.diagnose import diagnose
from eligo.language.text.kernels import parse_errors
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.kernels.postfix_rows import most_nodes, most_operands
from eligo.language.text.kernels.shunting_yard import parse_expression, parse_many
from eligo.language.text.postfix import Scratch, resolve_numbers, tree_of
from eligo.language.tree import Expression
from eligo.sharing import ScratchPool

COMPILED_FROM = 100_000
"""Bytes of text from which the compiled parser is worth its start: loading it, or compiling it the first time."""

FIRST_GUESS = 6
"""Bytes of text for each node and for each operand, at a first guess."""

SHORT = 4_000
"""Bytes of a text that is parsed compiled by itself where the compiled parser has been used already."""

LONGEST = 2**31 - 2
"""Bytes of one text that positions of 32 bits can count."""


@dataclass(frozen=True)
class Source:
    """A tree with the text that it was read from."""

    text: str
    tree: Expression
    spans: tuple[tuple[int, int], ...]
    """First byte and the byte after the last, of each node in the order of `tree.postorder`."""
    bodies: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """For each node that is a quantified part, the same for the nodes of its body."""

    def position(self, index: int, in_body: int | None = None) -> Position:
        """Where the node of that number in `tree.postorder` begins, or the node of that number in its body."""
        span = self.spans[index] if in_body is None else self.bodies[index][in_body]
        return Position.at_byte(self.text, span[0])


def parse(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Expression:
    """The tree of one text, or an `ExpressionError` that says what is wrong, where, and what to do."""
    data = _encoded(text, limits)
    return tree_of(data, _postfix(data, limits))


def parse_source(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Source:
    """The tree of one text with the places of its nodes."""
    data = _encoded(text, limits)
    return _source(text, data, _postfix(data, limits))


def _source(text: str, data: bytes, rows: Postfix) -> Source:
    spans: list[tuple[int, int]] = []
    bodies: dict[int, tuple[tuple[int, int], ...]] = {}
    for node, span in enumerate(zip(rows.node_start, rows.node_end, strict=True)):
        if rows.node_kind[node] >= codes.EXISTS_DOCUMENT:
            first = len(spans) - rows.node_count[node]
            bodies[first] = tuple(spans[first:])
            del spans[first:]
        spans.append(span)
    return Source(text, tree_of(data, rows), tuple(spans), bodies)


def _encoded(text: str, limits: Limits) -> bytes:
    if not isinstance(text, str):
        raise InputError(f"an expression is a string, not {type(text).__name__}")
    checked_limits(limits)
    if len(text) > limits.length:  # no need to look at more of it
        data = text[: limits.length + 1].encode("utf-8", "surrogatepass")
        raise diagnose(parse_errors.TOO_LONG, limits.length, -1, data, limits)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > min(limits.length, LONGEST):
        raise diagnose(parse_errors.TOO_LONG, limits.length, -1, data, limits)
    return data


class _Room:
    """What the compiled parser needs for one short text."""

    def __init__(self) -> None:
        self.scratch = Scratch.arrays(SHORT, DEFAULT_LIMITS.depth)
        self.postfix = Postfix.empty(most_nodes(SHORT), most_operands(SHORT))
        self.outcome = Outcome.empty(1)


_rooms: ScratchPool[_Room] = ScratchPool()


def _postfix(data: bytes, limits: Limits) -> Postfix:
    """The postfix form of one text, in lists."""
    if len(data) <= SHORT and limits.depth <= DEFAULT_LIMITS.depth and getattr(parse_many, "signatures", None):
        return _short_postfix(data, limits)
    scratch = Scratch.lists(len(data), limits.depth)
    error, where, other, num_nodes, num_operands = parse_expression(
        data, len(data), limits.depth, limits.set_size, *scratch
    )
    if error:
        raise diagnose(error, where, other, data, limits)
    rows = scratch.postfix(num_nodes, num_operands)
    resolve_numbers(rows, lambda row: data)
    return rows


def _short_postfix(data: bytes, limits: Limits) -> Postfix:
    """The same by the parser that was compiled for many texts, in a fourth of the time."""
    offsets = np.array((0, len(data)), np.int64)
    offsets.flags.writeable = False
    room = _rooms.take() or _Room()
    outcome = room.outcome
    parse_many(
        np.frombuffer(data, np.uint8),
        offsets,
        0,
        LONGEST,
        limits.depth,
        limits.set_size,
        *room.scratch,
        room.postfix,
        outcome,
    )
    if error := int(outcome.error[0]):
        where, other = int(outcome.error_position[0]), int(outcome.error_other[0])
        _rooms.give(room)
        raise diagnose(error, where, other, data, limits)
    rows = room.postfix.rows(slice(int(outcome.node_offsets[1])), slice(int(outcome.operand_offsets[1]))).as_lists()
    _rooms.give(room)
    resolve_numbers(rows, lambda row: data)
    return rows


class ParsedBatch:
    """Many texts in the postfix form; trees and errors are made when asked for."""

    def __init__(self, texts: pa.LargeBinaryArray, postfix: Postfix, outcome: Outcome, limits: Limits) -> None:
        self.texts = texts
        """The texts as they were given, as bytes."""
        self.postfix = postfix
        """The rows of all expressions, one after the other."""
        self.outcome = outcome
        """The offsets of each expression's rows, or its error."""
        self.limits = limits

    def __len__(self) -> int:
        return len(self.texts)

    def buffers(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of all texts and where each begins among them; a null is empty."""
        return _buffers(self.texts)

    def text(self, index: int) -> str:
        """One text as it was given; empty for a null."""
        return self._data(index).decode("utf-8", "replace")

    def tree(self, index: int) -> Expression:
        """The tree of one text; raises its error when it has one."""
        return tree_of(self._data(index), self._rows(index))

    def trees(self) -> Iterator[Expression]:
        """The trees of all texts, of which none was refused; quicker than one by one."""
        columns = self.postfix.as_lists()
        nodes, operands = self.outcome.node_offsets.tolist(), self.outcome.operand_offsets.tolist()
        for index in range(len(self)):
            of_nodes, of_operands = slice(*nodes[index : index + 2]), slice(*operands[index : index + 2])
            yield tree_of(self._data(index), columns.rows(of_nodes, of_operands))

    def source(self, index: int) -> Source:
        """The tree of one text with the places of its nodes; raises its error when it has one."""
        return _source(self.text(index), self._data(index), self._rows(index))

    def _rows(self, index: int) -> Postfix:
        """The postfix form of one text, in lists."""
        if error := self.error(index):
            raise error
        nodes, operands = self.outcome.node_offsets, self.outcome.operand_offsets
        index = range(len(self))[index]
        rows = self.postfix.rows(slice(nodes[index], nodes[index + 1]), slice(operands[index], operands[index + 1]))
        return rows.as_lists()

    def error(self, index: int) -> ExpressionError | None:
        """What is wrong with one text; None when nothing is."""
        error = int(self.outcome.error[index])
        if error == parse_errors.NONE:
            return None
        where, other = int(self.outcome.error_position[index]), int(self.outcome.error_other[index])
        return diagnose(error, where, other, self._data(index), self.limits)

    def errors(self) -> dict[int, ExpressionError]:
        """What is wrong, for each text that is refused."""
        found = ((index, self.error(index)) for index in np.flatnonzero(self.outcome.error).tolist())
        return {index: error for index, error in found if error is not None}

    def _data(self, index: int) -> bytes:
        return self.texts[index].as_py() or b""


def parse_all(
    texts: pa.Array | pa.ChunkedArray | Iterable[str | None], *, limits: Limits = DEFAULT_LIMITS
) -> ParsedBatch:
    """Parse many texts, good and bad; a null is refused as a bad text is."""
    array = _binary_array(texts)
    postfix, outcome = _parse_buffers(*_buffers(array), limits)
    if array.null_count:
        outcome.error[array.is_null().to_numpy(zero_copy_only=False)] = parse_errors.NULL_TEXT
    return ParsedBatch(array, postfix, outcome, limits)


_TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.null())


def _binary_array(texts: pa.Array | pa.ChunkedArray | Iterable[str | None]) -> pa.LargeBinaryArray:
    if not isinstance(texts, (pa.Array, pa.ChunkedArray)):
        given = list(texts)
        try:
            texts = pa.array(given, pa.large_string(), from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
            texts = pa.array([_surrogates_passed(text) for text in given], pa.large_binary())
    kind = texts.type.value_type if pa.types.is_dictionary(texts.type) else texts.type
    if kind not in _TEXT_TYPES:
        raise InputError(f"expressions are strings, not {kind}")
    if kind not in (pa.binary(), pa.large_binary()):
        texts = texts.cast(pa.large_string())
    array = texts.cast(pa.large_binary())
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _surrogates_passed(text: str | None) -> bytes | None:
    """The bytes of a text that may hold half a surrogate pair, which the parser refuses with its place."""
    if text is None or isinstance(text, str):
        return text if text is None else text.encode("utf-8", "surrogatepass")
    raise InputError(f"an expression is a string, not {type(text).__name__}")


def _buffers(array: pa.LargeBinaryArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes and the offsets of an array; read-only both, so that one compiled parser fits all."""
    if array.null_count:
        array = array.fill_null(b"")
    _, offsets_buffer, data_buffer = array.buffers()
    if not len(array):
        offsets = np.zeros(1, np.int64)
    else:
        offsets = np.frombuffer(offsets_buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.empty(0, np.uint8)
    data, offsets = data.view(), offsets.view()
    data.flags.writeable = False
    offsets.flags.writeable = False
    return data, offsets


def _parse_buffers(data: NDArray[np.uint8], offsets: NDArray[np.int64], limits: Limits) -> tuple[Postfix, Outcome]:
    """The postfix form of the texts between the offsets."""
    num_texts = len(offsets) - 1
    total = int(offsets[-1] - offsets[0])
    max_length = min(limits.length, LONGEST)
    longest = min(int(np.diff(offsets).max(initial=0)), max_length)
    outcome = Outcome.empty(num_texts)
    postfix = Postfix.empty(total // FIRST_GUESS + 64, total // FIRST_GUESS + 64)
    interpreted: Callable[..., int] | None = getattr(parse_many, "py_func", None)  # None where Numba is switched off
    is_worth_it = total >= COMPILED_FROM or bool(getattr(parse_many, "signatures", None))
    is_compiled = is_worth_it and interpreted is not None
    run: Callable[..., int] = partial(call_compiled, parse_many) if is_compiled else interpreted or parse_many
    scratch = (Scratch.arrays if is_compiled else Scratch.lists)(longest, limits.depth)
    texts = (data, offsets) if is_compiled else (data.tobytes(), offsets.tolist())
    done = 0
    while True:
        done = run(*texts, done, max_length, limits.depth, limits.set_size, *scratch, postfix, outcome)
        num_nodes, num_operands = int(outcome.node_offsets[done]), int(outcome.operand_offsets[done])
        if done == num_texts:
            break
        next_size = int(offsets[done + 1] - offsets[done])
        growth = 1.1 * total / max(1, int(offsets[done + 1] - offsets[0]))
        postfix = postfix.resized(
            int((num_nodes + most_nodes(next_size)) * growth), int((num_operands + most_operands(next_size)) * growth)
        )
    postfix = postfix.rows(slice(num_nodes), slice(num_operands))  # the rest was never touched, so takes no memory
    resolve_numbers(postfix, lambda row: _text_of_operand(data, offsets, outcome, row))
    return postfix, outcome


def _text_of_operand(data: NDArray[np.uint8], offsets: NDArray[np.int64], outcome: Outcome, row: int) -> bytes:
    expression = int(np.searchsorted(outcome.operand_offsets, row, side="right")) - 1
    return data[offsets[expression] : offsets[expression + 1]].tobytes()
