"""Rate limits of requests; local mode has none (AUTH-5)."""

from starlette.datastructures import Headers

from signet import clock
from signet.config.sections import AuthMode
from signet.domain.auth import caller, limits
from signet.wire.access import Quota
from signet_api.deps import State

ACTOR = "x-signet-actor"
ANONYMOUS = "anonymous"


async def count(
    state: State, operation: Quota, headers: Headers, *, instead_of: Quota | None = None
) -> None:
    """Count this request, instead of as `instead_of` if given; raises RateLimited without counting."""
    if state.authority.mode is AuthMode.LOCAL:
        return
    actor = _actor(headers)
    known = state.settings.auth.rate_limits
    asked = limits.window(actor, operation, known)
    before = limits.window(actor, instead_of, known) if instead_of else None
    refused = await state.db.awrite_quick(
        limits.count, asked, now=clock.now(), longest_ms=limits.longest_ms(known), instead_of=before
    )
    if refused is not None:
        raise refused


def _actor(headers: Headers) -> str:
    """Return the counted caller: the token's, else the claimed name (AUTH-23)."""
    claims = caller.current().claims
    return claims.sub if claims else headers.get(ACTOR) or ANONYMOUS
