from __future__ import annotations

from pathlib import Path

import pytest

import eligo.kernels
from eligo.kernels.cache_guard import STAMP, cache_directories, drop_outdated, source_digest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder in ("kernels", "engines/fast/kernels"):
        (tmp_path / "package" / folder / "__pycache__").mkdir(parents=True)
    (tmp_path / "package" / "kernels" / "one.py").write_text("WORDS = 8\n")
    (tmp_path / "package" / "engines" / "fast" / "kernels" / "two.py").write_text("from kernels.one import WORDS\n")
    return tmp_path / "package"


@pytest.fixture
def folder(package: Path) -> Path:
    return package / "engines" / "fast" / "kernels"


def compiled(directory: Path) -> list[str]:
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("two.f-1.nbi", "two.f-1.nbc", "two.cpython-311.pyc"):
        (directory / name).write_text("code")
    return sorted(path.name for path in directory.iterdir())


def test_code_of_the_same_sources_is_kept(package: Path, folder: Path) -> None:
    drop_outdated(package)
    before = compiled(folder / "__pycache__")
    drop_outdated(package)
    assert sorted(path.name for path in (folder / "__pycache__").iterdir()) == before


def test_code_that_is_compiled_first_is_kept(package: Path, folder: Path) -> None:
    """A fresh installation has no directory for compiled code yet; the second process must not drop it."""
    for path in (package / "kernels" / "__pycache__", folder / "__pycache__"):
        path.rmdir()
    drop_outdated(package)
    given = next(iter(cache_directories(folder)))
    before = compiled(given)
    drop_outdated(package)
    assert sorted(path.name for path in given.iterdir()) == before
    assert len(before) == 4


def test_code_beside_the_sources_is_kept(package: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (folder / "__pycache__").rmdir()
    drop_outdated(package)
    before = compiled(folder / "__pycache__")
    drop_outdated(package)
    assert sorted(path.name for path in (folder / "__pycache__").iterdir()) == before
    assert not [path for path in list(cache_directories(folder))[1:] if path.exists()]


def test_a_change_of_one_kernel_drops_the_code_of_all(package: Path, folder: Path) -> None:
    drop_outdated(package)
    directories = list(cache_directories(folder))
    for directory in directories:
        compiled(directory)
    (package / "kernels" / "one.py").write_text("WORDS = 4\n")
    drop_outdated(package)
    for directory in directories:
        assert sorted(path.name for path in directory.iterdir()) == [STAMP, "two.cpython-311.pyc"]
        assert (directory / STAMP).read_text() == source_digest(package)


@pytest.mark.parametrize("stamp", [b"", b"\xff\xfe", b"0" * 64])
def test_code_of_unknown_age_is_dropped(package: Path, folder: Path, stamp: bytes) -> None:
    compiled(folder / "__pycache__")
    (folder / "__pycache__" / STAMP).write_bytes(stamp)
    drop_outdated(package)
    assert not list((folder / "__pycache__").glob("*.nb?"))


def test_names_and_borders_of_files_count(package: Path) -> None:
    before = source_digest(package)
    (package / "kernels" / "one.py").rename(package / "kernels" / "three.py")
    assert source_digest(package) != before


def test_numba_keeps_its_code_where_we_look() -> None:
    from eligo.kernels.bits import transpose

    kept_in = Path(transpose._cache.cache_path).resolve()  # type: ignore[attr-defined]
    directories = cache_directories(Path(eligo.kernels.__file__).resolve().parent)
    assert kept_in in [directory.resolve() for directory in directories]
