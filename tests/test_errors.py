"""Does an error say what is wrong, where, and what to do, wherever it is read?"""

from __future__ import annotations

import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import errors
from eligo.errors import (
    EXCERPT_WIDTH,
    BuildError,
    EligoError,
    EventError,
    ExpressionError,
    ExpressionSyntaxError,
    Position,
    Reject,
    excerpt,
)
from eligo.language.text.parse import parse

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


def test_the_example_of_the_docstring() -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse("age > 5 and\nstate = ")
    assert errors.__doc__ is not None
    assert "".join(str(caught.value).split()) in "".join(errors.__doc__.split())


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_eligos_and_says_what_it_is(kind: type[Exception]) -> None:
    assert issubclass(kind, EligoError)
    assert kind.__name__.endswith("Error")
    assert kind.__doc__


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, ExpressionError)])
def test_expression_errors_cross_process_borders(kind: type[ExpressionError]) -> None:
    error = kind("what is wrong", text="a = \nb =", position=Position(8, 2, 4), help="do this")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_other_errors_cross_process_borders() -> None:
    event = EventError("no value", row=3, attribute="age", help="write one")
    build = BuildError([Reject("ad-1", "a =", ExpressionError("bad", text="a ="))])
    for error in (EligoError("what", help="how"), event, build):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error)


def test_messages() -> None:
    assert str(EligoError("what")) == "what"
    assert str(EligoError("what", help="how")) == "what\n  help: how"
    assert str(EventError("what", row=3, attribute="age")) == "event 3, attribute 'age': what"
    assert str(EventError("what")) == "what"
    assert str(ExpressionError("what", text="a")) == "what"


def test_a_place_in_a_file() -> None:
    error = ExpressionError("what", text="a\nb", position=Position.at("a\nb", 2))
    assert "  line 2, column 1\n    | b\n    | ^" in str(error)
    assert "  line 11, column 1\n" in error.render(first_line=10)


def test_build_errors_show_the_first_and_count_the_rest() -> None:
    rejects = [Reject(i, "a =", ExpressionError(f"bad {i}")) for i in range(BuildError.SHOWN + 5)]
    error = BuildError(rejects)
    assert "25 expressions" in str(error)
    assert "… and 5 more" in str(error)
    assert "19: bad 19" in str(error)
    assert "bad 20" not in str(error)
    assert len(error.rejects) == 25
    assert "1 expression could" in str(BuildError(rejects[:1]))


@given(st.text("ab\n\r\té", max_size=30), st.integers(-3, 40))
def test_positions_are_lines_and_columns(text: str, offset: int) -> None:
    position = Position.at(text, offset)
    lines = text.split("\n")
    assert 0 <= position.offset <= len(text)
    assert len("\n".join(lines[: position.line - 1])) + (position.line > 1) + position.column - 1 == position.offset
    assert 1 <= position.column <= len(lines[position.line - 1]) + 1


@given(st.text(max_size=20), st.data())
def test_positions_of_bytes_are_those_of_their_characters(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    assert Position.at_byte(text, len(text[:offset].encode())) == Position.at(text, offset)


@pytest.mark.parametrize(
    ("line", "offset", "caret"),
    [
        ("abc", 0, "^"),
        ("abc", 3, "   ^"),
        ("\tabc", 2, "\t ^"),
        ("世界 x", 3, "     ^"),
        ("e\u0301x", 2, " ^"),
        ("abc\r", 4, "   ^"),
    ],
)
def test_the_caret_stands_below_its_character(line: str, offset: int, caret: str) -> None:
    assert excerpt(line, Position.at(line, offset)) == (line.rstrip("\r"), caret)


@pytest.mark.parametrize("offset", [0, 40, 500, 960, 1000])
def test_long_lines_are_cut_around_the_caret(offset: int) -> None:
    line = "".join(chr(ord("a") + i % 26) for i in range(1000))
    shown, caret = excerpt(line, Position.at(line, offset))
    assert len(shown) <= EXCERPT_WIDTH + 2
    if offset < 1000:
        assert shown[len(caret) - 1] == line[offset]
