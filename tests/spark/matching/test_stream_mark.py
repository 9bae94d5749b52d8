"""Does an output remember whose it is? Whatever checkpoint and output are put together, nothing is lost in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.errors import EligoError, InputError
from eligo.spark.matching.stream_mark import CHECKPOINT_MARK, MARK, claimed


class Stream:
    """The directories of a stream, and what Spark and Eligo leave in them."""

    def __init__(self, home: Path, name: str) -> None:
        self.checkpoint, self.out = home / f"{name}.checkpoint", home / name

    def claim(self, out: Path | None = None, rejects: Path | None = None) -> None:
        target = out or self.out
        with claimed(self.checkpoint, target, rejects or target / "_rejects"):
            pass

    def fail(self, out: Path | None = None, rejects: Path | None = None) -> None:
        """A start that is refused by Spark."""
        target = out or self.out
        with pytest.raises(ValueError), claimed(self.checkpoint, target, rejects or target / "_rejects"):
            raise ValueError

    def marks(self) -> dict[str, bytes]:
        """What is in the marks that are there."""
        places = (self.checkpoint / CHECKPOINT_MARK, self.out / MARK)
        return {str(place): place.read_bytes() for place in places if place.exists()}

    def batch(self, number: int, *, done: bool = True) -> None:
        for folder in ("offsets", *(("commits",) if done else ())):
            (self.checkpoint / folder).mkdir(parents=True, exist_ok=True)
            (self.checkpoint / folder / str(number)).touch()
        if done:
            (self.out / f"batch={number}").mkdir(parents=True)

    def forget(self) -> None:
        """As it was before there were marks."""
        (self.checkpoint / CHECKPOINT_MARK).unlink()
        (self.out / MARK).unlink()


@pytest.fixture
def one(tmp_path: Path) -> Stream:
    stream = Stream(tmp_path, "one")
    stream.claim()
    stream.batch(0)
    stream.claim()
    return stream


@pytest.fixture
def other(tmp_path: Path) -> Stream:
    return Stream(tmp_path, "other")


def test_another_checkpoint_is_refused(one: Stream, other: Stream) -> None:
    with pytest.raises(InputError, match=r"has the batches of another stream, whose checkpoint was .*one.checkpoint"):
        other.claim(one.out)
    assert not other.checkpoint.exists(), "what is refused leaves nothing"
    other.claim()
    other.batch(0)
    with pytest.raises(InputError, match="another stream"):
        other.claim(one.out)
    with pytest.raises(InputError, match="another stream"):
        one.claim(other.out)
    one.claim()


def test_another_output_is_refused(one: Stream, other: Stream) -> None:
    with pytest.raises(InputError, match=r"is the checkpoint of a stream with another output, .*/one,"):
        one.claim(other.out)
    one.out.rename(other.out)
    one.checkpoint.rename(other.checkpoint)
    other.claim()


def test_directories_of_rejects_have_an_owner_too(one: Stream, other: Stream, tmp_path: Path) -> None:
    one.claim(rejects=tmp_path / "bad")
    (tmp_path / "bad" / "batch=0").mkdir()
    one.claim(rejects=tmp_path / "bad")
    with pytest.raises(InputError, match="bad has the batches of another stream"):
        other.claim(rejects=tmp_path / "bad")
    with pytest.raises(InputError, match="another stream"):
        other.claim(rejects=one.out)


def test_a_start_that_fails_takes_its_own_marks_back(one: Stream, other: Stream, tmp_path: Path) -> None:
    other.fail(rejects=tmp_path / "bad")
    assert other.marks() == {} and not (tmp_path / "bad" / MARK).exists()
    Stream(tmp_path, "third").claim(other.out, rejects=tmp_path / "bad")


def test_a_start_that_fails_leaves_the_marks_that_were_there(one: Stream, other: Stream) -> None:
    before = one.marks()
    one.fail()
    assert one.marks() == before and len(before) == 2
    one.out.rename(other.out)
    one.checkpoint.rename(other.checkpoint)
    moved = other.marks()
    other.fail()
    assert other.marks() == moved, "and those that would have been written anew"
    (other.out / MARK).unlink()
    other.fail()
    assert not (other.out / MARK).exists() and (other.checkpoint / CHECKPOINT_MARK).exists()


def test_of_a_mark_that_cannot_be_made_the_others_go(other: Stream, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")  # which no directory can be made in the place of
    with pytest.raises(EligoError):
        other.claim(tmp_path / "link")
    assert other.marks() == {}


def test_what_was_cut_off_before_it_began_begins(one: Stream, other: Stream) -> None:
    other.claim()
    (other.out / MARK).unlink()  # between the two marks
    other.claim()
    other.batch(0, done=False)
    other.claim()


def test_what_has_no_mark_is_taken_over_if_it_fits(one: Stream, other: Stream) -> None:
    one.forget()
    with pytest.raises(InputError, match="another stream"):
        other.claim(one.out)
    one.claim()
    one.forget()
    (one.out / "batch=7").mkdir()
    with pytest.raises(InputError, match="another stream"):
        one.claim()
    other.batch(0)
    (other.out / "batch=0").rmdir()
    with pytest.raises(InputError, match="another output"):
        other.claim()


def test_what_is_no_directory_or_damaged_is_told(one: Stream, other: Stream, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        other.claim(tmp_path / "file")
    for damage in ("", "[]", "{}", '{"stream": 7, "checkpoint": ""}'):
        (one.out / MARK).write_text(damage)
        with pytest.raises(EligoError, match=r"_stream\.json is damaged"):
            one.claim()
