"""Does the experiment without compiled code begin without it, and leave all of it behind?"""

from __future__ import annotations

from pathlib import Path

from benchmarks import plots, runner
from benchmarks.experiments import cold


def test_a_process_without_compiled_code_answers_and_one_compiles_it_all(tmp_path: Path) -> None:
    result = runner.run(cold.EXPERIMENT, "small", say=lambda line: None)
    answer, warm_up = result.row("first_answer"), result.row("warm_up")
    assert answer is not None and answer.value is not None and answer.value > 0
    assert warm_up is not None and warm_up.value is not None and warm_up.value > 1
    assert (warm_up.details or {})["num_files"] > 30 and (warm_up.details or {})["bytes"] > 1_000_000
    plots.draw(result, tmp_path / "cold.png")
    assert (tmp_path / "cold.png").stat().st_size > 10_000


def test_nothing_is_said_of_when_to_compile() -> None:
    given = cold.environment("/somewhere")
    assert given["ELIGO_CACHE_DIR"] == "/somewhere"
    assert not [name for name in given if name.startswith(("ELIGO_", "NUMBA_")) and name != "ELIGO_CACHE_DIR"]
