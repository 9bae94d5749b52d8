"""How is JSON read and written when it is nested deeper than Python's own reader and writer can recurse?

Those are used first, since they are fast; what is too deep for them goes through the loops of this module, which
need no more than memory. An object with the same key twice, and numbers that JSON does not have, are refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from eligo.errors import JsonFormError, LimitError, Position

_SPACE = re.compile(r"[ \t\n\r]*")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def read_json(text: str, *, max_depth: int) -> Any:
    """The value of a JSON text; a text with more than `max_depth` nested lists and objects is a `LimitError`."""
    try:
        # How deep Python's reader can recurse differs between its versions, so the limit is not left to it.
        if text.count("[") + text.count("{") > max_depth:
            _check_depth(text, max_depth)
        try:
            return _DECODER.decode(text)
        except RecursionError:
            return _Reader(text).read()
    except json.JSONDecodeError as error:
        raise _syntax_error(error.msg, text, error.pos) from None
    except ValueError as error:  # a number with more digits than Python converts
        raise JsonFormError(f"this is not JSON that can be read: {error}") from None


def write_json(document: Any, *, indent: int | None = None) -> str:
    """The text of a JSON value, on one line or indented."""
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent)
    except RecursionError:
        return "".join(_written(document, indent))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (repeated, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise JsonFormError(f"the key {repeated!r} stands more than once in an object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise JsonFormError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)


def _syntax_error(message: str, text: str, offset: int) -> JsonFormError:
    return JsonFormError(f"this is not JSON: {message.lower()}", text=text, position=Position.at(text, offset))


def _check_depth(text: str, max_depth: int) -> None:
    depth = 0
    for found in _BRACKET.finditer(text):
        if found.group() in ("[", "{"):
            depth += 1
            if depth > max_depth:
                raise LimitError(
                    f"the JSON is nested more than {max_depth:,} deep",
                    text=text,
                    position=Position.at(text, found.start()),
                    help="split the expression, or raise Limits.depth",
                )
        elif found.group() in ("]", "}"):
            depth -= 1


class _Reader:
    """Reads one JSON text with a stack of the lists and objects that are still open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0

    def read(self) -> Any:
        outermost: list[Any] = []
        # What is open: its values so far, or (name, value) pairs, and whether it is an object. `keys` are the names
        # whose values are still to come, one for each open object.
        stack: list[tuple[list[Any], bool]] = [(outermost, False)]
        keys: list[str] = []
        self._skip_space()
        while True:
            opened = self._peek() if self._peek() in ("[", "{") else ""
            if opened:
                self.offset += 1
                stack.append(([], opened == "{"))
                self._skip_space()
                if self._peek() != ("]" if opened == "[" else "}"):
                    self._read_key(stack, keys)
                    continue
                value: Any = self._closed(stack)
            else:
                value = self._scalar()
            while True:
                container, is_object = stack[-1]
                container.append((keys.pop(), value) if is_object else value)
                self._skip_space()
                if len(stack) == 1:
                    self._expect_end()
                    return outermost[0]
                if self._peek() == ",":
                    self.offset += 1
                    self._skip_space()
                    self._read_key(stack, keys)
                    break
                if self._peek() != ("}" if is_object else "]"):
                    raise _syntax_error("expecting ',' delimiter", self.text, self.offset)
                value = self._closed(stack)

    def _closed(self, stack: list[tuple[list[Any], bool]]) -> Any:
        self.offset += 1
        container, is_object = stack.pop()
        return _unique(container) if is_object else container

    def _read_key(self, stack: list[tuple[list[Any], bool]], keys: list[str]) -> None:
        """In an object, the key and colon before the next value."""
        if not stack[-1][1]:
            return
        if self._peek() != '"':
            raise _syntax_error("expecting property name enclosed in double quotes", self.text, self.offset)
        keys.append(self._scalar())
        self._skip_space()
        if self._peek() != ":":
            raise _syntax_error("expecting ':' delimiter", self.text, self.offset)
        self.offset += 1
        self._skip_space()

    def _scalar(self) -> Any:
        value, self.offset = _DECODER.raw_decode(self.text, self.offset)
        return value

    def _peek(self) -> str:
        return self.text[self.offset : self.offset + 1]

    def _skip_space(self) -> None:
        found = _SPACE.match(self.text, self.offset)
        assert found is not None
        self.offset = found.end()

    def _expect_end(self) -> None:
        if self.offset < len(self.text):
            raise _syntax_error("extra data", self.text, self.offset)


def _written(document: Any, indent: int | None) -> Iterator[str]:
    """The pieces of the text, from a stack of pieces and of values with their levels."""
    pending: list[tuple[str, Any, int]] = [("value", document, 0)]
    while pending:
        what, item, level = pending.pop()
        if what == "text":
            yield item
        elif isinstance(item, dict | list | tuple) and item:
            opening, closing = "{}" if isinstance(item, dict) else "[]"
            yield opening
            pending.append(("text", f"{_line(indent, level)}{closing}", level))
            separator = "," if indent is not None else ", "
            members = list(item.items()) if isinstance(item, dict) else [(None, value) for value in item]
            for place in range(len(members) - 1, -1, -1):
                key, value = members[place]
                name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
                before = f"{separator if place else ''}{_line(indent, level + 1)}{name}"
                pending += [("value", value, level + 1), ("text", before, level)]
        else:
            yield json.dumps(item, ensure_ascii=False, allow_nan=False)


def _line(indent: int | None, level: int) -> str:
    return "" if indent is None else "\n" + " " * (indent * level)
