"""Bearer tokens of an identity provider, whose keys a real server publishes (AUTH-34)."""

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import get_default_algorithms

from cli.program import ROOT, Program
from signet import clock
from signet_api import oidc
from spaces.people import ALL, HERS, admin, key, saved, share, texts
from support.http import Answer, Api, an_api
from support.processes import eventually
from support.tokens import bearer

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
AUDIENCE = "signet"
GROUPS = '{finance: ["billing:read,promote"], board: "board"}'


class Provider(ThreadingHTTPServer):
    """An identity provider: its description and its keys, and how often it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.keys: list[Mapping[str, Any]] = [_public(RSA, "RS256", "one")]
        self.asked: list[str] = []
        self.is_down = False
        self.issuer = f"http://127.0.0.1:{self.server_port}/realm"

    def answer(self, path: str) -> tuple[int, object]:
        self.asked.append(path)
        if self.is_down:
            return 503, {}
        if path.endswith("openid-configuration"):
            return 200, {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"}
        return 200, {"keys": self.keys}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Provider)
        status, found = self.server.answer(self.path)
        body = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _public(private: Any, algorithm: str, kid: str, **more: object) -> dict[str, Any]:
    found = get_default_algorithms()[algorithm].to_jwk(private.public_key(), as_dict=True)
    return {**found, "kid": kid, "alg": algorithm, "use": "sig", **more}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def daemon(folder: Path, provider: Provider, more: str = "") -> Iterator[Api]:
    settings = (
        "auth:\n  mode: team\n  oidc:\n"
        f"    issuer: {provider.issuer}\n    audience: {AUDIENCE}\n    groups: {GROUPS}\n{more}"
    )
    with an_api(folder / "agents", settings) as opened:
        for name in ("billing", "board"):
            opened.post("/api/spaces", {"name": name}, **admin(opened))
        yield opened


@pytest.fixture
def api(tmp_path: Path, provider: Provider) -> Iterator[Api]:
    with daemon(tmp_path, provider) as opened:
        yield opened


def token(
    provider: Provider, *, by: Any = RSA, algorithm: str = "RS256", kid: str | None = "one",
    **claims: Any,
) -> dict[str, str]:  # fmt: skip
    now = int(clock.now().timestamp())
    said = {
        "iss": provider.issuer,
        "aud": AUDIENCE,
        "sub": "anna",
        "iat": now,
        "exp": now + 600,
        **claims,
    }
    kept = {name: value for name, value in said.items() if value is not None}
    headers = {"kid": kid} if kid is not None else {}
    return bearer(jwt.encode(kept, by, algorithm, headers=headers))


def who(api: Api, of: Mapping[str, str]) -> Answer:
    return api.get("/api/auth/whoami", **of)


def refused(api: Api, of: Mapping[str, str]) -> str:
    answer = who(api, of)
    assert answer.status == 401, answer.body
    return answer.error


def raw(header: object, payload: object, signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(payload).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in parts)


def test_a_person_of_the_provider_has_memories_and_the_spaces_of_their_groups(
    api: Api, provider: Provider
) -> None:
    anna = token(provider, groups=["finance", "nobody knows this one"])
    me = who(api, anna).body
    assert me["claims"]["sub"] == "anna" and me["claims"]["role"] == "agent"
    assert me["claims"]["scope"] == {"user": "anna", "spaces": {"billing": ["promote", "read"]}}
    assert me["standing"] == "claims" and "admin" not in me["permissions"]
    memory = saved(api, anna)
    assert share(api, memory, anna).status == 200
    bert, carl = token(provider, sub="bert", groups=["finance"]), token(provider, sub="carl")
    assert (texts(api, bert), texts(api, carl)) == ({HERS}, set())
    # The same person with a key of this daemon.
    assert texts(api, key(api, "anna", billing=ALL)) == {HERS}
    logged = api.get("/api/audit?actor=bert", **admin(api)).body["entries"]
    assert logged and all(one["key_id"].startswith("oidc:") for one in logged)


def test_tokens_that_are_not_for_us_are_refused(api: Api, provider: Provider) -> None:
    now = int(clock.now().timestamp())
    assert who(api, token(provider)).status == 200
    assert refused(api, token(provider, exp=now - 61, iat=now - 600)) == "token expired"
    assert who(api, token(provider, exp=now - 30, iat=now - 600)).status == 200  # the other clock
    assert refused(api, token(provider, nbf=now + 90)) == "the token is not valid yet"
    assert who(api, token(provider, nbf=now + 30, iat=now + 30)).status == 200
    assert "audience" in refused(api, token(provider, aud="other"))
    assert who(api, token(provider, aud=["other", AUDIENCE])).status == 200
    assert "issuer" in refused(api, token(provider, iss=f"{provider.issuer}/"))
    without = (
        token(provider, exp=None),
        token(provider, iat=None),
        token(provider, iss=None),
        token(provider, aud=None),
    )
    assert all("has no claim" in refused(api, one) for one in without)
    assert "names no user" in refused(api, token(provider, sub=None))
    assert "not accepted" in refused(api, token(provider, sub="an\nna"))
    assert "names no user" in refused(api, token(provider, sub="a" * 200))
    assert refused(api, token(provider, by=OTHER)) == "invalid signature"
    assert refused(api, bearer(f"{'a' * 20_000}.b.c")) == "the token is too long"
    assert refused(api, bearer("a.b.c")) == "malformed token"


def test_no_trick_with_the_algorithm_works(api: Api, provider: Provider) -> None:
    now = int(clock.now().timestamp())
    said = {"iss": provider.issuer, "aud": AUDIENCE, "sub": "eve", "iat": now, "exp": now + 600}
    wrong = "the token's algorithm is not accepted"
    for name in ("none", "None", "NONE", "", None, 7):
        head = {"alg": name, "kid": "one", "typ": "JWT"}
        assert refused(api, bearer(raw(head, said))) in (wrong, "malformed token")
    # The public key as the secret of a signature with a shared secret.
    public = RSA.public_key()
    for form in (
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        json.dumps(provider.keys[0]).encode(),
    ):
        head = {"alg": "HS256", "kid": "one", "typ": "JWT"}
        unsigned = raw(head, said).rpartition(".")[0]
        signature = hmac.new(form, unsigned.encode(), hashlib.sha256).digest()
        forged = f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
        assert refused(api, bearer(forged)) == wrong
    # Keys that the token brings itself.
    for more in ({"jwk": _public(OTHER, "RS256", "one")}, {"jku": f"{provider.issuer}/evil"}):
        forged = jwt.encode(said, OTHER, "RS256", headers={"kid": "one", **more})
        assert refused(api, bearer(forged)) == "invalid signature"
    assert not [path for path in provider.asked if "evil" in path]
    # A key that names its algorithm is for no other.
    assert "not that of its key" in refused(api, token(provider, algorithm="RS512"))
    assert "not that of its key" in refused(api, token(provider, by=EC, algorithm="ES256"))
    changed = token(provider)["authorization"].split(".")
    changed[1] = raw({}, {**said, "sub": "root"}).split(".")[1]
    assert refused(api, {"authorization": ".".join(changed)}) == "invalid signature"


def test_keys_of_all_kinds_and_without_an_id(tmp_path: Path, provider: Provider) -> None:
    provider.keys = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
        {"kty": "new", "kid": "unknown"},
        {**_public(OTHER, "RS256", "sealing"), "use": "enc"},
        _public(EC, "ES256", "curve"),
        _public(ED, "EdDSA", "edwards"),
        {name: value for name, value in _public(RSA, "RS256", "one").items() if name != "alg"},
    ]
    with daemon(tmp_path, provider) as api:
        for by, algorithm, kid in (
            (EC, "ES256", "curve"),
            (ED, "EdDSA", "edwards"),
            (RSA, "PS384", "one"),
        ):
            assert who(api, token(provider, by=by, algorithm=algorithm, kid=kid)).status == 200
        for other in ("shared", "unknown", "sealing", None):
            assert "not known" in refused(api, token(provider, by=OTHER, kid=other))
    provider.keys = [_public(RSA, "RS256", "one")]
    with daemon(tmp_path / "again", provider) as api:
        assert who(api, token(provider, kid=None)).status == 200


def test_a_new_key_is_fetched_without_a_request_that_waits(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    with daemon(tmp_path, provider) as api:
        assert who(api, token(provider)).status == 200
        asked = len(provider.asked)
        new = token(provider, by=OTHER, kid="two")
        provider.keys = [*provider.keys, _public(OTHER, "RS256", "two")]
        for _ in range(20):  # too soon after the last fetch to ask again
            assert "not known" in refused(api, new)
        assert len(provider.asked) == asked
        monkeypatch.setattr(oidc, "AGAIN", timedelta(0))
        assert "not known" in refused(api, new)  # and asks
        eventually(lambda: who(api, new).status == 200)
        # An old key that the provider publishes no more is refused after the next refresh.
        provider.keys = provider.keys[1:]
        monkeypatch.setattr(oidc, "REFRESH", timedelta(0))
        eventually(lambda: who(api, token(provider)).status == 401)


def test_a_provider_that_is_away(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.is_down = True
    monkeypatch.setattr(oidc, "AGAIN", timedelta(0))
    with daemon(tmp_path, provider) as api:
        assert who(api, token(provider)).status == 503
        assert who(api, key(api, "anna")).status == 200  # keys of the daemon need no provider
        provider.is_down = False
        eventually(lambda: who(api, token(provider)).status == 200)
        provider.is_down = True
        monkeypatch.setattr(oidc, "REFRESH", timedelta(0))
        assert who(api, token(provider)).status == 200  # with the keys that are there
        monkeypatch.setattr(oidc, "KEPT", timedelta(0))
        assert who(api, token(provider)).status == 503


def test_another_description_or_claim(tmp_path: Path, provider: Provider) -> None:
    more = (
        f"    jwksUrl: {provider.issuer}/keys\n    userClaim: email\n    groupsClaim: realm_access.roles\n"
        "    role: readonly\n    leewaySeconds: 0\n"
    )
    with daemon(tmp_path, provider, more) as api:
        anna = token(provider, email="anna@larder.example", realm_access={"roles": ["board"]})
        me = who(api, anna).body["claims"]
        assert me["scope"] == {"user": "anna@larder.example", "spaces": {"board": ["read"]}}
        assert me["role"] == "readonly"
        unverified = token(provider, email="root@larder.example", email_verified=False)
        assert "not accepted" in refused(api, unverified)
        now = int(clock.now().timestamp())
        assert refused(api, token(provider, email="a@b", exp=now - 1)) == "token expired"
        assert who(api, token(provider, email="a@b", groups=["board"])).body["claims"]["scope"] == {
            "user": "a@b"
        }
        assert [path for path in provider.asked if "openid" in path] == []


def test_a_token_is_revoked_by_its_id(api: Api, provider: Provider) -> None:
    one, other = token(provider, jti="t-1"), token(provider, jti="t-2")
    assert (who(api, one).status, who(api, other).status) == (200, 200)
    jti = who(api, one).body["claims"]["jti"]
    assert api.send("DELETE", f"/api/auth/tokens/{jti}", b"", dict(admin(api))).status == 200
    assert refused(api, one) == "token revoked"
    assert who(api, other).status == 200


def test_without_a_provider_such_a_token_is_malformed(tmp_path: Path, provider: Provider) -> None:
    with an_api(tmp_path / "agents", "auth:\n  mode: team\n") as api:
        assert refused(api, token(provider)) in ("malformed token", "invalid signature")
        assert provider.asked == []


@pytest.mark.parametrize(
    "line",
    [
        "issuer: http://idp.example/realm",
        "issuer: ftp://idp.example",
        "role: admin",
        'groups: {finance: ["Billing:read"]}',
        'groups: {finance: ["billing:own"]}',
        "groups: [finance]",
        "leewaySeconds: 4000",
    ],
)
def test_settings_that_cannot_be_read_are_security_settings(line: str) -> None:
    from signet.config import security
    from signet.config.loading import settings_from

    _, warnings = settings_from({"auth": {"oidc": _read(line)}})
    assert security.unreadable(warnings, None, b"", "agent.yaml") is not None


def _read(line: str) -> object:
    from ruamel.yaml import YAML

    return YAML(typ="safe").load(line)


@pytest.mark.parametrize(
    ("mode", "audience", "says"),
    [
        ("team", None, "auth.oidc.audience is not set"),
        ("local", "signet", "auth.oidc has no effect in mode local"),
        ("team", "signet", "bearer tokens of https://idp.example/x for signet"),
    ],
)
def test_doctor_says_what_is_missing(
    tmp_path: Path, mode: str, audience: str | None, says: str
) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / "workspace")
    program.workspace.mkdir()
    provider = {"issuer": "https://idp.example/x", "audience": audience}
    settings = {"auth": {"mode": mode, "oidc": provider}}
    (program.workspace / "agent.yaml").write_text(json.dumps(settings))
    assert says in program.run("doctor", "--security").out


def test_without_a_provider_no_token_library_is_loaded() -> None:
    """The modules of the API are imported as its process does."""
    code = "import sys, signet_api.main, signet_api.app; print({'jwt', 'cryptography'} & {*sys.modules})"
    folders = [str(ROOT / "shared"), *(str(ROOT / "services" / name) for name in ("api", "worker"))]
    environment = {"PYTHONPATH": ":".join(folders)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == ("set()\n", "")
