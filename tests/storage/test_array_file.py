from __future__ import annotations

import gc
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as numpy_arrays

from eligo.errors import DamagedFileError, ForeignFileError, InputError, StorageError
from eligo.storage.array_file import read_arrays, write_arrays
from eligo.storage.array_layout import DTYPES

names = st.text("abcXYZ019_./-", min_size=1, max_size=12)
any_array = st.sampled_from(sorted(DTYPES)).flatmap(
    lambda code: numpy_arrays(
        np.dtype(f"<{code}"), st.integers(0, 200), elements={"allow_nan": False} if "f" in code else None
    )
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(arrays=st.dictionaries(names, any_array, max_size=6), meta=st.dictionaries(st.text(), json_values, max_size=3))
def test_what_is_written_is_read(tmp_path_factory, arrays, meta):
    path = tmp_path_factory.mktemp("arrays") / "a.eligo"
    write_arrays(path, arrays, meta)
    file = read_arrays(path)
    assert file.meta == meta
    assert sorted(file.arrays) == sorted(arrays)
    for name, array in arrays.items():
        assert file.arrays[name].dtype == array.dtype
        assert file.arrays[name].tobytes() == array.tobytes()


def test_arrays_are_plain_aligned_read_only_views_of_the_file(tmp_path):
    write_arrays(tmp_path / "a.eligo", {"b": np.arange(5, dtype=np.uint8), "c": np.arange(9, dtype=np.float64)}, {})
    for array in read_arrays(tmp_path / "a.eligo").arrays.values():
        assert type(array) is np.ndarray
        assert not array.flags.writeable
        assert not array.flags.owndata
        assert array.ctypes.data % 64 == 0
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equal_input_in_any_order_and_layout_gives_equal_bytes(tmp_path):
    values = np.arange(20, dtype=np.uint32)
    strided = np.repeat(values, 2)[::2]
    first = write_arrays(tmp_path / "1", {"a": values, "b": values * 2}, {"x": 1, "y": [1, {"p": 1, "q": 2}]})
    second = write_arrays(
        tmp_path / "2", {"b": (strided * 2).astype(">u4"), "a": strided}, {"y": (1, {"q": 2, "p": 1}), "x": 1}
    )
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert first == second == hashlib.sha256((tmp_path / "1").read_bytes()).hexdigest()


def test_different_input_gives_a_different_hash(tmp_path):
    values = np.arange(3, dtype=np.int64)
    inputs = [({"a": values}, {}), ({"a": values}, {"x": 1}), ({"b": values}, {}), ({"a": values.view(np.uint64)}, {})]
    assert len({write_arrays(tmp_path / "a", arrays, meta) for arrays, meta in inputs}) == len(inputs)


def test_arrays_outlive_the_file(tmp_path):
    path = tmp_path / "a.eligo"
    write_arrays(path, {"a": np.arange(100_000, dtype=np.int64)}, {})
    array = read_arrays(path, verify=False).arrays["a"]
    path.unlink()
    gc.collect()
    assert array.sum() == 100_000 * 99_999 // 2


def test_replacing_a_file_leaves_its_readers_alone(tmp_path):
    path = tmp_path / "a.eligo"
    write_arrays(path, {"a": np.zeros(100_000, np.uint8)}, {})
    array = read_arrays(path, verify=False).arrays["a"]
    write_arrays(path, {"a": np.ones(100_000, np.uint8)}, {})
    assert not array.any()
    assert read_arrays(path).arrays["a"].all()


def test_without_verification_array_bytes_are_not_read_but_the_header_is(tmp_path):
    path = tmp_path / "a.eligo"
    write_arrays(path, {"a": np.zeros(64, np.uint8)}, {})
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert read_arrays(path, verify=False).arrays["a"][-1] == 1
    with pytest.raises(DamagedFileError, match="array 'a'"):
        read_arrays(path)
    data[70] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError, match="header"):
        read_arrays(path, verify=False)


@pytest.mark.parametrize(
    ("arrays", "meta", "message"),
    [
        ({"a": np.zeros((2, 2))}, {}, "2 dimensions"),
        ({"a": np.zeros((), np.uint8)}, {}, "0 dimensions"),
        ({"a": np.array(["x"])}, {}, "dtype <U1"),
        ({"a": np.array([None])}, {}, "dtype object"),
        ({"a": np.zeros(1, np.float16)}, {}, "dtype float16"),
        ({"a": np.zeros(1, "datetime64[s]")}, {}, "dtype datetime64"),
        ({"": np.zeros(1)}, {}, "name of an array"),
        ({"a b": np.zeros(1)}, {}, "name of an array"),
        ({"a" * 201: np.zeros(1)}, {}, "name of an array"),
        ({}, {"x": float("nan")}, "nan is not a JSON number"),
        ({}, {"x": "x" * (16 << 20)}, "more than"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_before_anything_is_written(tmp_path, arrays, meta, message):
    with pytest.raises(InputError, match=message):
        write_arrays(tmp_path / "a.eligo", arrays, meta)
    assert os.listdir(tmp_path) == []


def test_files_have_the_permissions_that_the_user_asked_for(tmp_path):
    old = os.umask(0o022)
    try:
        write_arrays(tmp_path / "a.eligo", {}, {})
    finally:
        os.umask(old)
    assert (tmp_path / "a.eligo").stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StorageError, match=r"cannot read .*gone\.eligo: No such file"):
        read_arrays(tmp_path / "gone.eligo")


@pytest.mark.parametrize("content", [b"PK\x03\x04 a zip file", b"{}", b"ELIGO", b"ELIGO\x00\n\n" + bytes(100), b""])
def test_foreign_and_empty_files(tmp_path, content):
    path = tmp_path / "other.eligo"
    path.write_bytes(content)
    expected = DamagedFileError if b"ELIGO\x00\r\n".startswith(content) else ForeignFileError
    with pytest.raises(expected, match=r"other\.eligo"):
        read_arrays(path)


def test_directories_and_pipes_are_not_array_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ForeignFileError, match="is not a file"):
            read_arrays(path)


def test_an_error_while_writing_keeps_the_old_file_and_removes_the_new(tmp_path, monkeypatch):
    path = tmp_path / "a.eligo"
    write_arrays(path, {"a": np.arange(3)}, {})

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(StorageError, match=r"cannot write .*a\.eligo: No space left"):
        write_arrays(path, {"a": np.arange(4)}, {})
    assert os.listdir(tmp_path) == ["a.eligo"]
    assert read_arrays(path).arrays["a"].tolist() == [0, 1, 2]


def test_paths_may_be_strings(tmp_path):
    write_arrays(str(tmp_path / "a.eligo"), {"a": np.arange(3)}, {})
    assert read_arrays(str(tmp_path / "a.eligo")).path == Path(tmp_path / "a.eligo")
