"""Which of several neighbouring numbers lie in a range? All are compared at once, where there is a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from eligo.kernels.compiled import IS_INTERPRETED

LANES = 16
"""Numbers that are compared at once."""

NUMBER = ir.IntType(32)
NUMBERS = ir.VectorType(NUMBER, LANES)


def _interpreted(array: Any, place: Any, low: Any, width: Any) -> Any:
    bits = 0
    for lane in range(LANES):
        bits |= int(0 <= int(array[int(place) + lane]) - int(low) <= int(width)) << lane
    return np.uint64(bits)


def _everywhere(builder: Any, number: Any) -> Any:
    """One number in all lanes."""
    nothing = ir.Constant(NUMBERS, ir.Undefined)
    first = builder.insert_element(nothing, number, NUMBER(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(NUMBERS, [0] * LANES))


@intrinsic
def _compiled(_typing_context: Any, array: Any, _place: Any, _low: Any, _width: Any) -> Any:
    """One load, one subtraction and one comparison; what lies below `low` wraps round to above every width."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), NUMBERS.as_pointer())
        numbers = builder.load(address, align=4)
        above_low = builder.sub(numbers, _everywhere(builder, arguments[2]))
        is_inside = builder.icmp_unsigned("<=", above_low, _everywhere(builder, arguments[3]))
        return builder.zext(builder.bitcast(is_inside, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(array, types.uint64, types.uint32, types.uint32), generate


lanes_between: Callable[[Any, Any, Any, Any], Any] = _interpreted if IS_INTERPRETED else _compiled
"""Bit i of the word is set when `array[place + i]`, a 32-bit number, is from `low` to `low + width`; LANES bits."""
