"""The worked examples of Whang 2009: Figures 1 to 13, and those that stand in the text of sections 2 to 5.

The paper's ids begin at 1. Lists whose first entries are equal may stand in any order, in the paper as here.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines import registry
from eligo.engines.whang.cnf import Cnf
from eligo.engines.whang.k_index import KIndex
from eligo.engines.whang.kernels.best_items import new_best
from eligo.engines.whang.kernels.cnf_algorithm import cnf_score, count_disjunctions
from eligo.engines.whang.kernels.conjunction_ranking import conjunction_score, rank_event
from eligo.engines.whang.kernels.list_heads import ANY_SCORE, SLOT_BITS, meet, open_event, open_size
from eligo.engines.whang.kernels.list_scores import bound_of_size
from eligo.engines.whang.list_engine import ListEngine
from eligo.engines.whang.list_text import Entry, PostingList, Standing, posting_lists, rounds
from engine_cases import encoded

FIGURE_1 = [
    "age = 3^0.1 and state = 'NY'^4.0",
    "age = 3^0.1 and gender = 'F'^0.3",
    "age = 3^0.2 and gender = 'M'^0.5 and state not in ('CA')",
    "state = 'CA'^1.5 and gender = 'M'^0.9",
    "age in (3^0.1, 4^0.5)",
    "state not in ('CA', 'NY')",
]
FIGURE_2_BOUNDS = {"age": {3: 1.0, 4: 3.0}, "state": {"CA": 2.0, "NY": 5.0}, "gender": {"F": 2.0, "M": 1.0}}
FIGURE_2 = {
    0: [("state = 'CA'", 2.0, "6∉0"), ("state = 'NY'", 5.0, "6∉0"), ("Z", 0.0, "6∈0")],
    1: [("age = 3", 1.0, "5∈0.1"), ("age = 4", 3.0, "5∈0.5")],
    2: [
        ("state = 'NY'", 5.0, "1∈4"),
        ("age = 3", 1.0, "1∈0.1 2∈0.1 3∈0.2"),
        ("gender = 'F'", 2.0, "2∈0.3"),
        ("state = 'CA'", 2.0, "3∉0 4∈1.5"),
        ("gender = 'M'", 1.0, "3∈0.5 4∈0.9"),
    ],
}
FIGURE_7 = [
    "(A = 1^0.1 or B = 1^0.3) and (C = 1^0.2 or D = 1^2.1)",
    "(A = 1^0.3 or C = 2^2.5) and (B = 1^0.5 or D = 1^2.5)",
    "(A = 1^0.3 or B = 1^0.3) and (C = 2^2.7 or D = 1^1.7)",
    # Figure 7 writes the values {1} and {1, 2} of A the other way round; Figure 8 and the text have them so.
    "(A in (1^0.1, 2^0.1) or B = 1^0.5) and (A = 1^0.1 or D = 1^1.9)",
    "(A = 1^0.1 or B = 1^0.7) and (C not in (1, 2) or D not in (1) or E = 1^3.9)",
    "A not in (1) or B = 1^0.1",
]
FIGURE_8_BOUNDS = {"A": {1: 0.5, 2: 1.0}, "B": {1: 1.5}, "C": {1: 2.5, 2: 3.0}, "D": {1: 3.5}, "E": {1: 4.5}}
FIGURE_8 = {
    0: [("A = 1", 0.5, "6∉(0)0"), ("B = 1", 1.5, "6∈(0)0.1"), ("Z", 0.0, "6∈(-1)0")],
    1: [
        ("C = 1", 2.5, "5∉(1)0"),
        ("C = 2", 3.0, "5∉(1)0"),
        ("D = 1", 3.5, "5∉(1)0"),
        ("A = 1", 0.5, "5∈(0)0.1"),
        ("B = 1", 1.5, "5∈(0)0.7"),
        ("E = 1", 4.5, "5∈(1)3.9"),
    ],
    2: [
        ("A = 1", 0.5, "1∈(0)0.1 2∈(0)0.3 3∈(0)0.3 4∈(0)0.1"),
        ("B = 1", 1.5, "1∈(0)0.3 2∈(1)0.5 3∈(0)0.3 4∈(0)0.5"),
        ("C = 1", 2.5, "1∈(1)0.2"),
        ("D = 1", 3.5, "1∈(1)2.1 2∈(1)2.5 3∈(1)1.7 4∈(1)1.9"),
        ("C = 2", 3.0, "2∈(0)2.5 3∈(1)2.7"),
        ("A = 1", 0.5, "4∈(1)0.1"),
        ("A = 2", 1.0, "4∈(0)0.1"),
    ],
}
ASSIGNMENT = {"age": 3, "state": "CA", "gender": "M"}
RANKED_ASSIGNMENT = {"age": 3, "state": "NY", "gender": "F"}
RANKED_WEIGHTS = {"age": {3: 0.8}, "state": {"NY": 1.0}, "gender": {"F": 0.9}}


def bounded_engine(
    kind: type[ListEngine], texts: list[str], bounds: dict[str, dict[Any, float]], **options: Any
) -> Any:
    vocabulary, table = encoded(*texts, missing="false")
    key_bounds = np.zeros(vocabulary.num_keys)
    for attribute, bound_of in bounds.items():
        for value, bound in bound_of.items():
            key = vocabulary.key_of(attribute, value)
            assert key is not None
            key_bounds[key] = bound
    return kind.build(table, vocabulary, key_bounds=key_bounds, reorder=False, **options)


@pytest.fixture
def dnf() -> KIndex:
    engine: KIndex = bounded_engine(KIndex, FIGURE_1, FIGURE_2_BOUNDS)
    return engine


@pytest.fixture
def cnf() -> Cnf:
    engine: Cnf = bounded_engine(Cnf, FIGURE_7, FIGURE_8_BOUNDS)
    return engine


def batch(engine: ListEngine, event: dict[str, Any], weights: Any = None) -> EventBatch:
    return EventBatch.from_dicts([event], engine.vocabulary, weights=weights)


def entry_text(entry: Entry, *, weighted: bool = True) -> str:
    disjunction = f"({entry.disjunction})" if entry.disjunction is not None else ""
    return f"{entry.item + 1}{entry.annotation}{disjunction}" + (f"{entry.weight:g}" if weighted else "")


def list_text(posting_list: PostingList) -> tuple[str, float, str]:
    return posting_list.key, posting_list.bound, " ".join(entry_text(entry) for entry in posting_list.entries)


def standing_text(standing: Standing) -> list[tuple[str, str]]:
    return [(key, "EOL" if entry is None else entry_text(entry, weighted=False)) for key, entry in standing.current]


def found_ids(engine: ListEngine, event: dict[str, Any]) -> list[list[int]]:
    """What is found by the tree, and by the lists; ids from 1."""
    events = batch(engine, event)
    return [(found.positions + 1).tolist() for found in (engine.match_batch(events), engine.match_by_lists(events))]


def check_figure(engine: ListEngine, figure: dict[int, list[tuple[str, float, str]]]) -> None:
    found = posting_lists(engine)
    assert {posting_list.size for posting_list in found} == set(figure)
    for size, expected in figure.items():
        own = [list_text(posting_list) for posting_list in found if posting_list.size == size]
        assert sorted(own) == sorted(expected)
        assert [entries[:2] for _, _, entries in own] == [entries[:2] for _, _, entries in expected]


def test_figure_1_sizes(dnf: KIndex) -> None:
    sizes = {entry.item + 1: posting_list.size for posting_list in posting_lists(dnf) for entry in posting_list.entries}
    assert sizes == {1: 2, 2: 2, 3: 2, 4: 2, 5: 1, 6: 0}


def test_figure_2_posting_lists(dnf: KIndex) -> None:
    check_figure(dnf, FIGURE_2)


def test_figure_3_lists_of_an_assignment(dnf: KIndex) -> None:
    opened = {size: {key for key, _ in next(rounds(dnf, batch(dnf, ASSIGNMENT), size)).current} for size in (0, 1, 2)}
    assert opened == {
        0: {"state = 'CA'", "Z"},
        1: {"age = 3"},
        2: {"age = 3", "state = 'CA'", "gender = 'M'"},
    }


def test_figures_4_to_6_current_entries(dnf: KIndex) -> None:
    walked = list(rounds(dnf, batch(dnf, ASSIGNMENT), 2))
    assert [standing_text(standing) for standing in walked[:3]] == [
        [("age = 3", "1∈"), ("state = 'CA'", "3∉"), ("gender = 'M'", "3∈")],
        [("state = 'CA'", "3∉"), ("age = 3", "3∈"), ("gender = 'M'", "3∈")],
        [("state = 'CA'", "4∈"), ("gender = 'M'", "4∈"), ("age = 3", "EOL")],
    ]
    assert [standing.found for standing in walked] == [None, None, None, 3, None]
    assert {text for _, text in standing_text(walked[-1])} == {"EOL"}


def test_algorithm_1_finds_4_and_5(dnf: KIndex) -> None:
    assert found_ids(dnf, ASSIGNMENT) == [[4, 5], [4, 5]]


def algorithm_1(
    lists: dict[str, list[Entry]], size: int, *, is_corrected: bool, max_rounds: int
) -> tuple[list[int], int]:
    """Algorithm 1 on plain lists for one K, as printed or with the rejected id skipped everywhere."""
    needed = max(size, 1)
    current = {key: 0 for key in lists}
    matched: list[int] = []

    def entry(key: str) -> tuple[float, int]:
        place = current[key]
        if place == len(lists[key]):
            return float("inf"), 0
        return lists[key][place].item, int(lists[key][place].annotation == "∈")

    def skip(key: str, item: float) -> None:
        while entry(key)[0] < item:
            current[key] += 1

    for step in range(max_rounds):
        order = sorted(lists, key=entry)
        if len(order) < needed or entry(order[needed - 1])[0] == float("inf"):
            return matched, step
        first, last = entry(order[0]), entry(order[needed - 1])
        if first[0] != last[0]:
            for key in order[:needed]:
                skip(key, last[0])
            continue
        if first[1] == 0:
            for key in order if is_corrected else order[needed:]:
                if entry(key)[0] == first[0]:
                    skip(key, first[0] + 1)
                elif not is_corrected:
                    break
            continue
        matched.append(int(last[0]))
        for key in order[:needed]:
            skip(key, last[0] + 1)
    return matched, max_rounds


def test_algorithm_1_as_printed_does_not_end(dnf: KIndex) -> None:
    keys = {"age = 3", "state = 'CA'", "gender = 'M'"}
    lists = {found.key: list(found.entries) for found in posting_lists(dnf) if found.size == 2 and found.key in keys}
    assert algorithm_1(lists, 2, is_corrected=True, max_rounds=100) == ([3], 3)
    matched, num_rounds = algorithm_1(lists, 2, is_corrected=False, max_rounds=10_000)
    assert (matched, num_rounds) == ([], 10_000)  # for ever at conjunction 3, whose lists 0 to K - 1 never move


def test_figure_8_posting_lists(cnf: Cnf) -> None:
    check_figure(cnf, FIGURE_8)


def test_figure_7_as_printed_has_value_2_in_the_second_disjunction() -> None:
    printed = "(A = 1^0.1 or B = 1^0.5) and (A in (1^0.1, 2^0.1) or D = 1^1.9)"
    engine = bounded_engine(Cnf, [*FIGURE_7[:3], printed, *FIGURE_7[4:]], FIGURE_8_BOUNDS)
    [found] = [found for found in posting_lists(engine) if found.key == "A = 2"]
    assert list_text(found) == ("A = 2", 1.0, "4∈(1)0.1")
    assert found_ids(engine, {"A": 1, "C": 2}) == [[3, 4, 5], [3, 4, 5]]


def test_figure_9_lists_of_an_assignment(cnf: Cnf) -> None:
    opened = {
        size: sorted(key for key, _ in next(rounds(cnf, batch(cnf, {"A": 1, "C": 2}), size)).current)
        for size in (0, 1, 2)
    }
    assert opened == {0: ["A = 1", "Z"], 1: ["A = 1", "C = 2"], 2: ["A = 1", "A = 1", "C = 2"]}


def test_algorithm_2_finds_3_4_and_5(cnf: Cnf) -> None:
    assert found_ids(cnf, {"A": 1, "C": 2}) == [[3, 4, 5], [3, 4, 5]]


def test_counters_of_section_4(cnf: Cnf) -> None:
    """The final state of the counters for every expression that enough lists meet in."""
    event = batch(cnf, {"A": 1, "C": 2})
    lists, heads, counters = cnf.lists, cnf.heads(event), cnf.counters()
    shift = np.uint64(int(lists.layout[SLOT_BITS]) + 2)
    open_event(0, event, lists, heads)
    states: dict[int, tuple[list[int], bool]] = {}
    for rank, size in enumerate(lists.sizes.tolist()):
        count, number, target = open_size(rank, lists, heads), 0, np.uint64(0)
        while True:
            item, number, count = meet(
                size, count, number, target, ANY_SCORE, -1, shift, np.uint64(0), lists.entries, heads.place, heads.end,
                heads.bound, heads.word, heads.head, heads.counts,
            )  # fmt: skip
            if item < 0:
                break
            holds = count_disjunctions(item, number, lists, heads.word, counters)
            num_disjunctions = int(lists.disjunction_offsets[item + 1] - lists.disjunction_offsets[item])
            states[int(item) + 1] = (counters[:num_disjunctions].tolist(), bool(holds))
            target = (np.uint64(item) + np.uint64(1)) << shift
    assert states == {
        2: ([1, 0], False),
        3: ([1, 1], True),
        4: ([1, 1], True),
        5: ([1, -1], True),
        6: ([0], False),
    }
    assert lists.disjunction_outs.tolist()[-3:] == [0, 2, 1]


def test_score_16_of_section_2() -> None:
    index = eligo.build({"x": "age in (1^10, 2^5) and state = 'CA'^3"}, engine="k_index")
    assert index.top({"age": 1, "state": "CA"}, weights={"state": 2.0}) == [("x", 16.0)]


def test_figures_10_to_12_pruned_steps(dnf: KIndex) -> None:
    event = batch(dnf, RANKED_ASSIGNMENT, RANKED_WEIGHTS)
    lists, heads = dnf.lists, dnf.heads(event)
    shift = np.uint64(int(lists.layout[SLOT_BITS]) + 2)
    out_bits = np.uint64(3) << (shift - np.uint64(2))
    open_event(0, event, lists, heads)
    count = open_size(2, lists, heads)

    def walk_on(count: int, number: int, target: int, worst: int, max_rounds: int) -> tuple[int, int, int]:
        found: tuple[int, int, int] = meet(
            2, count, number, np.uint64(target) << shift, worst, max_rounds, shift, out_bits, lists.entries,
            heads.place, heads.end, heads.bound, heads.word, heads.head, heads.counts,
        )  # fmt: skip
        return found

    item, number, count = walk_on(count, 0, 0, ANY_SCORE, -1)
    assert (item + 1, number) == (1, 2)  # Figure 10: state = 'NY' and age = 3
    worst = conjunction_score(number, lists, heads)
    assert worst == 4_080_000_000
    _, _, count = walk_on(count, number, 1, worst, 0)
    on_second = [(int(heads.word[place] >> shift) + 1, int(heads.bound[heads.head[place]])) for place in range(count)]
    assert on_second == [(2, 800_000_000), (2, 1_800_000_000)]  # Figure 11: 2.6 in all
    item, _, count = walk_on(count, 0, 0, worst, 1)
    assert (item, count) == (-1, 1)  # both skip to conjunction 3, and gender = 'F' is at its end
    bounds = np.zeros(dnf.vocabulary.num_attributes, np.int64)
    assert bound_of_size(1, 1, lists, heads, bounds) == 800_000_000  # Figure 12
    assert bound_of_size(0, 0, lists, heads, bounds) == 0

    marks = np.zeros(1, np.uint64)
    found = new_best(1, 6)
    left_out = rank_event(event, lists, dnf.heads(event), found, np.zeros(0, np.uint8), marks, bounds)
    assert left_out == 2  # K = 1 and K = 0
    assert (found.positions.tolist(), found.units.tolist()) == ([0], [4_080_000_000])
    for top in (dnf.top(event, 1), dnf.top_by_lists(event, 1)):
        assert (top.positions.tolist(), top.scores.tolist()) == ([0], [4.08])


def test_figure_13_pruned_step(cnf: Cnf) -> None:
    weights = {"A": {1: 0.1}, "C": {2: 0.9}}
    event = batch(cnf, {"A": 1, "C": 2}, weights)
    lists, heads = cnf.lists, cnf.heads(event)
    shift = np.uint64(int(lists.layout[SLOT_BITS]) + 2)
    open_event(0, event, lists, heads)
    count, number, target = open_size(2, lists, heads), 0, 0
    met = []
    worst = ANY_SCORE
    while True:
        item, number, count = meet(
            2, count, number, np.uint64(target) << shift, worst, -1, shift, np.uint64(0), lists.entries, heads.place,
            heads.end, heads.bound, heads.word, heads.head, heads.counts,
        )  # fmt: skip
        if item < 0:
            break
        met.append(int(item) + 1)
        target = int(item) + 1
        if count_disjunctions(item, number, lists, heads.word, cnf.counters()):
            worst = cnf_score(number, lists, heads)
    assert worst == 2_460_000_000
    assert met == [2, 3]  # 4 is passed: two lists of A = 1 with UB 0.5 and weight 0.1 reach 0.1 only
    for top in (cnf.top(event, 1), cnf.top_by_lists(event, 1)):
        assert (top.positions.tolist(), top.scores.tolist()) == ([2], [2.46])


@pytest.mark.parametrize("engine", ["k_index", "cnf"])
def test_weak_and_strong_not_in_of_section_2_2(engine: str) -> None:
    texts = {
        "weak": "age in (2) and state weak not in ('NY')",
        "strong": "age in (2) and state strong not in ('NY')",
    }
    index = eligo.build(texts, engine=engine, missing="false")
    assert index.match({"age": 2}) == ["weak"]
    assert index.match({"age": 2, "state": "CA"}) == ["weak", "strong"]
    assert index.match({"age": 2, "state": "NY"}) == []


MONTHS = [f"{year}/{month:02}" for year in range(2006, 2010) for month in range(1, 13)]
LISTED = ["2006/12", *MONTHS[12:36], "2009/01"]


@pytest.mark.parametrize("engine", ["k_index", "cnf", "a_tree"])
def test_ranges_of_section_2_3(engine: str) -> None:
    """2006/12 ≤ date ≤ 2009/01: by enumeration, by the hierarchy of years and months, and as a range."""
    nodes = ("2006/12", "2007", "2008", "2009/01")
    by_value = ", ".join(f"'{month}'" for month in LISTED)
    by_node = " or ".join(f"date under '{node}'" for node in nodes)
    by_day = "date between date '2006-12-01' and date '2009-01-31'"
    listed = eligo.build({"listed": f"date in ({by_value})", "under": by_node}, engine=engine)
    for month in MONTHS:
        assert listed.match({"date": month}) == (["listed", "under"] if month in LISTED else []), month
    days = eligo.build({"under": by_node, "between": by_day}, engine=engine)
    for month in MONTHS:
        year, number = map(int, month.split("/"))
        for day in (1, 28):
            expected = ["under", "between"] if month in LISTED else []
            assert days.match({"date": date(year, number, day)}) == expected, month
    ages = eligo.build({"enumerated": "age in (0, 1, 2)", "range": "age < 3"}, engine=engine)
    assert [ages.match({"age": age}) for age in range(5)] == [["enumerated", "range"]] * 3 + [[]] * 2


IN_NODES = "date under ('2006/12', '2007', '2008', '2009/01')"


@pytest.mark.parametrize("kind", [KIndex, Cnf])
def test_a_hierarchy_needs_four_keys_where_enumeration_needs_twenty_six(kind: type[ListEngine]) -> None:
    """One ∈ predicate, with the paper's own values, on an attribute that holds strings."""
    listed = ", ".join(f"'{month}'" for month in LISTED)
    schema = {"date": "string"}
    name = "k_index" if kind is KIndex else "cnf"
    for text, num_keys in ((f"date in ({listed})", 26), (IN_NODES, 4)):
        index = eligo.build({"x": text}, engine=name, schema=schema)
        assert isinstance(index.engine, kind)
        found = posting_lists(index.engine)
        assert len(found) == num_keys
        assert [entry.annotation for each in found for entry in each.entries] == ["∈"] * num_keys
        assert index.engine.stats().details["items"] == 1
        assert index.engine.stats().num_postings == num_keys
    assert {each.key for each in found} == {f"date under '{node}'" for node in ("2006/12", "2007", "2008", "2009/01")}
    assert [index.match({"date": month}) for month in ("2006/11", "2006/12", "2008/2", "2009/02")] == [
        [],
        ["x"],
        ["x"],
        [],
    ]


def test_nodes_that_read_as_dates_are_ranges_too_where_dates_may_come() -> None:
    """Four keys for strings; for dates and for timestamps four ranges each, of two nodes of a segment tree here."""
    vocabulary, table = encoded(IN_NODES)
    assert (len(table.predicates.keys), len(table.predicates.range_axis)) == (4, 8)
    assert KIndex.build(table, vocabulary, ranges="segment_tree").stats().num_postings == 4 + 8 * 2


@pytest.mark.parametrize("schema", [None, {"date": "string", "seen": "string"}])
def test_two_ranges_of_dates_are_one_conjunction(schema: dict[str, str] | None) -> None:
    index = eligo.build({"x": f"{IN_NODES} and {IN_NODES.replace('date', 'seen')}"}, engine="k_index", schema=schema)
    assert index.stats().details["items"] == 1
    assert index.match({"date": "2007/05", "seen": "2009/01/31"}) == ["x"]
    assert index.match({"date": "2007/05", "seen": "2009/02"}) == []


@pytest.mark.parametrize("engine", registry.names())
def test_cnf_yes_dnf_no_of_section_1(engine: str) -> None:
    first = "A in ('a1', 'a2') {0} B not in ('b1', 'b2') {0} C = 'c1'"
    second = "A in ('a1', 'a3') {0} D not in ('d1')"
    dnf = f"{first.format('and')} or {second.format('and')}"
    cnf = f"({first.format('or')}) and ({second.format('or')})"
    index = eligo.build({"dnf": dnf, "cnf": cnf}, engine=engine)
    assert index.match({"A": "a1", "B": "b1", "C": "c2", "D": "d1"}) == ["cnf"]


@pytest.mark.parametrize("engine", registry.names())
def test_neither_intersection_nor_union_of_section_3(engine: str) -> None:
    """E₁ and E₂: the lists of a and b have nothing in common, and together they hold E₂, which is not satisfied."""
    index = eligo.build({"E1": "A = 'a'", "E2": "A = 'a' and B = 'b' and C = 'c'"}, engine=engine)
    assert index.match({"A": "a", "B": "b"}) == ["E1"]


def test_e1_and_e2_of_section_3_in_lists() -> None:
    vocabulary, table = encoded("A = 'a'", "A = 'a' and B = 'b' and C = 'c'", missing="false")
    engine = KIndex.build(table, vocabulary, reorder=False)
    held = {(found.size, found.key): [entry.item for entry in found.entries] for found in posting_lists(engine)}
    assert held == {(1, "A = 'a'"): [0], (3, "A = 'a'"): [1], (3, "B = 'b'"): [1], (3, "C = 'c'"): [1]}
    assert found_ids(engine, {"A": "a", "B": "b"}) == [[1], [1]]


def test_the_split_of_section_3() -> None:
    """E becomes c₁ of size 1 and c₂ of size 2; that the second names gender, as c₂ does, and not state, is clear."""
    vocabulary, table = encoded("age = 3 and state not in ('CA') or age = 3 and gender = 'F'", missing="false")
    engine = KIndex.build(table, vocabulary, reorder=False)
    assert engine.stats().details["items"] == 2
    assert engine.lists.matches.tolist() == [0, 0]
    held = {
        (found.size, found.key): [(entry.item, entry.annotation) for entry in found.entries]
        for found in posting_lists(engine)
    }
    first, second = (held[1, "age = 3"][0][0], held[2, "age = 3"][0][0])
    assert {first, second} == {0, 1}
    assert held == {
        (1, "age = 3"): [(first, "∈")],
        (1, "state = 'CA'"): [(first, "∉")],
        (2, "age = 3"): [(second, "∈")],
        (2, "gender = 'F'"): [(second, "∈")],
    }


@pytest.mark.parametrize(
    ("text", "size", "counters"),
    [
        ("(A = 1 or B = 2) and (C not in (3) or D = 4)", 1, [0, -1]),
        ("(A = 1 or B = 2) and (C not in (3) or D = 4) and (E not in (5) or F not in (6))", 1, [0, -1, -2]),
    ],
)
def test_sizes_and_first_counters_of_section_4(text: str, size: int, counters: list[int]) -> None:
    """A disjunction with a ∉ predicate does not count for the size; its counter begins at minus the number of these."""
    vocabulary, table = encoded(text, missing="false")
    engine = Cnf.build(table, vocabulary, reorder=False)
    assert engine.lists.sizes.tolist() == [size]
    state = engine.counters()
    count_disjunctions(0, 0, engine.lists, np.zeros(0, np.uint64), state)
    assert state[: len(counters)].tolist() == counters
    assert (-engine.lists.disjunction_outs.astype(np.int64)).tolist() == counters
