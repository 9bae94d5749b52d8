"""Do the field of all engines and the experiments of A-Tree 2021 run, and become tables and pictures?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import contest_tables, plots, results, runner
from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments import a_tree_sweeps, a_tree_table4, field
from benchmarks.experiments import catalogue as experiments
from benchmarks.tree_forms import alone, binary
from benchmarks.workloads import catalogue
from eligo.data.expressions.expression_source import read_expressions
from eligo.engines import registry
from eligo.engines.a_tree.engine import ATree
from eligo.kernels.codes import LITERAL
from eligo.language.limits import DEFAULT_LIMITS

pytestmark = pytest.mark.usefixtures("tiny_workloads")


def run(name: str, only: list[str], folder: Path) -> tuple[Any, str]:
    """Some rows of an experiment, stored, drawn, and as a table."""
    result = runner.run(experiments.get(name), "small", only=only, say=lambda line: None)
    stored = results.load(results.save(result, folder))
    plots.draw(stored, folder / "picture.png")
    assert (folder / "picture.png").stat().st_size > 10_000
    return stored, contest_tables.markdown(stored)


def test_all_engines_meet_on_all_workloads(tmp_path: Path) -> None:
    elsewhere = {"offers", "tatbul_profiles"}  # one needs documents, one is for structures of ranges
    assert {name.split(" ")[0] for name in field.COLUMNS.values()} == set(catalogue.WORKLOADS) - elsewhere
    chosen = [row.name for row in field.EXPERIMENT.measurements if row.name.startswith(("abe_gen", "ads_like_1_"))]
    result, table = run("field", chosen, tmp_path)
    assert [row.name for row in result.rows if row.name.endswith("_auto")] == [
        "abe_gen_auto",
        "ads_like_1_percent_auto",
    ]
    usual = result.row("ads_like_1_percent_a_tree")
    assert usual.details["refused"]["translation"].startswith("the disjunctive normal form has more than 10,000 lit")
    for engine in registry.names():
        assert f"| `{engine}` | " in table or engine == field.CHOOSING
    assert "|  | `abe_gen` | `ads_like` 1 % |" in table
    assert "| `a_tree` / quickest | " in table
    assert (
        "— the disjunctive normal form has more than 10,000 literals: k_index, sift, propagation, translation." in table
    )
    bars = {row.name: (row.bar.limit, row.bar.at_least) for row in field.EXPERIMENT.measurements if row.bar}
    assert len(bars) == len(field.COLUMNS) and set(bars.values()) == {(1.3, False)}


def test_the_chosen_engine_is_divided_by_the_quickest(monkeypatch: pytest.MonkeyPatch) -> None:
    column = "`conjunctions`"
    bench, meeting = Bench("small", 1), field.contest("`conjunctions`")
    found = meeting.held(bench, meeting.points[0])
    monkeypatch.setattr(field, "CHOOSING", "scan")
    outcome = field.chosen_over_best(bench, column)
    times = {name: found["ms_per_event"][name] for name in field.ENGINES if name in found["ms_per_event"]}
    assert outcome.value == times["scan"] / min(times.values())
    assert outcome.details["engine"] == "scan"
    assert times[outcome.details["quickest"]] == min(times.values())


def test_table_4_has_a_row_for_each_index_beside_the_papers(tmp_path: Path) -> None:
    names = [row.name for row in a_tree_table4.EXPERIMENT.measurements]
    result, table = run("a_tree_table4", names, tmp_path)
    assert len(result.rows) == 3 * 7 + 5
    assert table.count("| `translation` | — | 13.7 | — | 25.7 | — | 4,912 |") == 1
    assert "| interval_id / a_tree | " in table and table.count(" | 33.5 |") == 1 and table.count(" | 331 |") == 1


def test_times_by_share_stand_beside_writing(tmp_path: Path) -> None:
    names = [
        row.name
        for row in experiments.get("a_tree_shares").measurements
        if row.name.endswith(("_50", "_50_matching_a_tree_block"))
    ]
    result, _ = run("a_tree_shares", names, tmp_path)
    writing = result.row("writing_50")
    assert writing.details["num_positions"] == pytest.approx(150, rel=0.4)
    assert writing.spread[0] <= writing.value <= writing.spread[1]


def test_the_designs_of_figure_8_agree(tmp_path: Path) -> None:
    names = [row.name for row in experiments.get("a_tree_fig8").measurements if "0_6" in row.name or "0.6" in row.name]
    result, _ = run("a_tree_fig8", names, tmp_path)
    assert len(result.rows) == 4 and all(row.value for row in result.rows)


def test_the_sweeps_are_those_of_table_3(tmp_path: Path) -> None:
    values = {letter: [point.at for point in contest.points] for letter, contest in a_tree_sweeps.SWEEPS.items()}
    assert values["b"] == [1, 2, 3, 4, 5, 6] and values["c"] == [2, 4, 6, 8, 10, 12]
    assert values["d"] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert values["e"] == [30, 100, 300, 1_000, 3_000, 10_000] and values["f"] == [3, 10, 30, 100, 300, 1_000]
    assert values["h"] == [5, 10, 15, 20, 25, 30]
    usual = {point.workload for letter in "cdefgh" for point in a_tree_sweeps.SWEEPS[letter].points}
    assert len(usual) == 6 * 5 + 1, "the default workload is one point of all"
    result, table = run("a_tree_sweeps", ["depth_1", "depth_4", "children_4", "α_0_6".replace("_6", ".6")], tmp_path)
    assert "| depth 4 | " in table and "| α 0.6 | " in table
    assert "translation" in result.row("depth_4").details["refused"]


def texts(*expressions: str) -> Any:
    given = read_expressions(
        dict(enumerate(expressions)), schema=None, limits=DEFAULT_LIMITS, id="id", expression="expression"
    )
    return given.encode("unknown")


def test_forms_change_what_is_shared_and_not_what_matches() -> None:
    vocabulary, table = texts(
        "a and b and c and (d or e or f)", "a and b and c", "not a", "true", "a and b and (d or e)"
    )
    counts = {}
    for form in (lambda same: same, alone, binary):
        changed = form(table)
        engine = ATree.build(changed, vocabulary)
        counts[form.__name__] = (engine.stats().num_nodes, np.diff(changed.child_offsets.astype(np.int64)).max())
        assert all(not array.flags.writeable for array in changed.arrays().values())
    assert counts["binary"][1] == 2 < counts["<lambda>"][1]
    places = np.count_nonzero(table.node_kind == LITERAL)
    assert alone(table).num_literals == places > table.num_literals
    one = Contest(
        "n",
        (Contender("a", "a_tree"), Contender("b", "a_tree", form=alone), Contender("c", "a_tree", form=binary)),
        (Point(1, "abe_gen"), Point(2, "ads_like")),
    )
    result = runner.run(Experiment("forms", "?", one.rows()), "small", say=lambda line: None)  # ends if they differ
    assert all(set(row.details["ms_per_event"]) == {"a", "b", "c"} for row in result.rows)
