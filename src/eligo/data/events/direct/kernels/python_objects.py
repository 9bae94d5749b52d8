"""How does a loop look at Python's own objects? Through Python's C interface, whose functions it calls by their names.

Objects are given by their addresses, and are only looked at: no count of references changes, nothing of theirs is run,
and a loop that does so keeps the interpreter lock (`compiled.object_loop`). What is asked for is borrowed from the
event, which whoever calls the loop holds. Only values whose type is exactly one of Python's own are asked for anything.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from eligo.kernels.compiled import hot_loop
from eligo.kernels.memory import read_i64
from eligo.kernels.numba_inside import lower_builtin, type_callable

TYPE = 8
"""Where an object has the address of its type, behind its count of references."""
SHOWN: tuple[tuple[Any, type], ...] = (("", str), (0, int), (0.0, float), ([], list), ((), tuple), ({}, dict))


def _knows_types() -> bool:
    """Whether objects have their types where this module looks for them; without an interpreter lock they have not."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    return all(ctypes.c_int64.from_address(id(value) + TYPE).value == id(kind) for value, kind in SHOWN)


KNOWS_TYPES = _knows_types()
"""Whether objects can be looked at here."""

PLAIN_TYPES = (str, int, float, type(None), bool, list, tuple, set, frozenset, date, datetime)
"""Types of values that are passed over where no expression asks for them."""

_ADDRESS, _NUMBER, _SMALL, _FLOAT = cgutils.voidptr_t, ir.IntType(64), ir.IntType(32), ir.DoubleType()
_IN_NUMBA = {_ADDRESS: types.int64, _NUMBER: types.int64, _SMALL: types.int32, _FLOAT: types.float64}


def _calling(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A call of one function of the C interface, for loops; Python does not call it."""

    def call(*_arguments: Any) -> Any:
        raise NotImplementedError(f"only compiled loops call {name}")

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = ir.FunctionType(result, arguments)
        function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        cast = [
            context.cast(builder, value, own, types.int64) for value, own in zip(given, signature.args, strict=True)
        ]
        passed = [
            builder.inttoptr(value, wanted) if wanted is _ADDRESS else value
            for value, wanted in zip(cast, arguments, strict=True)
        ]
        found = builder.call(function, passed)
        return builder.ptrtoint(found, _NUMBER) if result is _ADDRESS else found

    made = _IN_NUMBA.get(result, types.void)
    typings: dict[int, Callable[..., Any]] = {0: lambda: made, 1: lambda _a: made, 2: lambda _a, _b: made}
    typings[4] = lambda _a, _b, _c, _d: made
    type_callable(call)(lambda _context: typings[len(arguments)])
    lower_builtin(call, *[types.Integer] * len(arguments))(generate)
    return call


next_of_dict = _calling("PyDict_Next", _SMALL, _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
"""(dict, place, key, value): 0 at the end; else place, key and value are written to their addresses."""
utf8_of = _calling("PyUnicode_AsUTF8AndSize", _ADDRESS, _ADDRESS, _ADDRESS)
"""(string, length): the address of its bytes, whose length is written; 0 with an error for half a surrogate pair."""
forget_error = _calling("PyErr_Clear", ir.VoidType())
"""Forget the error that there is."""
whole_of = _calling("PyLong_AsLongLongAndOverflow", _NUMBER, _ADDRESS, _ADDRESS)
"""(int, overflow): its value; 32 bits are written that are not 0 when 64 are not enough."""
float_of = _calling("PyFloat_AsDouble", _FLOAT, _ADDRESS)
"""(float): its value."""
length_of_list = _calling("PyList_Size", _NUMBER, _ADDRESS)
item_of_list = _calling("PyList_GetItem", _ADDRESS, _ADDRESS, _NUMBER)
length_of_tuple = _calling("PyTuple_Size", _NUMBER, _ADDRESS)
item_of_tuple = _calling("PyTuple_GetItem", _ADDRESS, _ADDRESS, _NUMBER)


@hot_loop
def type_of(value: int) -> Any:
    """The address of an object's type."""
    return read_i64(value + TYPE)
