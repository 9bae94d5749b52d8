"""What would A-Tree 2021's reorganisation bring the frozen tree? Covers of all nodes, before freezing.

The frozen engine has all expressions at once, so there is no order of arrival: each AND and OR of three or more
children is covered by nodes with the same operator and fewer children (Algorithm 2; nothing is left for Algorithm 3),
no child twice, because a match scores each of its predicates once. The engine itself does not do this:
`docs/decisions/no-reorganisation.md`.
"""

from __future__ import annotations

from functools import partial
from time import thread_time
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.fresh_events import FreshEvents
from benchmarks.grown_trees import Population
from benchmarks.single_event import events_alone
from benchmarks.timing import Action, interleave_fresh
from eligo import EventBatch
from eligo.data.expressions.expression_source import read_expressions
from eligo.engines.a_tree.always_literal import with_always_literal
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.freeze import freeze_nodes, share
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE, NEVER, SharedNodes
from eligo.engines.growing_tree.kernels.growing_search import SearchArrays, choose_cover
from eligo.engines.list_offsets import offsets_of
from eligo.kernels.codes import LITERAL, XNOR, XOR
from eligo.language.limits import DEFAULT_LIMITS

NUM_SAMPLE, NUM_SINGLE, NUM_BATCH, NUM_ROUNDS = 512, 64, 512, 9
POPULATIONS = (
    Population("abe_gen", 100_000),
    Population("abe_gen", 1_000_000),
    Population("ads_like", 300_000),
    Population("conjunctions", 300_000),
)
FORMS = {"as it is": (), "ANDs": ("and",), "ANDs and ORs": ("and", "or")}
"""What is reorganised."""
Roots = npt.NDArray[np.uint32]


def reorganise(
    nodes: SharedNodes, roots: Roots, num_literals: int, kinds: tuple[str, ...]
) -> tuple[SharedNodes, Roots]:
    """The same nodes with covers of their children, and the same roots; nodes of other kinds stay as they are."""
    tree = search_arrays(nodes, num_literals, kinds)
    counts = np.diff(nodes.child_offsets.astype(np.int64))
    children = np.split(tree.children, nodes.child_offsets[1:-1].astype(np.int64))
    for node in np.flatnonzero((counts > 2) & (tree.kind_of_node[num_literals:] != LITERAL)).tolist():
        kind = int(tree.kind_of_node[num_literals + node])
        children[node] = choose_cover(kind, children[node], tree, np.zeros(2, np.int64))
    return in_order(nodes, roots, children, num_literals)


def search_arrays(nodes: SharedNodes, num_literals: int, kinds: tuple[str, ...]) -> SearchArrays:
    """The nodes as the growing tree's search reads them, each anchored at its rarest child; literals come first.

    The kinds are those of XOR and XNOR, whose covers have no member twice.
    """
    num_nodes = len(nodes.node_is_and)
    counts = np.diff(nodes.child_offsets.astype(np.int64))
    owner = np.repeat(np.arange(num_nodes), counts)
    children = np.where(nodes.children >= CONNECTIVE, nodes.children - CONNECTIVE + num_literals, nodes.children)
    children = children[np.lexsort((children, owner))].astype(np.uint32)
    uses = np.bincount(children, minlength=num_literals + num_nodes)
    anchors = children[np.lexsort((uses[children], owner))][nodes.child_offsets[:-1].astype(np.int64)]
    num_anchored = np.bincount(anchors, minlength=num_literals + num_nodes).astype(np.uint32)
    kind = np.full(num_literals + num_nodes, LITERAL, np.uint8)
    and_kind, or_kind = (XOR if "and" in kinds else LITERAL), (XNOR if "or" in kinds else LITERAL)
    kind[num_literals:] = np.where(nodes.node_is_and == 1, and_kind, or_kind)
    none = np.zeros(num_literals + num_nodes, np.uint32)
    return SearchArrays(
        kind,
        *(none, none, np.zeros(1, np.uint32)),
        np.concatenate([none[:num_literals], nodes.child_offsets[:-1]]),
        np.concatenate([none[:num_literals], counts.astype(np.uint32)]),
        children,
        offsets_of(num_anchored)[:-1],
        num_anchored,
        num_anchored,
        (np.argsort(anchors, kind="stable") + num_literals).astype(np.uint32),
    )


def in_order(
    nodes: SharedNodes, roots: Roots, children: list[npt.NDArray[np.uint32]], num_literals: int
) -> tuple[SharedNodes, Roots]:
    """The nodes with these children, renumbered so that children come before parents."""
    lengths = np.array([len(own) for own in children])
    everything = np.concatenate(children).astype(np.int64)
    is_inner = everything >= num_literals
    owner, inner = np.repeat(np.arange(len(children)), lengths)[is_inner], everything[is_inner] - num_literals
    level, raised = np.zeros(len(children), np.int64), np.ones(len(children), np.int64)
    while not np.array_equal(level, raised):
        level = raised
        raised = np.ones(len(children), np.int64)
        np.maximum.at(raised, owner, level[inner] + 1)
    order = np.argsort(level, kind="stable")
    number = np.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    written = np.concatenate([children[node] for node in order.tolist()]).astype(np.uint32)
    is_inner = written >= num_literals
    written[is_inner] = CONNECTIVE + number[written[is_inner] - np.uint32(num_literals)]
    new_roots = roots.copy()
    is_node = (roots >= CONNECTIVE) & (roots < NEVER)
    new_roots[is_node] = CONNECTIVE + number[roots[is_node] - CONNECTIVE]
    return SharedNodes(nodes.node_is_and[order], offsets_of(lengths[order]), written), new_roots


def compared(bench: Bench, population: Population) -> dict[str, dict[str, Any]]:
    """The engine over each form of the nodes: what it holds and what it takes; once in a run."""
    key = ("reorganised", population)
    if key in bench.contests:
        known: dict[str, dict[str, Any]] = bench.contests[key]
        return known
    workload = bench.workload(population.name)
    given = read_expressions(workload.expressions, schema=None, limits=DEFAULT_LIMITS, id="id", expression="expression")
    vocabulary, encoded = given.encode("unknown")
    table = with_always_literal(encoded)
    fresh = FreshEvents(workload.events)
    num_single, num_batch, num_rounds = (NUM_SINGLE, NUM_BATCH, NUM_ROUNDS) if bench.is_full else (8, 8, 2)

    def events(count: int) -> EventBatch:
        return EventBatch.from_arrow(fresh.take(count), vocabulary)

    sample = events(NUM_SAMPLE) if bench.is_full else None
    batch = events(num_batch)
    engines, found = {}, {}
    for form, kinds in FORMS.items():
        nodes, roots = share(table)
        started = thread_time()
        if kinds:
            nodes, roots = reorganise(nodes, roots, table.num_literals, kinds)
        found[form] = {"reorganisation_s": thread_time() - started, "nodes": len(nodes.node_is_and)}
        found[form]["edges"] = len(nodes.children)
        engines[form] = ATree(freeze_nodes(table, vocabulary, nodes, roots, sample), table, vocabulary)
        found[form]["bytes"] = engines[form].stats().num_bytes
    expected = engines["as it is"].match_batch(batch)
    for form, engine in engines.items():
        for answer in (engine.match_batch(batch), engine.match_one_by_one(batch)):
            if not np.array_equal(answer.offsets, expected.offsets) or not np.array_equal(
                answer.positions, expected.positions
            ):
                raise WrongAnswerError(f"the tree with {form} reorganised answers differently")

    def one_by_one() -> dict[str, Action]:
        singles = events_alone(events(num_single))
        return {form: partial(match_each, engine, singles) for form, engine in engines.items()}

    def in_blocks() -> dict[str, Action]:
        block = events(num_batch)
        return {form: partial(engine.match_batch, block) for form, engine in engines.items()}

    alone, blocks = interleave_fresh(one_by_one, num_rounds), interleave_fresh(in_blocks, num_rounds)
    for form in FORMS:
        found[form]["single_ms"] = 1e3 * alone[form].median / num_single
        found[form]["block_ms"] = 1e3 * blocks[form].median / num_batch
        found[form]["spreads"] = {
            "single_ms": spread(alone[form].rounds, num_single),
            "block_ms": spread(blocks[form].rounds, num_batch),
        }
    bench.contests[key] = found
    return found


def spread(rounds: list[float], num_events: int) -> tuple[float, float]:
    """Between which milliseconds an event half of the rounds lie."""
    low, high = np.percentile(rounds, (25, 75)).tolist()
    return 1e3 * low / num_events, 1e3 * high / num_events


def match_each(engine: ATree, singles: list[EventBatch]) -> None:
    """Ask for each event."""
    for event in singles:
        engine.match(event)


COLUMNS = {
    "edges": ("edges", "million", 1e-6),
    "bytes": ("size", "MiB", 2.0**-20),
    "single_ms": ("one event", "ms an event", 1.0),
    "block_ms": ("in blocks", "ms an event", 1.0),
    "reorganisation_s": ("reorganisation", "s", 1.0),
}


def measured(bench: Bench, population: Population, form: str, column: str) -> Outcome:
    """One figure of one form; the whole of it is in the details of its first row."""
    found = compared(bench, population)[form]
    details = found if column == "edges" else {}
    return Outcome(found[column] * COLUMNS[column][2], details, found["spreads"].get(column))


def rows(population: Population) -> tuple[Measurement, ...]:
    """The rows of a workload."""
    return tuple(
        Measurement(
            f"{population.workload}_{population.num_expressions}_{column}_{number}",
            f"{population.num_expressions:,} `{population.workload}`, {title}: {form}",
            unit,
            partial(measured, population=population, form=form, column=column),
            workloads=(population.name,),
        )
        for column, (title, unit, _) in COLUMNS.items()
        for number, form in enumerate(FORMS)
        if column != "reorganisation_s" or FORMS[form]
    )


EXPERIMENT = Experiment(
    "a_tree_reorganisation",
    "What would the paper's reorganisation bring the frozen tree? (A-Tree 2021, Algorithms 2 and 3)",
    tuple(row for population in POPULATIONS for row in rows(population)),
)
