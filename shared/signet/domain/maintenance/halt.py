"""Repairs that were done and did not help: after the third time in a row maintenance leaves them to a person (MW-5).

The counters are rows, so that a restart does not try again what does not help.
"""

from signet.db import ReadTx, WriteTx

#: So often may a repair be of no use before it is left alone.
PATIENCE = 3

_HALTED = "SELECT action FROM repair_runs WHERE halted = 1 ORDER BY action"
_USELESS = """
INSERT INTO repair_runs (action, ineffective, halted) VALUES (:action, 1, 1 >= :patience)
ON CONFLICT (action) DO UPDATE SET ineffective = ineffective + 1, halted = ineffective + 1 >= :patience"""
_HELPED = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE action = ?"
_CLEAR = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE ineffective > 0 OR halted > 0"


def halted(tx: ReadTx) -> frozenset[str]:
    """Return the actions that are left alone."""
    return frozenset(row["action"] for row in tx.all(_HALTED))


def judge(tx: WriteTx, action: str, *, helped: bool) -> None:
    """Count a repair that did not help, forget the count of one that did."""
    if helped:
        tx.run(_HELPED, (action,))
    else:
        tx.run(_USELESS, {"action": action, "patience": PATIENCE})


def clear(tx: WriteTx) -> None:
    """Forget every count: nothing is left to complain of."""
    tx.run(_CLEAR)
