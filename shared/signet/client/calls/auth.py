"""Who am I, and tokens."""

from signet.client.method import Fields, asks
from signet.wire import auth as wire


def _scoped(sent: Fields) -> Fields:
    scope = {part: sent.pop(part) for part in ("project", "agent", "user") if part in sent}
    return sent | {"scope": scope}


class TokenCalls:
    """Who am I, and tokens."""

    @asks(wire.WHOAMI)
    def whoami(self) -> wire.WhoAmI:
        """Return who the caller is to the daemon, and what they may do."""

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
        """Return a new token for `sub`, limited to what is named; needs the role admin."""

    @asks(wire.EXCHANGE)
    def exchange(self, code: str) -> wire.IssuedToken:
        """Return a token for the code of a one-time link, which is good once, for 5 minutes; raises Unauthenticated."""

    @asks(wire.TOKENS, pick=lambda found: found["tokens"])
    def tokens(self, *, limit: int = 100) -> list[wire.Token]:
        """Return the tokens that were issued or seen, latest first; at most 1,000."""

    @asks(wire.REVOKE_TOKEN, is_safe=True)
    def revoke_token(self, jti: str) -> wire.RevokedToken:
        """Take a token back, so that it is refused from now on; raises NotFound."""
