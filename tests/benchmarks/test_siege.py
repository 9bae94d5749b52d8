"""A short form of the siege; and does each attack notice when something is lost, wrong or not ours?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eligo
from benchmarks.experiments import siege
from benchmarks.siege import damage, damage_bases, faults, fuzz_events, kill_adders, kill_points, kill_publishers, pairs
from benchmarks.siege.kill_points import StuckError, died_at
from benchmarks.siege.tally import Tally, in_processes
from benchmarks.siege.truth_table import truth_table
from benchmarks.siege.worlds import make_world
from eligo.errors import StorageError
from eligo.index.one_event.quick_path import PreparedPart
from eligo.language import tree as nodes
from eligo.language.evaluate import matches
from eligo.language.tree import Expression, postorder
from eligo.storage import directory
from eligo.storage.log import record_file

EVERY_KIND = {
    kind
    for kind in vars(nodes).values()
    if isinstance(kind, type)
    and issubclass(kind, Expression)
    and not kind.__subclasses__()
    and kind is not nodes.Literal
}


def survived(tally: Tally) -> int:
    assert tally.failures == []
    assert tally.num_failed == 0
    return tally.num_tried


def test_worlds_have_every_kind_of_node_and_many_matches() -> None:
    world = make_world(5, 400, 50)
    assert {type(node) for tree in world.trees for node in postorder(tree)} >= EVERY_KIND
    assert 0.1 < truth_table(world.trees, world.events, "false").mean() < 0.9


@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_the_table_is_the_oracles(missing: Any) -> None:
    world = make_world(6, 40, 30)
    table = truth_table(world.trees, world.events, missing)
    assert table.tolist() == [[matches(tree, event, missing) for event in world.events] for tree in world.trees]


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_as_the_oracle_says(seed: int) -> None:
    tally = Tally()
    pairs.compare_world(seed, tally, num_trees=40, num_events=40)
    assert survived(tally) == 1_600


def test_a_wrong_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = PreparedPart.ids
    monkeypatch.setattr(PreparedPart, "ids", lambda part, event: ids(part, event)[1:])
    tally = Tally()
    pairs.compare_world(1, tally, num_trees=30, num_events=10)
    assert any("match of event" in failure for failure in tally.failures)


def test_faults_in_the_middle_of_changes_are_survived() -> None:
    assert survived(faults.inject_faults(4, 60)) >= 60


def test_half_a_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_two_steps(index: eligo.Index, id: Any, expression: Any) -> None:
        index.delete(id)
        index.insert(id, expression)

    monkeypatch.setattr(eligo.Index, "replace", in_two_steps)
    assert faults.inject_faults(1, 60).num_failed > 0


def test_publishers_that_are_killed_lose_nothing() -> None:
    tally = kill_publishers.kill_publishers(3, 24)
    assert survived(tally) == 24
    assert tally.counts["publishers killed inside a publication"] >= 12


def test_a_publication_in_pieces_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_place(path: Path, chunks: Any) -> None:
        path.unlink(missing_ok=True)
        with open(path, "wb") as file:
            file.writelines(chunks)

    monkeypatch.setattr(directory, "replace_file", in_place)
    monkeypatch.setattr(kill_points, "CALLS", ("unlink",))  # few steps, so that one publication has them all
    tally = kill_publishers.kill_publishers(3, 40)
    assert tally.num_failed > 0


def test_processes_that_are_killed_lose_no_document() -> None:
    tally = kill_adders.kill_adders(3, 10)
    assert survived(tally) == 10
    assert tally.counts["adders killed at a moment of chance"] >= 3


@pytest.mark.long
def test_two_hundred_killed_processes_lose_no_document() -> None:
    tally = kill_adders.kill_adders(4, 200)
    assert survived(tally) == 200
    assert min(tally.counts["adders killed at a moment of chance"], tally.counts["adders killed inside a change"]) > 20


def test_a_document_that_is_not_on_the_disk_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwritten(log: Any, bodies: list[bytes], end: int, number: int) -> list[int]:
        return [end]

    monkeypatch.setattr(record_file.RecordWriter, "append", unwritten)
    assert kill_adders.kill_adders(3, 24).num_failed > 0  # some of which a checkpoint makes good


def test_a_damaged_base_does_not_answer() -> None:
    assert survived(damage_bases.damage_bases(1, 60)) == 60


def test_a_log_that_is_read_as_far_as_it_goes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "_checked_head", lambda *whatever: (record_file.START, False))
    assert damage_bases.damage_bases(1, 60).num_failed > 0


def test_a_writer_that_fails_is_no_kill() -> None:
    assert not died_at(1_000, lambda: None)
    with pytest.raises(StuckError, match="ended with 1"):
        died_at(1_000, lambda: 1 / 0)


@pytest.mark.parametrize("engine", ["a_tree", "k_index"])
def test_damaged_files_do_not_answer(engine: str) -> None:
    assert survived(damage.damage_files(engine, 1, 60)) == 60


def test_an_unnoticed_damage_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = eligo.open

    def careless(path: Any, version: int | None = None) -> Any:
        try:
            return opened(path, version=version)
        except StorageError:
            return opened(path, version=1)

    monkeypatch.setattr(damage.eligo, "open", careless)
    assert damage.damage_files("scan", 1, 30).num_failed > 0


def test_odd_events_are_answered_alike_or_refused() -> None:
    assert survived(fuzz_events.fuzz_events(2, 800)) >= 800


def test_a_foreign_exception_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def foreign(self: eligo.Index, event: Any) -> Any:
        raise KeyError("n")

    monkeypatch.setattr(eligo.Index, "match", foreign)
    tally = fuzz_events.fuzz_events(2, 40)
    assert "KeyError" in tally.failures[0]


def fails(seed: int) -> Tally:
    raise OSError(f"seed {seed}")


def test_a_process_that_ends_badly_is_a_failure() -> None:
    tally = in_processes(fails, [(1,), (2,)], 1)
    assert (tally.num_tried, tally.num_failed) == (2, 2)
    assert "OSError: seed 1" in tally.failures[0]


def test_more_tries_do_not_make_up_for_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally(num_tried=120)
    assert siege.outcome(tally, 100).value == 120
    tally.fail("seed 7")
    assert siege.outcome(tally, 100).value == 99
    assert "FAILED: seed 7" in capsys.readouterr().out
