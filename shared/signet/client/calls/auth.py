"""Identity and tokens."""

from signet.client.method import Fields, asks
from signet.wire import auth as wire


def _scoped(sent: Fields) -> Fields:
    scope = {part: sent.pop(part) for part in ("project", "agent", "user") if part in sent}
    return sent | {"scope": scope}


class TokenCalls:
    """Identity and tokens."""

    @asks(wire.WHOAMI)
    def whoami(self) -> wire.WhoAmI:
        """Return the caller's identity and permissions."""

    @asks(wire.ISSUE_TOKEN, prepared=_scoped)
    def issue_token(
        self,
        role: str,
        *,
        sub: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        ttl_seconds: float | None = None,
    ) -> wire.IssuedToken:
        """Return a new token for `sub`, limited to the named scope; requires the role admin."""

    @asks(wire.EXCHANGE)
    def exchange(self, code: str) -> wire.IssuedToken:
        """Return a token for a one-time link's code, valid once for 5 minutes; raises Unauthenticated."""

    @asks(wire.TOKENS, pick=lambda found: found["tokens"])
    def tokens(self, *, limit: int = 100) -> list[wire.Token]:
        """Return issued and used tokens, latest first; at most 1,000."""

    @asks(wire.REVOKE_TOKEN, is_safe=True)
    def revoke_token(self, jti: str) -> wire.RevokedToken:
        """Revoke a token; raises NotFound."""
