"""How does Arrow read files of a store? Through a file system that asks the border; paths in it are whole addresses.

    dataset("s3://bucket/events", filesystem=arrow_file_system(), format="parquet")

Parquet asks for few ranges of a file, each of some megabytes. Nothing is written this way.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import fs

from eligo.stores.address import Address, place
from eligo.stores.remote_file import RemoteFile
from eligo.stores.store import store_of


def arrow_file_system() -> fs.FileSystem:
    """One for all stores; made anew in each process."""
    return fs.PyFileSystem(_Files())


def _address(path: str) -> Address:
    found = place(path)
    if not isinstance(found, Address):
        raise FileNotFoundError(path)
    return found


class _Files(fs.FileSystemHandler):  # type: ignore[misc]
    """Of Arrow's questions to a file system, those that reading needs."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Files)

    __hash__ = None  # type: ignore[assignment]

    def get_type_name(self) -> str:
        return "eligo"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[fs.FileInfo]:
        return [_info(path) for path in paths]

    def get_file_info_selector(self, selector: fs.FileSelector) -> list[fs.FileInfo]:
        top = _address(selector.base_dir)
        found = store_of(top).list(top.prefix)
        files = [Address(top.scheme, top.authority, status.key) for status in found]
        if not files and not selector.allow_not_found:
            raise FileNotFoundError(selector.base_dir)
        return [fs.FileInfo(str(file), fs.FileType.File) for file in sorted(files, key=str)]

    def open_input_file(self, path: str) -> pa.NativeFile:
        return pa.PythonFile(RemoteFile(_address(path)), mode="r")

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.open_input_file(path)

    def _not_here(self, *paths: object, **options: object) -> None:
        raise NotImplementedError("stores are only read through Arrow")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = _not_here
    move = copy_file = open_output_stream = open_append_stream = _not_here


def _info(path: str) -> fs.FileInfo:
    address = _address(path)
    store = store_of(address)
    status = store.status(address.key)
    if status is not None:
        return fs.FileInfo(path, fs.FileType.File, size=status.num_bytes)
    is_folder = next(iter(store.list(address.prefix)), None) is not None
    return fs.FileInfo(path, fs.FileType.Directory if is_folder else fs.FileType.NotFound)
