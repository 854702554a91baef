"""The architecture, held by tests. Each states the reason of its rule; the last ones show that the rules can fail."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("leaderboard", "jobs", "api")
CORE_LIBRARIES = {"numpy", "scipy", "polars", "choix"}
DOORS_TO_THE_WORLD = {
    *("os", "io", "pathlib", "shutil", "tempfile", "glob", "subprocess", "signal", "select", "time", "logging"),
    *("socket", "ssl", "http", "urllib", "sqlite3", "asyncio", "threading", "multiprocessing", "concurrent"),
    *("secrets", "uuid"),
}
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "service", "services"}
LONGEST_FUNCTION = 50
LONGEST_SQL_IN_PYTHON = 3
SQL = re.compile(
    r"\s*(select\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|"
    r"delete\s+from\s|merge\s+into\s|create\s+(or\s+replace\s+)?(temp\w*\s+)?(table|view|index|unique|macro)\s|"
    r"alter\s+table\s|drop\s+(table|view|index)\s|copy\s+\(|from\s+\w+\s+(select|where|join)\s)",
    re.IGNORECASE,
)

Rule = Callable[[str, ast.Module], Iterable[str]]  # (path from the root, its tree) -> what is wrong, a text each


def product_files() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def broken_by_the_product(rule: Rule) -> list[str]:
    return [f"{name}: {problem}" for name, tree in map(parsed, product_files()) for problem in rule(name, tree)]


def parsed(path: Path) -> tuple[str, ast.Module]:
    return path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


# -- what a module imports ---------------------------------------------------------------------------------------------


def imports(name: str, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """(dotted module, whether it is imported as soon as this one is). `from a import b` gives `a` and `a.b`."""
    for node, at_once in _walk(tree, at_once=True):
        if isinstance(node, ast.Import):
            yield from ((alias.name, at_once) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, node)
            yield base, at_once
            yield from ((f"{base}.{alias.name}", at_once) for alias in node.names)


def _walk(node: ast.AST, *, at_once: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield child, at_once
        yield from _walk(child, at_once=at_once and not inside)


def _absolute(name: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = name.removesuffix(".py").split("/")[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def root_of(module: str) -> str:
    return module.split(".")[0]


def only_in(library: str, *places: str, lazily: bool = False) -> Rule:
    """A rule: `library` is imported only by files whose path starts with one of `places`; `lazily` = in functions."""

    def rule(name: str, tree: ast.Module) -> Iterator[str]:
        for module, at_once in imports(name, tree):
            if root_of(module) != library:
                continue
            if not name.startswith(places):
                yield f"imports {module}"
            elif lazily and at_once:
                yield f"imports {module} outside of a function"

    return rule


# -- the rules ---------------------------------------------------------------------------------------------------------


def core_imports_only_what_is_pure(name: str, tree: ast.Module) -> Iterator[str]:
    if not name.startswith("leaderboard/core/"):
        return
    for module, at_once in imports(name, tree):
        root = root_of(module)
        if root == "leaderboard":
            if not re.match(r"leaderboard(\.(core|errors)(\.|$)|$)", module):
                yield f"imports {module}"
        elif root in CORE_LIBRARIES:
            if at_once:
                yield f"imports {module} outside of a function"
        elif root not in sys.stdlib_module_names or root in DOORS_TO_THE_WORLD:
            yield f"imports {module}"


def core_touches_nothing_outside(name: str, tree: ast.Module) -> Iterator[str]:
    if not name.startswith("leaderboard/core/"):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            yield from (f"imports random.{alias.name}" for alias in node.names if alias.name != "Random")
        if isinstance(node, ast.Call) and _reaches_out(node):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _reaches_out(call: ast.Call) -> bool:
    called = ast.unparse(call.func)
    last = called.rpartition(".")[2]
    if called in {"open", "print", "input", "exec", "eval", "breakpoint"} or last in {"now", "utcnow", "today"}:
        return True
    if last == "default_rng" or called == "random.Random":
        return not (call.args or call.keywords)
    return bool(re.match(r"(random|(np|numpy)\.random)\.[a-z]", called))


def no_room_above_is_imported(name: str, tree: ast.Module) -> Iterator[str]:
    forbidden = {"leaderboard": {"api", "jobs"}, "api": {"jobs"}}.get(root_of(name.replace("/", ".")), set())
    yield from (f"imports {module}" for module, _ in imports(name, tree) if root_of(module) in forbidden)


def names_say_what_is_inside(name: str, tree: ast.Module) -> Iterator[str]:
    yield from (f"is called {part!r}" for part in name.removesuffix(".py").split("/") if part in VAGUE_NAMES)


def functions_are_short(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                yield f"{node.name} has {lines} lines"


def nothing_is_swallowed(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and all(map(_does_nothing, node.body)):
            yield f"line {node.lineno}: an exception is swallowed"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"suppress", "contextlib.suppress"}:
            yield from (f"line {node.lineno}: {ast.unparse(node)}" for caught in node.args if _is_broad(caught))


def _is_broad(caught: ast.expr | None) -> bool:
    return caught is None or bool(re.search(r"\b(Base)?Exception\b", ast.unparse(caught)))


def _does_nothing(statement: ast.stmt) -> bool:
    silent = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return silent or isinstance(statement, ast.Pass | ast.Continue)


def long_sql_has_a_file(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        text = _text_of(node)
        if not isinstance(node, ast.expr) or text is None or not SQL.match(text):
            continue
        source_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        lines = max(source_lines, sum(bool(line.strip()) for line in text.splitlines()))
        if lines > LONGEST_SQL_IN_PYTHON:
            yield f"line {node.lineno}: {lines} lines of SQL"


def _text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return None


READS_SETTINGS = re.compile(r"(.*\.)?(\w*Settings|load_settings)")


def settings_are_arguments(name: str, tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        value = getattr(node, "value", None)
        if isinstance(value, ast.Call) and READS_SETTINGS.fullmatch(ast.unparse(value.func)):
            yield f"line {value.lineno}: settings are read when the module is imported"


litellm_behind_its_door = only_in("litellm", "leaderboard/providers/litellm_adapter.py", lazily=True)
duckdb_in_the_history = only_in("duckdb", "leaderboard/history/")
sqlalchemy_in_the_ledger = only_in("sqlalchemy", "leaderboard/ledger/")
alembic_in_the_ledger = only_in("alembic", "leaderboard/ledger/")


def alembic_only_for_an_upgrade(name: str, tree: ast.Module) -> Iterator[str]:
    if not name.startswith("leaderboard/ledger/migrations/"):
        yield from only_in("alembic", "leaderboard/ledger/", lazily=True)(name, tree)


# -- the rules hold ----------------------------------------------------------------------------------------------------


def test_the_core_imports_only_what_is_pure() -> None:
    """Calibration and ratings need no provider and no database, so they can be tested by the thousand. The heavy
    libraries wait inside functions: a command that only prints help pays nothing for them."""
    assert broken_by_the_product(core_imports_only_what_is_pure) == []


def test_the_core_has_no_clock_no_files_and_no_hidden_randomness() -> None:
    """The same facts give the same board, today and on another machine: whoever calls passes `rng` and `now`."""
    assert broken_by_the_product(core_touches_nothing_outside) == []


def test_litellm_stands_behind_one_door() -> None:
    """Importing it costs seconds and 200 MB, and its way of failing differs by provider: one file knows it."""
    assert broken_by_the_product(litellm_behind_its_door) == []


def test_duckdb_is_opened_only_by_the_history() -> None:
    """One process may write the file, and nobody else may open it meanwhile: one room keeps that promise."""
    assert broken_by_the_product(duckdb_in_the_history) == []


def test_sqlalchemy_is_used_only_by_the_ledger() -> None:
    """Everybody else asks typed functions, so moving to another database touches one room."""
    assert broken_by_the_product(sqlalchemy_in_the_ledger) == []
    assert broken_by_the_product(alembic_in_the_ledger) == []


def test_alembic_is_imported_only_for_an_upgrade() -> None:
    """It costs as much as all of SQLAlchemy, and a start without an upgrade does not need it."""
    assert broken_by_the_product(alembic_only_for_an_upgrade) == []


def test_no_room_imports_the_rooms_above_it() -> None:
    """The library serves scripts and notebooks too, and the api must start without the process that spends money."""
    assert broken_by_the_product(no_room_above_is_imported) == []


def test_names_say_what_is_inside() -> None:
    """A module called `utils` collects whatever has no home; then nobody finds it and everybody depends on it."""
    assert broken_by_the_product(names_say_what_is_inside) == []


def test_functions_are_short() -> None:
    """What does not fit on a screen is not read whole, and the figures of this product must be checkable by reading."""
    assert broken_by_the_product(functions_are_short) == []


def test_nothing_is_swallowed() -> None:
    """A swallowed error becomes a missing verdict that nobody counts. Unreadable and failed are facts to record."""
    assert broken_by_the_product(nothing_is_swallowed) == []


def test_long_sql_has_a_file() -> None:
    """Someone who knows SQL and no Python can then read it, run it and review it."""
    assert broken_by_the_product(long_sql_has_a_file) == []


def test_settings_are_arguments() -> None:
    """Settings read at import cannot be changed by a flag or a test, and make imports fail on a bad file."""
    assert broken_by_the_product(settings_are_arguments) == []


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("leaderboard.core.protocol", "PROTOCOLS"),
        ("leaderboard.core.calibration", "POLICIES"),
        ("leaderboard.core.judged", "SHARES"),
        ("leaderboard.core.ratings", "METHODS"),
        ("leaderboard.core.templates", "FAMILIES"),
        ("leaderboard.core.templates", "READERS"),
    ],
)
def test_registries_are_plain_dicts(module: str, name: str) -> None:
    """Adding a choice is a function and a line, and tests and documentation can walk all of them."""
    registry = getattr(importlib.import_module(module), name)
    assert type(registry) is dict
    assert registry


# -- what the api loads ------------------------------------------------------------------------------------------------


def loaded_by(start: str, trees: dict[str, tuple[str, ast.Module]]) -> dict[str, set[str]]:
    """Product module -> what it imports, for all that importing the package `start` and its lazy imports brings in."""
    found: dict[str, set[str]] = {}
    queue = [module for module in trees if root_of(module) == start]
    while queue:
        module = queue.pop()
        if module in found or module not in trees:
            continue
        lazy_too = root_of(module) == start
        found[module] = {name for name, at_once in imports(*trees[module]) if at_once or lazy_too}
        queue += [parent for name in found[module] for parent in _with_parents(name)]
    return found


def _with_parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_the_api_loads_neither_litellm_nor_choix() -> None:
    """It serves boards that are ready. With litellm or choix each worker would start seconds later and weigh 200 MB."""
    trees = {module_name(path): parsed(path) for path in product_files()}
    heavy = {
        f"{module} imports {name}"
        for module, names in loaded_by("api", trees).items()
        for name in names
        if root_of(name) in {"litellm", "choix"}
    }
    assert heavy == set()


def test_the_walk_follows_imports_through_packages() -> None:
    """Else the test above would pass because it looks at nothing."""
    sources = {
        "api": ("api/__init__.py", ""),
        "api.app": ("api/app.py", "def build():\n    from leaderboard import board"),
        "leaderboard": ("leaderboard/__init__.py", ""),
        "leaderboard.board": ("leaderboard/board.py", "from .core.ratings import fit"),
        "leaderboard.core": ("leaderboard/core/__init__.py", "import polars"),
        "leaderboard.core.ratings": ("leaderboard/core/ratings.py", "import choix\ndef f():\n    import litellm"),
        "leaderboard.lonely": ("leaderboard/lonely.py", "import scipy"),
    }
    found = loaded_by("api", {module: (path, ast.parse(text)) for module, (path, text) in sources.items()})
    assert set().union(*found.values()) >= {"choix", "polars"}
    assert not set().union(*found.values()) & {"litellm", "scipy"}


# -- the rules can fail ------------------------------------------------------------------------------------------------

CORE = "leaderboard/core/new.py"
LONG_FUNCTION = "def f():\n" + "    x = 1\n" * LONGEST_FUNCTION
FOUR_LINES = '"""select a\nfrom b\nwhere c\norder by d"""'


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (core_imports_only_what_is_pure, CORE, "import requests"),
        (core_imports_only_what_is_pure, CORE, "import os"),
        (core_imports_only_what_is_pure, CORE, "from pathlib import Path"),
        (core_imports_only_what_is_pure, CORE, "import numpy as np"),
        (core_imports_only_what_is_pure, CORE, "class A:\n    import scipy.stats"),
        (core_imports_only_what_is_pure, CORE, "from leaderboard.ledger import store"),
        (core_imports_only_what_is_pure, CORE, "from ..history import writer"),
        (core_touches_nothing_outside, CORE, "def f():\n    return open('x')"),
        (core_touches_nothing_outside, CORE, "from datetime import datetime\nwhen = datetime.now()"),
        (core_touches_nothing_outside, CORE, "import random\nx = random.choice([1, 2])"),
        (core_touches_nothing_outside, CORE, "from random import shuffle"),
        (core_touches_nothing_outside, CORE, "import random\nrng = random.Random()"),
        (core_touches_nothing_outside, CORE, "def f(np):\n    return np.random.default_rng()"),
        (core_touches_nothing_outside, CORE, "def f(np):\n    return np.random.normal(0, 1)"),
        (litellm_behind_its_door, "jobs/a.py", "def f():\n    import litellm"),
        (litellm_behind_its_door, "leaderboard/providers/litellm_adapter.py", "from litellm import acompletion"),
        (duckdb_in_the_history, "api/app.py", "import duckdb"),
        (sqlalchemy_in_the_ledger, "leaderboard/cli/run.py", "def f():\n    from sqlalchemy import text"),
        (alembic_in_the_ledger, "jobs/a.py", "import alembic"),
        (alembic_only_for_an_upgrade, "leaderboard/ledger/store.py", "from alembic import command"),
        (no_room_above_is_imported, "leaderboard/cli/serve.py", "def f():\n    from api.app import build"),
        (no_room_above_is_imported, "leaderboard/cli/jobs.py", "import jobs"),
        (no_room_above_is_imported, "api/app.py", "from jobs import clock"),
        (names_say_what_is_inside, "leaderboard/core/utils.py", ""),
        (names_say_what_is_inside, "api/helpers/text.py", ""),
        (functions_are_short, CORE, LONG_FUNCTION),
        (functions_are_short, CORE, "class A:\n    async " + LONG_FUNCTION.replace("\n", "\n    ")),
        (nothing_is_swallowed, CORE, "try:\n    f()\nexcept Exception:\n    pass"),
        (nothing_is_swallowed, CORE, "try:\n    f()\nexcept:\n    ..."),
        (
            nothing_is_swallowed,
            CORE,
            "for x in y:\n    try:\n        f()\n    except (ValueError, Exception):\n        continue",
        ),
        (nothing_is_swallowed, CORE, "with contextlib.suppress(Exception):\n    f()"),
        (long_sql_has_a_file, CORE, f"query = {FOUR_LINES}"),
        (long_sql_has_a_file, CORE, f"query = f{FOUR_LINES}".replace("b\n", "{b}\n")),
        (long_sql_has_a_file, CORE, 'q = (\n    "select a "\n    "from b "\n    "where c "\n    "order by d"\n)'),
        (settings_are_arguments, "jobs/a.py", "settings = Settings()"),
        (settings_are_arguments, "api/a.py", "from x import y\nCONFIG: object = y.load_settings('a')"),
    ],
)
def test_a_rule_finds_what_breaks_it(rule: Rule, path: str, source: str) -> None:
    """A rule that finds nothing in a bad file guards nothing."""
    assert list(rule(path, ast.parse(source))) != []


@pytest.mark.parametrize(
    ("rule", "path", "source"),
    [
        (core_imports_only_what_is_pure, CORE, "from leaderboard.core.types import Order\nimport math"),
        (core_imports_only_what_is_pure, CORE, "def f():\n    import numpy as np"),
        (core_imports_only_what_is_pure, CORE, "if TYPE_CHECKING:\n    import numpy as np"),
        (core_imports_only_what_is_pure, "jobs/a.py", "import os"),
        (core_touches_nothing_outside, CORE, "def f(rng: random.Random):\n    return rng.choice([1])"),
        (core_touches_nothing_outside, CORE, "import random\nrng = random.Random(7)"),
        (core_touches_nothing_outside, CORE, "def f(np, seed):\n    return np.random.default_rng(seed)"),
        (litellm_behind_its_door, "leaderboard/providers/litellm_adapter.py", "def f():\n    import litellm"),
        (alembic_only_for_an_upgrade, "leaderboard/ledger/migrations/env.py", "from alembic import context"),
        (no_room_above_is_imported, "jobs/a.py", "from leaderboard import home"),
        (functions_are_short, CORE, "def f():\n" + "    x = 1\n" * (LONGEST_FUNCTION - 1)),
        (nothing_is_swallowed, CORE, "try:\n    f()\nexcept ValueError:\n    pass"),
        (nothing_is_swallowed, CORE, "try:\n    f()\nexcept Exception as error:\n    record(error)\n    raise"),
        (long_sql_has_a_file, CORE, "query = 'select a from b'"),
        (long_sql_has_a_file, CORE, '"""Select what to keep.\n\nOne.\nTwo.\nThree."""'.replace("Select", "Choose")),
        (settings_are_arguments, "jobs/a.py", "def f():\n    return Settings()"),
    ],
)
def test_a_rule_lets_good_code_pass(rule: Rule, path: str, source: str) -> None:
    """A rule that shouts at good code is switched off by the next person who meets it."""
    assert list(rule(path, ast.parse(source))) == []
