"""Do harnesses find what Eligo finds, are they stopped where not, and does the experiment say what it left out?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import contest_tables, plots, runner
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import RefusedError
from benchmarks.experiments import neighbours
from benchmarks.neighbours import contenders, exchange
from benchmarks.neighbours.contenders import CONTENDERS, Contender
from benchmarks.neighbours.harnesses import PythonHarness
from benchmarks.neighbours.race import SMALL, Race
from benchmarks.workloads import catalogue
from eligo.language.evaluate import matches

NAMED = {contender.name: contender for contender in CONTENDERS}
LOOP = NAMED["python_loop"]


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "SMALL", 3_000)
        yield Race(Bench("small", 1), SMALL.sizes[0])


def test_expressions_and_events_become_lines(tmp_path: Path) -> None:
    texts = ["s0 = 'v7' and r3 between 120 and 415", "l0 in ('v2', 'v5') and l1 in ('v9') and s1 = 'v0'"]
    exchange.write_expressions(tmp_path, pa.table({"expression": pa.chunked_array([texts])}), ["s0", "r3"])
    assert (tmp_path / exchange.EXPRESSIONS).read_text() == "s0 v7\tr3 120 415\nl0 v2 v5\tl1 v9\ts1 v0\n"
    assert (tmp_path / exchange.ATTRIBUTES).read_text() == "s0\nr3\n"
    events = [{"r3": 127, "s0": "v7", "l0": ["v1", "v2"]}, {"l0": ["v3"]}]
    exchange.write_events(tmp_path / exchange.ASKED, events)
    assert (tmp_path / exchange.ASKED).read_text() == "r3 127\ts0 v7\tl0 v1 v2\nl0 v3\n"
    assert exchange.read_events(tmp_path / exchange.ASKED) == events
    exchange.write_answers(tmp_path, [[5, 2], []])
    assert [found.tolist() for found in exchange.read_answers(tmp_path)] == [[2, 5], []]


def test_what_neighbours_are_compared_with_is_what_the_oracle_finds(race: Race) -> None:
    texts = race.expressions.column("expression").to_pylist()
    chosen = sorted({position for found in race.expected for position in found.tolist()} | set(range(0, 3_000, 50)))
    assert sum(map(len, race.expected)) > 0
    for event, expected in zip(race.checked, race.expected, strict=True):
        found = set(expected.tolist())
        assert all(matches(texts[place], event) == (place in found) for place in chosen)


@pytest.mark.parametrize("name", NAMED)
def test_a_neighbour_that_was_prepared_agrees(name: str, race: Race) -> None:
    contender = NAMED[name]
    reason = contenders.missing(contender)
    if reason is not None:
        pytest.skip(reason)
    timed = race.ask(contender)
    assert 0 < len(timed.times_ns) <= SMALL.asked
    assert min(timed.times_ns) > 0 and timed.build_s > 0


def test_a_neighbour_that_is_wrong_is_not_timed(race: Race, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "expected", [np.append(found, 2_999) for found in race.expected])
    monkeypatch.setattr(race, "timed", {})
    with pytest.raises(WrongAnswerError, match="a loop in Python and Eligo disagree"):
        race.ask(LOOP)
    assert race.timed == {}


def test_a_harness_that_fails_or_takes_too_long_is_left_out(race: Race, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Contender("broken", "broken", PythonHarness("no_such_module"), "")
    with pytest.raises(RefusedError, match=r"ended with 1: .*no_such_module"):
        race.ask(broken)
    small = Contender("small", "small", PythonHarness("python_loop"), "", only_up_to=100, why_not="too slow")
    with pytest.raises(RefusedError, match="too slow"):
        race.ask(small)
    monkeypatch.setattr(race, "timed", {})
    monkeypatch.setattr(race, "plan", SMALL.__class__(**{**vars(SMALL), "longest_s": 0.01}))
    with pytest.raises(RefusedError, match="was not done"):
        race.ask(LOOP)


def test_a_neighbour_whose_build_is_known_to_take_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ruler = NAMED["event_ruler"]
    monkeypatch.delenv(contenders.BUILD_LIMIT, raising=False)
    assert ruler.refusal(10_000) is None
    assert ruler.refusal(100_000) == (
        "not asked: its build takes some 490 s, more than 300 s (ELIGO_NEIGHBOURS_BUILD_S)"
    )
    assert ruler.refusal(1_000_000) == "not asked: its machine takes some 28 kB an expression"
    monkeypatch.setenv(contenders.BUILD_LIMIT, "1000")
    assert ruler.refusal(100_000) is None
    long = {contender.name for contender in CONTENDERS if contender.refusal(10_000)}
    assert long == set(), "everyone is asked of the smallest size"


def test_eligo_and_what_comes_near_are_asked_first_at_all_sizes() -> None:
    rows = [row.name for row in neighbours.EXPERIMENT.measurements]
    near = [
        f"{name}_{size}"
        for name in ("eligo_dict", "eligo_json_1000", "vespa_8", "vespa_32", "eligo_memory_open")
        for size in ("10k", "100k", "1m")
    ]
    far = [f"{contender.name}_10k" for contender in CONTENDERS if not contender.is_near]
    assert max(map(rows.index, near)) < min(map(rows.index, far))


def test_a_neighbour_that_is_not_here_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ELIGO_BENCHMARK_CACHE", str(tmp_path))
    for variable in (contenders.VESPA, contenders.BE_INDEXER):
        monkeypatch.delenv(variable, raising=False)
    assert "ELIGO_VESPA_CLASSPATH is not set" in (contenders.missing(NAMED["vespa_8"]) or "")
    assert "ELIGO_BE_INDEXER_DIR is not set" in (contenders.missing(NAMED["be_indexer"]) or "")
    assert contenders.missing(NAMED["duckdb"]) == "not prepared: python -m benchmarks.neighbours"
    assert contenders.missing(LOOP) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert contenders.prepare(NAMED["a_tree"]) == "there is no cargo here"
    assert contenders.prepare(NAMED["event_ruler"]) == "there is no java here"


@pytest.mark.usefixtures("tiny_workloads")
def test_the_experiment_beside_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SMALL_EVENTS", 3_000)  # as many as the ways below ask together
    chosen = ["eligo_dict", "eligo_engine", "eligo_json_1000", "eligo_arrow_100", "eligo_blocks", "python_loop"]
    chosen += ["dict_factor", "arrow_100_factor"]
    names = [f"{name}_{size}" for size in ("10k", "1m") for name in chosen]
    result = runner.run(neighbours.EXPERIMENT, "small", only=names, say=lambda line: None)
    found = {row.name: row for row in result.rows}
    assert {row.skipped for name, row in found.items() if name.endswith("1m")} == {"not at scale small"}
    here = {name: row for name, row in found.items() if name.endswith("10k")}
    assert all(row.value is not None and row.value > 0 for row in here.values())
    loop = here["python_loop_10k"].details or {}
    assert loop["bytes"] >= 0 and loop["runtime"].startswith("Python 3")
    factor = here["dict_factor_10k"].details or {}
    assert factor["fastest"] == "python_loop"

    markdown = contest_tables.markdown(result)
    assert "| Eligo: `match(dict)` | `dict` to ids | " in markdown
    assert "| `match(dict)` against the fastest neighbour | " in markdown
    assert "a loop in Python (1,000,000)" in markdown
    plots.draw(result, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 10_000


def test_figures_that_a_reader_cannot_repeat_are_marked() -> None:
    marked = {contender.name for contender in CONTENDERS if not contender.is_repeatable}
    assert marked == {"vespa_8", "vespa_32", "be_indexer"}
