"""Receive the output of a task's runs live."""

import contextlib
import json
from collections.abc import Generator
from typing import Any

from signet.client import http1
from signet.client.call import Call, ask
from signet.client.errors import ConnectionBroken, DaemonSilent
from signet.client.stream import SILENT_SECONDS, StreamReading
from signet.client.target import CallTarget
from signet.client.transport import connected
from signet.wire import tasks

_CHUNK = 65_536


def task_events(target: CallTarget, task_id: str) -> Generator[dict[str, Any], None, None]:
    """Yield each event of a task's stream, until the daemon stops or the task is removed.

    Raises DaemonNotRunning, DaemonSilent, ConnectionBroken, and NotFound for an unknown task.
    """
    call: Call[Any] = ask(tasks.TASK_EVENTS, task_id)
    try:
        connection, target = connected(target)
        with contextlib.closing(connection):
            connection.settimeout(SILENT_SECONDS)
            connection.sendall(http1.request(target, call))
            reading = StreamReading(target, call)
            while not reading.is_over:
                for message in reading.feed(connection.recv(_CHUNK)):
                    if "data" in message:
                        yield json.loads(message["data"])
    except TimeoutError as error:
        raise DaemonSilent() from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke") from error
