"""Each table has one owner, and the SQL of a noun stands in its `sql.py`, or in the files of its folder `sql`."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from architecture.sources import ROOT, SOURCES, nodes

TABLES = frozenset(
    name
    for path in (ROOT / "alembic" / "versions").rglob("*.*")
    if path.suffix in (".py", ".sql")
    for name in re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", path.read_text("utf-8"))
)
STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\s[^a-z]*[\w(*?]")
WRITE = re.compile(
    r"\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(\w+)"
)


@cache
def texts(path: Path) -> list[str]:
    """Return the strings of a file, those of f-strings with a blank for each value; no docstrings."""
    every = nodes(path)
    parts = {
        id(part)
        for node in every
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    parts |= {id(node.value) for node in every if isinstance(node, ast.Expr)}
    found = []
    for node in every:
        if id(node) in parts:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            values = (v.value if isinstance(v, ast.Constant) else " ? " for v in node.values)
            found.append("".join(map(str, values)))
    return found


def noun(path: Path) -> str:
    """Return whom a file belongs to: a noun of the domain, or a package."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "services":
        return parts[2]
    return parts[3] if parts[2] == "domain" else parts[2]


def may_hold_sql(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "services":
        return False
    if parts[2] in ("db", "queue"):
        return True
    return parts[2] == "domain" and ("sql" in parts[4:-1] or parts[-1] == "sql.py")


def test_each_table_is_written_by_one_noun() -> None:
    writers: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        for text in texts(path):
            for table in WRITE.findall(text):
                if table in TABLES:
                    writers[table].add(noun(path))
    assert len(writers) > 50
    assert {table: sorted(names) for table, names in writers.items() if len(names) > 1} == {}


def test_sql_stands_in_the_sql_of_a_noun_in_db_and_in_queue() -> None:
    strangers = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if not may_hold_sql(path) and any(STATEMENT.match(text) for text in texts(path))
    }
    assert strangers == set()


def test_what_one_engine_writes_in_its_own_way_has_a_word_in_db() -> None:
    own_way = re.compile(
        r"\bCROSS JOIN\b|\bINDEXED\b|\bjson_each\((\?|:)|\bLIMIT (\?\d*|:\w+) \+ 0|\bPRAGMA\b"
    )
    strangers = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if "db" not in path.parts and "cli" not in path.parts
        if any(
            own_way.search(text)
            for text in texts(path)
            if STATEMENT.match(text) or own_way.match(text.strip())
        )
    }
    assert strangers == set()


def test_the_sql_of_a_noun_is_used_by_that_noun_alone() -> None:
    imports = re.compile(r"signet\.domain\.(\w+)(?:\.sql\b| import .*\bsql\b)")
    strangers = {
        f"{path.relative_to(ROOT)} uses the SQL of {owner}"
        for path in SOURCES
        for owner in imports.findall(path.read_text("utf-8"))
        if noun(path) != owner or "domain" not in path.parts
    }
    assert strangers == set()
    assert [str(path) for path in SOURCES if path.name == "store.py"] == []
