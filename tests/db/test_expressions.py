"""Both engines give each kind of SQL expression of our statements the same value.

A statement is accepted by a server long before it means the same there: `NOT LIKE` once lost its NOT in translation.
"""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from psycopg import Error
from psycopg.errors import UndefinedColumn, UndefinedFunction
from sqlglot import exp

import signet
import signet_api
import signet_scheduler
import signet_worker
from signet.db import Database, dialect
from signet.db.postgres.connection import raw, translated
from support.database import ENGINES, fresh_database

Params = Sequence[Any] | Mapping[str, Any]

#: Four rows for what needs some.
ROWS = (
    "(SELECT 1 AS n, 'b' AS t, NULL AS x, 0.5 AS r UNION ALL SELECT 2, 'a', 'y', -1.5"
    " UNION ALL SELECT 3, 'É', '', 2.25 UNION ALL SELECT 4, 'B', 'z', 0.0) AS rows"
)
TEXTS = ("plain", "", "50% off_", "Größe ÉÈ", "two\nlines", "a'b\"c", "日本語", "[x]*?")

EXPRESSIONS: dict[str, Sequence[Params]] = {
    # comparisons, also with nothing
    "SELECT ? = ?, ? <> ?": [(1, 1, 1, 1), (1, 2, 1, 2), ("a", "A", "a", "A"), (None, 1, None, 1)],
    "SELECT ? < ?, ? >= ?": [(1, 2, 1, 2), ("B", "a", "Z", "É"), (None, 1, 1, None)],
    "SELECT CAST(? AS TEXT) < CAST(? AS TEXT)": [("a", "B"), ("é", "z"), ("a b", "ab"), ("", "a")],
    "SELECT ? <= ?, ? > ?": [(2, 2, 2, 2), (1.5, 1, 1.5, 2)],
    "SELECT CAST(? AS TEXT) IS ?": [(None, None), ("a", "a"), ("a", None), (None, "a")],
    "SELECT CAST(? AS TEXT) IS NOT ?": [(None, None), ("a", "a"), ("a", None), (None, "a")],
    "SELECT ? IS NULL, ? IS NOT NULL": [(None, None), ("a", "a"), (0, 0)],
    "SELECT CAST(? AS INTEGER) BETWEEN ? AND ?": [(2, 1, 3), (4, 1, 3), (None, 1, 2), (1, 1, 1)],
    "SELECT CAST(? AS INTEGER) NOT BETWEEN ? AND ?": [(2, 1, 3), (4, 1, 3)],
    "SELECT n FROM " + ROWS + " WHERE n IN (1, ?) ORDER BY n": [(3,), (9,)],
    "SELECT n FROM " + ROWS + " WHERE n NOT IN (1, ?) ORDER BY n": [(3,), (9,)],
    f"SELECT n FROM {ROWS} WHERE t IN {dialect.LIST} ORDER BY n": [('["a", "É"]',), ("[]",)],
    f"SELECT n FROM {ROWS} WHERE n NOT IN {dialect.LIST} ORDER BY n": [("[1, 2]",), ("[]",)],
    # truth
    "SELECT n FROM " + ROWS + " WHERE NOT (n = 1 OR t = ?) AND n < 4 ORDER BY n": [("a",), ("q",)],
    "SELECT n FROM " + ROWS + " WHERE (x = 'y') IS NOT TRUE ORDER BY n": [()],
    "SELECT n FROM " + ROWS + " WHERE NOT x = 'y' ORDER BY n": [()],
    # patterns
    "SELECT CAST(? AS TEXT) LIKE ?": [
        ("Plain", "plain"), ("plain", "pl%"), ("a_b", "a_b"), ("axb", "a_b"), ("ÉÈ", "éè"), (None, "%"),
    ],
    "SELECT CAST(? AS TEXT) NOT LIKE ?": [("plain", "pl%"), ("plain", "x%"), (None, "%")],
    "SELECT NOT (CAST(? AS TEXT) LIKE ?)": [("plain", "pl%"), ("plain", "x%")],
    "SELECT CAST(? AS TEXT) LIKE ? ESCAPE '\\'": [("50%", "50\\%"), ("500", "50\\%"), ("a_", "a\\_")],
    "SELECT CAST(? AS TEXT) NOT LIKE ? ESCAPE '\\'": [("50%", "50\\%"), ("500", "50\\%")],
    "SELECT CAST(? AS TEXT) GLOB ?": [
        ("plain", "pl*"), ("Plain", "pl*"), ("a.b", "a?b"), ("[x]", "[[]x]"), ("a%b", "a%*"), ("a_b", "a_?"),
        ("ab", "[a-c]b"), ("db", "[^a-c]b"), ("a\\b", "a\\*"), (None, "*"), ("x", ""),
    ],
    "SELECT CAST(? AS TEXT) NOT GLOB ?": [("plain", "pl*"), ("plain", "x*"), (None, "*")],
    "SELECT n FROM " + ROWS + " WHERE t = ? COLLATE NOCASE ORDER BY n": [("A",), ("b",), ("é",)],
    # texts
    "SELECT CAST(? AS TEXT) || ? || 'c'": [("a", "b"), ("", ""), (None, "b")],
    "SELECT 'a' || CAST(? AS INTEGER)": [(7,), (-1,)],
    "SELECT LENGTH(CAST(? AS TEXT))": [*[(text,) for text in TEXTS], (None,)],
    "SELECT LENGTH(CAST(? AS BLOB))": [(b"\x00\x01",), (b"",)],
    "SELECT LOWER(CAST(? AS TEXT)), UPPER(CAST(? AS TEXT))": [("aBc", "aBc"), ("ÉÄ", "éä"), (None, None)],
    "SELECT SUBSTR(CAST(? AS TEXT), 1, ?)": [(text, 3) for text in TEXTS] + [("abc", 0)],
    "SELECT SUBSTR(CAST(? AS TEXT), ?)": [("abcdef", 3), ("abcdef", -2), ("abc", 9)],
    "SELECT SUBSTR(CAST(? AS TEXT), ?, ?)": [("abcdef", 2, 3), ("abcdef", 0, 2), ("abcdef", -3, 2)],
    "SELECT INSTR(CAST(? AS TEXT), ?)": [("abcabc", "c"), ("abc", "z"), ("日本語", "語"), (None, "a")],
    "SELECT REPLACE(CAST(? AS TEXT), ?, ?)": [("a-b-c", "-", ""), ("abc", "", "x"), ("aAa", "a", "b")],
    "SELECT TRIM(CAST(? AS TEXT)), LTRIM(CAST(? AS TEXT)), RTRIM(CAST(? AS TEXT))": [(" a ", " a ", " a ")],
    "SELECT RTRIM(CAST(? AS TEXT), ?), LTRIM(CAST(? AS TEXT), ?)": [("/a/b/", "/", "//a", "/")],
    "SELECT REPLACE(CAST(:p AS TEXT), RTRIM(:p, REPLACE(:p, '/', '')), '')": [{"p": "/home/ada"}],
    "SELECT CHAR(10), CHAR(233)": [()],
    "SELECT printf('%020d', CAST(? AS INTEGER))": [(0,), (12_345,)],
    "SELECT HEX(SUBSTR(CAST(? AS BLOB), 1, 2)), x'', x'00ff'": [(b"\xab\xcd\xef",)],
    "SELECT CAST(CAST(? AS INTEGER) AS TEXT), CAST(CAST(? AS TEXT) AS INTEGER)": [(12, "34"), (-1, "-7")],
    "SELECT CAST(CAST(? AS TEXT) AS BLOB)": [("Größe",), ("",)],
    "SELECT CAST(? AS REAL), CAST(? AS INTEGER)": [(1, 1.0), (0.25, 7)],
    # numbers
    "SELECT CAST(? AS INTEGER) + ?, CAST(? AS INTEGER) - ?, CAST(? AS INTEGER) * ?": [(1, 2, 3, 5, 7, -2)],
    "SELECT CAST(? AS INTEGER) / CAST(? AS INTEGER), -CAST(? AS INTEGER)": [(7, 2, 3), (-7, 2, -3), (8, 4, 0)],
    "SELECT CAST(? AS REAL) / ?": [(7.0, 2), (1.0, 4)],
    "SELECT CAST(? AS INTEGER) << MIN(CAST(? AS INTEGER), 16)": [(1, 3), (5, 20)],
    "SELECT ABS(CAST(? AS INTEGER)), ROUND(CAST(? AS REAL), 3), ROUND(CAST(? AS REAL))": [
        (-3, 1.23456, 2.5), (0, 0.0005, -1.5), (4, 2.0, 0.4),
    ],
    "SELECT MAX(CAST(? AS INTEGER), 0), MIN(CAST(? AS INTEGER), 0)": [(-1, -1), (5, 5)],
    "SELECT MAX(0.0, CAST(? AS REAL)), MIN(1.0, CAST(? AS REAL))": [(0.5, 0.5), (-0.5, 1.5)],
    "SELECT MAX(CAST(? AS INTEGER), ?)": [(None, 1), (1, None)],
    # nothing
    "SELECT COALESCE(CAST(? AS TEXT), ?, 'z')": [(None, None), (None, "b"), ("a", None)],
    "SELECT NULLIF(CAST(? AS INTEGER), 0)": [(0,), (3,)],
    "SELECT IIF(CAST(? AS INTEGER) > 1, 'more', 'less')": [(2,), (1,), (None,)],
    "SELECT CASE CAST(? AS INTEGER) WHEN 0 THEN 'no' WHEN 1 THEN 'yes' END": [(0,), (1,), (2,), (None,)],
    "SELECT CASE WHEN CAST(? AS INTEGER) > 1 THEN 2 ELSE 0.5 END": [(2,), (1,)],
    # groups
    "SELECT COUNT(*), COUNT(x), COUNT(DISTINCT t), SUM(n), AVG(r), MIN(t), MAX(t) FROM " + ROWS: [()],
    "SELECT SUM(n), MAX(n), COUNT(n), COALESCE(SUM(n), 0) FROM " + ROWS + " WHERE n > ?": [(9,), (2,)],
    "SELECT SUM(r), SUM(n + 3) / 4, ROUND(AVG(r), 3) FROM " + ROWS: [()],
    "SELECT SUM(t = 'a'), SUM(x IS NULL), SUM(n > 2 AND r > 1) FROM " + ROWS: [()],
    "SELECT n % 2 AS odd, COUNT(*) FROM " + ROWS + " GROUP BY odd HAVING COUNT(*) > ? ORDER BY odd": [(1,)],
    "SELECT COUNT(*) FILTER (WHERE x IS NULL OR r > ?) FROM " + ROWS: [(0.1,)],
    "SELECT GROUP_CONCAT(t, ', ') FROM (SELECT t FROM " + ROWS + " ORDER BY n)": [()],
    "SELECT GROUP_CONCAT(t) FROM (SELECT t FROM " + ROWS + " WHERE n = ?)": [(2,), (9,)],
    "SELECT n, ROW_NUMBER() OVER (PARTITION BY n % 2 ORDER BY t DESC) FROM " + ROWS + " ORDER BY n": [()],
    "SELECT DISTINCT n % 2 AS odd FROM " + ROWS + " ORDER BY odd": [()],
    # order: by code point, nothing first
    "SELECT t FROM " + ROWS + " ORDER BY t": [()],
    "SELECT x FROM " + ROWS + " ORDER BY x": [()],
    "SELECT x FROM " + ROWS + " ORDER BY x DESC": [()],
    "SELECT n FROM " + ROWS + " ORDER BY t = 'a', n": [()],
    "SELECT n FROM " + ROWS + " ORDER BY x IS NULL, n DESC LIMIT ? OFFSET ?": [(2, 1), (9, 0), (0, 0)],
    f"SELECT n FROM {ROWS} ORDER BY n {dialect.at_most()}": [(2,), (0,)],
    "SELECT n FROM " + ROWS + " ORDER BY n LIMIT -1 OFFSET 2": [()],
    f"SELECT value, key FROM {dialect.list_rows()} ORDER BY key": [('["b", "a", "b"]',), ("[]",)],
    # sets
    "SELECT 1 AS n UNION SELECT 1 UNION ALL SELECT ? ORDER BY n": [(0,)],
    "SELECT n FROM " + ROWS + " WHERE EXISTS (SELECT 1 WHERE n > ?) ORDER BY n": [(2,)],
    "SELECT n FROM " + ROWS + " WHERE NOT EXISTS (SELECT 1 WHERE n > ?) ORDER BY n": [(2,)],
    "WITH RECURSIVE step(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < ?) SELECT n FROM step": [(3,)],
    "SELECT (SELECT MAX(n) FROM " + ROWS + "), ?": [("x",)],
    "SELECT a.n, b.n FROM " + ROWS.replace("AS rows", "AS a") + " LEFT JOIN "
    + ROWS.replace("AS rows", "AS b") + " ON b.n = a.n + 2 ORDER BY a.n": [()],
    # JSON: a part that is a result has its own type; inside of a statement it is a text on a server, unless it is cast
    # or compared
    "SELECT JSON_EXTRACT(CAST(? AS TEXT), '$.a')": [
        ('{"a": "x"}',), ('{"b": 1}',), ('{"a": null}',), (None,),
    ],
    "SELECT CAST(JSON_EXTRACT(CAST(? AS TEXT), '$.a') AS INTEGER)": [('{"a": 7}',), ('{"a": -1}',)],
    "SELECT CAST(? AS TEXT) ->> '$.a'": [
        ('{"a": "x"}',), ('{"b": 1}',), ('{"a": 7}',), ('{"a": 0.9}',), ('{"a": -1.5e-3}',), ('{"a": true}',),
        ('{"a": false}',), ('{"a": null}',), ('{"a": [1, 2]}',), ('{"a": {"b": "c"}}',), ('{"a": "7"}',), (None,),
        ('{"a": ""}',), ('{"a": "\\u00e9\\n"}',),
    ],
    "SELECT JSON_EXTRACT(t, '$.a') AS part FROM (SELECT '{\"a\": 9}' AS t UNION ALL SELECT '{\"a\": 10}'"
    " UNION ALL SELECT '{\"a\": 1.5}' UNION ALL SELECT '{}') AS rows ORDER BY 1": [()],
    "SELECT t ->> 'a' AS part, COUNT(*) FROM (SELECT '{\"a\": 9}' AS t UNION ALL SELECT '{\"a\": 10}'"
    " UNION ALL SELECT '{\"a\": 9}') AS rows GROUP BY part ORDER BY part DESC LIMIT ?": [(1,), (2,)],
    "SELECT CAST(CAST(? AS TEXT) ->> '$.a' AS INTEGER)": [('{"a": 7}',), ('{"b": 1}',)],
    "SELECT JSON_EXTRACT(CAST(? AS TEXT), '$.a.b'), JSON_EXTRACT(CAST(? AS TEXT), '$[0]')": [
        ('{"a": {"b": "deep"}}', '["first", "second"]'),
    ],
    "SELECT JSON_EXTRACT(CAST(? AS TEXT), '$.a') = 0": [('{"a": 0}',), ('{"a": 1}',), ('{"a": false}',)],
    "SELECT JSON_VALID(CAST(? AS TEXT))": [("[]",), ("{",), ('"x"',), (None,), ("",)],
    "SELECT JSON_TYPE(CAST(? AS TEXT)), JSON_ARRAY_LENGTH(CAST(? AS TEXT))": [("[1]", "[1, 2]"), ("{}", "[]")],
    "SELECT JSON_OBJECT('a', CAST(? AS TEXT), 'b', CAST(? AS INTEGER))": [("x", 1), (None, None), ('"', 0)],
    "SELECT JSON_SET(CAST(? AS TEXT), '$.alone', 1)": [('{"a":1}',), ("{}",), ('{"alone":0}',)],
    "SELECT JSON_REMOVE(CAST(? AS TEXT), '$[0]')": [("[1,2]",), ("[]",)],
    "SELECT JSON_INSERT(CAST(? AS TEXT), '$[#]', JSON_OBJECT('a', CAST(? AS INTEGER)))": [("[]", 1), ("[1]", 2)],
    # time
    "SELECT ROUND(julianday(CAST(? AS TEXT)) - julianday(CAST(? AS TEXT)), 6)": [
        ("2026-05-02T12:00:00.000Z", "2026-05-01T00:00:00.000Z"),
    ],
    "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', CAST(? AS INTEGER) / 1000.0, 'unixepoch')": [(1_777_636_800_123,), (0,)],
    "SELECT CAST(unixepoch(CAST(? AS TEXT)) AS INTEGER)": [("2026-05-01T12:00:00.000Z",), (None,)],
}  # fmt: skip

#: Nodes that only structure a statement, or name something; kinds of values are in EXPRESSIONS.
STRUCTURE = {
    "Alias", "Column", "Command", "Delete", "DoNothing", "From", "Identifier", "Insert", "OnConflict", "Paren",
    "Placeholder", "PropertyEQ", "Returning", "Schema", "Star", "Struct", "Table", "TableAlias", "Tuple", "Update",
    "Values", "Var", "Dot", "IndexTableHint", "Pragma", "Set", "SetItem", "Parameter", "Index", "Hint",
    "Into", "Where", "Lock",
}  # fmt: skip
#: Full text, vectors (tests/recall) and columns of tables (tests/transfer) have their own comparisons.
SEARCH = {
    "Match",
    "Anonymous:pragma_table_info",
    "Anonymous:sq_columns",
    "Anonymous:highlight",
    "Anonymous:bm25",
    "Anonymous:words_rows",
    "Anonymous:vec_distance_cosine",
}
PACKAGES = (signet, signet_api, signet_worker, signet_scheduler)
STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    """Open one database on each engine."""
    with ENGINES.during(on_postgres=False):
        file = Database(fresh_database(tmp_path / "file" / "memories.db"))
    with ENGINES.during(on_postgres=True):
        server = Database(fresh_database(tmp_path / "server" / "memories.db"))
        yield file, server
        server.close()
    file.close()


def test_both_engines_give_each_expression_the_same_value(
    engines: tuple[Database, Database],
) -> None:
    differences = [
        (sql, params, found)
        for sql, choices in EXPRESSIONS.items()
        for params in choices
        if (found := [values(engine, sql, params) for engine in engines])[0] != found[1]
    ]
    assert not differences, "\n".join(map(str, differences))


def test_rows_that_a_list_names_come_in_its_order(engines: tuple[Database, Database]) -> None:
    """The server would choose: with a LIMIT, other rows."""
    listed = f"{dialect.list_rows()} j {dialect.THEN_JOIN} {ROWS} ON rows.n = j.value"
    sql = f"SELECT rows.n FROM {listed} LIMIT ?"
    for engine in engines:
        assert engine.read(lambda tx: tx.column(sql, ("[3, 1, 4, 2]", 3))) == [3, 1, 4]
    ordered = {
        "SELECT m.id FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value": True,
        "SELECT value FROM json_each(?)": True,
        "SELECT count(*) FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value": False,
        "SELECT id FROM memories WHERE seq IN (SELECT value FROM json_each(?))": False,
        "SELECT DISTINCT value FROM json_each(?)": False,
        "SELECT m.id FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value ORDER BY m.id": False,
    }
    texts = {sql: translated(sql).with_nulls(frozenset())[0] for sql in ordered}
    assert {sql: text.endswith(".key") for sql, text in texts.items()} == ordered


def test_a_server_finds_the_columns_and_functions_of_every_statement(
    engines: tuple[Database, Database],
) -> None:
    refused = []
    with raw(str(engines[1].url)) as server:
        for sql in sorted(statements()):
            if "{" in sql or kinds(sql) is None:
                continue  # a text that is only a part of a statement
            text, _ = translated(sql).with_nulls(frozenset())
            try:
                server.execute(f"PREPARE one AS {text}")
                server.execute("DEALLOCATE one")
            except (UndefinedColumn, UndefinedFunction) as error:
                if "operator" not in str(error):  # it depends on the types of parameters
                    refused.append((str(error), sql))
            except Error:
                continue  # it has tables of other programs, or parameters without a type
    assert not refused, refused


def test_both_engines_give_columns_the_names_that_a_statement_gives_them(
    engines: tuple[Database, Database],
) -> None:
    sql = f"SELECT t AS entityType, n, r AS upper_and_lower, x AS _X1 FROM {ROWS} ORDER BY entityType DESC"
    one, other = (engine.read(lambda tx: [dict(row) for row in tx.all(sql)]) for engine in engines)
    assert list(one[0]) == ["entityType", "n", "upper_and_lower", "_X1"]
    assert one == other


def test_the_examples_have_each_kind_of_expression_of_the_product() -> None:
    parsed = [kinds(sql) for sql in EXPRESSIONS]
    assert None not in parsed
    examples = set[str]().union(*(one for one in parsed if one is not None))
    needed = {
        kind: sql
        for sql in sorted(statements())
        for kind in kinds(sql) or ()
        if kind not in examples | STRUCTURE | SEARCH
    }
    assert not needed, needed


def values(db: Database, sql: str, params: Params) -> object:
    """Return a statement's rows with the type of each value, or the name of its error."""
    try:
        rows = db.read(lambda tx: tx.tuples(sql, params))
    except Exception as error:
        return type(error).__name__, str(error)[:200]
    return [[(type(value), without_blanks(value)) for value in row] for row in rows]


def without_blanks(value: object) -> object:
    """Return a value; JSON of a server has blanks between its parts."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        with suppress(ValueError):
            return json.loads(value)
    return value


def kinds(sql: str) -> set[str] | None:
    """Return the kinds of nodes of a statement, None for a text that is only a part of one."""
    try:
        tree = sqlglot.parse_one(sql, dialect="sqlite")
    except sqlglot.errors.ParseError:
        return None
    return {
        f"Anonymous:{node.name.lower()}" if isinstance(node, exp.Anonymous) else type(node).__name__
        for node in tree.walk()
    }


def statements() -> set[str]:
    """Return the statements that modules of the product have as values."""
    found: set[str] = set()
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.startswith("signet.db.postgres"):
                continue
            if ".sql" in module.name or module.name.startswith(("signet.queue", "signet.db.")):
                found.update(texts(vars(importlib.import_module(module.name)).values()))
    return found


def texts(values: Iterable[object]) -> Iterator[str]:
    """Yield the statements among values and in their lists and mappings."""
    for value in values:
        if isinstance(value, str) and STATEMENT.match(value) and "current_setting(" not in value:
            yield str(value)  # those with PostgreSQL's own functions are not translated
        elif isinstance(value, list | tuple | set | frozenset):
            yield from texts(value)
        elif isinstance(value, dict):
            yield from texts(value.values())
