"""Translate a statement for SQLite into one for PostgreSQL, with the same values.

`sqlglot` parses the statement and writes it for PostgreSQL; in between this module replaces what the engines understand
differently:

- SQLite's truth is a number. A comparison that is used as a value becomes 0 or 1, a number that is used as a condition
  is compared with 0.
- A list or object of JSON has values of any type in SQLite. Here they are texts; a comparison with a number converts.
- `IS` compares any values; here that is a comparison for which an index is used.
- A query of a full-text index becomes a call of `words_match` (see words.py).
- `rowid` is the table's number, or the column of this name.

Functions that PostgreSQL lacks are in functions.sql, with names that begin with `sq_`.
"""

import re
from typing import NamedTuple

from sqlglot import exp, parse_one

from signet.db.postgres import tables
from signet.db.postgres.nodes import CONDITIONS, TRUTHS, Dialect, bound_as, grouped, number, to
from signet.db.postgres.rules import RewriteRules

# Conditions and numbers: SQLite takes a number as a condition and a condition as a number, PostgreSQL does not.

#: Parts that are numbers where a condition is expected.
_VALUES = (
    exp.Column, exp.Placeholder, exp.Literal, exp.Coalesce, exp.Case, exp.Subquery, exp.Anonymous, exp.Add, exp.Sub,
    exp.Mul, exp.Cast, exp.Sum, exp.Max, exp.Min, exp.Count, exp.Neg, exp.Greatest, exp.Least,
    exp.BitwiseAnd, exp.Length,
)  # fmt: skip

#: Parts that take values.
_HOLDERS = (
    exp.Select, exp.Alias, exp.Coalesce, exp.Nullif, exp.Case, exp.Add, exp.Sub, exp.Mul, exp.Tuple, exp.Ordered,
    exp.Greatest, exp.Least, exp.Max, exp.Min, exp.Anonymous, exp.Group, exp.Returning, exp.Window, exp.Neg, exp.Cast,
)  # fmt: skip


def settle(node: exp.Expr) -> None:
    """Make conditions of numbers where conditions are wanted, and numbers of conditions elsewhere."""
    for child in list(node.iter_expressions()):
        settle(child)
    for child in list(node.iter_expressions()):
        wants = _wants_condition(node, child)
        if wants is None or isinstance(child, exp.Paren):
            continue
        is_condition = _is_condition(child)
        if wants and not is_condition and isinstance(child, _VALUES):
            child.replace(exp.NEQ(this=grouped(child.copy()), expression=exp.Literal.number(0)))
        elif not wants and is_condition:
            child.replace(number(child.copy()))


def _is_condition(node: exp.Expr) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Anonymous) and node.name.lower() in TRUTHS:
        return True
    return isinstance(node, CONDITIONS)


def _wants_condition(node: exp.Expr, child: exp.Expr) -> bool | None:
    """Return whether `node` wants a condition as this child, None if it takes either."""
    if isinstance(node, exp.And | exp.Or | exp.Not | exp.Where | exp.Having):
        return True
    if isinstance(node, exp.If):
        return child is node.this and not _is_simple_case(node)
    if isinstance(node, exp.Join):
        return True if child is node.args.get("on") else None
    if isinstance(node, exp.Paren):
        parent = node.parent
        return None if parent is None else _wants_condition(parent, node)
    if isinstance(node, _HOLDERS):
        if isinstance(child, exp.Where | exp.Having | exp.With | exp.Join):
            return None
        return False
    if isinstance(node, exp.EQ) and isinstance(node.parent, exp.Update | exp.OnConflict):
        return False if child is node.expression else None
    if isinstance(node, exp.Avg | exp.Sum):
        return False
    return None


def _is_simple_case(node: exp.Expr) -> bool:
    return isinstance(node.parent, exp.Case) and node.parent.args.get("this") is not None


#: Strings, quoted names and comments, which hold no parameter; and parameters.
_PIECES = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|(?P<key>\?\d*|:[A-Za-z_]\w*)""", re.DOTALL
)
_NO_PLAN = re.compile(r"\b(?:NOT\s+INDEXED|INDEXED\s+BY\s+\w+)", re.IGNORECASE)
_OR_IGNORE = re.compile(r"^\s*UPDATE\s+OR\s+IGNORE\s+", re.IGNORECASE)
_FTS = re.compile(r"\w+_fts(?:_new)?")
#: Functions of words.sql that statements call; the second argument is a query.
_OF_WORDS = ("words_ranks", "words_rows")
_LIST = """(
    SELECT ordinality - 1 AS key, value FROM json_array_elements_text(CAST(:x AS json)) WITH ORDINALITY)"""
#: A parameter in the written statement; `n` is its place in `Translated.keys`.
_SLOT = re.compile("\x01(\\d+)([a-z]?)\x02")


class Translated(NamedTuple):
    """A statement with marked parameters, their keys, and how each is converted; `touches` is the table it changes."""

    text: str
    keys: tuple[str | int, ...]
    touches: str | None
    reads_words: bool
    #: Whether it reads how many memories mention an entity.
    reads_mentions: bool = False
    #: Of `UPDATE OR IGNORE`: the rows that it would change, and the change of one of them, which is `$1`.
    each: "tuple[Translated, Translated] | None" = None
    #: Parameters that another program has placed before these.
    before: int = 0
    #: Whether it is an `INSERT OR IGNORE`, which leaves out rows that break any rule of the table.
    skips: bool = False

    def with_nulls(self, nulls: frozenset[int]) -> tuple[str, tuple[tuple[str | int, str], ...]]:
        """Return the statement for parameters with None at some places, and the key and conversion of each other one.

        PostgreSQL cannot tell the type of a None, so the word NULL takes its place.
        """
        given: dict[tuple[int, str], int] = {}

        def write(slot: re.Match[str]) -> str:
            at, how = int(slot[1]), slot[2]
            if at in nulls:
                return "NULL"
            return f"${given.setdefault((at, how), len(given) + 1 + self.before)}"

        text = _IS.sub(lambda found: _written_is(found, nulls), self.text)
        text = _SLOT.sub(write, text)
        return text, tuple((self.keys[at], how) for at, how in given)


#: `IS` and a parameter: `x`, the parameter, whether it is `IS NOT`.
_IS = re.compile("\x03([^\x03\x04\x05]*)\x04(\x01(\\d+)[a-z]?\x02)(!?)\x05")


def _written_is(found: re.Match[str], nulls: frozenset[int]) -> str:
    left, slot, at, negated = found.groups()
    if int(at) in nulls:
        return f"({left} IS {'NOT ' if negated else ''}NULL)"
    return (
        f"({left} IS DISTINCT FROM {slot})"
        if negated
        else f"({left} = {slot} AND {left} IS NOT NULL)"
    )


def translate(statement: str) -> Translated:
    """Return the statement for PostgreSQL."""
    keys: list[str | int] = []
    places: dict[str | int, int] = {}

    def mark(piece: re.Match[str]) -> str:
        said = piece["key"]
        if said is None:
            return " " if piece[0].startswith(("--", "/*")) else piece[0]
        key: str | int = (
            said[1:] if said[0] == ":" else int(said[1:]) - 1 if said[1:] else len(keys)
        )
        if said == "?" or key not in places:
            places[key] = len(keys)
            keys.append(key)
        return f":sg{places[key]}"

    marked = _NO_PLAN.sub("", _PIECES.sub(mark, statement))
    marked, ignores = _OR_IGNORE.subn("UPDATE ", marked)
    tree = parse_one(marked, read="sqlite")
    for slot in tree.find_all(exp.Placeholder):
        slot.set("this", str(slot.this)[2:])
    skips = tree.args.get("alternative") == "IGNORE"
    made = _Translation(tree)
    tree = made.run()
    is_change = isinstance(tree, exp.Insert | exp.Update | exp.Delete)
    table = tree.this.find(exp.Table) if is_change else None
    text = tree.sql(dialect=Dialect)
    each = None
    if ignores:
        where = tree.args["where"].sql(dialect=Dialect)
        listed = f"SELECT CAST(ctid AS TEXT) FROM {tree.this.sql(dialect=Dialect)} {where}"
        one = f"{text} AND ctid = CAST($1 AS tid)"
        each = (
            Translated(listed, tuple(keys), None, False),
            Translated(one, tuple(keys), None, False, before=1),
        )
    changed = table.name if table else None
    names = {one.name for one in tree.find_all(exp.Table, exp.Column)}
    counts = "entities" in names and ("mentions" in names or tree.find(exp.Star) is not None)
    return Translated(text, tuple(keys), changed, made.reads_words, counts, each=each, skips=skips)


class _Translation(RewriteRules):
    def __init__(self, tree: exp.Expr) -> None:
        super().__init__(tree)
        self.reads_words = False

    def run(self) -> exp.Expr:
        for table in self.tree.find_all(exp.Table):
            if table.db == "main":
                table.set("db", None)
        for select in list(self.tree.find_all(exp.Select)):
            self._words(select)
        for call in self.tree.find_all(exp.Anonymous):
            if call.name in _OF_WORDS:
                asked = call.expressions[1]
                asked.replace(bound_as(asked.copy(), "w"))
                self.reads_words = True
        self._names()
        self._rowids()
        self._in_order()
        self._lists()
        self._insert()
        self.tree = self.bottom_up(self.tree)
        settle(self.tree)
        self._numbers_of_json()
        return self.tree

    def _numbers_of_json(self) -> None:
        """Select parts of JSON with their types, not as texts, so that rows are ordered by number: 9 before 10."""
        if not isinstance(self.tree, exp.Select) or self.tree.args.get("distinct"):
            return
        for call in [one.unalias() for one in self.tree.expressions]:
            if isinstance(call, exp.Anonymous) and call.name == "sq_json":
                document, path = call.expressions
                path = exp.Anonymous(this="sq_path", expressions=[path])
                call.replace(
                    exp.JSONBExtract(this=to(exp.paren(document), "JSONB"), expression=path)
                )

    # -- whole statements -----------------------------------------------------------------------
    def _insert(self) -> None:
        for node in [self.tree] if isinstance(self.tree, exp.Insert) else []:
            other = node.args.get("alternative")
            name = node.find(exp.Table)
            assert name is not None
            conflict = node.args.get("conflict")
            if other in ("IGNORE", "REPLACE"):
                node.set("alternative", None)
                node.set("conflict", self._conflict(node, name.name, replaces=other == "REPLACE"))
            elif conflict is not None:
                if conflict.expressions and not conflict.args.get("conflict_keys"):
                    conflict.set(
                        "conflict_keys", [exp.column(one) for one in tables.KEYS[name.name]]
                    )
                for key in conflict.args.get("conflict_keys") or ():
                    if isinstance(key, exp.Ordered):
                        key.replace(key.this)
                for change in conflict.expressions:
                    self._qualify(change.expression, name.alias_or_name)
                where = conflict.args.get("where")
                if where is not None:
                    self._qualify(where, name.alias_or_name)

    def _conflict(self, node: exp.Insert, table: str, *, replaces: bool) -> exp.OnConflict:
        if not replaces:
            return exp.OnConflict(action=exp.var("DO NOTHING"))
        keys = tables.KEYS[table]
        columns = [one.name for one in node.this.expressions]
        changes = [
            exp.EQ(this=exp.column(one), expression=exp.column(one, table="excluded"))
            for one in columns
            if one not in keys
        ]
        if not changes:
            return exp.OnConflict(action=exp.var("DO NOTHING"))
        return exp.OnConflict(
            conflict_keys=[exp.column(one) for one in keys],
            action=exp.var("DO UPDATE"),
            expressions=changes,
        )

    @staticmethod
    def _qualify(node: exp.Expr, table: str) -> None:
        """Give columns their table, because `excluded` has the same ones."""
        for column in list(node.find_all(exp.Column)):
            if not column.table and column.find_ancestor(exp.Select) is None:
                column.set("table", exp.to_identifier(table))

    def _words(self, select: exp.Select) -> None:
        """Replace the table of a full-text index by the rows that match."""
        source = select.args.get("from_")
        for table in (
            [source.this, *(join.this for join in select.args.get("joins") or ())] if source else []
        ):
            if not isinstance(table, exp.Table) or not _FTS.fullmatch(table.name):
                continue
            name = table.name
            for match in list(select.find_all(exp.Match)):
                if match.this.name == name and match.find_ancestor(exp.Select) is select:
                    asked = match.expression
                    asked.set("this", f"{asked.this}")
                    call = exp.Table(
                        this=exp.Anonymous(
                            this="words_match",
                            expressions=[
                                exp.Literal.string(name),
                                bound_as(asked, "n" if name == "entities_fts" else "w"),
                            ],
                        ),
                        alias=exp.TableAlias(this=exp.to_identifier(table.alias_or_name)),
                    )
                    match.replace(exp.true())
                    table.replace(call)
                    self.reads_words = True
                    break

    def _names(self) -> None:
        """Keep the capital letters of names that a statement gives to columns."""
        for name in self.tree.find_all(exp.Identifier):
            if isinstance(name.parent, exp.Alias | exp.Column) and name.name != name.name.lower():
                name.set("quoted", True)

    def _rowids(self) -> None:
        for column in list(self.tree.find_all(exp.Column)):
            if column.name.lower() != "rowid":
                continue
            table = self.table_of(column)
            if table in tables.NUMBERS:
                column.set("this", exp.to_identifier(tables.NUMBERS[table]))

    def _in_order(self) -> None:
        """Give rows that are found by a list the order of the list, as SQLite does when it reads the list first."""
        for select in self.tree.find_all(exp.Select):
            source, parent = select.args.get("from_"), select.parent
            is_result = parent is None or isinstance(parent, exp.Insert) or select.args.get("limit")
            is_one_row_each = not any(
                select.args.get(one) for one in ("order", "group", "distinct")
            )
            if source is None or not is_result or not is_one_row_each:
                continue
            call = source.this.this
            if not isinstance(call, exp.Anonymous) or call.name.lower() != "json_each":
                continue
            sums = [one for part in select.expressions for one in part.find_all(exp.AggFunc)]
            if not any(one.parent_select is select for one in sums):
                name = source.this.alias_or_name or "json_each"
                select.order_by(exp.column("key", table=name), copy=False)

    def _lists(self) -> None:
        """Replace `json_each` by a subquery of keys and values."""
        for table in list(self.tree.find_all(exp.Table)):
            call = table.this
            if not isinstance(call, exp.Anonymous) or call.name.lower() != "json_each":
                continue
            alias = table.alias_or_name or "json_each"
            asked = call.expressions[0]
            if isinstance(asked, exp.Placeholder) and len(call.expressions) == 1:
                made = parse_one(f"SELECT 1 FROM {_LIST} AS {alias}", read="postgres").find(
                    exp.Subquery
                )
                assert made is not None
                slot = made.find(exp.Placeholder)
                assert slot is not None
                slot.replace(bound_as(asked.copy(), "j"))
                made.set("laterals", table.args.get("laterals"))
                table.replace(made)
            else:
                call.set("this", "sq_each")

    # -- expressions ----------------------------------------------------------------------------
