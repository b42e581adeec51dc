"""Format log lines, and provide loggers.

A module calls `logs.get("pipeline")`; a process calls `configure` once at its start. Each event becomes one JSON
object: timestamp, level, category, message (the event's name) and, if present, data, duration in milliseconds (from
the field `took_ms`) and error. `data.process` names the process. Values whose name or shape is that of a credential
are masked. Lines of libraries that use the standard `logging` go to the same file.

`logfile.py` chooses the file.
"""

import contextlib
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast

from signet import clock
from signet.observe.logfile import LogPlace, RotatedLog, sweep

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger, WrappedLogger

Category = Literal[
    "daemon", "api", "memory", "sync", "git", "watcher", "embedding", "harness", "skills", "secrets",
    "hooks", "pipeline", "embedding-tracker", "summary-worker", "synthesis", "session-memories",
    "predictor", "maintenance", "retention", "summary-condensation", "scheduler", "reconciler",
    "system", "update",
]  # fmt: skip
LEVELS: Mapping[str, int] = {"debug": 10, "info": 20, "warn": 30, "error": 40}
_NAMES = {number: name for name, number in LEVELS.items()}

#: Names of credential fields; `tokens` and `input_tokens` are counts.
_SECRET_NAME = re.compile(
    r"(?i)(^|[_-])(token|secret|password|passphrase|authorization|cookie|api_?key)$"
)
_SECRET_TEXT = re.compile(
    r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}|\b(sk-|ghp_|gho_|github_pat_|xox[abp]-)[\w-]{8,}"
)
MASK = "[masked]"

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def get(category: Category) -> "FilteringBoundLogger":
    """Return a logger of this category; may be called before `configure`."""
    return cast("FilteringBoundLogger", _Logger(category))


class _Logger:
    """A logger that loads its library at the first line: most commands write none, and it loads slowly."""

    def __init__(self, category: Category) -> None:
        self._category = category

    def __getattr__(self, name: str) -> Any:
        import structlog

        logger = self.__dict__.setdefault("_made", structlog.get_logger(category=self._category))
        return getattr(logger, name)


def level_of(text: str | None) -> str:
    """Return a level's name for text such as `WARNING`; `info` for unknown or no text."""
    name = (text or "").strip().lower()
    name = {"warning": "warn", "critical": "error"}.get(name, name)
    return name if name in LEVELS else "info"


def configure(process: str, place: LogPlace, *, level: str = "info", echo: bool = False) -> None:
    """Send this process's log lines to its files, and with `echo` also to stdout."""
    with contextlib.suppress(OSError):  # an unusable folder is reported at the first line
        sweep(place, today=clock.now().date())
    import structlog

    sink = _Sink(process, RotatedLog(place), echo=echo)
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, sink.shape],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: sink,
        cache_logger_on_first_use=True,
    )
    # Info lines of libraries are not ours.
    libraries = logging.INFO if level == "debug" else max(LEVELS[level], logging.WARNING)
    logging.basicConfig(handlers=[_Bridge(sink)], level=libraries, force=True)


def entry(process: str, level: str, event: "EventDict") -> dict[str, object]:
    """Return the line's object for an event; consumes the event's fields."""
    fields = dict(event)
    failure = fields.pop("exc_info", None) or fields.pop("error", None)
    line: dict[str, object] = {
        "timestamp": fields.pop("timestamp", None) or clock.to_text(clock.now()),
        "level": level,
        "category": fields.pop("category", "system"),
        "message": mask_text(str(fields.pop("event", ""))),
    }
    took = fields.pop("took_ms", None)
    line["data"] = {"process": process, **{name: masked(name, v) for name, v in fields.items()}}
    if took is not None:
        line["duration"] = took
    if failure is not None:
        line["error"] = _failure(failure)
    return line


def masked(name: str, value: object) -> object:
    """Return the value as JSON data with credentials masked."""
    if _SECRET_NAME.search(name):
        return MASK
    if isinstance(value, Mapping):
        return {str(key): masked(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [masked("", item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_text(str(value))


def mask_text(text: str) -> str:
    """Return the text without bearer tokens and keys of known formats."""
    return _SECRET_TEXT.sub(lambda found: (found[1] or found[2]) + MASK, text)


def _failure(failure: object) -> dict[str, object]:
    if failure is True:
        failure = sys.exc_info()[1]
    elif isinstance(failure, tuple):
        failure = cast(_ExcInfo, failure)[1]
    if not isinstance(failure, BaseException):
        return {"name": "Error", "message": mask_text(str(failure))}
    found: dict[str, object] = {
        "name": type(failure).__name__,
        "message": mask_text(str(failure)),
    }
    if failure.__traceback__ is not None:
        found["stack"] = mask_text("".join(traceback.format_exception(failure)))
    return found


class _Sink:
    """The end of the processor chain: structlog's logger, which receives the finished line."""

    def __init__(self, process: str, file: RotatedLog, *, echo: bool) -> None:
        self._process = process
        self._file = file
        self._echo = echo

    def shape(
        self, _: "WrappedLogger", method: str, event: "EventDict"
    ) -> "tuple[tuple[str, str], EventDict]":
        """Convert an event to the arguments of `msg`; the last processor of the chain."""
        return self.line(level_of(method), event), {}

    def line(self, level: str, event: "EventDict") -> tuple[str, str]:
        """Return the JSON text of an event, and its instant."""
        made = entry(self._process, level, event)
        text = json.dumps(made, ensure_ascii=False, separators=(",", ":"), default=str)
        return text, str(made["timestamp"])

    def msg(self, text: str, stamp: str) -> None:
        """Write one finished line."""
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        self._file.write(line, stamp)
        if self._echo:
            os.write(1, line)

    debug = info = warning = error = critical = msg


class _Bridge(logging.Handler):
    """Sends the lines of libraries to the same sink."""

    def __init__(self, sink: _Sink) -> None:
        super().__init__()
        self._sink = sink

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record of the standard library's logging."""
        category = "api" if record.name.startswith("uvicorn") else "system"
        level = _NAMES.get(min(record.levelno, 40) // 10 * 10, "debug")
        event: EventDict = {
            "event": record.getMessage(),
            "category": category,
            "logger": record.name,
            "exc_info": record.exc_info,
        }
        self._sink.msg(*self._sink.line(level, event))
