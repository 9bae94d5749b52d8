"""When can a vocabulary from a file be asked? When it has whatever its numbers name, and every probe of it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.vocabulary_lookup import NUM_KINDS
from eligo.data.stored_form import Arrays, Column, Offsets, Sizes, beyond, problems, unless
from eligo.kernels.codes import STRING, UNDER_NODE
from eligo.kernels.hashing import NONE

FORM = (
    Column("attribute_kinds", "u1", "attributes", below=128),
    Offsets("attribute_offsets", "u8", "attributes", into="attribute_bytes"),
    Column("attribute_bytes", "u1"),
    Column("attribute_slots", "u4", below="attributes", or_none=True),
    Column("attribute_axes", "u4", below="axes", or_none=True),
    Column("attribute_node_reach", "u4", "attributes"),
    Column("attribute_has_taxonomy", "u1", "attributes", below=2),
    Offsets("string_offsets", "u8", "strings", into="string_bytes"),
    Column("string_bytes", "u1"),
    Column("string_slots", "u4", below="strings", or_none=True),
    Column("entry_attribute", "u4", "entries", below="attributes"),
    Column("entry_kind", "u1", "entries", below=UNDER_NODE + 1),
    Column("entry_high", "i8", "entries"),
    Column("entry_low", "f8", "entries"),
    Column("entry_slots", "u4", below="entries", or_none=True),
    Column("axis_attribute", "u4", "axes", below="attributes"),
    Column("axis_kind", "u1", "axes", below=NUM_KINDS),
    Offsets("bound_offsets", "u8", "axes", into="bound_high"),
    Column("bound_high", "i8", "bounds"),
    Column("bound_low", "f8", "bounds"),
    Offsets("bound_text_offsets", "u8", "bounds", into="bound_text_bytes"),
    Column("bound_text_bytes", "u1"),
    Column("taxonomy_attribute", "u4", "pairs", below="attributes"),
    Column("taxonomy_string", "u4", "pairs", below="strings"),
    Column("taxonomy_slots", "u4", below="pairs", or_none=True),
    Offsets("taxonomy_key_offsets", "u8", "pairs", into="taxonomy_keys"),
    Column("taxonomy_keys", "u4"),
    Column("seeds", "u8", 4),
)
"""The arrays of `VocabularyArrays`, which says what they mean."""

SLOTS = ("attribute_slots", "string_slots", "entry_slots", "taxonomy_slots")


def vocabulary_problems(arrays: Arrays, *, deep: bool) -> Iterator[str]:
    """What is wrong with the arrays of a vocabulary."""
    sizes: Sizes = {}
    found = False
    for problem in problems(FORM, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    fits = len(arrays["attribute_axes"]) == NUM_KINDS * sizes["attributes"]
    yield from unless(fits, "attribute_axes", f"does not have {NUM_KINDS} elements for each attribute")
    if deep:
        yield from _deep(arrays, sizes)


def _deep(arrays: Arrays, sizes: Sizes) -> Iterator[str]:
    for name in SLOTS:
        yield from _slots(name, arrays[name])
    yield from beyond("taxonomy_keys", arrays["taxonomy_keys"], sizes["attributes"] + sizes["entries"])
    is_text = np.isin(arrays["entry_kind"], (STRING, UNDER_NODE))
    numbers = arrays["entry_high"][is_text]
    yield from unless((numbers >= 0) & (numbers < sizes["strings"]), "entry_high", "names strings that are not there")
    owned = np.zeros(sizes["axes"], np.bool_)
    axes = arrays["attribute_axes"]
    owned[axes[axes != NONE]] = True
    yield from unless(owned, "attribute_axes", "does not name every axis")
    for offsets, data in (("attribute_offsets", "attribute_bytes"), ("string_offsets", "string_bytes")):
        yield from _texts(data, arrays[offsets], arrays[data])


def _slots(name: str, slots: npt.NDArray[Any]) -> Iterator[str]:
    """A probe goes on from slot to slot until it finds an empty one."""
    size = len(slots)
    yield from unless(size > 0 and size & (size - 1) == 0, name, "is no hash table: its length is no power of two")
    yield from unless(2 * int((slots != NONE).sum()) <= max(size, 1), name, "is no hash table: it is too full")


def _texts(name: str, offsets: npt.NDArray[Any], data: npt.NDArray[Any]) -> Iterator[str]:
    """Each text is UTF-8: the whole is, and no text begins inside a character."""
    try:
        data.tobytes().decode()
    except UnicodeDecodeError as error:
        yield f"array {name!r} is not UTF-8 at {error.start}"
        return
    starts = offsets[(offsets > 0) & (offsets < len(data))].astype(np.int64)
    yield from unless((data[starts] & 0xC0) != 0x80, name, "has a character that is cut")
