"""Parts of statements that sqlglot lacks, the types of values, and short ways to make parts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator

from signet.db.postgres import tables

INT, REAL, TEXT, BYTES, BOOL, JSON = "int", "real", "text", "bytes", "bool", "json"
NUMBERS = (INT, REAL)
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod)


class Number(exp.Expression, exp.Condition):
    """A condition as a number."""


class Is(exp.Expression, exp.Condition):
    """`IS` with a parameter, whose form depends on its being None."""

    arg_types = {"this": True, "expression": True, "negated": False}  # noqa: RUF012  # sqlglot's way to declare a node


class Slot(exp.Expression):
    """A parameter that is converted when it is bound."""

    arg_types = {"this": True, "how": True}  # noqa: RUF012


CONDITIONS = (
    *COMPARISONS, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Escape, exp.Exists, exp.And, exp.Or,
    exp.Not, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.Boolean, Is,
)  # fmt: skip


def _number(generator: Any, node: Number) -> str:
    return f"CAST(CAST(({generator.sql(node, 'this')}) AS INT) AS BIGINT)"


def _is(generator: Any, node: Is) -> str:
    left, right = generator.sql(node, "this"), generator.sql(node, "expression")
    return f"\x03{left}\x04{right}{'!' if node.args['negated'] else ''}\x05"


def _slot(generator: Any, node: Slot) -> str:
    return f"\x01{node.this.this}{node.args['how']}\x02"


def _placeholder(generator: Any, node: exp.Placeholder) -> str:
    return f"\x01{node.this}\x02"


class Dialect(Postgres):
    """PostgreSQL, with parameters as slots."""

    class Generator(PostgresGenerator):
        TRANSFORMS = {  # noqa: RUF012  # sqlglot's way to configure a generator
            **PostgresGenerator.TRANSFORMS,
            exp.Placeholder: _placeholder,
            Number: _number,
            Is: _is,
            Slot: _slot,
        }


#: Functions of schema.sql that return a condition.
TRUTHS = frozenset({"starts_with", "sq_json_valid"})
FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("length", "strpos", "sq_unixepoch", "sq_unicode", "sq_json_array_length"), INT
    ),
    **dict.fromkeys(("sq_real", "sq_julianday", "round"), REAL),
    **dict.fromkeys(("string_agg", "convert_to"), BYTES),
    **dict.fromkeys(("starts_with", "sq_json_valid"), BOOL),
    "sq_json": JSON,
    **dict.fromkeys(
        "sq_json_part convert_from sq_substr right left chr sq_hex sq_printf sq_strftime lower".split(),
        TEXT,
    ),
}
KINDS = {
    exp.DType.BIGINT: INT, exp.DType.INT: INT, exp.DType.DOUBLE: REAL, exp.DType.FLOAT: REAL, exp.DType.TEXT: TEXT,
    exp.DType.DECIMAL: REAL, exp.DType.VARBINARY: BYTES, exp.DType.BLOB: BYTES,
}  # fmt: skip


def glob_regex(pattern: str) -> str:
    """Return the regular expression of PostgreSQL for a pattern of GLOB."""
    found, at = ["^"], 0
    while at < len(pattern):
        sign = pattern[at]
        end = pattern.find("]", at + 2) if sign == "[" else -1
        if sign == "*":
            found.append(".*")
        elif sign == "?":
            found.append(".")
        elif end > 0:
            inner = pattern[at + 1 : end].replace("\\", "\\\\")
            found.append(f"[{inner}]")
            at = end
        else:
            found.append(re.sub(r"([\\.^$|()\[\]{}*+?])", r"\\\1", sign))
        at += 1
    return "".join(found) + "$"


def bound_as(slot: exp.Expr, how: str) -> exp.Expr:
    """Return a parameter that is converted when it is bound: `w` or `n` full text, `g` a GLOB pattern, `b` bytes,
    `j` a list of JSON."""
    return Slot(this=slot, how=how) if isinstance(slot, exp.Placeholder) else slot


def number(node: exp.Expr) -> exp.Expr:
    return Number(this=node)


def to(node: exp.Expr, kind: str) -> exp.Expr:
    return exp.cast(node, kind, dialect="postgres")


def typed(node: exp.Expr) -> exp.Expr:
    return to(node, "TEXT") if isinstance(node, exp.Literal) and node.is_string else node


def grouped(node: exp.Expr) -> exp.Expr:
    return exp.paren(node) if isinstance(node, exp.Binary | exp.Collate | exp.Case) else node


def in_c(node: exp.Expr) -> exp.Expr:
    return exp.Collate(this=grouped(node), expression=exp.to_identifier("C", quoted=True))


def no_case(node: exp.Expr) -> bool:
    return isinstance(node, exp.Collate) and node.expression.name.upper() == "NOCASE"


def lowered(node: exp.Expr) -> exp.Expr:
    return exp.Lower(this=in_c(node.this if no_case(node) else node))


def is_null(node: exp.Expr) -> exp.Expr:
    return exp.Is(this=grouped(node), expression=exp.null())


def any_of(parts: Sequence[exp.Expr]) -> exp.Expr:
    found = parts[0]
    for one in parts[1:]:
        found = exp.Or(this=found, expression=one)
    return found


def is_sure(node: exp.Expr) -> bool:
    """Return whether an expression is never NULL."""
    if isinstance(node, exp.Column):
        return node.name.lower() in tables.NEVER_NULL
    return isinstance(node, exp.Count)


def path_text(path: exp.JSONPath) -> str:
    found = "$"
    for part in path.expressions:
        if isinstance(part, exp.JSONPathKey):
            found += f".{part.this}"
        elif isinstance(part, exp.JSONPathSubscript):
            found += f"[{part.this}]"
    return found


def sources(node: exp.Expr | None) -> list[exp.Table]:
    if isinstance(node, exp.Update | exp.Delete | exp.Insert):
        own = node.this.this if isinstance(node.this, exp.Schema) else node.this
        return [own] if isinstance(own, exp.Table) else []
    if not isinstance(node, exp.Select) or node.args.get("from_") is None:
        return []
    listed = [node.args["from_"].this, *(join.this for join in node.args.get("joins") or ())]
    return [one for one in listed if isinstance(one, exp.Table)]


def subqueries(node: exp.Expr) -> list[exp.Subquery]:
    if not isinstance(node, exp.Select) or node.args.get("from_") is None:
        return []
    listed = [node.args["from_"].this, *(join.this for join in node.args.get("joins") or ())]
    return [one for one in listed if isinstance(one, exp.Subquery)]


def is_list(node: exp.Expr) -> bool:
    if isinstance(node, exp.Table):
        return isinstance(node.this, exp.Anonymous) and node.this.name.lower() == "sq_each"
    return "json_array_elements_text" in node.sql(dialect=Dialect).lower()[:120]
