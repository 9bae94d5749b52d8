"""Arrays of every Arrow type, three values each: for tests that nothing but an answer or an error of ours comes."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Arrays = dict[str, pa.Array]
OFFSETS = pa.array([0, 1, 2, 3], pa.int32())
NARROW_DECIMALS = {name: getattr(pa, name) for name in ("decimal32", "decimal64") if hasattr(pa, name)}
"""Those that this Arrow has: they came with version 18."""


def arrays() -> Arrays:
    """By a name that tells the type: scalars, wrappings of them, and all of these inside lists, structs and maps."""
    flat = {**numbers(), **texts(), **moments(), **decimals()}
    flat |= wrapped(flat)
    nested = {f"{name}<{inner}>": made for inner, array in flat.items() for name, made in _containers(array)}
    deeper = {
        f"{name}<{inner}>": made
        for inner in ("list<int64>", "struct<int64>", "map<string>")
        for name, made in _containers(nested[inner])
    }
    return {**flat, **nested, **deeper, **odd()}


def numbers() -> Arrays:
    widths = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    return {
        **{name: pa.array([1, None, 3], getattr(pa, name)()) for name in widths},
        "uint64 beyond": pa.array([2**64 - 1, None, 3], pa.uint64()),
        "float16": pa.array([np.float16(1), None, np.float16("nan")], pa.float16()),
        "float32": pa.array([1.0, None, float("nan")], pa.float32()),
        "float64": pa.array([1.0, None, float("inf")], pa.float64()),
        "bool": pa.array([True, None, False]),
        "null": pa.nulls(3),
    }


def texts() -> Arrays:
    return {
        "string": pa.array(["a", None, "b"]),
        "large_string": pa.array(["a", None, "b"], pa.large_string()),
        "string_view": pa.array(["a", None, "b"], pa.string_view()),
        "binary": pa.array([b"a", None, b"\xff"]),
        "large_binary": pa.array([b"a", None, b"\xff"], pa.large_binary()),
        "binary_view": pa.array([b"a", None, b"\xff"], pa.binary_view()),
        "fixed_size_binary": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    }


def moments() -> Arrays:
    ticks, far = pa.array([0, None, 86_400_000], pa.int64()), pa.array([2**62, None, -(2**62)], pa.int64())
    found: Arrays = {
        "date32": pa.array([datetime.date(2020, 1, 1), None, datetime.date.min]),
        "date64": pa.array([datetime.date(2020, 1, 1), None, datetime.date.max], pa.date64()),
        "date32 beyond": pa.array([10**9, None, -(10**9)], pa.int32()).cast(pa.date32()),
        "date64 beyond": pa.array([86_400_000 * 10**9, None, 0], pa.int64()).cast(pa.date64()),
        "time32": pa.array([0, None, 10], pa.int32()).cast(pa.time32("s")),
        "time64": ticks.cast(pa.time64("ns")),
        "interval": pa.array([(1, 2, 3), None, (4, 5, 6)], pa.month_day_nano_interval()),
    }
    for unit in ("s", "ms", "us", "ns"):
        found[f"timestamp[{unit}]"] = ticks.cast(pa.timestamp(unit))
        found[f"timestamp[{unit}, Paris]"] = ticks.cast(pa.timestamp(unit, "Europe/Paris"))
        found[f"timestamp[{unit}] beyond"] = far.cast(pa.timestamp(unit))
        found[f"duration[{unit}]"] = ticks.cast(pa.duration(unit))
    return found


def decimals() -> Arrays:
    given = [Decimal("1.0"), None, Decimal("2.5")]
    return {
        **{name: pa.array(given, kind(5, 1)) for name, kind in NARROW_DECIMALS.items()},
        "decimal128": pa.array(given, pa.decimal128(20, 1)),
        "decimal256": pa.array(given, pa.decimal256(60, 1)),
        "decimal256 beyond": pa.array([Decimal(10) ** 50, None, Decimal(2)], pa.decimal256(60, 0)),
        "decimal256 fine": pa.array([Decimal("1e-50"), None, Decimal(2)], pa.decimal256(76, 50)),
        "decimal128 of hundreds": pa.array([Decimal(100), None, Decimal(200)], pa.decimal128(5, -2)),
        "decimal128 of fractions": pa.array([Decimal("0.5"), None, Decimal("0.25")], pa.decimal128(38, 38)),
    }


def wrapped(flat: Arrays) -> Arrays:
    """Dictionaries, runs and extension types."""
    found: Arrays = {}
    for name, array in flat.items():
        for wrapping, wrap in (("dictionary", pa.Array.dictionary_encode), ("runs", pc.run_end_encode)):
            try:
                found[f"{wrapping} of {name}"] = wrap(array)
            except pa.ArrowNotImplementedError:
                continue
    bytes_of = [bytes(range(16)), None, bytes(16)]
    storages: dict[str, tuple[pa.DataType, pa.Array]] = {
        "uuid": (pa.uuid(), pa.array(bytes_of, pa.binary(16))),
        "json": (pa.json_(), pa.array(['{"a": 1}', None, "3"])),
        "bool8": (pa.bool8(), pa.array([1, None, 0], pa.int8())),
        "tensor": (pa.fixed_shape_tensor(pa.int32(), [1]), pa.array([[1], None, [3]], pa.list_(pa.int32(), 1))),
    }
    for name in ("string", "int64"):
        storages[f"opaque {name}"] = (pa.opaque(flat[name].type, "name", "vendor"), flat[name])
    lists, structs = pa.array([[1], None, [3]]), pa.array([{"a": 1}, None, {"a": 3}])
    words = pa.array(["a", None, "b"]).dictionary_encode()
    for name, array in {"list": lists, "struct": structs, "dictionary": words}.items():
        storages[f"opaque {name}"] = (pa.opaque(array.type, "name", "vendor"), array)
        found[f"runs of {name}"] = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), array)
    found |= {name: pa.ExtensionArray.from_storage(*pair) for name, pair in storages.items()}
    few = pa.array([0, 1, None], pa.int8())
    for name, array in {"list": lists, "struct": structs, "dictionary": words, "nulls": pa.array(["a", None])}.items():
        found[f"dictionary of {name}"] = pa.DictionaryArray.from_arrays(few, array)
    found["dictionary by uint64"] = pa.DictionaryArray.from_arrays(few.cast(pa.uint64()), pa.array(["a", "b"]))
    kinds, places = pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32())
    found["sparse_union"] = pa.UnionArray.from_sparse(kinds, [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])])
    found["dense_union"] = pa.UnionArray.from_dense(kinds, places, [pa.array([1, 2]), pa.array(["a"])])
    return found


def odd() -> Arrays:
    three = pa.array([1, 2, 3])
    return {
        "map of nulls": pa.array([[("a", None)], None, []], pa.map_(pa.string(), pa.int64())),
        "struct of nothing": pa.array([{}, None, {}], pa.struct([])),
        "struct with a name twice": pa.StructArray.from_arrays([three, three], ["a", "a"]),
        "list of nulls": pa.array([[None], None, []], pa.list_(pa.int64())),
    }


def _containers(array: pa.Array) -> list[tuple[str, pa.Array]]:
    """The array inside each container that can hold it."""
    long, ones = OFFSETS.cast(pa.int64()), pa.array([1, 1, 1], pa.int32())
    makers: dict[str, Callable[[], Any]] = {
        "list": lambda: pa.ListArray.from_arrays(OFFSETS, array),
        "large_list": lambda: pa.LargeListArray.from_arrays(long, array),
        "fixed_size_list": lambda: pa.FixedSizeListArray.from_arrays(array, 1),
        "list_view": lambda: pa.ListViewArray.from_arrays(OFFSETS[:3], ones, array),
        "large_list_view": lambda: pa.LargeListViewArray.from_arrays(long[:3], ones.cast(pa.int64()), array),
        "struct": lambda: pa.StructArray.from_arrays([array], ["a"]),
        "map": lambda: pa.MapArray.from_arrays(OFFSETS, pa.array(["a", "b", "a"]), array),
        "map from": lambda: pa.MapArray.from_arrays(OFFSETS, array.take(pa.array([0, 2, 0])), pa.array([1, 2, 3])),
    }
    made = []
    for name, make in makers.items():
        try:
            made.append((name, make()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # Arrow has none of these
            continue
    return made
