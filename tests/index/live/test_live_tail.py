"""Does a tail that someone reads stay as it is, whatever is done to the tails after it?"""

from __future__ import annotations

import random
from typing import Any

from eligo.index.live.live_tail import NODES_COPIED_AT_LEAST, NODES_COPIED_MEANWHILE, NewEntry, Tail
from eligo.index.settings import Settings
from eligo.language.evaluate import matches
from eligo.language.text.parse import parse


def new_tail() -> Tail:
    return Tail(Settings())


def new_entry(id: str, text: str) -> NewEntry:
    return NewEntry.of(id, text, parse(text), "unknown")


def ids_matched(tail: Tail, event: dict[str, Any]) -> list[Any]:
    return [entry.id for entry in tail.match(event)]


def test_the_tail_of_the_module_docstring() -> None:
    tail = new_tail().with_entry(new_entry("ad-7", "age in (3, 4)")).with_entry(new_entry("ad-9", "age = 4"))
    tail = tail.with_entry(new_entry("ad-8", "age >= 4 or vip")).without("ad-9")
    assert list(tail.entries) == [0, 2] and len(tail) == 2
    assert ids_matched(tail, {"age": 4}) == ["ad-7", "ad-8"]
    assert [places.tolist() for places in tail.match_places([{"age": 4}, {"age": 5}, {}])] == [[0, 1], [1], []]
    tail = tail.with_entry(new_entry("ad-9", "age = 4"))
    assert list(tail.entries) == [0, 2, 3], "a slot is not used again"


def test_an_id_that_comes_again_takes_the_place_of_the_one_before() -> None:
    before = new_tail().with_entry(new_entry("ad-1", "a = 1"))
    after = before.with_entry(new_entry("ad-1", "a = 2"))
    assert [(entry.id, entry.text) for entry in after.entries.values()] == [("ad-1", "a = 2")]
    assert ids_matched(before, {"a": 1}) == ["ad-1"] and ids_matched(after, {"a": 1}) == []
    assert after.version != before.version
    assert after.without("ad-2") is after, "nothing happens to a tail that has no such id"


def test_a_spare_that_no_one_reads_is_told_what_it_has_missed() -> None:
    first = new_tail().with_entry(new_entry("ad-1", "a = 1"))
    second = first.with_entry(new_entry("ad-2", "a = 1"))
    third = second.with_entry(new_entry("ad-3", "a = 1"))
    assert third is first, "the spare of the second"
    assert ids_matched(third, {"a": 1}) == ["ad-1", "ad-2", "ad-3"]
    assert ids_matched(second, {"a": 1}) == ["ad-1", "ad-2"]


def test_a_spare_that_is_being_read_is_left_alone() -> None:
    first = new_tail().with_entry(new_entry("ad-1", "a = 1"))
    first.readers[1] = 1
    tail = first
    for number in range(2, 6):
        tail = tail.with_entry(new_entry(f"ad-{number}", "a = 1"))
        assert tail is not first
    assert ids_matched(first, {"a": 1}) == ["ad-1"]
    assert len(ids_matched(tail, {"a": 1})) == 5


def test_a_spare_that_has_missed_too_much_is_not_caught_up() -> None:
    """It would take longer than a copy."""
    first = new_tail().with_entry(new_entry("ad-1", "a = 1"))
    large = " and ".join(f"a{number} = 1" for number in range(2 * NODES_COPIED_AT_LEAST // NODES_COPIED_MEANWHILE))
    second = first.with_entry(new_entry("ad-2", large))
    third = second.with_entry(new_entry("ad-3", "a = 1"))
    assert third is not first and third is not second
    assert ids_matched(third, {"a": 1}) == ["ad-1", "ad-3"]


def test_any_changes_with_readers_that_come_and_go() -> None:
    """Every tail that is read answers as the oracle does for what it held when the reader came."""
    chance = random.Random(11)
    tail = new_tail()
    held: dict[str, str] = {}
    read: list[tuple[Tail, dict[str, str], int]] = []
    for number in range(300):
        id = f"ad-{chance.randrange(12)}"
        if chance.random() < 0.6:
            text = f"a = {chance.randrange(4)} or b > {chance.randrange(4)} and c{chance.randrange(3)}"
            tail = tail.with_entry(new_entry(id, text))
            held = {**{key: own for key, own in held.items() if key != id}, id: text}
        else:
            tail = tail.without(id)
            held = {key: own for key, own in held.items() if key != id}
        if chance.random() < 0.3:
            tail.readers[number] = number
            read.append((tail, held, number))
        if len(read) > 4 or (read and chance.random() < 0.2):
            left, _, reader = read.pop(chance.randrange(len(read)))
            del left.readers[reader]
        for known, expected, _ in [*read, (tail, held, -1)]:
            event = {"a": chance.randrange(4), "b": chance.randrange(5), f"c{chance.randrange(3)}": True}
            wanted = [key for key, text in expected.items() if matches(parse(text), event, "unknown")]
            assert ids_matched(known, event) == wanted
            assert {key: own.text for own in known.entries.values() for key in [own.id]} == expected
