"""A session as it went: what it was given, what was said, what was remembered, how it was summarised.

Looking at it counts as no use.
"""

from datetime import datetime

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.injections import show
from signet.domain.memory import lookup
from signet.domain.sessions import every
from signet.domain.summaries import files
from signet.domain.transcripts import stored, withheld
from signet.domain.transcripts.models import Overview
from signet.wire.injections import SessionReplay


def replay(
    tx: ReadTx,
    key: str,
    *,
    agent_id: str | None,
    within: str | None,
    project: str | None,
    now: datetime,
) -> SessionReplay:
    """Return the session that `show.context` would. Raises NoRecord."""
    found, turns = show.looked(tx, key, agent_id=agent_id, within=within, project=project, now=now)
    owner, whole = found["agentId"], found["sessionKey"]
    reader = agents.reader(tx, owner, any_scope=True)
    told = withheld.all_cleaned(tx, owner, [one.text for one in turns])
    shown = stored.overviews(tx, [(owner, whole)]).get((owner, whole), Overview())
    return {
        **found,
        **every.overview(shown if turns else Overview(), found["project"]),
        "turns": [
            {"role": one.role, "text": text, "at": one.at}
            for one, text in zip(turns, told, strict=True)
        ],
        "memories": lookup.of_session(tx, whole, reader=reader),
        "summary": files.of_session(tx, owner, whole, within=within),
    }
