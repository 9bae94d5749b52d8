"""How do matches look as bits? A row of words for each event: bit p % 64 of word p // 64 for the expression at p."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint64]
"""Two-dimensional: a row for each event. Bits behind the last expression are 0."""


def num_words(num_expressions: int) -> int:
    """Words that have a bit for each expression."""
    return -(-num_expressions // 64)


def bits_of_rows(offsets: npt.NDArray[np.uint64], positions: npt.NDArray[np.uint32], num_expressions: int) -> Bits:
    """Compressed rows of positions as bits."""
    bits = np.empty((len(offsets) - 1, num_words(num_expressions)), np.uint64)
    flags = np.zeros((1, num_expressions), np.bool_)
    for row, (start, end) in enumerate(pairwise(offsets.tolist())):
        flags[0, positions[start:end]] = True
        bits[row] = pack_flags(flags)
        flags[0, positions[start:end]] = False
    return bits


def pack_flags(flags: npt.NDArray[np.bool_]) -> Bits:
    """Rows of flags as bits."""
    num_events, num_flags = flags.shape
    packed = np.zeros((num_events, 8 * num_words(num_flags)), np.uint8)
    packed[:, : -(-num_flags // 8)] = np.packbits(flags, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack_flags(bits: Bits, num_expressions: int) -> npt.NDArray[np.bool_]:
    """Bits as rows of flags."""
    as_bytes = np.ascontiguousarray(bits, "<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=1, count=num_expressions, bitorder="little").view(np.bool_)
