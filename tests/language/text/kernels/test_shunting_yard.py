"""Is there one grammar? The interpreted and the compiled parser agree on every text, good, bad or not even text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies
from eligo.kernels import codes
from eligo.language.canonical import RESERVED, canonical_text
from eligo.language.text.kernels import parse_errors, tokens
from eligo.language.text.kernels.numbers import decode_number
from eligo.language.text.kernels.postfix_columns import Outcome, Postfix
from eligo.language.text.kernels.postfix_rows import IS_FLOAT, IS_SLOW, most_nodes, most_operands
from eligo.language.text.kernels.shunting_yard import parse_many
from eligo.language.text.kernels.times import decode_date, decode_timestamp
from eligo.language.text.postfix import Scratch

MAX_DEPTH = 30
MAX_SET_SIZE = 8
MAX_LENGTH = 400

WORDS = "a b. x.y and or not xor xnor true false in between is exists starts with under contains all missing null weak"
SIGNS = (
    "strong date timestamp ( ) , ^ = == != <> < <= > >= 1 -2.5 1e400 9223372036854775808 .5 '' 'x''y' \"n\" \"\" ' ;"
)
VALUES = [
    "'2024-02-29'",
    "'2023-02-29'",
    "'2024-01-31T10:00Z'",
    "-- c\n",
    "\n",
    "é",
    "'é'",
    "(1, 'x'^2)",
    "()",
    "[",
    "12x",
]
PARTS = [
    "exists d (",
    "forall d (",
    "forall",
    "d",
    "d.x",
    'd."q"',
    "a < d.x",
    "in last",
    "last",
    "'7 days'",
    "'0 day'",
    "0",
]
VOCABULARY = [*WORDS.split(), *SIGNS.split(), *VALUES, *PARTS]

soups = st.lists(st.sampled_from(VOCABULARY), max_size=25).map(lambda words: " ".join(words).encode())
tight_soups = st.lists(st.sampled_from(VOCABULARY), max_size=25).map(lambda words: "".join(words).encode())
trees = st.one_of(strategies.any_expressions(max_leaves=12), strategies.any_expressions_with_parts())
texts = trees.map(lambda tree: canonical_text(tree).encode())


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good text with bytes cut off, put in, taken out or changed."""
    text = bytearray(draw(texts))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        change = draw(st.sampled_from(("cut", "insert", "remove", "replace")))
        if change == "cut":
            del text[place:]
        elif change == "insert":
            text[place:place] = draw(
                st.one_of(st.binary(min_size=1, max_size=2), st.sampled_from([b"'", b"(", b" not "]))
            )
        elif place < len(text):
            text[place : place + 1] = b"" if change == "remove" else draw(st.binary(min_size=1, max_size=1))
    return bytes(text)


any_bytes = st.one_of(texts, damaged(), soups, tight_soups, st.binary(max_size=40))


def run(batch: Sequence[bytes], *, is_compiled: bool) -> tuple[Postfix, Outcome]:
    """Parse a batch with limits low enough to be met."""
    offsets = np.cumsum([0, *map(len, batch)], dtype=np.int64)
    longest = max(map(len, batch), default=0)
    postfix = Postfix.empty(sum(most_nodes(len(t)) for t in batch), sum(most_operands(len(t)) for t in batch))
    for column in postfix.columns():
        column[:] = 0
    outcome = Outcome.empty(len(batch))
    if is_compiled:
        data = np.frombuffer(b"".join(batch), np.uint8)
        offsets.flags.writeable = False
        scratch = Scratch.arrays(longest, MAX_DEPTH)
        done = parse_many(data, offsets, 0, MAX_LENGTH, MAX_DEPTH, MAX_SET_SIZE, *scratch, postfix, outcome)
    else:
        interpreted = getattr(parse_many, "py_func", parse_many)
        scratch = Scratch.lists(longest, MAX_DEPTH)
        bounds = (MAX_LENGTH, MAX_DEPTH, MAX_SET_SIZE)
        done = interpreted(b"".join(batch), offsets.tolist(), 0, *bounds, *scratch, postfix, outcome)
    assert done == len(batch)
    return postfix, outcome


has_compiler = hasattr(parse_many, "py_func")


@pytest.mark.skipif(not has_compiler, reason="Numba is switched off")
@given(st.lists(any_bytes, min_size=1, max_size=8))
@example([b""])
@example([b"(" * 200, b"not " * 90, b"a in (1,1,1,1,1,1,1,1,1)", b"a" * 500])
@example([b"'\xff'", b"a = '\xed\xa0\x80'", b"a='\xf4\x90\x80\x80'", b'"\xc3', b"\xf0\x9f\x98\x80"])
def test_interpreted_and_compiled_agree(batch: list[bytes]) -> None:
    interpreted, compiled = run(batch, is_compiled=False), run(batch, is_compiled=True)
    for expected, found in zip(interpreted, compiled, strict=True):
        for field in expected._fields:
            np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), err_msg=field)


@given(st.lists(any_bytes, min_size=1, max_size=4))
def test_positions_lie_in_the_text_and_refused_texts_leave_no_rows(batch: list[bytes]) -> None:
    postfix, outcome = run(batch, is_compiled=False)
    for i, text in enumerate(batch):
        first, last = outcome.node_offsets[i], outcome.node_offsets[i + 1]
        assert (outcome.error[i] != 0) == (first == last)
        assert 0 <= outcome.error_position[i] <= len(text)
        assert -1 <= outcome.error_other[i] <= len(text)
        for node in range(first, last):
            assert 0 <= postfix.node_start[node] < postfix.node_end[node] <= len(text)
        for row in range(outcome.operand_offsets[i], outcome.operand_offsets[i + 1]):
            assert 0 < postfix.operand_start[row] < postfix.operand_end[row] <= len(text)


def test_rows_of_a_quantified_part() -> None:
    """The second table in the docstring of `language.text.postfix`."""
    text = b"exists d in last 10 (d.price > price and d.new)"
    postfix, outcome = run([text], is_compiled=False)
    assert outcome.error.tolist() == [0]
    assert postfix.node_kind[:4].tolist() == [codes.LESS, codes.IS_TRUE, codes.AND, codes.EXISTS_DOCUMENT]
    assert postfix.node_count[:4].tolist() == [1, 0, 2, 3]
    assert postfix.node_first_operand[:4].tolist() == [1, 2, 0, 0]
    assert postfix.node_flags[:4].tolist() == [0, codes.IS_OF_DOCUMENT, 0, codes.IS_SCOPED]
    names = zip(postfix.name_start[:4].tolist(), postfix.name_end[:4].tolist(), strict=True)
    assert [text[start:end] for start, end in names] == [b"price", b"new", b"", b"d"]
    assert postfix.operand_kind[:2].tolist() == [codes.NUMBER, codes.DOCUMENT_NAME]
    assert postfix.operand_payload[0] == 10
    assert text[postfix.operand_start[1] : postfix.operand_end[1]] == b"price"


def test_rows_of_the_worked_example() -> None:
    """The table in the docstring of `language.text.postfix`."""
    postfix, outcome = run([b"age in (3, 4) and not state = 'CA'"], is_compiled=False)
    assert outcome.error.tolist() == [0]
    assert outcome.node_offsets.tolist() == [0, 4]
    assert outcome.operand_offsets.tolist() == [0, 3]
    assert postfix.node_kind[:4].tolist() == [codes.IN, codes.EQUALS, codes.NOT, codes.AND]
    assert postfix.node_start[:4].tolist() == [0, 22, 18, 0]
    assert postfix.node_end[:4].tolist() == [13, 34, 34, 34]
    assert postfix.node_count[:4].tolist() == [2, 1, 1, 2]
    assert postfix.node_first_operand[:4].tolist() == [0, 2, 0, 0]
    assert postfix.name_start[:4].tolist() == [0, 22, 0, 0]
    assert postfix.name_end[:4].tolist() == [3, 27, 0, 0]
    assert postfix.operand_kind[:3].tolist() == [codes.NUMBER, codes.NUMBER, codes.STRING]
    assert postfix.operand_start[:3].tolist() == [8, 11, 30]
    assert postfix.operand_end[:3].tolist() == [9, 12, 34]
    assert postfix.operand_payload[:3].tolist() == [3, 4, 0]


def test_parsing_goes_on_where_the_rows_ran_out() -> None:
    batch = [b"a = 1", b"b in (1, 2)", b"c"]
    offsets = np.cumsum([0, *map(len, batch)], dtype=np.int64).tolist()
    interpreted = getattr(parse_many, "py_func", parse_many)
    outcome = Outcome.empty(3)
    fixed = (MAX_LENGTH, MAX_DEPTH, MAX_SET_SIZE, *Scratch.lists(20, MAX_DEPTH))
    small = Postfix.empty(5, 2)
    assert interpreted(b"".join(batch), offsets, 0, *fixed, small, outcome) == 1
    large = small.resized(5, 9)
    assert interpreted(b"".join(batch), offsets, 1, *fixed, large, outcome) == 3
    assert outcome.operand_offsets.tolist() == [0, 1, 3, 3]
    assert large.operand_payload[:3].tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "unit",
    ["a xor b xnor ", '"a"xor"b"xnor', "not ", "(a)or", "a or b and ", '"a"or', "(a or b)or", "a<1 xor b<1 xnor "],
)
@pytest.mark.parametrize("repeats", range(1, 7))
def test_dense_texts_stay_within_the_bound_on_nodes(unit: str, repeats: int) -> None:
    """`run` allots exactly the bound, and an interpreted list index beyond it would raise."""
    _, outcome = run([(unit * repeats + '"a"').encode()], is_compiled=False)
    assert outcome.error.tolist() == [0]


@pytest.mark.parametrize("repeats", range(MAX_SET_SIZE))
def test_dense_lists_stay_within_the_bound_on_operands(repeats: int) -> None:
    _, outcome = run([f"a in({'1,' * repeats}1)".encode()], is_compiled=False)
    assert outcome.operand_offsets.tolist() == [0, repeats + 1]


def test_reserved_words_are_those_of_the_canonical_text() -> None:
    assert sorted(tokens.RESERVED_WORDS) == sorted(tokens.fold_word(word) for word in RESERVED)


@given(st.binary(max_size=8))
@example(b"\xed\xa0\x80")
@example(b"\xe0\x80\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xf4\x8f\xbf\xbf")
def test_strings_are_exactly_valid_utf8(content: bytes) -> None:
    content = content.replace(b"'", b"")
    token, start, _, detail = tokens.read_token(b"'" + content + b"'", 0, len(content) + 2)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        assert (token, detail) == (tokens.NO_TOKEN, parse_errors.INVALID_UTF8)
        assert start == error.start + 1
    else:
        assert token == tokens.STRING


mantissas = st.from_regex(r"-?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})", fullmatch=True)
exponents = st.one_of(st.just(""), st.from_regex(r"[eE][+-]?[0-9]{1,4}", fullmatch=True))
LEAST_INFINITE = str(2**1024 - 2**970)


@given(
    st.one_of(st.builds(str.__add__, mantissas, exponents), st.floats(allow_nan=False, allow_infinity=False).map(repr))
)
@example("9223372036854775807")
@example("-9223372036854775808")
@example("9223372036854775808")
@example("9007199254740993.0")
@example("1e22")
@example("1e23")
@example("0e99999999999999999999")
@example("1e-99999999999999999999")
@example("0." + "0" * 400 + "1e401")
@example("1" + "0" * 400 + "e-400")
@example("1.7976931348623157e308")
@example("1.7976931348623159e308")
@example(LEAST_INFINITE + ".0")
@example(str(2**1024 - 2**970 - 1) + ".0")
@example(f"{LEAST_INFINITE[0]}.{LEAST_INFINITE[1:]}e308")
@example(f"0.{LEAST_INFINITE}1e309")
@example("-0.0")
def test_numbers_are_those_of_python(text: str) -> None:
    data = text.encode()
    token, start, end, _ = tokens.read_token(data, 0, len(data))
    assert (token, start, end) == (tokens.NUMBER, 0, len(data))
    error, payload, number, flags = decode_number(data, 0, len(data))
    if not set(text) & set(".eE"):
        fits = -(2**63) <= int(text) < 2**63
        assert (error, payload) == ((0, int(text)) if fits else (parse_errors.INTEGER_TOO_LARGE, 0))
    elif math.isinf(float(text)):
        assert error == parse_errors.NUMBER_INFINITE
    elif not flags & IS_SLOW:
        assert (error, number if flags & IS_FLOAT else payload) == (0, float(text))
        assert bool(flags & IS_FLOAT) == (not float(text).is_integer() or abs(float(text)) >= 2**63)
    else:
        assert (error, payload, number) == (0, 0, 0.0)


@pytest.mark.parametrize("text", ["0.1", "12.75", "-3.5e2", "1e22", "123456789012345e-20", "9007199254740992.0"])
def test_common_decimals_need_no_second_reading(text: str) -> None:
    assert not decode_number(text.encode(), 0, len(text))[3] & IS_SLOW


@given(st.dates())
@example(date.min)
@example(date.max)
@example(date(2000, 2, 29))
def test_dates_are_days_since_1970(day: date) -> None:
    assert decode_date(day.isoformat().encode(), 0, 10) == (0, (day - date(1970, 1, 1)).days)


@given(st.integers(0, 10_000), st.integers(0, 14), st.integers(0, 33))
@example(1900, 2, 29)
@example(2100, 2, 29)
@example(2024, 2, 30)
def test_impossible_dates_are_refused(year: int, month: int, day: int) -> None:
    text = f"{year:04}-{month:02}-{day:02}".encode()
    try:
        date(year, month, day)
    except ValueError:
        assert decode_date(text, 0, len(text))[0] in (parse_errors.IMPOSSIBLE_DATE, parse_errors.MALFORMED_DATE)
    else:
        assert decode_date(text, 0, len(text))[0] == 0


offsets_from_utc = st.timedeltas(timedelta(minutes=-1439), timedelta(minutes=1439)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)


@given(st.datetimes(), offsets_from_utc, st.sampled_from("T "))
@example(datetime.min, timezone(timedelta(hours=1)), "T")
@example(datetime.max, timezone(timedelta(hours=-1)), "T")
def test_timestamps_are_microseconds_since_1970(moment: datetime, zone: timezone, separator: str) -> None:
    local = moment.replace(tzinfo=zone)
    text = local.isoformat(separator).encode()
    text = text.replace(b"+00:00", b"Z") if zone.utcoffset(None) == timedelta(0) else text
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    microseconds = (local - epoch) // timedelta(microseconds=1)
    try:
        local.astimezone(UTC)
    except OverflowError:
        assert decode_timestamp(text, 0, len(text)) == (parse_errors.IMPOSSIBLE_TIMESTAMP, 0)
    else:
        assert decode_timestamp(text, 0, len(text)) == (0, microseconds)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02 00:00", 86400.0),
        ("1970-01-01T00:00:01", 1.0),
        ("1970-01-01T00:00:00.5", 0.5),
        ("1970-01-01T01:00+01:00", 0.0),
    ],
)
def test_short_timestamps(text: str, seconds: float) -> None:
    assert decode_timestamp(text.encode(), 0, len(text)) == (0, int(seconds * 1_000_000))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024-01-31",
        "2024-01-31T10",
        "2024-01-31T10:00:",
        "2024-01-31T10:00:0",
        "2024-01-31T10:00:00.",
        "2024-01-31t10:00",
        "2024-01-31T10:00:00.1234567",
        "2024-01-31T10:00+1",
        "2024-01-31T10:00+0100",
        "2024-01-31T10:00ZZ",
        "2024-1-31T10:00:00",
        "2024-01-31T10:00 Z",
        "2024-01-31T1a:00",
        "2024-01-31T10:00:00.+01:00",
        "2024-01-31T10:00x01:00",
    ],
)
def test_malformed_timestamps(text: str) -> None:
    assert decode_timestamp(text.encode(), 0, len(text)) == (parse_errors.MALFORMED_TIMESTAMP, 0)


@pytest.mark.parametrize(
    "text",
    ["2024-02-30T10:00", "2024-01-31T24:00", "2024-01-31T10:60", "2024-01-31T10:00:60", "2024-01-31T10:00+24:00"],
)
def test_impossible_timestamps(text: str) -> None:
    assert decode_timestamp(text.encode(), 0, len(text)) == (parse_errors.IMPOSSIBLE_TIMESTAMP, 0)
