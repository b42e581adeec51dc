"""Bearer tokens of a company's identity provider (OpenID Connect), checked with its published keys (AUTH-34).

No request waits for the network, with one exception: until the first keys have come, up to `FIRST_SECONDS`. Keys are
fetched at the start, again when they are older than `REFRESH`, and at most every `AGAIN` for a key that is not known;
requests go on with the keys that are there, for at most `KEPT` after the last success. PyJWT is imported only where a
provider is configured.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from signet import clock
from signet.config.oidc import Oidc
from signet.domain.auth import tokens
from signet.domain.auth.tokens import Claims
from signet.errors import SignetError, Unauthenticated, Unavailable
from signet.net import http
from signet.observe import logs
from signet.wire.access import Role

log = logs.get("api")

FIRST_SECONDS = 2.0
REFRESH, AGAIN, KEPT = timedelta(minutes=10), timedelta(seconds=30), timedelta(hours=24)
FETCH_SECONDS = 5.0
MAX_BYTES = 1_000_000
MAX_TOKEN_CHARS = 16_384
MAX_USER_CHARS = 128
#: Signatures with a public key. `none` and those with a shared secret are never accepted.
ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
#: The kind of key of an algorithm, by its first letters.
_KINDS = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
_UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError)
_MISSING = "auth.oidc needs PyJWT: pip install 'signetai[oidc]', then restart the daemon"


def is_jwt(token: str) -> bool:
    """Return whether a token has the form of a JSON Web Token; our own have two parts."""
    return token.count(".") == 2


class PublicKey(NamedTuple):
    """A published key: its kind, the algorithm that it names, and the key of the library."""

    kind: str
    algorithm: str | None
    value: Any


class OidcKeys:
    """The provider's keys, and the tokens that they verify; for the event loop's thread."""

    def __init__(self, settings: Callable[[], Oidc]) -> None:
        self._settings = settings
        self._of: tuple[str | None, str | None] = (None, None)
        #: Keys by ID, and when they came and were asked for.
        self._keys: Mapping[str | None, PublicKey] = {}
        self._at: datetime | None = None
        self._asked_at: datetime | None = None
        self._fetching: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Fetch the keys, if a provider is configured."""
        if self._settings().issuer is not None:
            self._fetch()

    async def verify(self, token: str, *, now: datetime) -> Claims:
        """Return the claims of a token; raises Unauthenticated, and Unavailable without keys."""
        oidc = self._settings()
        if len(token) > MAX_TOKEN_CHARS:
            raise Unauthenticated("the token is too long")
        header = _header(token)
        if header.get("alg") not in ALGORITHMS:
            raise Unauthenticated("the token's algorithm is not accepted")
        keys = await self._current(oidc, now)
        kid = header.get("kid")
        key = keys.get(kid) if kid is not None or len(keys) != 1 else next(iter(keys.values()))
        if key is None:
            if self._asked_at is None or now - self._asked_at >= AGAIN:
                self._fetch()
            raise Unauthenticated("the key that signed this token is not known; try again later")
        return _claims(_decoded(token, key, str(header["alg"]), oidc), oidc, token)

    async def _current(self, oidc: Oidc, now: datetime) -> Mapping[str | None, PublicKey]:
        """Return the keys that are there; waits for the first ones only."""
        if (oidc.issuer, oidc.jwks_url) != self._of:
            self._keys, self._at, self._asked_at = {}, None, None
        if self._at is not None and now - self._at >= KEPT:
            self._keys, self._at = {}, None
        is_old = self._at is None or now - self._at >= REFRESH
        if is_old and (self._asked_at is None or now - self._asked_at >= AGAIN):
            self._fetch()
        if self._at is None and self._fetching is not None:
            await asyncio.wait({self._fetching}, timeout=FIRST_SECONDS)
        if self._at is None:
            raise Unavailable("The keys of the identity provider are not available; try again")
        return self._keys

    def _fetch(self) -> None:
        if self._fetching is None or self._fetching.done():
            self._asked_at = clock.now()
            self._fetching = asyncio.create_task(self._take(self._settings()))

    async def _take(self, oidc: Oidc) -> None:
        self._of = (oidc.issuer, oidc.jwks_url)
        try:
            found = await asyncio.to_thread(_fetched, oidc)
        except (SignetError, ValueError) as error:
            log.warning("oidc.keys_not_fetched", error=str(error)[:200])
            return
        if (oidc.issuer, oidc.jwks_url) == self._of:
            self._keys, self._at = found, clock.now()


def _fetched(oidc: Oidc) -> Mapping[str | None, PublicKey]:
    """Return the provider's keys by ID; raises SignetError, and ValueError for an unreadable answer."""
    try:
        import jwt
    except ImportError:
        raise Unavailable(_MISSING) from None
    address = oidc.jwks_url
    if address is None:
        issuer = str(oidc.issuer).rstrip("/")
        described = _get(f"{issuer}/.well-known/openid-configuration")
        if described.get("issuer") != oidc.issuer:
            raise ValueError("the provider describes itself as another issuer")
        address = str(described.get("jwks_uri"))
        if not address.startswith("https://") and not http.is_loopback(address):
            raise ValueError("the address of the keys is not https")
    found: dict[str | None, PublicKey] = {}
    for one in _get(address).get("keys", ()):
        # Keys for encryption, of unknown kinds, and shared secrets (`oct`) are not for signatures.
        if not isinstance(one, dict) or one.get("use") not in (None, "sig"):
            continue
        if one.get("kty") not in ("RSA", "EC", "OKP"):
            continue
        with suppress(jwt.PyJWTError, ValueError):
            named = one.get("alg")
            found[one.get("kid")] = PublicKey(one["kty"], named, jwt.PyJWK(one, named).key)
    if not found:
        raise ValueError("the provider publishes no key")
    return found


def _get(address: str) -> Mapping[str, Any]:
    parts = urlsplit(address)
    client = http.Client(f"{parts.scheme}://{parts.netloc}", max_body_bytes=MAX_BYTES)
    query = f"?{parts.query}" if parts.query else ""
    try:
        reply = client.send("GET", f"{parts.path}{query}", timeout_seconds=FETCH_SECONDS)
    finally:
        client.close()
    if reply.status != 200:
        raise http.HttpError(f"{http.shown(address)} answered {reply.status}")
    found = json.loads(reply.body)
    if not isinstance(found, dict):
        raise ValueError("the answer is not an object")
    return found


def _header(token: str) -> Mapping[str, Any]:
    try:
        import jwt
    except ImportError:
        raise Unavailable(_MISSING) from None
    try:
        return jwt.get_unverified_header(token)
    except (*_UNREADABLE, jwt.PyJWTError):
        raise Unauthenticated("malformed token") from None


def _decoded(token: str, key: PublicKey, algorithm: str, oidc: Oidc) -> Mapping[str, Any]:
    """Return the verified claims. A key is used with algorithms of its kind, and only with the one that it names."""
    import jwt

    if _KINDS[algorithm[:2]] != key.kind or key.algorithm not in (None, algorithm):
        raise Unauthenticated("the token's algorithm is not that of its key")
    try:
        return jwt.decode(
            token,
            key.value,
            algorithms=[algorithm],
            issuer=oidc.issuer,
            audience=oidc.audience,
            leeway=oidc.leeway_seconds,
            options={"require": ["exp", "iat", "iss", "aud"], "verify_aud": True},
        )
    except jwt.ExpiredSignatureError:
        raise Unauthenticated("token expired") from None
    except jwt.InvalidAudienceError:
        raise Unauthenticated("the token is for another audience") from None
    except jwt.InvalidIssuerError:
        raise Unauthenticated("the token is of another issuer") from None
    except jwt.ImmatureSignatureError:
        raise Unauthenticated("the token is not valid yet") from None
    except jwt.MissingRequiredClaimError as error:
        raise Unauthenticated(f"the token has no claim '{error.claim}'") from None
    except (*_UNREADABLE, jwt.PyJWTError):
        raise Unauthenticated("invalid signature") from None


def _claims(found: Mapping[str, Any], oidc: Oidc, token: str) -> Claims:
    """Return our form of the claims: the person, and the spaces of their groups."""
    user = _named(found, oidc.user_claim)
    if not isinstance(user, str) or not user.strip() or len(user) > MAX_USER_CHARS:
        raise Unauthenticated(f"the token names no user in '{oidc.user_claim}'")
    if not user.isprintable() or (
        oidc.user_claim == "email" and found.get("email_verified") is False
    ):
        raise Unauthenticated(f"the user in '{oidc.user_claim}' is not accepted")
    spaces = oidc.spaces(_named(found, oidc.groups_claim))
    scope = tokens.scope_of({"user": user, tokens.SPACES: spaces})
    if scope is None:
        raise Unauthenticated("the token's groups are not accepted")
    own = str(found.get("jti") or "") or hashlib.sha256(token.encode()).hexdigest()
    return Claims(
        sub=user,
        role=Role(oidc.role),
        scope=scope,
        iat=int(found["iat"]),
        exp=int(found["exp"]) + oidc.leeway_seconds,
        jti=f"oidc:{hashlib.sha256(own.encode()).hexdigest()[:32]}",
    )


def _named(found: Mapping[str, Any], claim: str) -> object:
    """Return a claim; where none has the whole name, a dot leads into an object."""
    if claim in found:
        return found[claim]
    value: object = found
    for part in claim.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
