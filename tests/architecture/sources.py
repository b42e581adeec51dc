"""The sources of the product."""

import ast
from functools import cache
from pathlib import Path

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
