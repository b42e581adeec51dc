"""Tokens: what is signed is what is read, and the first thing that is wrong is what is said."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from signet.domain.auth import tokens
from signet.domain.auth.caller import PERMISSIONS
from signet.domain.auth.tokens import Claims, TokenScope
from signet.errors import Unauthenticated
from signet.wire.access import Permission, Role

SECRET = bytes(range(32))
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
GOOD: dict[str, object] = {
    "sub": "ada",
    "role": "agent",
    "scope": {"project": "garden"},
    "iat": SECONDS,
    "exp": SECONDS + 60,
}


def signed(payload: bytes, secret: bytes = SECRET) -> str:
    """Sign by the letter of the specification, with nothing of ours."""
    encoded = base64.urlsafe_b64encode(payload).rstrip(b"=")
    mac = hmac.new(secret, encoded, hashlib.sha256).digest()
    return f"{encoded.decode()}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def said(token: str) -> str:
    with pytest.raises(Unauthenticated) as refused:
        tokens.verify(token, SECRET, now=NOW)
    return refused.value.message


def test_a_token_made_by_the_letter_is_read() -> None:
    claims = tokens.verify(signed(json.dumps(GOOD).encode()), SECRET, now=NOW)
    assert claims == Claims(
        sub="ada",
        role=Role.AGENT,
        scope=TokenScope(project="garden"),
        iat=SECONDS,
        exp=SECONDS + 60,
    )


@given(
    sub=some.text(max_size=40),
    role=some.sampled_from(Role),
    project=some.none() | some.text(min_size=1, max_size=20),
    seconds=some.integers(1, 10**9),
)
def test_what_is_signed_is_what_is_read(
    sub: str, role: Role, project: str | None, seconds: int
) -> None:
    scope = TokenScope(project=project)
    ttl = timedelta(seconds=seconds)
    claims = tokens.claim(sub=sub, role=role, now=NOW, ttl=ttl, scope=scope, jti="7")
    token = tokens.sign(claims, SECRET)
    assert token.count(".") == 1 and "=" not in token and token.isascii()
    assert tokens.verify(token, SECRET, now=NOW) == claims
    with pytest.raises(Unauthenticated, match="invalid signature"):
        tokens.verify(token, SECRET[::-1], now=NOW)


@pytest.mark.parametrize("token", ["", "nonsense", "payload."])
def test_a_text_of_another_form_is_malformed(token: str) -> None:
    assert said(token) == "malformed token"


@pytest.mark.parametrize("token", [".", "..", "a.b", "a.b.c", "ä.ö", signed(b"{}", SECRET[::-1])])
def test_what_we_did_not_sign_is_not_read(token: str) -> None:
    assert said(token) in ("malformed token", "invalid signature")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"exp": SECONDS}, "token expired"),
        ({"exp": SECONDS - 1}, "token expired"),
        ({"exp": None}, "missing timestamps"),
        ({"iat": "now"}, "missing timestamps"),
        ({"iat": True}, "missing timestamps"),
        ({"role": "root"}, "malformed payload"),
        ({"role": ["admin"]}, "malformed payload"),
        ({"sub": 7}, "malformed payload"),
        ({"scope": "garden"}, "malformed payload"),
        ({"scope": None}, "malformed payload"),
        ({"scope": {"project": 7}}, "malformed payload"),
        ({"scope": {"team": "garden"}}, "malformed payload"),
    ],
)
def test_claims_that_say_nothing_sensible_are_refused(
    change: dict[str, object], error: str
) -> None:
    assert said(signed(json.dumps(GOOD | change).encode())) == error


@pytest.mark.parametrize("payload", [b"", b"[]", b"7", b"\xff", b"{", b'"exp"', b"[" * 100_000])
def test_a_payload_that_is_no_object_is_refused(payload: bytes) -> None:
    assert said(signed(payload)) == "malformed payload"


def test_a_token_holds_until_its_last_second() -> None:
    token = tokens.sign(
        tokens.claim(sub="x", role=Role.ADMIN, now=NOW, ttl=timedelta(seconds=0.2)), SECRET
    )
    assert tokens.verify(token, SECRET, now=NOW).exp == SECONDS + 1


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER abc", "abc"),
        (None, None),
        ("", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("Bearer  abc", None),
        ("Bearer abc ", None),
        ("Bearer a b", None),
        ("Basic abc", None),
    ],
)
def test_only_one_form_of_the_header_carries_a_token(header: str | None, token: str | None) -> None:
    assert tokens.bearer(header) == token


def test_nobody_but_an_admin_has_every_permission() -> None:
    assert PERMISSIONS[Role.ADMIN] == frozenset(Permission)
    for role in (Role.READONLY, Role.AGENT, Role.OPERATOR):
        assert PERMISSIONS[role] < PERMISSIONS[Role.ADMIN]
