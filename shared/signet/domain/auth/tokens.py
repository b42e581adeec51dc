"""Signed tokens: the secret, claims, revocation, and the token of the workspace."""

import base64
import binascii
import hashlib
import hmac
import json
import math
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signet import clock
from signet.errors import Kind, SignetError, Unauthenticated
from signet.files import open_file
from signet.paths import Workspace
from signet.wire.access import Role, Verb

SECRET_BYTES = 32


class BadSecret(SignetError, kind=Kind.BROKEN, code="bad_auth_secret"):
    """The token secret cannot be trusted."""


def ensure_secret(path: Path) -> bytes:
    """Return the secret, and create the file if it is missing.

    Raises BadSecret for a file that is too short or that others may read, and OSError when it cannot be made.
    """
    if not path.exists():
        _make_secret(path)
    return read_secret(path)


def read_secret(path: Path) -> bytes:
    """Return the secret; raises BadSecret, and OSError when the file is not there or may not be read."""
    with open_file(path) as file:
        mode = os.fstat(file.fileno()).st_mode
        found = file.read(1_024)
    if stat.S_IMODE(mode) & 0o077:
        raise BadSecret(
            f"{path} is readable by other users, who could have signed tokens. "
            "Delete it (revokes all tokens) or run: chmod 600"
        )
    if len(found) < SECRET_BYTES:
        raise BadSecret(f"{path} is shorter than {SECRET_BYTES} bytes; delete it to make a new one")
    return found


def _make_secret(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(own, path)
        except FileExistsError:
            return  # another process was faster
    finally:
        own.unlink(missing_ok=True)


#: The end of the year 9999, the last time that a text can represent.
LAST_SECOND = 253_402_300_799
#: The limits of a scope, in the order in which they are checked.
DIMENSIONS = ("project", "agent", "user")
#: The claim with the spaces of a key, and the form of a space's name.
SPACES = "spaces"
SPACE_NAME = re.compile("[a-z0-9][a-z0-9-]{0,47}")
BAD_SPACE_NAME = "The name of a space has lowercase letters, digits and hyphens, at most 48"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenScope:
    """Limits of a token; None does not limit a dimension.

    Either an agent or a user: a user's memories are stored like an agent's. `spaces` are pairs of a space and a verb:
    a key has only those that it names (AUTH-32).
    """

    project: str | None = None
    agent: str | None = None
    user: str | None = None
    spaces: frozenset[tuple[str, Verb]] = frozenset()

    def limits(self) -> dict[str, str]:
        named = {"project": self.project, "agent": self.agent, "user": self.user}
        return {name: value for name, value in named.items() if value is not None}

    def body(self) -> dict[str, object]:
        """Return the limits and spaces that are set, as the claim `scope`."""
        found: dict[str, list[str]] = {}
        for space, verb in sorted(self.spaces):
            found.setdefault(space, []).append(verb)
        return {**self.limits(), SPACES: found} if found else {**self.limits()}


NO_SCOPE = TokenScope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The content of a token. `iat` and `exp` are Unix seconds; one without `jti` cannot be revoked alone.

    `own` marks a token that was signed with the workspace token (own.py).
    """

    sub: str
    role: Role
    scope: TokenScope = NO_SCOPE
    iat: int
    exp: int
    jti: str | None = None
    own: bool = False

    def body(self) -> dict[str, object]:
        """Return the claims as JSON can carry them."""
        found = {
            **{name: getattr(self, name) for name in ("sub", "role", "iat", "exp", "jti")},
            "scope": self.scope.body(),
            "own": self.own or None,
        }
        return {name: value for name, value in found.items() if value is not None}


def claim(
    *,
    sub: str,
    role: Role,
    now: datetime,
    ttl: timedelta,
    scope: TokenScope = NO_SCOPE,
    jti: str | None = None,
    own: bool = False,
) -> Claims:
    """Return the claims of a token that is valid from now on, for a second at least."""
    iat = math.floor(now.timestamp())
    return Claims(
        sub=sub,
        role=role,
        scope=scope,
        iat=iat,
        exp=iat + max(1, math.floor(ttl.total_seconds())),
        jti=jti,
        own=own,
    )


def sign(claims: Claims, secret: bytes) -> str:
    payload = _encoded(json.dumps(claims.body(), separators=(",", ":")).encode())
    return f"{payload}.{_encoded(_signature(payload, secret))}"


def verify(token: str, secret: bytes, *, now: datetime) -> Claims:
    """Return the claims of a token; raises Unauthenticated with the first fault."""
    payload, dot, signature = token.partition(".")
    if not dot or not signature:
        raise Unauthenticated("malformed token")
    if not is_signed(token, secret):
        raise Unauthenticated("invalid signature")
    claims = _read(payload)
    if math.floor(now.timestamp()) >= claims.exp:
        raise Unauthenticated("token expired")
    return claims


def is_signed(token: str, secret: bytes) -> bool:
    """Return whether a token carries a signature with this secret; it may have expired."""
    payload, _, signature = token.partition(".")
    expected = _encoded(_signature(payload, secret))
    return hmac.compare_digest(signature.encode(), expected.encode())


def bearer(authorization: str | None) -> str | None:
    """Return the token in an Authorization header; None for every other form of it."""
    scheme, _, token = (authorization or "").partition(" ")
    return token if scheme.lower() == "bearer" and token and " " not in token else None


def scope_of(given: object) -> TokenScope | None:
    if not isinstance(given, Mapping) or not set(given) <= {*DIMENSIONS, SPACES}:
        return None
    limits = {name: value for name, value in given.items() if name != SPACES}
    spaces = spaces_of(given.get(SPACES, {}))
    if spaces is None or not all(isinstance(value, str) and value for value in limits.values()):
        return None
    if {"agent", "user"} <= set(limits) or (spaces and not {"agent", "user"} & set(limits)):
        return None
    return TokenScope(**limits, spaces=spaces)


def spaces_of(given: object) -> frozenset[tuple[str, Verb]] | None:
    """Return the pairs of space and verb from JSON (`{"billing": ["read"]}`), or None."""
    if not isinstance(given, Mapping):
        return None
    found = set()
    for space, verbs in given.items():
        if not isinstance(space, str) or not SPACE_NAME.fullmatch(space):
            return None
        if not isinstance(verbs, list | tuple) or not set(verbs) <= set(Verb):
            return None
        found |= {(space, Verb(verb)) for verb in verbs}
    return frozenset(found)


def text(seconds: int) -> str:
    """Return Unix seconds, as claims have them, in the form of all times."""
    seconds = max(0, min(seconds, LAST_SECOND))
    return clock.to_text(datetime.fromtimestamp(seconds, UTC))


def _read(payload: str) -> Claims:
    try:
        found = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise Unauthenticated("malformed payload") from error
    if not isinstance(found, dict):
        raise Unauthenticated("malformed payload")
    iat, exp = _seconds(found.get("iat")), _seconds(found.get("exp"))
    if iat is None or exp is None:
        raise Unauthenticated("missing timestamps")
    sub, role, jti = found.get("sub"), found.get("role"), found.get("jti")
    scope = scope_of(found.get("scope", {}))
    if not isinstance(sub, str) or role not in list(Role) or scope is None:
        raise Unauthenticated("malformed payload")
    return Claims(
        sub=sub,
        role=Role(role),
        scope=scope,
        iat=iat,
        exp=exp,
        jti=jti if isinstance(jti, str) and jti else None,
        own=found.get("own") is True,
    )


def _seconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value)


def _signature(payload: str, secret: bytes) -> bytes:
    return hmac.digest(secret, payload.encode(), hashlib.sha256)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


_PROOF = b"signet-server-proof"


def create_workspace_token(workspace: Workspace) -> bytes:
    """Write a new token in place of the last one and return it; raises OSError."""
    path = workspace.token_file
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = os.urandom(SECRET_BYTES).hex().encode()
    fresh = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(token)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return token


def read_workspace_token(workspace: Workspace) -> bytes:
    """Return the token; raises BadSecret, and OSError without one or without the right to read it."""
    return read_secret(workspace.token_file)


def remove_workspace_token(workspace: Workspace) -> None:
    """Delete the token, so that everything signed with it ends."""
    workspace.token_file.unlink(missing_ok=True)


def proof(token: bytes, nonce: str, port: int) -> str:
    """Return what only a daemon with this token can answer to a nonce on this port, in hex.

    The port keeps another program from relaying the question to the real daemon.
    """
    message = b"\0".join((_PROOF, nonce.encode(), str(port).encode()))
    return hmac.digest(token, message, hashlib.sha256).hex()


HOLDS = timedelta(minutes=15)
#: The subject of a code that opens the dashboard once, and its lifetime. It is not a token.
LOGIN = "login-code"
LOGIN_HOLDS = timedelta(minutes=5)
#: The subject of the dashboard's sessions.
PAGE = "dashboard"


def own_token(
    workspace: Workspace, sub: str, *, now: datetime, role: Role = Role.ADMIN
) -> str | None:
    """Return a token for the daemon of this workspace; None without a daemon or as another user."""
    return _signed(workspace, claim(sub=sub, role=role, now=now, ttl=HOLDS, own=True))


def login_code(workspace: Workspace, *, now: datetime) -> str | None:
    """Return a code that can be exchanged for a session once; None without a daemon or as another user."""
    return _signed(
        workspace,
        claim(
            sub=LOGIN, role=Role.ADMIN, now=now, ttl=LOGIN_HOLDS, jti=os.urandom(16).hex(), own=True
        ),
    )


def _signed(workspace: Workspace, claims: Claims) -> str | None:
    try:
        key = read_workspace_token(workspace)
    except (OSError, BadSecret):
        return None
    return sign(claims, key)
