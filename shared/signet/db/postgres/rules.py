"""What each part of a statement becomes on PostgreSQL."""

import re
from collections.abc import Mapping
from typing import Any, cast

from sqlglot import exp

from signet.db.postgres.kinds import Kinds
from signet.db.postgres.nodes import (
    BOOL,
    BYTES,
    COMPARISONS,
    INT,
    JSON,
    NUMBERS,
    REAL,
    Is,
    any_of,
    bound_as,
    glob_regex,
    grouped,
    in_c,
    is_null,
    is_sure,
    lowered,
    no_case,
    number,
    path_text,
    to,
    typed,
)

#: Functions of SQLite that functions.sql has with a prefix.
_SAME_NAME = frozenset(
    """
    unixepoch julianday printf json_valid json_insert json_replace json_array_length strftime
    """.split()
)


_NAMED: Mapping[type[exp.Expr], str] = {
    exp.JSONType: "sq_json_type",
    exp.JSONRemove: "sq_json_remove",
    exp.Hex: "sq_hex",
    exp.Unicode: "sq_unicode",
}


class RewriteRules(Kinds):
    """The rules of one statement."""

    def bottom_up(self, node: exp.Expr) -> exp.Expr:
        """Apply the rules to a part and all parts in it."""
        for child in list(node.iter_expressions()):
            made = self.bottom_up(child)
            if made is not child:
                child.replace(made)
        rule = RULES.get(type(node))
        return node if rule is None else rule(self, node)

    # -- rules ----------------------------------------------------------------------------------

    def _compare(self, node: exp.Expr) -> exp.Expr:
        left, right = node.this, node.expression
        if no_case(left) or no_case(right):
            left, right = lowered(left), lowered(right)
            node.set("this", left)
            node.set("expression", right)
        self._match_kinds(node, "this", "expression")
        if isinstance(node, exp.NullSafeEQ | exp.NullSafeNEQ):
            return self._is(node)
        return node

    def _match_kinds(self, node: exp.Expr, one: str, other: str) -> None:
        """Convert a value of JSON, or a condition, that is compared with a number."""
        sides = (one, other)
        for mine, its in (sides, sides[::-1]):
            left, right = node.args[mine], node.args[its]
            if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
                return
            if self.kind(left) == JSON and self.kind(right) in NUMBERS:
                node.set(
                    mine, to(left, "BIGINT" if self.kind(right) == INT else "DOUBLE PRECISION")
                )
            elif self.kind(left) == BOOL and not isinstance(right, exp.Boolean):
                node.set(mine, number(left))

    def _is(self, node: exp.Expr) -> exp.Expr:
        negated = isinstance(node, exp.NullSafeNEQ)
        left, right = node.this, node.expression
        if isinstance(left, exp.Placeholder) and not isinstance(right, exp.Placeholder):
            left, right = right, left
        if isinstance(right, exp.Placeholder):
            return Is(this=grouped(left), expression=right, negated=negated)
        if isinstance(right, exp.Literal) and not negated:
            is_not = exp.Not(this=exp.Is(this=grouped(left.copy()), expression=exp.null()))
            return exp.paren(
                exp.And(this=exp.EQ(this=grouped(left), expression=right), expression=is_not)
            )
        return node

    def _in(self, node: exp.Expr) -> exp.Expr:
        query = node.args.get("query")
        folds = no_case(node.this)
        if folds:
            node.set("this", lowered(node.this))
        if query is None:
            listed = node.expressions
            if not listed and not node.args.get("unnest") and not node.args.get("field"):
                return exp.false()
            kinds = {self.kind(one) for one in listed}
            if self.kind(node.this) == JSON and kinds <= {INT, REAL}:
                node.set("this", to(node.this, "DOUBLE PRECISION"))
            return node
        select = query.this if isinstance(query, exp.Subquery) else query
        if folds and isinstance(select, exp.Select):
            select.expressions[0].replace(lowered(select.expressions[0].copy()))
        if isinstance(select, exp.Select) and self.kind(select.expressions[0]) == JSON:
            wanted = self.kind(node.this)
            if wanted in NUMBERS:
                first = select.expressions[0]
                first.replace(to(first.copy(), "BIGINT" if wanted == INT else "DOUBLE PRECISION"))
        return node

    def _like(self, node: exp.Expr) -> exp.Expr:
        return exp.ILike(**node.args)

    def _glob(self, node: exp.Expr) -> exp.Expr:
        pattern = node.expression
        if isinstance(pattern, exp.Placeholder):
            asked: exp.Expr = bound_as(pattern, "g")
        elif isinstance(pattern, exp.Literal):
            text = pattern.this
            start = text[:-1]
            if text.endswith("*") and not re.search(r"[*?\[]", start):
                return exp.Anonymous(
                    this="starts_with", expressions=[node.this, exp.Literal.string(start)]
                )
            asked = exp.Literal.string(glob_regex(text))
        else:
            asked = exp.Anonymous(this="sq_glob", expressions=[pattern])
        return exp.RegexpLike(this=grouped(node.this), expression=asked)

    def _cast(self, node: exp.Expr) -> exp.Expr:
        into, kind = node.args["to"].this, self.kind(node.this)
        if into in (exp.DType.VARBINARY, exp.DType.BLOB):
            if kind == BYTES:
                return cast(exp.Expr, node.this)
            if isinstance(node.this, exp.Placeholder):
                return bound_as(node.this, "b")
            return exp.Anonymous(
                this="convert_to", expressions=[node.this, exp.Literal.string("UTF8")]
            )
        if into == exp.DType.TEXT and kind == BYTES:
            return exp.Anonymous(
                this="convert_from", expressions=[node.this, exp.Literal.string("UTF8")]
            )
        if kind == BOOL:
            return number(node.this)
        if into in (exp.DType.INT, exp.DType.BIGINT):
            if kind == INT:
                return cast(exp.Expr, node.this)
            name = "trunc" if kind == REAL else "sq_int"
            return to(exp.Anonymous(this=name, expressions=[node.this]), "BIGINT")
        if into == exp.DType.TEXT:
            return in_c(node.copy())
        if into in (exp.DType.FLOAT, exp.DType.DOUBLE):
            if kind in NUMBERS:
                return to(node.this, "DOUBLE PRECISION")
            return exp.Anonymous(this="sq_real", expressions=[node.this])
        return node

    def _sum(self, node: exp.Expr) -> exp.Expr:
        kind = self.kind(node.this)
        if kind == BOOL:
            node.set("this", number(node.this))
        elif kind == JSON:
            node.set("this", exp.Anonymous(this="sq_real", expressions=[node.this]))
        if kind not in (INT, BOOL):
            return node
        made = to(node, "BIGINT")
        filtered = node.parent
        return made if not isinstance(filtered, exp.Filter | exp.Window) else node

    def _filter(self, node: exp.Expr) -> exp.Expr:
        if (
            isinstance(node.this, exp.Sum)
            and self.kind(node.this) == INT
            and not isinstance(node.parent, exp.Window)
        ):
            return to(node, "BIGINT")
        return node

    def _most(self, node: exp.Expr) -> exp.Expr:
        """Return NULL if one of the values is NULL, as SQLite does."""
        parts = [node.this, *node.expressions]
        kinds = {self.kind(one) for one in parts}
        if JSON in kinds and kinds & {INT, REAL}:
            parts = [
                to(one, "DOUBLE PRECISION") if self.kind(one) == JSON else one for one in parts
            ]
        made = type(node)(this=parts[0], expressions=parts[1:])
        unsure = [one for one in parts if not isinstance(one, exp.Literal) and not is_sure(one)]
        if not unsure:
            return made
        case = exp.Case(
            ifs=[exp.If(this=any_of([is_null(one.copy()) for one in unsure]), true=exp.null())]
        )
        case.set("default", made)
        return case

    def _substring(self, node: exp.Expr) -> exp.Expr:
        start, length = node.args.get("start"), node.args.get("length")
        if isinstance(start, exp.Neg):
            right = exp.Anonymous(this="right", expressions=[node.this, start.this])
            if length is None or length == start.this:
                return right
            return exp.Anonymous(this="left", expressions=[right, length])
        assert start is not None
        if start.is_int and int(start.this) > 0 and (length is None or length.is_int):
            return node
        parts = [node.this, to(start, "INT"), *([] if length is None else [to(length, "INT")])]
        if self.kind(node.this) == BYTES:
            return exp.Anonymous(this="substr", expressions=parts)
        return exp.Anonymous(this="sq_substr", expressions=parts)

    def _lower(self, node: exp.Expr) -> exp.Expr:
        return type(node)(this=in_c(node.this))

    def _limit(self, node: exp.Expr) -> exp.Expr:
        asked = node.expression
        if isinstance(asked, exp.Literal):
            return node
        asked = to(asked, "BIGINT")
        if isinstance(node, exp.Offset):
            made: exp.Expr = exp.Greatest(this=asked, expressions=[exp.Literal.number(0)])
        else:
            # A negative number is no limit.
            case = exp.Case(
                ifs=[
                    exp.If(
                        this=exp.LT(this=asked.copy(), expression=exp.Literal.number(0)),
                        true=exp.null(),
                    )
                ]
            )
            case.set("default", asked)
            made = case
        return type(node)(expression=exp.paren(made))

    def _join(self, node: exp.Expr) -> exp.Expr:
        has_condition = node.args.get("on") is not None or node.args.get("using")
        if node.args.get("kind") == "CROSS" and has_condition:
            node.set("kind", None)
        elif not node.args.get("kind") and not node.args.get("side") and not has_condition:
            node.set("kind", "CROSS")
        return node

    def _ordered(self, node: exp.Expr) -> exp.Expr:
        inner = node.this
        if isinstance(inner, exp.Collate):
            node.set("this", lowered(inner))
        select = node.find_ancestor(exp.Select)
        if isinstance(inner, exp.Literal) and isinstance(select, exp.Select):
            inner = select.expressions[int(inner.this) - 1].unalias()
        if is_sure(inner) or isinstance(inner, exp.Literal):
            # As PostgreSQL itself sorts, so that it uses an index.
            node.set("nulls_first", bool(node.args.get("desc")))
        return node

    def _hex(self, node: exp.Expr) -> exp.Expr:
        return exp.cast(exp.Literal.string(f"\\x{node.this}"), "bytea", dialect="postgres")

    def _concat(self, node: exp.Expr) -> exp.Expr:
        separator = node.args.get("separator")
        kind = self.kind(node.this)
        if kind == BYTES:
            return exp.Anonymous(
                this="string_agg",
                expressions=[
                    node.this,
                    exp.cast(exp.Literal.string(""), "bytea", dialect="postgres"),
                ],
            )
        inner = node.this
        order = None
        if isinstance(inner, exp.Order):
            order, inner = inner, inner.this
        if isinstance(inner, exp.Distinct):
            inner.set("expressions", [to(one, "TEXT") for one in inner.expressions])
        else:
            inner = to(inner, "TEXT")
        if order is not None:
            order.set("this", inner)
            inner = order
        return exp.GroupConcat(this=inner, separator=separator or exp.Literal.string(","))

    def _json(self, node: exp.Expr) -> exp.Expr:
        name = "sq_json" if isinstance(node, exp.JSONExtractScalar) else "sq_json_part"
        path = node.expression
        if isinstance(path, exp.JSONPath):
            path = exp.Literal.string(path_text(path))
        return exp.Anonymous(this=name, expressions=[node.this, path])

    def _call(self, node: exp.Expr) -> exp.Expr:
        name = node.name.lower()
        if name == "lower_unicode":
            inner = exp.Collate(
                this=exp.paren(node.expressions[0]),
                expression=exp.to_identifier("pg_c_utf8", quoted=True),
            )
            return in_c(exp.Anonymous(this="lower", expressions=[inner]))
        if name in _SAME_NAME:
            node.set("this", f"sq_{name}")
            if name in ("json_insert", "json_replace"):
                return self._json_changed(f"sq_{name}", node.expressions)
        elif name == "bm25":
            return exp.column("rank", table=node.expressions[0].name)
        return node

    def _json_set(self, node: exp.Expr) -> exp.Expr:
        return self._json_changed("sq_json_set", [node.this, *node.expressions])

    def _json_changed(self, name: str, parts: list[exp.Expr]) -> exp.Expr:
        made = parts[0]
        for path, given in zip(parts[1::2], parts[2::2], strict=True):
            if isinstance(given, exp.Cast) and given.this.name == "json_build_object":
                value = to(given.this, "JSONB")
            else:
                value = exp.Anonymous(this="to_jsonb", expressions=[typed(given)])
            made = exp.Anonymous(this=name, expressions=[made, path, value])
        return made

    def _place(self, node: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="strpos", expressions=[node.this, node.args["substr"]])

    def _named(self, node: exp.Expr) -> exp.Expr:
        """Call the function of functions.sql that has the name of SQLite's."""
        name = _NAMED[type(node)]
        parts = [node.this, *node.expressions]
        path = node.args.get("expression")
        if path is not None:
            parts.append(
                exp.Literal.string(path_text(path)) if isinstance(path, exp.JSONPath) else path
            )
        return exp.Anonymous(this=name, expressions=parts)

    def _json_object(self, node: exp.Expr) -> exp.Expr:
        parts: list[exp.Expr] = []
        for one in node.expressions:
            parts += (
                [typed(one.this), typed(one.expression)]
                if isinstance(one, exp.JSONKeyValue)
                else [typed(one)]
            )
        return to(exp.Anonymous(this="json_build_object", expressions=parts), "TEXT")

    def _round(self, node: exp.Expr) -> exp.Expr:
        decimals = node.args.get("decimals") or exp.Literal.number(0)
        made = exp.Anonymous(
            this="round", expressions=[to(node.this, "NUMERIC"), to(decimals, "INT")]
        )
        return to(made, "DOUBLE PRECISION")

    def _div(self, node: exp.Expr) -> exp.Expr:
        """Return NULL for a division by zero."""
        if isinstance(node.expression, exp.Literal):
            return node
        return type(node)(this=node.this, expression=exp.Nullif(this=node.expression, expression=exp.Literal.number(0)),
                          typed=node.args.get("typed"), safe=node.args.get("safe"))  # fmt: skip

    def _shift(self, node: exp.Expr) -> exp.Expr:
        return type(node)(this=grouped(node.this), expression=to(node.expression, "INT"))

    def _length(self, node: exp.Expr) -> exp.Expr:
        inner = node.this
        if self.kind(inner) in NUMBERS:
            inner = to(inner, "TEXT")
        return exp.Anonymous(this="length", expressions=[inner])


_T = RewriteRules
RULES: Mapping[type[exp.Expr], Any] = {
    **dict.fromkeys(COMPARISONS, _T._compare),
    exp.In: _T._in,
    exp.Like: _T._like,
    exp.Glob: _T._glob,
    exp.Cast: _T._cast,
    exp.Sum: _T._sum,
    exp.Filter: _T._filter,
    exp.Greatest: _T._most,
    exp.Least: _T._most,
    exp.Substring: _T._substring,
    exp.Lower: _T._lower,
    exp.Upper: _T._lower,
    exp.Limit: _T._limit,
    exp.Offset: _T._limit,
    exp.Join: _T._join,
    exp.Ordered: _T._ordered,
    exp.HexString: _T._hex,
    exp.GroupConcat: _T._concat,
    exp.JSONExtractScalar: _T._json,
    exp.JSONExtract: _T._json,
    exp.Anonymous: _T._call,
    exp.JSONObject: _T._json_object,
    exp.JSONSet: _T._json_set,
    exp.StrPosition: _T._place,
    exp.Round: _T._round,
    exp.Div: _T._div,
    exp.Length: _T._length,
    exp.BitwiseLeftShift: _T._shift,
    **dict.fromkeys(_NAMED, _T._named),
}
