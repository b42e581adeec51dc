"""Full text on PostgreSQL: SQLite's FTS5 cuts and stems the texts, in memory, so that both engines find the same rows.

Triggers list the rows whose text changes (words.sql). Before its commit, or before it searches, the transaction that
changed them cuts their texts and stores the words with their places. Queries are FTS5 expressions of phrases, AND, OR,
NOT and beginnings; NEAR, `^` and columns are refused.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import psycopg

from signet.db import fts_index, script
from signet.db.driver import Connection, sqlite

_INDEXES = fts_index.INDEXES
#: The tables whose texts are indexed.
TABLES = frozenset(one.table for one in _INDEXES)
#: Rows that are read at a time when all words are indexed again.
BATCH = 500
#: A place of the second column begins here, so that no phrase spans two columns.
_COLUMN = 10_000_000
#: Totals are summed up when a transaction finds this many.
_TOTALS = 200

_OPERANDS = re.compile(
    r'\s*(?:(?P<said>"(?:[^"]|"")*")|(?P<word>[\w\u0080-\U0010ffff]+)|(?P<sign>[*+()]))'
)
#: The words that join operands, the one that binds least first.
_JOINING = ("OR", "AND", "NOT")
_lock = threading.Lock()

Place = tuple[str, list[int]]
Raw = psycopg.Connection[tuple[Any, ...]]


@cache
def _memory() -> Connection:
    """Return a database in memory with an empty copy of each indexed table and its index."""
    made: Connection = sqlite.connect(":memory:", check_same_thread=False, isolation_level=None)
    for one in _INDEXES:
        listed = ", ".join(one.columns)
        made.execute(f"CREATE TABLE {one.table} (seq INTEGER PRIMARY KEY, {listed})")
        made.execute(script.view(one.table, one.columns))
        made.execute(
            f"CREATE VIRTUAL TABLE {one.name} USING fts5({listed}, tokenize = '{one.tokenize}')"
        )
        made.execute(f"CREATE VIRTUAL TABLE {one.name}_cut USING fts5vocab({one.name}, instance)")
    made.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'porter unicode61')")
    made.execute("CREATE VIRTUAL TABLE said_cut USING fts5vocab(said, instance)")
    made.execute("CREATE VIRTUAL TABLE named USING fts5(text, tokenize = 'unicode61')")
    made.execute("CREATE VIRTUAL TABLE named_cut USING fts5vocab(named, instance)")
    return made


def cut(index: fts_index.Index, rows: Sequence[Sequence[Any]]) -> dict[int, list[Place]]:
    """Return the words of each row (its number, and its texts) with their places."""
    found: dict[int, list[Place]] = {int(row[0]): [] for row in rows}
    listed = ", ".join(index.columns)
    marks = ", ".join("?" * (len(index.columns) + 1))
    with _lock:
        memory = _memory()
        memory.execute("BEGIN")
        try:
            memory.executemany(f"INSERT INTO {index.table} (seq, {listed}) VALUES ({marks})", rows)
            memory.execute(
                f"INSERT INTO {index.name} (rowid, {listed}) SELECT seq, {listed} FROM {index.view}"
            )
            last: tuple[int, str] | None = None
            statement = f'SELECT doc, term, col, "offset" FROM {index.name}_cut ORDER BY doc, term, col, "offset"'
            for row, term, column, place in memory.execute(statement):
                if last != (row, term):
                    found[row].append((term, []))
                    last = (row, term)
                found[row][-1][1].append(index.columns.index(column) * _COLUMN + place)
        finally:
            memory.execute("ROLLBACK")
    return found


def index(raw: Raw) -> None:
    """Index the rows that wait, in their transaction."""
    due: dict[int, set[int]] = {}
    for number, row in raw.execute('DELETE FROM words_due RETURNING index, "row"').fetchall():
        due.setdefault(number, set()).add(row)
    for number, rows in due.items():
        _index(raw, number, sorted(rows))


def rebuild(raw: Raw) -> None:
    """Index every row again, in the transaction of the caller."""
    raw.execute("TRUNCATE words, word_rows, word_totals, words_due")
    for number, one in enumerate(_INDEXES, 1):
        last: int | None = -(2**63)
        while last is not None:
            rows = raw.execute(
                f"SELECT seq FROM {one.table} WHERE seq > %s ORDER BY seq LIMIT {BATCH}", (last,)
            ).fetchall()
            _index(raw, number, [row[0] for row in rows])
            last = rows[-1][0] if len(rows) == BATCH else None


def _index(raw: Raw, number: int, rows: list[int]) -> None:
    of = _INDEXES[number - 1]
    old = raw.execute(
        'DELETE FROM word_rows WHERE index = %s AND "row" = ANY (%s) RETURNING "row", length, terms',
        (number, rows),
    ).fetchall()
    if old:
        terms = sorted({term for _, _, some in old for term in some})
        raw.execute(
            'DELETE FROM words WHERE index = %s AND term = ANY (%s) AND "row" = ANY (%s)',
            (number, terms, [row for row, _, _ in old]),
        )
    listed = ", ".join(of.columns)
    texts = raw.execute(
        f"SELECT seq, {listed} FROM {of.table} WHERE seq = ANY (%s)", (rows,)
    ).fetchall()
    found = cut(of, texts) if texts else {}
    sizes = {row: sum(len(at) for _, at in places) for row, places in found.items()}
    with raw.cursor() as cursor:
        with cursor.copy("COPY words FROM STDIN") as copy:
            for row, places in found.items():
                for term, at in places:
                    copy.write_row((row, sizes[row], len(at), number, term, at))
        with cursor.copy("COPY word_rows FROM STDIN") as copy:
            for row, places in found.items():
                copy.write_row((number, row, sizes[row], [term for term, _ in places]))
    added, more = len(found) - len(old), sum(sizes.values()) - sum(size for _, size, _ in old)
    if added or more:
        raw.execute("INSERT INTO word_totals VALUES (%s, %s, %s)", (number, added, more))
        many = raw.execute(
            "SELECT count(*) FROM word_totals WHERE index = %s", (number,)
        ).fetchone()
        if many is not None and many[0] > _TOTALS:
            _sum_up(raw, number)


def _sum_up(raw: Raw, number: int) -> None:
    raw.execute(
        """WITH old AS (DELETE FROM word_totals WHERE index = %s RETURNING "rows", length)
        INSERT INTO word_totals SELECT %s, sum("rows"), sum(length) FROM old""",
        (number, number),
    )


@lru_cache(1024)
def query(expression: str, *, names: bool) -> str:
    """Return an FTS5 expression as `words_match` takes it; raises sqlite.OperationalError as FTS5 does.

    The index of `names` does not stem.
    """
    parser = _Parser(expression, names)
    tree = parser.whole()
    is_any = _is_any(tree)
    return json.dumps({"phrases": parser.phrases, "tree": None if is_any else tree})


def _is_any(tree: object) -> bool:
    return isinstance(tree, int) or (
        isinstance(tree, Mapping) and tree["is"] == "or" and all(map(_is_any, tree["of"]))
    )


def _wrong(expression: str, near: str) -> Exception:
    error = sqlite.OperationalError(
        f'fts5: syntax error near "{near}"'
        if near or not expression.strip()
        else "fts5: syntax error"
    )
    error.sqlite_errorcode = 1
    return error


class _Parser:
    """Reads `a b AND (c OR "d e"* NOT f)`; NOT binds closest, then AND, then OR."""

    def __init__(self, expression: str, is_of_names: bool) -> None:
        self._said = expression
        self._table = "named" if is_of_names else "said"
        self._at = 0
        self.phrases: list[dict[str, Any]] = []

    def whole(self) -> object:
        if not self._said.strip():
            return _empty(self)
        tree = self._joined(*_JOINING)
        if self._said[self._at :].strip():
            raise self._error()
        return tree

    def _error(self) -> Exception:
        rest = self._said[self._at :].strip()
        return _wrong(self._said, rest[:1])

    def _peek(self) -> re.Match[str] | None:
        return _OPERANDS.match(self._said, self._at)

    def _takes(self, word: str) -> bool:
        found = self._peek()
        if found is not None and (found["word"] == word or found["sign"] == word):
            self._at = found.end()
            return True
        return False

    def _joined(self, *words: str) -> object:
        """Read parts joined by the first word, which binds least, each of parts joined by the others."""
        if not words:
            return self._beside()
        word, *closer = words
        parts = [self._joined(*closer)]
        while self._takes(word):
            parts.append(self._joined(*closer))
        return parts[0] if len(parts) == 1 else {"is": word.lower(), "of": parts}

    def _beside(self) -> object:
        """Read operands without a word between them: all must match; one without words is left out."""
        parts = [self._operand()]
        while (
            (found := self._peek()) is not None
            and found["word"] not in ("AND", "OR", "NOT")
            and found["sign"] != ")"
        ):
            if found["sign"] in ("*", "+"):
                raise self._error()
            parts.append(self._operand())
        if len(parts) > 1:
            some = [one for one in parts if not (isinstance(one, int) and not self.phrases[one])]
            parts = some or parts[:1]
        return parts[0] if len(parts) == 1 else {"is": "and", "of": parts}

    def _operand(self) -> object:
        if self._takes("("):
            tree = self._joined(*_JOINING)
            if not self._takes(")"):
                raise self._error()
            return tree
        said = [self._phrase()]
        while self._takes("+"):
            said.append(self._phrase())
        is_beginning = self._takes("*")
        terms = [term for one in said for term in self._terms(one)]
        self.phrases.append(_phrase(terms, is_beginning))
        return len(self.phrases) - 1

    def _phrase(self) -> str:
        found = self._peek()
        if found is None or found["sign"] or found["word"] in ("AND", "OR", "NOT", "NEAR"):
            raise self._error()
        self._at = found.end()
        return found["word"] if found["said"] is None else found["said"][1:-1].replace('""', '"')

    def _terms(self, text: str) -> list[str]:
        with _lock:
            memory = _memory()
            memory.execute("BEGIN")
            try:
                memory.execute(f"INSERT INTO {self._table} VALUES (?)", (text,))
                found = memory.execute(f'SELECT term FROM {self._table}_cut ORDER BY "offset"')
                return [row[0] for row in found]
            finally:
                memory.execute("ROLLBACK")


def _phrase(terms: list[str], is_beginning: bool) -> dict[str, Any]:
    if not terms:
        return {}
    if len(terms) == 1:
        return {"begins" if is_beginning else "one": terms[0]}
    return {"all": terms, "isBeginning": is_beginning}


def _empty(parser: _Parser) -> object:
    parser.phrases.append({})
    return 0
