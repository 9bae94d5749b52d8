"""Which odd things may an event hold, and what are they? One table for every way in which events come.

Each case is an attribute of one index. What a case lists in Python, Arrow and JSON is one thing in different forms, and
every form has the same outcome: the values that the attribute then has, none, or an error.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arrow_types import NARROW_DECIMALS
from eligo.language.canonical import value_text
from eligo.language.value import Kind, Scalar, identity, kind_of

ERROR = "error"
"""The event is refused."""
UNKNOWN_VALUE = "present"
"""The attribute is there, with a value that no operand can be, such as infinity."""


class Number(enum.IntEnum):
    ONE = 1


class Letter(str, enum.Enum):  # noqa: UP042
    A = "a"


class Word(enum.StrEnum):
    A = "a"


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Case:
    """One thing in all the forms in which it comes."""

    name: str
    outcome: Any
    """The values, as a list; or ERROR, or UNKNOWN_VALUE."""
    python: list[Any] = field(default_factory=list)
    arrow: list[pa.Array] = field(default_factory=list)
    """Arrays of one place."""
    json: list[str | bytes] = field(default_factory=list)
    kind: Kind | None = None
    """The only kind that expressions compare the attribute with; all kinds unless given."""

    @property
    def attribute(self) -> str:
        return self.name.replace(" ", "_")


def invalid(data: bytes, kind: pa.DataType | None = None) -> pa.Array:
    """A string whose bytes are not looked at."""
    array = pa.array([data], pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind or pa.string(), 1, array.buffers())


MORNING = datetime(2024, 1, 31, 10, tzinfo=UTC)
PARIS_NOON = datetime(2024, 1, 31, 12, tzinfo=timezone(timedelta(hours=2)))
MICROSECONDS = int(MORNING.timestamp()) * 1_000_000
SMILE = "\U0001f600"
MANY = 100_001
EIGHT_BITS = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))

CASES = [
    Case(
        "bool",
        [True],
        [True, np.bool_(True), [True]],
        [pa.array([True]), EIGHT_BITS, pa.ListArray.from_arrays([0, 1], EIGHT_BITS)],
        ["true", "[true]"],
    ),
    Case(
        "one",
        [1],
        [1, 1.0, np.int8(1), np.uint64(1), np.float16(1), np.array(1), Decimal("1.00"), Number.ONE, [1.0]],
        [
            *(pa.array([1], kind) for kind in (pa.int8(), pa.int64(), pa.uint64(), pa.float32())),
            pa.array([np.float16(1)], pa.float16()),
            *(pa.array([Decimal("1.00")], kind(5, 2)) for kind in (*NARROW_DECIMALS.values(), pa.decimal128)),
            pa.array([Decimal(1)], pa.decimal256(70, 3)),
            pa.array([1]).dictionary_encode(),
            pc.run_end_encode(pa.array([1])),
        ],
        ["1", "1.0", "1e0", "[1.0]"],
    ),
    Case("negative zero", [0], [-0.0, 0, Decimal("-0")], [pa.array([-0.0])], ["-0.0", "-0", "0"]),
    Case(
        "nothing",
        [],
        [
            *(None, math.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN"), Decimal("sNaN")),
            *([], (), set(), {}, [None], [math.nan, pd.NA], np.array([])),
        ],
        [
            pa.nulls(1),
            pa.nulls(1, pa.binary()),
            pa.array([math.nan]),
            pa.array([[]], pa.list_(pa.int8())),
            pa.array([[None]], pa.list_(pa.string())),
            pa.array([None], pa.list_(pa.list_(pa.int8()))),
            pa.array([{}], pa.struct([])),
        ],
        ["null", "NaN", "[]", "[null]", "{}", "[NaN, null]"],
    ),
    Case(
        "beyond 53 bits",
        [2**53 + 1],
        [2**53 + 1, Decimal(2**53 + 1), Decimal("9007199254740993.00")],
        [pa.array([2**53 + 1]), pa.array([Decimal(2**53 + 1)], pa.decimal128(38, 2))],
        [str(2**53 + 1)],
    ),
    Case("least integer", [-(2**63)], [-(2**63), -(2.0**63)], [pa.array([-(2**63)])], [str(-(2**63))]),
    Case(
        "beyond 64 bits",
        ERROR,
        [2**63, -(2**63) - 1, np.uint64(2**63), Decimal(2**63), Decimal("1e400"), Decimal(10**30), [1, 2**63]],
        [
            pa.array([2**63], pa.uint64()),
            pa.array([Decimal(2**63)], pa.decimal128(38, 0)),
            pa.array([Decimal(10**30 + 1)], pa.decimal128(38, 2)),
            pa.array([Decimal(10**60)], pa.decimal256(70, 2)),
            pa.array([[1, 2**63]], pa.list_(pa.uint64())),
        ],
        [str(2**63), str(-(2**63) - 1), f"1{'0' * 5000}"],
    ),
    Case("huge float", [1e300], [1e300, np.float64(1e300)], [pa.array([1e300])], ["1e300"]),
    Case(
        "infinite",
        UNKNOWN_VALUE,
        [math.inf, -math.inf, Decimal("Infinity")],
        [pa.array([math.inf])],
        ["1e400", "-Infinity"],
    ),
    Case(
        "tenth",
        [0.1],
        [0.1, Decimal("0.1"), Decimal("0.10"), [Decimal("0.1")]],
        [
            pa.array([0.1]),
            pa.array([Decimal("0.10")], pa.decimal128(38, 2)),
            pa.array([Decimal("0.1")], pa.decimal256(70, 50)),
            pa.array([[Decimal("0.1")]], pa.list_(pa.decimal128(5, 2))),
        ],
        ["0.1", "0.10", "1e-1"],
    ),
    Case("short tenth", [float(np.float32(0.1))], [np.float32(0.1)], [pa.array([0.1], pa.float32())]),
    Case(
        "rounded decimal",
        [1e22],
        [Decimal("9999999999999999999999.5")],
        [pa.array([Decimal("9999999999999999999999.5")], pa.decimal128(38, 1))],
        ["9999999999999999999999.5"],
    ),
    Case(
        "string",
        ["a"],
        ["a", np.str_("a"), Letter.A, Word.A, ["a"]],
        [
            *(pa.array(["a"], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
            pa.array(["a"]).dictionary_encode(),
            pc.run_end_encode(pa.array(["a"])),
            pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), invalid(b"a", pa.large_string())),
        ],
        ['"a"', '"\\u0061"'],
    ),
    Case("digit", ["1"], ["1"], [pa.array(["1"])], ['"1"']),
    Case("empty string", [""], [""], [pa.array([""])], ['""']),
    Case("smile", [SMILE], [SMILE], [pa.array([SMILE])], [f'"{SMILE}"', '"\\ud83d\\ude00"']),
    Case(
        "not unicode",
        ERROR,
        ["\ud800", "a\udfff", ["a", "\ud800"]],
        [
            invalid(b"\xff"),
            invalid(b"a\xed\xa0\x80"),
            invalid(b"\xff", pa.large_string()),
            pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), invalid(b"\xc3")),
            pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), invalid(b"\xff")),
        ],
        ['"\\ud800"', '["a", "\\udfff"]', b'"\xff"', b'"\xed\xa0\x80"'],
    ),
    Case(
        "bytes",
        ERROR,
        [b"a", bytearray(b"a"), np.bytes_(b"a"), [b"a"]],
        [
            *(pa.array([b"a"], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary(1), pa.binary_view())),
            pa.array([[b"a"]]),
        ],
    ),
    Case(
        "several",
        [1, 2],
        [[1, 2], (1, 2), {1, 2}, frozenset({1, 2}), np.array([1, 2]), pd.Series([1, 2]), [1, 2, 1, 2.0]],
        [
            *(pa.array([[1, 2]], kind(pa.int8())) for kind in (pa.list_, pa.large_list, pa.list_view)),
            pa.array([[1, 2]], pa.list_(pa.int16(), 2)),
            pa.array([[1, 2, 1]]),
        ],
        ["[1, 2]", "[2, 1, 1.0]"],
    ),
    Case("null beside", [1], [[1, None, math.nan, pd.NA]], [pa.array([[1, None]])], ["[1, null, NaN]"]),
    Case("mixed kinds", [1, True, "1"], [[1, True, "1"]], json=['[1, true, "1"]']),
    Case(
        "list within list",
        ERROR,
        [[[1]], [[]], [{}], [{"a": 1}], np.array([[1], [2]])],
        [pa.array([[[1]]]), pa.array([[[]]], pa.list_(pa.list_(pa.int8()))), pa.array([[{"a": 1}]])],
        ["[[1]]", "[[]]", "[{}]"],
    ),
    Case(
        "date",
        [date(2024, 1, 31)],
        [date(2024, 1, 31), np.datetime64("2024-01-31"), [date(2024, 1, 31)]],
        [pa.array([date(2024, 1, 31)], kind) for kind in (pa.date32(), pa.date64())],
        ['"2024-01-31"', '["2024-01-31"]'],
        Kind.DATE,
    ),
    Case(
        "first and last day",
        [date(1, 1, 1), date(9999, 12, 31)],
        [[date(1, 1, 1), date(9999, 12, 31)]],
        [pa.array([[date(1, 1, 1), date(9999, 12, 31)]])],
        ['["0001-01-01", "9999-12-31"]'],
        Kind.DATE,
    ),
    Case("midnight", [datetime(2024, 1, 31, tzinfo=UTC)], [datetime(2024, 1, 31)], [pa.array([datetime(2024, 1, 31)])]),
    Case(
        "timestamp",
        [MORNING],
        [
            *(MORNING, PARIS_NOON, datetime(2024, 1, 31, 10), pd.Timestamp(MORNING), pd.Timestamp(PARIS_NOON)),
            *(np.datetime64("2024-01-31T10", unit) for unit in ("h", "s", "us", "ns")),
        ],
        [
            *(pa.array([MICROSECONDS // 1_000_000], pa.timestamp("s", zone)) for zone in (None, "UTC", "Asia/Tokyo")),
            pa.array([MICROSECONDS // 1_000], pa.timestamp("ms")),
            pa.array([MICROSECONDS], pa.timestamp("us", "UTC")),
            pa.array([MICROSECONDS * 1_000], pa.timestamp("ns")),
        ],
        ['"2024-01-31T10:00:00Z"', '"2024-01-31T12:00+02:00"', '"2024-01-31T10:00:00.000000000Z"'],
        Kind.TIMESTAMP,
    ),
    Case(
        "last moment",
        [datetime.max.replace(tzinfo=UTC)],
        [datetime.max],
        [pa.array([datetime.max])],
        ['"9999-12-31T23:59:59.999999Z"'],
        Kind.TIMESTAMP,
    ),
    Case(
        "nanoseconds",
        ERROR,
        [
            pd.Timestamp("2024-01-31T10:00:00.000000001"),
            np.datetime64("2024-01-31T10:00:00.000000001"),
            np.datetime64(1, "ps"),
            np.datetime64(1, "as"),
            [pd.Timestamp(1, unit="ns")],
        ],
        [pa.array([1], pa.timestamp("ns")), pa.array([[1]], pa.list_(pa.timestamp("ns", "UTC")))],
        ['"2024-01-31T10:00:00.000000001Z"', '["2024-01-31T10:00:00.1234567"]'],
        Kind.TIMESTAMP,
    ),
    Case(
        "days of other years",
        ERROR,
        [np.datetime64("12000-01-01"), np.datetime64("0000-12-31"), np.datetime64("-0001-01-01")],
        [
            pa.array([4_000_000], pa.int32()).cast(pa.date32()),
            pa.array([-719_163], pa.int32()).cast(pa.date32()),
            pa.array([400 * 10**12], pa.int64()).cast(pa.date64()),
            pa.array([[4_000_000]], pa.list_(pa.int32())).cast(pa.list_(pa.date32())),
        ],
        ['"12000-01-01"', '"+12000-01-01"', '"0000-12-31"', '"2024-02-30"'],
        Kind.DATE,
    ),
    Case(
        "moments of other years",
        ERROR,
        [
            np.datetime64("12000-01-01T00:00:00"),
            np.datetime64("0000-12-31T23:59:59.999999"),
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
            datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))),
        ],
        [
            *(pa.array([400 * 10**9], pa.timestamp("s", zone)) for zone in (None, "Europe/Paris")),
            pa.array([2**62], pa.timestamp("s")),
            pa.array([-(2**63)], pa.timestamp("us")),
            pa.array([-62_135_596_800_001], pa.timestamp("ms")),
        ],
        ['"12000-01-01T00:00:00Z"', '"0001-01-01T00:00:00+14:00"', '"2024-01-31T25:00:00Z"'],
        Kind.TIMESTAMP,
    ),
    Case("time of day", ERROR, [dt.time(10)], [pa.array([1], kind) for kind in (pa.time32("s"), pa.time64("us"))]),
    Case(
        "duration",
        ERROR,
        [timedelta(1), np.timedelta64(1, "s"), np.timedelta64(1, "ns"), pd.Timedelta(1)],
        [
            pa.array([1], pa.duration("s")),
            pa.array([pa.MonthDayNano([1, 2, 3])]),
            pa.array(pd.arrays.PeriodArray(np.array([1]), dtype="period[D]")),
        ],
    ),
    Case(
        "no value",
        ERROR,
        [object(), Colour.RED, 1j, np.complex64(1), pd.Period("2024"), pd.Interval(0, 1), range(3), ..., int],
        [pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1]), pa.array(["a"])])],
    ),
    Case("too many", ERROR, [list(range(MANY)), np.arange(MANY)], [pa.array([list(range(MANY))])], [str([1] * MANY)]),
    Case("many", [7], [[7] * (MANY - 1)], [pa.array([[7] * (MANY - 1)])], [str([7] * (MANY - 1))]),
]
CASE_OF = {case.name: case for case in CASES}
VALUES: list[Scalar] = list(
    {identity(value): value for case in CASES if isinstance(case.outcome, list) for value in case.outcome}.values()
)


def expressions() -> dict[str, str]:
    """For every case: whether its attribute is there, and whether it is each of the values that any case has."""
    found: dict[str, str] = {}
    for case in CASES:
        found[f"{case.attribute}: exists"] = f"{case.attribute} exists"
        for value in VALUES:
            if case.kind in (None, kind_of(value)):
                found[f"{case.attribute}: {value_text(value)}"] = f"{case.attribute} = {value_text(value)}"
    return {**found, "twice: 1": "twice.y = 1", "twice: 2": "twice.y = 2", "twice: exists": "twice.y exists"}


def expected_ids(case: Case) -> set[str]:
    """What an event with the case alone satisfies."""
    if case.outcome == []:
        return set()
    values = [] if case.outcome == UNKNOWN_VALUE else case.outcome
    return {f"{case.attribute}: {text}" for text in ("exists", *map(value_text, values))}


def forms(what: str) -> Iterator[tuple[Case, Any]]:
    """Every case with each of its forms in Python, Arrow or JSON."""
    for case in CASES:
        for form in getattr(case, what):
            yield case, form


def json_event(case: Case, form: str | bytes) -> bytes:
    """An event with the case alone, as JSON."""
    text = form if isinstance(form, bytes) else form.encode()
    return b'{"' + case.attribute.encode() + b'": ' + text + b"}"
