"""The sources of the product."""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("shared", "services")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "__pycache__" not in path.parts
]


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return every node of a file, its module first."""
    return [*ast.walk(ast.parse(path.read_text("utf-8")))]


@cache
def reference() -> Any:
    """Return the module that makes the generated pages of the documentation."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
