"""Files whose checksums are right and whose fields are wrong: what a broken or hostile writer could make."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from eligo.errors import DamagedFileError, NewerFormatError
from eligo.storage.array_file import read_arrays, write_arrays

ARRAY = {"name": "a", "dtype": "u4", "length": 3, "offset": 0, "bytes": 12, "crc32": "00000000"}


def forge(header: Any, data: bytes = b"", *, format: int = 1, reserved: bytes = bytes(32), **sizes: int) -> bytes:
    """A file as the format describes it, written without the writer."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    padding = bytes(-(64 + len(text)) % 64)
    file_bytes = sizes.get("file_bytes", 64 + len(text) + len(padding) + len(data))
    header_bytes = sizes.get("header_bytes", len(text))
    prefix = struct.pack("<8sIIQI32s", b"ELIGO\x00\r\n", format, header_bytes, file_bytes, zlib.crc32(text), reserved)
    return prefix + struct.pack("<I", zlib.crc32(prefix)) + text + padding + data


def entry(**changes: Any) -> dict[str, Any]:
    return {**ARRAY, "crc32": f"{zlib.crc32(bytes(12)):08x}", **changes}


def test_the_description_of_the_format_is_enough_to_write_a_file(tmp_path):
    path = tmp_path / "a.eligo"
    numbers = np.array([7, 8, 9], dtype="<u4").tobytes()
    path.write_bytes(
        forge({"arrays": [entry(crc32=f"{zlib.crc32(numbers):08x}")], "meta": {"x": 1}}, numbers.ljust(64, b"\0"))
    )
    file = read_arrays(path)
    assert file.arrays["a"].tolist() == [7, 8, 9]
    assert file.meta == {"x": 1}


@pytest.mark.parametrize(
    ("header", "data_bytes", "message"),
    [
        (b"\xff", 0, "not JSON"),
        (b'{"arrays": [], "meta": {}', 0, "not JSON"),
        (b'{"arrays": [], "meta": {}, "meta": {}}', 0, "given twice"),
        (b'{"arrays": [], "meta": {"x": NaN}}', 0, "NaN"),
        (b'{"arrays": [], "meta": {"x": 1e999}}', 0, "not a JSON number"),
        (b'{"arrays": [], "meta": {"x": ' + b"9" * 5000 + b"}}", 0, "not JSON"),
        (b'{"arrays": [], "meta": {"x": "\\ud800"}}', 0, "surrogate"),
        (b'{"arrays": [], "meta": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}", 0, "nested"),
        ([], 0, "exactly the fields"),
        ({"arrays": []}, 0, "exactly the fields"),
        ({"arrays": [], "meta": {}, "compression": "zstd"}, 0, "exactly the fields"),
        ({"arrays": {}, "meta": {}}, 0, "not a list"),
        ({"arrays": [], "meta": []}, 0, "not an object"),
        ({"arrays": [[]], "meta": {}}, 0, "fields of an array"),
        ({"arrays": [entry(compression="zstd")], "meta": {}}, 64, "fields of an array"),
        ({"arrays": [entry(name="")], "meta": {}}, 64, "name of an array"),
        ({"arrays": [entry(name=1)], "meta": {}}, 64, "name of an array"),
        ({"arrays": [entry(dtype="O")], "meta": {}}, 64, "unknown dtype 'O'"),
        ({"arrays": [entry(dtype=">u4")], "meta": {}}, 64, "unknown dtype '>u4'"),
        ({"arrays": [entry(dtype=["u4"])], "meta": {}}, 64, "unknown dtype"),
        ({"arrays": [entry(crc32=0)], "meta": {}}, 64, "no checksum"),
        ({"arrays": [entry(crc32="0x000000")], "meta": {}}, 64, "no checksum"),
        ({"arrays": [entry(length=-1)], "meta": {}}, 64, "sizes"),
        ({"arrays": [entry(length=True)], "meta": {}}, 64, "sizes"),
        ({"arrays": [entry(length=3.0)], "meta": {}}, 64, "sizes"),
        ({"arrays": [entry(offset=-64)], "meta": {}}, 64, "sizes"),
        ({"arrays": [entry(length=4)], "meta": {}}, 64, "cannot take 12 bytes"),
        ({"arrays": [entry(bytes=16)], "meta": {}}, 64, "cannot take 16 bytes"),
        ({"arrays": [entry(length=2**62, bytes=2**64 - 1)], "meta": {}}, 64, "cannot take"),
        ({"arrays": [entry(length=2**61, bytes=2**63)], "meta": {}}, 64, "beyond the file"),
        ({"arrays": [entry(offset=4)], "meta": {}}, 64, "begins at 4 instead of 0"),
        ({"arrays": [entry(offset=64)], "meta": {}}, 128, "begins at 64 instead of 0"),
        ({"arrays": [entry(), entry(name="b")], "meta": {}}, 128, "'b' begins at 0 instead of 64"),
        ({"arrays": [entry(), entry(offset=64)], "meta": {}}, 128, "given twice"),
        ({"arrays": [entry(name="b"), entry(offset=64)], "meta": {}}, 128, "out of order"),
        ({"arrays": [entry()], "meta": {}}, 0, "beyond the file"),
        ({"arrays": [entry()], "meta": {}}, 128, "take 64 bytes of 128"),
    ],
)
def test_a_wrong_header_is_refused(tmp_path, header, data_bytes, message):
    path = tmp_path / "forged.eligo"
    path.write_bytes(forge(header, bytes(data_bytes)))
    with pytest.raises(DamagedFileError, match=message) as caught:
        read_arrays(path, verify=False)
    assert "forged.eligo" in str(caught.value)
    assert "help:" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 0}, "not those of format 1"),
        ({"reserved": bytes(31) + b"\x01"}, "not those of format 1"),
        ({"file_bytes": 128 + 64}, "cut off"),
        ({"file_bytes": 64}, "followed by other data"),
        ({"file_bytes": 2**64 - 1}, "cut off"),
        ({"header_bytes": 2**32 - 1}, "does not fit"),
        ({"header_bytes": 65}, "does not fit"),
        ({"header_bytes": 3}, "checksum of its header"),
    ],
)
def test_a_wrong_prefix_is_refused(tmp_path, changes, message):
    path = tmp_path / "forged.eligo"
    path.write_bytes(forge({"arrays": [], "meta": {}}, **changes))
    with pytest.raises(DamagedFileError, match=message):
        read_arrays(path)


def test_a_newer_format_is_told_apart_from_damage(tmp_path):
    path = tmp_path / "new.eligo"
    path.write_bytes(forge(b"another kind of header", bytes(64), format=2))
    with pytest.raises(NewerFormatError, match=r"new\.eligo has format 2; .* up to 1") as caught:
        read_arrays(path)
    assert "upgrade eligo" in str(caught.value)


def test_bytes_that_are_neither_true_nor_false_are_refused(tmp_path):
    path = tmp_path / "forged.eligo"
    data = b"\x00\x01\x02"
    header = {"arrays": [entry(dtype="b1", bytes=3, crc32=f"{zlib.crc32(data):08x}")], "meta": {}}
    path.write_bytes(forge(header, data.ljust(64, b"\x00")))
    with pytest.raises(DamagedFileError, match="neither true nor false"):
        read_arrays(path)


def test_padding_is_zero(tmp_path):
    path = tmp_path / "a.eligo"
    write_arrays(path, {"a": np.ones(1, np.uint8)}, {})
    data = bytearray(path.read_bytes())
    data[-1] = 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError, match="padding after array 'a'"):
        read_arrays(path)
