"""Which notes the daemon has written itself."""

from signet.db import ReadTx

_IS_OWN = "SELECT 1 FROM summary_jobs WHERE result_path = ? LIMIT 1"


def is_summary(tx: ReadTx, path: str) -> bool:
    """Return whether the file with this path in the workspace is the summary of a session."""
    return tx.value(_IS_OWN, (path,)) is not None
