from __future__ import annotations

from pathlib import Path

import pytest

import eligo.kernels
from eligo.kernels.cache_guard import STAMP, cache_directories, drop_outdated, source_digest


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sources = tmp_path / "kernels"
    (sources / "__pycache__").mkdir(parents=True)
    (sources / "one.py").write_text("WORDS = 8\n")
    (sources / "two.py").write_text("from one import WORDS\n")
    return sources


def compiled(directory: Path) -> list[str]:
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("two.f-1.nbi", "two.f-1.nbc", "two.cpython-311.pyc"):
        (directory / name).write_text("code")
    return sorted(path.name for path in directory.iterdir())


def test_code_of_the_same_sources_is_kept(sources: Path) -> None:
    drop_outdated(sources)
    before = compiled(sources / "__pycache__")
    drop_outdated(sources)
    assert sorted(path.name for path in (sources / "__pycache__").iterdir()) == before


def test_a_change_of_one_kernel_drops_the_code_of_all(sources: Path) -> None:
    drop_outdated(sources)
    directories = list(cache_directories(sources))
    for directory in directories:
        compiled(directory)
    (sources / "one.py").write_text("WORDS = 4\n")
    drop_outdated(sources)
    for directory in directories:
        assert sorted(path.name for path in directory.iterdir()) == [STAMP, "two.cpython-311.pyc"]
        assert (directory / STAMP).read_text() == source_digest(sources)


@pytest.mark.parametrize("stamp", [b"", b"\xff\xfe", b"0" * 64])
def test_code_of_unknown_age_is_dropped(sources: Path, stamp: bytes) -> None:
    compiled(sources / "__pycache__")
    (sources / "__pycache__" / STAMP).write_bytes(stamp)
    drop_outdated(sources)
    assert not list((sources / "__pycache__").glob("*.nb?"))


def test_names_and_borders_of_files_count(sources: Path) -> None:
    before = source_digest(sources)
    (sources / "one.py").rename(sources / "three.py")
    assert source_digest(sources) != before


def test_numba_keeps_its_code_where_we_look() -> None:
    from eligo.kernels.bits import transpose

    kept_in = Path(transpose._cache.cache_path).resolve()  # type: ignore[attr-defined]
    directories = cache_directories(Path(eligo.kernels.__file__).resolve().parent)
    assert kept_in in [directory.resolve() for directory in directories]
