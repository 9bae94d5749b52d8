"""Does the experiment on the service run, with a real server and a real load?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks import plots, runner
from benchmarks.experiments import service


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed")
def test_a_server_under_load(tmp_path: Path) -> None:
    result = runner.run(service.EXPERIMENT, "small", say=lambda line: None)
    values = {row.name: row.value for row in result.rows}
    assert None not in values.values() and values["errors"] == 0
    assert all(value > 0 for name, value in values.items() if value is not None and name not in ("errors", "growth"))
    growth, match = result.row("growth"), result.row("match")
    assert growth is not None and len((growth.details or {})["resident_mib"]) > 3
    assert match is not None and (match.details or {})["p99_ms"] > 0
    plots.draw(result, tmp_path / "service.png")
    assert (tmp_path / "service.png").stat().st_size > 10_000
