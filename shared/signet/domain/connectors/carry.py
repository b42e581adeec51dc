"""Settle what runs by itself in a database that is about to be restored: tasks and connected folders."""

import contextlib
from datetime import datetime
from pathlib import Path

from signet.db import WriteTx
from signet.db.driver import connect
from signet.domain.connectors import remove
from signet.domain.tasks import start as tasks


def settle(staged: Path, *, keeps_settings: bool, now: datetime) -> None:
    """Cancel the runs of tasks that had not ended.

    If the workspace keeps its settings, also disable all tasks and remove all connectors.
    """
    with contextlib.closing(connect(staged)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tasks.withdraw(WriteTx(connection), disable=keeps_settings, now=now)
        if keeps_settings:
            remove.remove_all(WriteTx(connection))
        connection.execute("COMMIT")
