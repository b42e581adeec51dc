"""Repairs that were done and did not help: after the third time in a row maintenance leaves them to a person (MW-5).

The counters are rows, so that a restart does not try again what does not help.
"""

from signet.db import ReadTx, WriteTx
from signet.domain.repair.sql import gate as sql

#: So often may a repair be of no use before it is left alone.
PATIENCE = 3


def halted(tx: ReadTx) -> frozenset[str]:
    """Return the actions that are left alone."""
    return frozenset(row["action"] for row in tx.all(sql.HALTED))


def judge(tx: WriteTx, action: str, *, helped: bool) -> None:
    """Count a repair that did not help, forget the count of one that did."""
    if helped:
        tx.run(sql.HELPED, (action,))
    else:
        tx.run(sql.USELESS, {"action": action, "patience": PATIENCE})


def clear(tx: WriteTx) -> None:
    """Forget every count: nothing is left to complain of."""
    tx.run(sql.CLEAR)
