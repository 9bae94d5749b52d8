"""How is compiled code kept? In one file for each kind of arguments; what is damaged is compiled again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from eligo.kernels import code_cache
from eligo.kernels.code_places import CodePlaces, code_places
from eligo.kernels.kernel import Kernel


def added(array: np.ndarray) -> int:
    total = 0
    for element in array:
        total += element
    return total


def new_kernel() -> Kernel:
    made = Kernel(added, {}, {"nopython": True})
    made.keep_code()
    return made


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ELIGO_CACHE_DIR", str(tmp_path))
    code_places.cache_clear()
    yield tmp_path
    code_places.cache_clear()


def files(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file())


def test_each_kind_of_arguments_has_a_file(place: Path) -> None:
    ints, halves = np.arange(5), np.arange(5) / 2
    fixed = ints.copy()
    fixed.flags.writeable = False
    for array in (ints, halves, fixed):
        new_kernel()(array)
    assert len(files(place)) == 3
    for array, total in ((ints, 10), (halves, 5.0), (fixed, 10)):
        again = new_kernel()
        assert again(array) == total
        assert not again.stats.cache_misses


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damaged_code_is_compiled_again(place: Path, damage: bytes | None) -> None:
    new_kernel()(np.arange(5))
    (path,) = files(place)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert new_kernel()(np.arange(5)) == 10
    assert len(path.read_bytes()) > len(whole) // 2
    last = new_kernel()
    last(np.arange(5))
    assert not last.stats.cache_misses


def test_one_wrong_byte_is_enough(place: Path) -> None:
    new_kernel()(np.arange(5))
    (path,) = files(place)
    whole = bytearray(path.read_bytes())
    whole[-40] ^= 1
    path.write_bytes(whole)
    again = new_kernel()
    assert again(np.arange(5)) == 10
    assert again.stats.cache_misses
    assert bytes(whole) != path.read_bytes()


def test_code_that_others_can_write_is_not_used(place: Path) -> None:
    new_kernel()(np.arange(5))
    (path,) = files(place)
    path.chmod(0o666)
    again = new_kernel()
    assert again(np.arange(5)) == 10
    assert again.stats.cache_misses
    assert path.stat().st_mode & 0o777 == 0o644  # written anew


def test_code_under_the_name_of_other_code_is_not_used(place: Path) -> None:
    new_kernel()(np.arange(5))
    (of_ints,) = files(place)
    new_kernel()(np.arange(5) / 2)
    (of_floats,) = set(files(place)) - {of_ints}
    of_floats.write_bytes(of_ints.read_bytes())
    again = new_kernel()
    assert again(np.arange(5) / 2) == 5.0
    assert again.stats.cache_misses
    assert of_floats.read_bytes() != of_ints.read_bytes()


def test_code_that_cannot_be_used_hides_none_that_can(
    place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_kernel()(np.arange(5))
    (own,) = files(place)
    written = code_places().written
    assert written is not None
    others = tmp_path_factory.mktemp("others") / written.name
    hiding = others / own.relative_to(written)
    hiding.parent.mkdir(parents=True)
    monkeypatch.setattr(code_cache, "code_places", lambda: CodePlaces((others, written), written))
    for content, mode in ((own.read_bytes(), 0o666), (b"nonsense", 0o644)):
        hiding.write_bytes(content)
        hiding.chmod(mode)
        again = new_kernel()
        assert again(np.arange(5)) == 10
        assert not again.stats.cache_misses


def test_a_place_that_is_gone_does_not_matter(place: Path) -> None:
    written = code_places().written
    assert written is not None
    written.rmdir()
    written.write_text("in the way")
    assert new_kernel()(np.arange(5)) == 10


def test_flushing_removes_the_code(place: Path) -> None:
    made = new_kernel()
    made(np.arange(5))
    made._cache.flush()
    assert not files(place)
