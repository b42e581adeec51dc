"""Store transcripts of active sessions in the background after prompts, in case the harness is killed.

Reading a long log takes a tenth of a second.
"""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from signet import clock
from signet.db import WriteTx
from signet.domain.auth import caller
from signet.domain.backfill.models import UserHome
from signet.domain.backfill.places import log_folders
from signet.domain.sessions import session_end
from signet.domain.sessions.calls import Call
from signet.domain.sessions.services import Services
from signet.domain.sessions.session_end import Ended, Report
from signet.domain.transcripts import log_files, stored, transcript
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.models import Reading, Session
from signet.errors import SignetError
from signet.observe import logs
from signet_api.deps import State

log = logs.get("hooks")

#: Growth in bytes and share after which a log is read again: reading 1 GB takes many seconds.
LEAST_NEW_BYTES, LEAST_NEW_SHARE = 4_096, 0.02


#: Seconds between polls of a log without an answer: Copilot writes a turn only after its hook has returned.
LOOKS = (1.0, 4.0, 15.0)


def readable(path: str | None) -> LogFile | None:
    """Return the log file named by a request if the daemon may read it for this caller (HK-73)."""
    asked = caller.current()
    if path is None or not asked.is_local_user:
        return None
    if asked.is_own_client:
        return LogFile(path)
    return LogFile(path, partial(log_folders, UserHome(path=Path.home())))


def later(
    state: State, call: Call, path: str | None, inline: str | None, *, offset: timedelta
) -> None:
    """Store the current transcript in the background; one log at a time per session."""
    log_file = readable(path)
    if call.key is None or not (log_file or inline):
        return
    name = (call.agent_id, call.key)
    size = _size(log_file.path) if log_file else len(inline or "")
    before = state.following.get(name)
    if size is None or (
        before is not None and size < before + max(LEAST_NEW_BYTES, before * LEAST_NEW_SHARE)
    ):
        return
    state.following[name] = size
    task = asyncio.create_task(_keep(state, call, log_file, inline, offset))
    state.tasks.add(task)
    task.add_done_callback(state.tasks.discard)


def again(state: State, call: Call, report: Report, ended: Ended, services: Services) -> None:
    """Read a session's log again in the background if it ends without an answer and then grows."""
    read = ended.session.reading if ended.session else None
    if report.log is None or read is None or read.log_bytes is None:
        return
    if read.text.rfind("\nAssistant: ") > max(0, read.text.rfind("\nUser: ")):
        return
    late = report if ended.is_turn else replace(report, reason=session_end.LONG_AGO)
    task = asyncio.create_task(_again(call, late, report.log.path, read.log_bytes, services))
    state.tasks.add(task)
    task.add_done_callback(state.tasks.discard)


async def _again(call: Call, report: Report, path: str, size: int, services: Services) -> None:
    for seconds in LOOKS:
        await asyncio.sleep(seconds)
        now = _size(path) or size
        if now > size:
            size = now
            try:
                await session_end.end(call, report, services)
            except SignetError as error:
                log.info("transcript.not_stored", code=error.code)


async def _keep(
    state: State, call: Call, log_file: LogFile | None, inline: str | None, offset: timedelta
) -> None:
    masks = state.settings.memory.mask_secrets
    found = await asyncio.to_thread(log_files.read, log_file, inline, masks=masks, with_steps=False)
    if not found.text:
        return
    if inline:
        text = await asyncio.to_thread(transcript.retimed, found.text, offset, clock.now())
        found = replace(found, text=text)
    try:
        await state.db.awrite_quick(_store, call, found, at=clock.now())
    except SignetError as error:  # the session end submits it again
        log.info("transcript.not_stored", code=error.code)


def _store(tx: WriteTx, call: Call, found: Reading, *, at: datetime) -> None:
    assert call.key is not None
    session = Session(
        agent_id=call.agent_id,
        key=call.key,
        harness=call.harness,
        project=call.project,
        text=found.text,
        reading=found,
    )
    stored.keep(tx, session, now=at)


def _size(path: str) -> int | None:
    try:
        return Path(path).expanduser().stat().st_size
    except (OSError, ValueError, RuntimeError):
        return None
