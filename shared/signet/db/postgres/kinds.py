"""The type of a value in a statement, as far as the tables and functions tell it."""

from sqlglot import exp

from signet.db.postgres import tables
from signet.db.postgres.nodes import (
    ARITHMETIC,
    BOOL,
    BYTES,
    CONDITIONS,
    FUNCTIONS,
    INT,
    JSON,
    KINDS,
    REAL,
    TEXT,
    Number,
    Slot,
    is_list,
    sources,
    subqueries,
)


class Kinds:
    """The types of values in one statement."""

    def __init__(self, tree: exp.Expr) -> None:
        self.tree = tree
        #: Columns whose types are being looked for.
        self._asked: set[int] = set()

    def kind(self, node: exp.Expr | None) -> str | None:
        """Return the type of an expression's value, None if it is not known."""
        if isinstance(node, exp.Paren | exp.Neg | exp.Distinct | exp.Order | exp.Ordered):
            inner = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
            return self.kind(inner)
        if isinstance(node, exp.Literal):
            return TEXT if node.is_string else INT if node.is_int else REAL
        if isinstance(node, exp.Column):
            return self._kind_of_column(node)
        if isinstance(node, CONDITIONS):
            return BOOL
        if isinstance(node, exp.Cast):
            return KINDS.get(node.to.this)
        if isinstance(node, ARITHMETIC):
            kinds = (self.kind(node.this), self.kind(node.expression))
            return REAL if REAL in kinds else INT if kinds == (INT, INT) else None
        if isinstance(node, exp.Div):
            kinds = (self.kind(node.this), self.kind(node.expression))
            return REAL if REAL in kinds else INT if kinds == (INT, INT) else None
        if isinstance(node, Number):
            return INT
        if isinstance(node, Slot):
            return BYTES if node.args["how"] == "b" else TEXT
        if isinstance(node, exp.Count | exp.Length | exp.RowNumber):
            return INT
        if isinstance(
            node, exp.Max | exp.Min | exp.Sum | exp.Abs | exp.Filter | exp.Window | exp.AnyValue
        ):
            return self.kind(node.this)
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least | exp.Nullif):
            parts = [node.this, *node.expressions]
            return next((one for part in parts if (one := self.kind(part)) is not None), None)
        if isinstance(node, exp.Case):
            parts = [*(one.args["true"] for one in node.args["ifs"]), node.args.get("default")]
            return next((one for part in parts if (one := self.kind(part)) is not None), None)
        if isinstance(node, exp.Subquery):
            return self.kind(node.this)
        if isinstance(node, exp.Select):
            first = node.expressions[0]
            return self.kind(first.this if isinstance(first, exp.Alias) else first)
        if isinstance(
            node,
            exp.Concat | exp.DPipe | exp.Substring | exp.Lower | exp.Upper | exp.Trim | exp.Replace,
        ):
            inner = self.kind(node.this) if isinstance(node, exp.Substring) else TEXT
            return inner if inner == BYTES else TEXT
        if isinstance(node, exp.Anonymous):
            return FUNCTIONS.get(node.name.lower())
        if isinstance(node, exp.GroupConcat):
            return BYTES if self.kind(node.this) == BYTES else TEXT
        return None

    def _kind_of_column(self, column: exp.Column) -> str | None:
        name = column.name.lower()
        if name in ("value", "key"):
            # Of a list of JSON, unless the table has such a column.
            select = column.find_ancestor(exp.Select, exp.Update, exp.Delete)
            while select is not None:
                for one in [*sources(select), *subqueries(select)]:
                    if (not column.table or one.alias_or_name == column.table) and is_list(one):
                        return INT if name == "key" and isinstance(one, exp.Subquery) else JSON
                select = select.find_ancestor(exp.Select, exp.Update, exp.Delete)
        if name == "rank":
            return REAL
        found = tables.TYPES.get(name)
        if found is None and id(column) not in self._asked:
            self._asked.add(id(column))
            found = tables.TYPES_OF.get((self.table_of(column) or "", name)) or self._kind_of_named(
                column
            )
            self._asked.remove(id(column))
        return found

    def _kind_of_named(self, column: exp.Column) -> str | None:
        """Return the type of a column that a subquery or a common table expression names."""
        select = column.find_ancestor(exp.Select, exp.Update, exp.Delete)
        while select is not None:
            for source in [*sources(select), *subqueries(select)]:
                if column.table and source.alias_or_name != column.table:
                    continue
                for inner in self._selects(source):
                    if inner is select or inner.find(exp.Select) is None:
                        continue
                    kind = self._kind_of_output(source, inner, column.name)
                    if kind is not None:
                        return INT if kind == BOOL else kind
            select = select.find_ancestor(exp.Select, exp.Update, exp.Delete)
        return None

    def _selects(self, source: exp.Expr) -> list[exp.Select]:
        """Return the queries whose rows a source in FROM has."""
        if isinstance(source, exp.Subquery):
            inner: exp.Expr | None = source.this
        else:
            inner = next(
                (cte.this for cte in self.tree.find_all(exp.CTE) if cte.alias == source.name), None
            )
        while isinstance(inner, exp.SetOperation | exp.Subquery):
            inner = inner.this
        return [inner] if isinstance(inner, exp.Select) else []

    def _kind_of_output(self, source: exp.Expr, inner: exp.Select, name: str) -> str | None:
        holder = inner.find_ancestor(exp.CTE) if isinstance(source, exp.Table) else source
        alias = holder.args.get("alias") if holder is not None else None
        listed = (
            [one.name for one in alias.columns]
            if isinstance(alias, exp.TableAlias) and alias.columns
            else []
        )
        for place, output in enumerate(inner.expressions):
            called = listed[place] if place < len(listed) else output.alias_or_name
            if called == name:
                value = output.this if isinstance(output, exp.Alias) else output
                return self.kind(value)
        return None

    def table_of(self, column: exp.Column) -> str | None:
        """Return the name of the table that a column belongs to."""
        node: exp.Expr | None = column
        while node is not None:
            node = node.find_ancestor(exp.Select, exp.Update, exp.Delete, exp.Insert)
            for table in sources(node):
                if not column.table or table.alias_or_name == column.table:
                    return table.name
        return None
