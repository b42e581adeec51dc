"""Shared by the hook routes: caller, session, and disabled hooks."""

from collections.abc import Mapping

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from signet import clock
from signet.domain.auth import caller
from signet.domain.projects.folder import NOWHERE, FolderEvidence, ProjectPlace
from signet.domain.projects.registry import Elsewhere
from signet.domain.sessions import calls
from signet.domain.sessions.calls import Call
from signet.domain.sessions.models import RuntimePath
from signet.domain.sessions.models import State as Session
from signet.ids import agent_of_session
from signet.wire.requests.hooks import HookBody, HookRecallBody
from signet_api import scopes
from signet_api.deps import State, bound, known_as, named_agent
from signet_api.serving import First

#: Set by processes that Signet started; their hooks do nothing (HK-6).
INTERNAL = "x-signet-no-hooks"
_PATHS = frozenset(RuntimePath)


def unless_internal(nothing: Mapping[str, object]) -> First:
    """Return a `first` that answers `nothing` to processes started by Signet, before the body is read."""

    async def skip(request: Request) -> Response | None:
        is_internal = request.headers.get(INTERNAL) == "1"
        return JSONResponse({**nothing, "internal": True}) if is_internal else None

    return skip


async def call_of(
    body: HookBody | HookRecallBody,
    headers: Mapping[str, str],
    state: State,
    *,
    key: str | None = None,
    cwd: str | None = None,
) -> Call:
    """Return the caller; a session keeps the agent and project of its start, whatever later calls name.

    Prompts receive the memory of the current repository, because an agent changes its folder with `cd`.
    """
    key = body.session_key or key or None
    agent = body.agent_id or agent_of_session(key) or headers.get("x-signet-agent-id")
    owner = await state.db.aread(calls.owner, key) if key and not (agent or "").strip() else None
    named = body.project or cwd or ""
    elsewhere = _elsewhere(body)
    place = await state.projects.find(named, elsewhere) if named.strip() else NOWHERE
    project = bound(place.project)
    agent_id = await known_as(named_agent(body.agent_id or owner, key, headers), state.db)
    await scopes.check_session(state.db, agent_id, key)
    begun = await state.db.aread(calls.project, agent_id, key) if key else None
    here = project if place.is_repository or begun is None else begun
    project = begun or project if project else None
    return Call(
        agent_id=agent_id,
        harness=body.harness.strip(),
        key=key,
        project=project,
        here=here,
        place=place if elsewhere is None else NOWHERE,
        runtime_path=runtime_path(headers, body.runtime_path),
    )


def _elsewhere(body: HookBody | HookRecallBody) -> Elsewhere | None:
    """Return the folder of a client on another machine; local clients cannot describe one."""
    told = body.repository if isinstance(body, HookBody) else None
    if told is None or caller.current().is_local_user:
        return None
    mark = told.machine if told.is_repository else ""
    place = ProjectPlace(told.root, told.sub_path, told.root, told.tree, common=mark)
    return Elsewhere(
        f"client:{told.machine}", place, FolderEvidence(told.remote, tuple(told.commits))
    )


async def known(call: Call, state: State) -> Session | None:
    """Return the session of a call; raises Conflict if another runtime path serves it."""
    return await state.db.aread(calls.session_of, call) if call.key else None


async def bypassed(call: Call, state: State) -> bool:
    """Return whether a session's hooks are disabled; raises Conflict."""
    found = await known(call, state)
    return found is not None and found.bypasses(clock.now())


def runtime_path(headers: Mapping[str, str], said: str | None) -> str | None:
    """Return the runtime path of a session; the header takes precedence, unknown values count as none."""
    path = headers.get("x-signet-runtime-path", said)
    return path if path in _PATHS else None
