"""Conditions and numbers: SQLite takes a number as a condition and a condition as a number, PostgreSQL does not."""

from sqlglot import exp

from signet.db.postgres.nodes import (
    CONDITIONS,
    TRUTHS,
    grouped,
    number,
)

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
