"""Identity, and tokens: issue, list, revoke."""

import asyncio
import contextlib
import re
from dataclasses import replace
from datetime import timedelta
from typing import Annotated
from uuid import uuid4

from fastapi import Request

from signet import clock
from signet.config import manifest, roster
from signet.config.roster import NotListed
from signet.config.sections import AuthMode
from signet.config.values import CENTURY_SECONDS
from signet.db import ReadTx
from signet.db.visibility import ReadPolicy
from signet.domain.agents import registry
from signet.domain.agents.registry import Agent
from signet.domain.auth import caller, issued, tokens
from signet.domain.auth.caller import MARKS
from signet.domain.auth.tokens import Claims, TokenScope
from signet.domain.memory import leave
from signet.domain.spaces import registry as spaces
from signet.errors import Conflict, Invalid, NotFound, Unauthenticated
from signet.ids import DEFAULT_AGENT
from signet.wire import access
from signet.wire import agents as wire_agents
from signet.wire import auth as wire
from signet.wire.requests.machine import AgentBody, CodeBody, ConfirmBody, ScopeBody, TokenBody
from signet.wire.requests.model import ClampedInt, Flag
from signet_api import confirmations, connections
from signet_api.access import match
from signet_api.deps import Db, Shared, State, Who, state_of
from signet_api.serving import serves
from signet_api.shapes import as_wire

_READS = {
    ReadPolicy.SHARED: "what all share, and its own",
    ReadPolicy.ISOLATED: "only its own",
    ReadPolicy.GROUP: "what its group shares, and its own",
}
NO_TOKENS = """auth.mode is local, where no tokens are used.
For other machines: signet config set auth.mode hybrid, then signet daemon restart"""
_NONCE = re.compile("[0-9a-fA-F]{32,128}")


async def _can_sign(request: Request) -> None:
    state = await state_of(request)
    if state.authority.mode is AuthMode.LOCAL:
        raise Invalid(NO_TOKENS)


@serves(wire.WHOAMI)
async def get_whoami(state: Shared) -> wire.WhoAmI:
    """Return the caller's identity and permissions."""
    asked = caller.current()
    return {
        "standing": asked.standing,
        "authenticated": asked.claims is not None,
        "claims": asked.claims.body() if asked.claims else None,
        "mode": state.authority.mode,
        "permissions": sorted(asked.permissions - MARKS),
        "trustedLocal": asked.is_local_user,
        # Invalid tokens have been refused before.
        "error": None,
    }


@serves(wire.ISSUE_TOKEN, first=_can_sign)
async def post_token(body: TokenBody, state: Shared) -> wire.IssuedToken:
    """Sign a token, limited to the named scope; it is shown only once. Requires the role admin."""
    jti = uuid4().hex
    claims = _claims(body, state, jti)
    for name in body.scope.spaces:
        await state.db.aread(spaces.is_reviewed, name)  # raises NotFound
    await state.db.awrite(issued.keep_issued, claims, now=clock.now())
    return _issued(claims, state.authority.secret)


@serves(wire.EXCHANGE)
async def post_exchange(body: CodeBody, request: Request, state: Shared) -> wire.IssuedToken:
    """Exchange a one-time link's code for a dashboard session; a code is valid once, for 5 minutes.

    Every user of the machine can read the link in the browser's arguments, so their programs are refused. A session
    ends when it expires or is revoked, and with its daemon.
    """
    if await connections.is_of_another(request.scope):
        raise Unauthenticated("this code is for the user who runs the daemon")
    now, key = clock.now(), state.authority.workspace_token
    code = tokens.verify(body.code, key, now=now)
    if code.sub != tokens.LOGIN:
        raise Unauthenticated("not a code")
    ttl = timedelta(seconds=state.settings.auth.session_token_ttl_seconds)
    claims = tokens.claim(
        sub=tokens.PAGE, role=code.role, now=now, ttl=ttl, jti=uuid4().hex, own=True
    )
    await state.db.awrite(issued.redeem, code, claims, now=now)
    return _issued(claims, key)


@serves(wire.CONFIRM)
async def post_confirm(body: ConfirmBody, request: Request, state: Shared) -> wire.Confirmation:
    """Return a code for one request that the user has confirmed in the dashboard; valid once, for 60 seconds."""
    asked = caller.current()
    rule = match(body.method, body.path.partition("?")[0])
    if not asked.is_page or rule is None or not rule.does:
        raise Invalid("Only the dashboard confirms requests, and only those that need it")
    replace(asked, is_confirmed=True).check(access.programs(rule.does, rule.command))
    content = (body.body or "").encode("utf-8", "surrogatepass")
    code = state.confirmations.issue(request.scope, body.method, body.path, content)
    expires = clock.now() + timedelta(seconds=confirmations.SECONDS)
    return {"code": code, "expiresAt": clock.to_text(expires)}


@serves(wire.PROOF)
async def get_proof(request: Request, state: Shared, nonce: str = "") -> wire.Proof:
    """Prove to a client that this daemon serves the workspace whose token the client has read."""
    if not _NONCE.fullmatch(nonce):
        raise Invalid("nonce must be 32 to 128 hexadecimal digits")
    connection = request.scope.get(connections.KEY)
    port = state.port if connection is None else connection.port
    return {"proof": tokens.proof(state.authority.workspace_token, nonce, port)}


@serves(wire.TOKENS)
async def get_tokens(db: Db, limit: Annotated[int, ClampedInt(1, 1_000)] = 100) -> wire.Tokens:
    """Return issued and used tokens, latest first, without the tokens themselves."""
    found = await db.aread(issued.newest_tokens, limit=limit)
    return {"tokens": found, "count": len(found)}


@serves(wire.REVOKE_TOKEN)
async def delete_token(jti: str, db: Db) -> wire.RevokedToken:
    """Revoke a token, whatever its expiry."""
    row = await db.awrite(issued.revoke, jti, now=clock.now())
    if row is None:
        raise NotFound("Token not found")
    return {"success": True, **row}


def _issued(claims: Claims, key: bytes) -> wire.IssuedToken:
    return {
        "token": tokens.sign(claims, key),
        "expiresAt": tokens.text(claims.exp),
        "jti": claims.jti or "",
    }


def _claims(asked: TokenBody, state: State, jti: str) -> Claims:
    usual = state.settings.auth.default_token_ttl_seconds
    wanted = asked.ttl_seconds or 0
    seconds = min(wanted, CENTURY_SECONDS) if wanted > 0 else usual
    return tokens.claim(
        sub=(asked.sub or "").strip() or asked.scope.user or f"token:{asked.role}",
        role=asked.role,
        scope=_scope(asked.scope),
        now=clock.now(),
        ttl=timedelta(seconds=seconds),
        jti=jti,
    )


def _scope(asked: ScopeBody) -> TokenScope:
    found = tokens.scope_of(asked.model_dump(exclude_defaults=True))
    if found is None:
        raise Invalid(tokens.BAD_SPACE_NAME)
    return found


@serves(wire_agents.AGENTS)
async def get_agents(state: Shared) -> wire_agents.Agents:
    """Return every agent with its policy and number of memories, the default one first."""

    def count_agents(tx: ReadTx) -> list[wire_agents.CountedAgent]:
        counts = registry.counts(tx)
        return [
            {**_row(one), "memories": sum(counts.get(one.id, {}).values())}
            for one in registry.every(tx)
        ]

    return {"agents": await state.db.aread(count_agents)}


@serves(wire_agents.ADD_AGENT)
async def post_agent(body: AgentBody, state: Shared) -> wire_agents.NamedAgent:
    """Add an agent: an entry in agent.yaml, a row, and a folder for its files.

    Its policy is isolated, shared, or group with a `policy_group`.
    """
    wanted = registry.checked(body.name.strip(), body.read_policy, body.policy_group)
    if await state.db.aread(registry.get, wanted.name) is not None:
        raise Conflict("An agent of this name already exists", "agent_exists")
    path = manifest.place(state.workspace)
    await asyncio.to_thread(roster.add, path, wanted)
    await asyncio.to_thread(registry.make, state.workspace, wanted.name)
    await state.db.awrite(registry.put, registry.agent_of(wanted), now=clock.now())
    return _row(await _known(state, wanted.name))


@serves(wire_agents.AGENT)
async def get_agent(name: str, state: Shared) -> wire_agents.WholeAgent:
    """Return one agent, its memories by visibility, and its files."""
    found = await _known(state, name)
    counts = await state.db.aread(registry.counts, name)
    own = await asyncio.to_thread(registry.present, state.workspace, name)
    return {**_row(found), "memories": counts.get(name, {}), "files": own}


@serves(wire_agents.REMOVE_AGENT)
async def delete_agent(
    name: str, state: Shared, actor: Who, purge: Flag = False
) -> wire_agents.RemovedAgent:
    """Remove an agent; its memories are archived, or erased with `purge`. Its files stay."""
    if name == DEFAULT_AGENT:
        raise Invalid("The default agent cannot be removed")
    await _known(state, name)
    state.check_writable()
    path = manifest.find(state.workspace)
    if path is not None:
        # It may be named elsewhere, or its entry already removed.
        with contextlib.suppress(NotListed):
            await asyncio.to_thread(roster.remove, path, name)
        # Else a reload that still knows the entry could insert the row again, after it was deleted.
        await asyncio.to_thread(state.live.poll)
    step = leave.erase if purge else leave.archive
    while await state.db.awrite(step, name, actor=actor, now=clock.now()):
        pass
    await state.db.awrite(registry.remove, name)
    return {"success": True, "purged": purge}


async def _known(state: State, name: str) -> Agent:
    found = await state.db.aread(registry.get, name)
    if found is None:
        raise NotFound(f"Agent '{name}' not found")
    return found


def _row(agent: Agent) -> wire_agents.NamedAgent:
    reads = _READS[agent.read_policy]
    return as_wire(wire_agents.NamedAgent, agent, name=agent.name or agent.id, reads=reads)
