"""Where is compiled code kept? Where it can be written, and never together with code of other kernels."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from eligo.kernels.code_places import KEPT, cache_directory, find_places, source_digest
from fresh_process import run
from source_tree import SOURCE


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ELIGO_CACHE_DIR", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder in ("kernels", "engines/fast/kernels"):
        (tmp_path / "package" / folder).mkdir(parents=True)
    (tmp_path / "package" / "kernels" / "one.py").write_text("WORDS = 8\n")
    (tmp_path / "package" / "engines" / "fast" / "kernels" / "two.py").write_text("from kernels.one import WORDS\n")
    return tmp_path / "package"


def test_code_is_kept_beside_the_package(package: Path) -> None:
    places = find_places(package)
    assert places.written == package / "kernels" / "__pycache__" / "compiled" / source_digest(package)[:16]
    assert places.read == (places.written,)
    assert places.written.is_dir()


@pytest.mark.parametrize("name", ["ELIGO_CACHE_DIR", "NUMBA_CACHE_DIR"])
def test_a_given_place_comes_first(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, str(tmp_path / "given"))
    written = find_places(package).written
    assert written is not None
    assert written.parent == tmp_path / "given"


def test_a_change_of_one_kernel_makes_another_directory(package: Path) -> None:
    before = find_places(package)
    (package / "kernels" / "one.py").write_text("WORDS = 4\n")
    after = find_places(package)
    assert after.written not in before.read
    assert before.written not in after.read


def test_names_and_borders_of_files_count(package: Path) -> None:
    before = source_digest(package)
    (package / "kernels" / "one.py").rename(package / "kernels" / "three.py")
    assert source_digest(package) != before


def test_code_of_long_ago_is_removed(package: Path) -> None:
    made = []
    for number in range(KEPT + 2):
        (package / "kernels" / "one.py").write_text(f"WORDS = {number}\n")
        written = find_places(package).written
        assert written is not None
        os.utime(written, (number, number))
        made.append(written)
    (made[0].parent / "not-ours").mkdir()
    assert [path.is_dir() for path in made] == [False] * 2 + [True] * KEPT
    assert (made[0].parent / "not-ours").is_dir()


def test_what_cannot_be_made_is_passed_over(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    (package / "kernels" / "__pycache__").write_text("")
    monkeypatch.setenv("ELIGO_CACHE_DIR", str(tmp_path / "file" / "given"))
    places = find_places(package)
    assert places.written == tmp_path / "cache" / "eligo" / "compiled" / source_digest(package)[:16]
    assert places.read == (places.written,)


def test_a_process_without_any_place_has_one_of_its_own(tmp_path: Path) -> None:
    script = """
from pathlib import Path
from eligo.kernels import code_places
code_places.possible_places = lambda package: iter([Path("/dev/null/one")])
places = code_places.code_places()
assert turned() == EXPECTED and Compiled.names[0] == "transpose"
print(*places.written.rglob("*.code"))
"""
    kept = Path(run(script, tmp_path, ELIGO_COMPILE="now"))
    assert kept.suffix == ".code"
    assert not kept.exists()


def test_relative_cache_home_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "eligo"


NOBODY = 65534
OTHER_USER = f"""
from eligo.kernels import code_places
transpose(np.zeros(128, np.uint64)[::2], np.uint64(0))  # loads what the compiler needs, while it can be read
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
Compiled.names.clear()
given = sys.argv[1:] or os.environ.get("GIVEN", "")
os.environ.pop("ELIGO_CACHE_DIR")
if given:
    os.environ["ELIGO_CACHE_DIR"] = given
code_places.code_places.cache_clear()
assert turned() == EXPECTED
print(Compiled.names, *(path.parent for path in code_places.code_places().read), sep="\\n")
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A directory that other users can go through; pytest's own are closed."""
    made = Path(tempfile.mkdtemp(prefix="eligo-test-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become another user")
def test_another_user_keeps_code_of_an_installation_that_only_root_can_write(open_folder: Path) -> None:
    installed = open_folder / "eligo"
    shutil.copytree(SOURCE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    home = open_folder / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    now = {"ELIGO_COMPILE": "now", "XDG_CACHE_HOME": str(home)}

    first = run(OTHER_USER, open_folder / "roots", installed, **now).splitlines()
    assert first == ["['transpose', '_swap_halves']", str(home / "eligo" / "compiled")]
    kept = next(home.rglob("*.code"))
    assert kept.stat().st_uid == NOBODY
    assert run(OTHER_USER, open_folder / "roots", installed, **now).splitlines()[0] == "[]"

    # Root warms up a place, which the other user reads and cannot write.
    shutil.rmtree(home / "eligo")
    image = open_folder / "image"
    run("turned()", image, installed, ELIGO_COMPILE="now")
    assert stat.S_IMODE(next(image.rglob("*.code")).stat().st_mode) == 0o644
    second = run(OTHER_USER, open_folder / "roots", installed, **now, GIVEN=str(image)).splitlines()
    assert second == ["[]", str(image), str(home / "eligo" / "compiled")]

    # Code that a third user compiled is not executed, and the other one's own is found behind it.
    for path in image.rglob("*"):
        os.chown(path, NOBODY - 1, NOBODY - 1)
    for compiled in ("['transpose', '_swap_halves']", "[]"):
        found = run(OTHER_USER, open_folder / "roots", installed, **now, GIVEN=str(image)).splitlines()
        assert found == [compiled, str(image), str(home / "eligo" / "compiled")]

    # Kernels that have changed since are compiled, and the place of old code is neither read nor written.
    (installed / "kernels" / "newer.py").write_text("WORDS = 8\n")
    before = sorted(image.rglob("*"))
    third = run(OTHER_USER, open_folder / "roots", installed, **now, GIVEN=str(image)).splitlines()
    assert third == ["['transpose', '_swap_halves']", str(home / "eligo" / "compiled")]
    assert sorted(image.rglob("*")) == before
