from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import DamagedFileError, InputError
from eligo.storage.array_file import read_arrays, write_arrays
from eligo.storage.string_array import pack_strings, unpack_strings

texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=20)


@given(texts)
def test_round_trip(strings):
    arrays = pack_strings(strings)
    assert {name: array.dtype for name, array in arrays.items()} == {"offsets": np.uint64, "data": np.uint8}
    assert len(arrays["offsets"]) == len(strings) + 1
    assert arrays["data"].tobytes() == "".join(strings).encode()
    assert unpack_strings(arrays).to_pylist() == strings


@given(texts, st.data())
def test_every_form_of_arrow_strings_packs_alike(strings, data):
    start = data.draw(st.integers(0, len(strings)))
    expected = pack_strings(strings[start:])
    forms = [
        pa.array(strings, pa.string())[start:],
        pa.array(strings, pa.large_string())[start:],
        pa.array(strings, pa.string_view())[start:],
        pa.array(strings, pa.string()).dictionary_encode()[start:],
        pa.chunked_array([strings[start:][:1], strings[start:][1:]], pa.string()),
    ]
    for form in forms:
        arrays = pack_strings(form)
        assert arrays["offsets"].tolist() == expected["offsets"].tolist()
        assert arrays["data"].tobytes() == expected["data"].tobytes()


def test_strings_of_a_mapped_file_are_not_copied(tmp_path):
    write_arrays(tmp_path / "a.eligo", pack_strings(["alpha", "β"]), {})
    arrays = read_arrays(tmp_path / "a.eligo").arrays
    strings = unpack_strings(arrays)
    assert strings.to_pylist() == ["alpha", "β"]
    assert strings.buffers()[2].address == arrays["data"].ctypes.data


@pytest.mark.parametrize("strings", [["a", None], ["\ud800"], [1], [b"\xff"], pa.array(["a", None]), pa.array([[1]])])
def test_what_is_no_string_is_refused(strings):
    with pytest.raises(InputError):
        pack_strings(strings)


OFFSETS = np.array([0, 1, 3], np.uint64)
DATA = np.frombuffer(b"abc", np.uint8)


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"offsets": OFFSETS},
        {"offsets": OFFSETS.astype(np.int64), "data": DATA},
        {"offsets": OFFSETS, "data": DATA.view(np.int8)},
        {"offsets": OFFSETS[:0], "data": DATA},
        {"offsets": OFFSETS[1:], "data": DATA},
        {"offsets": OFFSETS, "data": DATA[:2]},
        {"offsets": np.array([0, 2, 1, 3], np.uint64), "data": DATA},
        {"offsets": np.array([0, 2**63 + 5, 3], np.uint64), "data": DATA},
        {"offsets": np.array([0, 99, 3], np.uint64), "data": DATA},
        {"offsets": OFFSETS, "data": np.frombuffer(b"a\xff\xff", np.uint8)},
        {"offsets": OFFSETS, "data": np.frombuffer("éa".encode(), np.uint8)},
    ],
)
def test_arrays_that_are_not_strings_are_refused(arrays):
    with pytest.raises(DamagedFileError, match="the texts"):
        unpack_strings(arrays, what="texts")
