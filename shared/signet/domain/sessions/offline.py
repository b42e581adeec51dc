"""Start texts for a machine that cannot reach its daemon, requested ahead and stored there.

This starts no session: it claims none and records no injection. Momentary lines are left out (the date and the time
since the last session), because the text is read on another day.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from signet.db import ReadTx
from signet.db.visibility import Here, Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import fence
from signet.domain.sessions import identity_files, standing_rules, start_sources
from signet.domain.sessions.calls import Services
from signet.domain.sessions.identity_files import Identity
from signet.domain.sessions.start_sources import StartMaterial, StartQuery
from signet.domain.transcripts import withheld
from signet.wire.hooks import OfflineContext


async def contexts(
    agent_id: str, projects: Mapping[str, str], services: Services, *, now: datetime
) -> list[OfflineContext]:
    """Return the start text of each project, and its rules, by the names of the client's folders."""
    files = {
        project: await asyncio.to_thread(
            identity_files.load, services.workspace, agent_id, Here(project)
        )
        for project in projects.values()
    }
    return [
        {
            **await services.db.aread(
                _context, agent_id, project, files[project], services, now=now
            ),
            "project": named,
        }
        for named, project in projects.items()
    ]


def _context(
    tx: ReadTx, agent_id: str, project: str, files: Identity, services: Services, *, now: datetime
) -> OfflineContext:
    settings = services.settings
    reader = agents.reader(tx, agent_id, here=Here(project))
    asked = StartQuery(reader=reader, project=project or None, memory=files.memory)
    found = start_sources.gather(tx, asked, settings, now=now)
    files = replace(files, memory=found.memory)
    who = identity_files.name_of(files, settings.agent)
    lasting = replace(found, since="", recovery="")
    text, _ = start_sources.inject(lasting, files, who, [], settings, notice="", local=None)
    return {"project": project, "inject": text, "rules": _rules(tx, reader, found)}


def _rules(tx: ReadTx, reader: Reader, found: StartMaterial) -> str:
    """Return the rules that apply to any prompt, as a block; empty without any."""
    rules = standing_rules.find(tx, "", vector=None, reader=reader, given=())
    lines = withheld.without("\n".join(one.line for one in rules), found.withheld)
    return fence.enclosed([f"{standing_rules.HEADING}\n{lines}"], is_first=True) if lines else ""
