"""Who am I, and tokens: issue, list, take back (spec/auth.md §8)."""

import json
from datetime import timedelta
from typing import Final
from uuid import uuid4

from fastapi import APIRouter, Request
from pydantic import ValidationError

from signet import clock
from signet.config.sections import AuthMode
from signet.config.values import CENTURY_SECONDS
from signet.domain.auth import caller, issued, tokens
from signet.domain.auth.issued import IssuedToken
from signet.domain.auth.policy import MARKS, Role
from signet.domain.auth.tokens import Claims, TokenScope
from signet.errors import Invalid, NotFound
from signet.wire.requests.auth import TokenBody
from signet_api.bodies import described, parse
from signet_api.deps import Db, Shared, State
from signet_api.errors import problem
from signet_api.params import whole

router = APIRouter(prefix="/api/auth", tags=["auth"])

#: Tokens on a page.
USUAL, MOST = 100, 1_000
ROLES: Final = f"role must be one of: {', '.join(Role)}"


@router.get("/whoami")
async def get_whoami(state: Shared) -> dict[str, object]:
    """Return who the caller is to the daemon, and what they may do."""
    asked = caller.current()
    return {
        "authenticated": asked.claims is not None,
        "claims": asked.claims and asked.claims.body(),
        "mode": state.authority.mode,
        "permissions": sorted(asked.permissions - MARKS),
        "trustedLocal": asked.is_trusted,
        # A token that does not hold is refused before it comes here.
        "error": None,
    }


@router.post("/token", openapi_extra=described(TokenBody))
async def post_token(request: Request, state: Shared) -> dict[str, object]:
    """Sign a token; it is shown once, here."""
    if state.authority.mode is AuthMode.LOCAL:
        raise Invalid("auth secret not available (local mode?)")
    claims = _claims(_body(await request.body()), state)
    await state.db.awrite(issued.keep, claims, now=clock.now())
    return {
        "token": tokens.sign(claims, state.authority.secret),
        "expiresAt": tokens.text(claims.exp),
        "jti": claims.jti,
    }


@router.get("/tokens")
async def get_tokens(request: Request, db: Db) -> dict[str, object]:
    """Return the tokens that were issued or seen, latest first; never the tokens themselves."""
    limit = whole(request.query_params.get("limit"), USUAL, low=1, high=MOST)
    found = await db.aread(issued.newest, limit=limit)
    return {"tokens": [_token(one) for one in found], "count": len(found)}


@router.delete("/tokens/{jti}")
async def delete_token(jti: str, db: Db) -> dict[str, object]:
    """Take a token back: from now on it is refused, whatever its end."""
    row = await db.awrite(issued.revoke, jti, now=clock.now())
    if row is None:
        raise NotFound("Token not found")
    return {"success": True, **_token(row)}


def _body(raw: bytes) -> TokenBody:
    try:
        sent = parse(raw)
    except json.JSONDecodeError as error:
        raise Invalid("invalid request body") from error
    if not isinstance(sent, dict):
        raise Invalid("invalid request body")
    if sent.get("role") not in list(Role):
        raise Invalid(ROLES)
    try:
        return TokenBody.model_validate(sent)
    except ValidationError as error:
        first = error.errors()[0]
        raise Invalid(problem(first, first["loc"])) from error


def _claims(asked: TokenBody, state: State) -> Claims:
    usual = state.settings.auth.default_token_ttl_seconds
    wanted = asked.ttl_seconds or 0
    seconds = min(wanted, CENTURY_SECONDS) if wanted > 0 else usual
    return tokens.claim(
        sub=(asked.sub or "").strip() or f"token:{asked.role}",
        role=Role(asked.role),
        scope=TokenScope(**asked.scope.model_dump()),
        now=clock.now(),
        ttl=timedelta(seconds=seconds),
        jti=uuid4().hex,
    )


def _token(one: IssuedToken) -> dict[str, object]:
    return {
        "jti": one.jti,
        "sub": one.sub,
        "role": one.role,
        "scope": one.scope,
        "issuedAt": one.issued_at,
        "expiresAt": one.expires_at,
        "revokedAt": one.revoked_at,
    }
