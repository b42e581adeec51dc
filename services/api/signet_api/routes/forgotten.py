"""Forgotten, rejected and erased values."""

from typing import Annotated

from fastapi import Query

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.memory import forgotten
from signet.domain.memory.models import Rules
from signet.wire import memory as wire
from signet.wire.access import RECOVER
from signet.wire.requests.browse import ForgottenParams
from signet_api.deps import Shared
from signet_api.params import Agent
from signet_api.serving import serves


@serves(wire.FORGOTTEN)
async def get_forgotten(
    agent: Agent, query: Annotated[ForgottenParams, Query()], state: Shared
) -> wire.ForgottenValues:
    """Return a page of forgotten values, newest first; they are not saved again automatically.

    The start of a text is included for callers who may recover it.
    """
    window = Rules.of(state.settings).recover_within

    def page(tx: ReadTx) -> tuple[list[wire.ForgottenValue], int]:
        return forgotten.newest(
            tx,
            reader=_reader(tx, agent),
            window=window,
            now=clock.now(),
            limit=query.limit,
            offset=query.offset,
        )

    found, total = await state.db.aread(page)
    if not caller.current().may(RECOVER):
        found = [{**one, "label": None} for one in found]
    return {"values": found, "total": total}


@serves(wire.LIFT)
async def post_lift(memory_id: str, agent: Agent, state: Shared) -> wire.Lifted:
    """Allow a forgotten value to be saved again; its memory stays forgotten."""

    def lift(tx: WriteTx) -> None:
        forgotten.lift(tx, memory_id, reader=_reader(tx, agent), now=clock.now())

    await state.db.awrite(lift)
    return {"success": True, "id": memory_id}


def _reader(tx: ReadTx, agent_id: str) -> Reader:
    return agents.reader(tx, agent_id, any_scope=True)
