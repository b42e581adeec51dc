"""The log of all processes."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.operation import get


class LogLines(TypedDict):
    """Lines of the log in time order, unchanged."""

    logs: list[dict[str, Any]]
    count: int


LOGS = get("/api/logs", access.LOCAL, LogLines)
ANALYTICS_LOGS = get("/api/analytics/logs", access.ANALYTICS, LogLines)
LOG_STREAM = get("/api/logs/stream", access.LOCAL, str, media_type="text/event-stream")
