"""Who am I, and tokens."""

from signet.client.call import Call, ask, given
from signet.client.method import method
from signet.wire import auth as wire
from signet.wire.auth import IssuedToken, RevokedToken, Token, WhoAmI


class TokenCalls:
    """Who am I, and tokens."""

    @method
    def whoami(self) -> Call[WhoAmI]:
        """Return who the caller is to the daemon, and what they may do."""
        return ask(wire.WHOAMI)

    @method
    def issue_token(
        self,
        role: str,
        *,
        sub: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        ttl_seconds: float | None = None,
    ) -> Call[IssuedToken]:
        """Return a new token for `sub`, limited to what is named; needs the role admin."""
        scope = given({"project": project, "agent": agent, "user": user})
        fields = {"role": role, "sub": sub, "scope": scope, "ttlSeconds": ttl_seconds}
        return ask(wire.ISSUE_TOKEN, body=fields)

    @method
    def tokens(self, *, limit: int = 100) -> Call[list[Token]]:
        """Return the tokens that were issued or seen, latest first; at most 1,000."""
        return ask(wire.TOKENS, limit=limit).picking(lambda found: found["tokens"])

    @method
    def revoke_token(self, jti: str) -> Call[RevokedToken]:
        """Take a token back, so that it is refused from now on; raises NotFound."""
        return ask(wire.REVOKE_TOKEN, jti, is_safe=True)
