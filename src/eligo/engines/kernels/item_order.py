"""How are rows of different lengths put into another order? Copied one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Integers, UInt32s


@kernel
def reorder_rows(order: Integers, offsets: Integers, elements: UInt32s) -> Any:
    """The rows `elements[offsets[i]:offsets[i + 1]]` in the order given, as offsets and elements."""
    new_offsets, new_elements = np.zeros_like(offsets), np.empty_like(elements)
    end = 0
    for number in range(len(order)):
        for place in range(offsets[order[number]], offsets[order[number] + 1]):
            new_elements[end] = elements[place]
            end += 1
        new_offsets[number + 1] = end
    return new_offsets, new_elements
