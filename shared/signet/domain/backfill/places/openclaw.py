"""OpenClaw: a database for each agent, and before that a log for each session, with the keys of those that go on.

The key of a session outlives its resets, so that all that was said under one key is one session, as for the plugin.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from signet.domain.backfill.models import Found, Home, Place, log
from signet.domain.backfill.places import files
from signet.domain.backfill.sql import others

_ROOTS = (".openclaw", ".clawdbot", ".moltbot", ".moldbot")
_DATABASE = "openclaw-agent.sqlite"


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions of all agents."""
    for root in _roots(home):
        for database in files.below(root / "agents", f"*/agent/{_DATABASE}"):
            for row in others.read(database, others.OpenClawRow, others.OPENCLAW):
                if (at := files.instant(row.at)) is not None:
                    yield Found(
                        harness=PLACE.harness,
                        key=row.key,
                        path=str(database),
                        bytes=row.bytes,
                        changed_at=at,
                        project=row.directory,
                    )
        for path in files.below(root / "agents", "*/sessions/*.jsonl"):
            with suppress(OSError):
                yield _logged(path)


def logs(home: Home) -> Iterable[Path]:
    """Return the folder of each agent."""
    return (one for root in _roots(home) for one in root.glob("agents/*/sessions"))


def _roots(home: Home) -> list[Path]:
    named = home.environ.get("OPENCLAW_STATE_DIR", "").strip()
    return [Path(named)] if named else [home.path / name for name in _ROOTS]


def _logged(path: Path) -> Found:
    cwds = (files.text(one.get("cwd")) for one in files.head(path))
    return PLACE.file(path, _key(path), next(filter(None, cwds), None))


def _key(path: Path) -> str:
    """Return the key under which a log goes on, else one that is made from its name."""
    listed = files.json_or_none(path.with_name("sessions.json"))
    for key, entry in listed.items() if isinstance(listed, dict) else ():
        if isinstance(entry, dict) and entry.get("sessionId") == path.stem:
            return str(key)
    return f"agent:{path.parent.parent.name}:{path.stem}"


def read(path: str, key: str) -> str:
    """Return what was said in a session; raises OSError, and ValueError for a file of another form."""
    if Path(path).name == _DATABASE:
        rows = others.asked(Path(path), others.EventRow, others.OPENCLAW_EVENTS, (key,))
        return log(_said(files.parsed(row.event) for row in rows))
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        return log(_said(files.parsed(line) for line in lines if line.strip()))


def _said(events: Iterator[Any]) -> Iterator[tuple[str, object, object]]:
    """Yield the messages among the events, with the times that the plugin tells."""
    for event in events:
        message = event.get("message") if isinstance(event, dict) else None
        if isinstance(message, dict) and event.get("type") == "message":
            at = message.get("timestamp") or event.get("timestamp")
            yield str(message.get("role")), message.get("content"), at


PLACE = Place(harness="openclaw", name="OpenClaw", find=find, logs=logs, read=read)
