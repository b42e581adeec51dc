"""`signet doctor --security`: test a running daemon as a web page, another user or a stranger would.

Each check sends requests that must be refused and reports accepted ones. None changes anything: the bodies are
incomplete, so even a daemon that accepts the caller rejects the request later.
"""

import http.client
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import NamedTuple
from urllib.parse import urlsplit

from signet import clock
from signet.care.doctor.models import DoctorCheck, Scene, fail, ok, warn
from signet.care.doctor.place import too_open
from signet.config.env import is_loopback
from signet.config.sections import Auth, AuthMode, LocalUsers
from signet.daemon import record
from signet.daemon.record import Running
from signet.domain.auth import issued, tokens
from signet.domain.auth.tokens import BadSecret
from signet.wire.access import Role

#: Seconds for an answer, and the ID of a user without rights.
SECONDS, NOBODY = 5.0, 65_534
_FOREIGN = "http://localhost:9"
_READ, _SAVE = ("GET", "/api/memories?limit=1"), ("POST", "/api/memory/remember")
#: Operations that run programs; none of them does anything with an empty body.
_PROGRAMS = (
    ("POST", "/api/tasks"),
    ("POST", "/api/secrets/exec"),
    ("POST", "/api/connectors"),
)
_TOKENS = 1_000  # checked at most


class GuardReply(NamedTuple):
    """Status, headers and start of the body of a response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Daemon:
    """A daemon's TCP port, called without a token."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> GuardReply:
        """Send a request and return the reply; raises OSError."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return GuardReply(answer.status, found, answer.read(65_536))
        except http.client.HTTPException as error:
            raise OSError(f"no HTTP answer: {error!r}") from error
        finally:
            connection.close()


def checks(scene: Scene, *, running: Running | None) -> Iterator[DoctorCheck]:
    """Yield the checks; without a running daemon only those of its files."""
    yield _files(scene)
    yield _mode(scene)
    yield _tokens(scene)
    if scene.settings.auth.oidc.issuer is not None:
        yield _provider(scene.settings.auth)
    if running is None:
        yield fail("daemon", "not running, so it cannot be tested", "signet daemon start")
        return
    daemon = Daemon(running.url)
    yield _proof(scene, daemon)
    yield _listening(scene, daemon)
    yield _pages(daemon)
    yield _programs(daemon)
    yield _other_users(scene, daemon)


def _files(scene: Scene) -> DoctorCheck:
    found = [path for path, _ in too_open(scene.workspace)]
    if found:
        more = f" and {len(found) - 1} more" * (len(found) > 1)
        told = f"other users can read or change {found[0]}{more}"
        return fail("files", told, "signet doctor --fix")
    return ok("files", "keys, database, socket and token are private")


def _mode(scene: Scene) -> DoctorCheck:
    auth = scene.settings.auth
    origins = f"{len(auth.trusted_origins)} trusted web origins" if auth.trusted_origins else ""
    detail = f"auth.mode {auth.mode}" + (f", {origins}" if origins else "")
    if auth.local_users is LocalUsers.ANY and auth.mode is not AuthMode.TEAM:
        told = f"{detail}; auth.localUsers is any: every user of this machine reads and writes memories"
        return fail("mode", told, "set auth.localUsers to same in agent.yaml")
    if origins:
        return warn("mode", detail, "signet trust origin list")
    return ok("mode", detail)


def _provider(auth: Auth) -> DoctorCheck:
    detail = f"bearer tokens of {auth.oidc.issuer} for {auth.oidc.audience}"
    if auth.mode is AuthMode.LOCAL:
        return warn("provider", "auth.oidc has no effect in mode local", "set auth.mode to team")
    if not auth.oidc.audience:
        told = "auth.oidc.audience is not set, so every bearer token is refused"
        return fail("provider", told, "set auth.oidc.audience in agent.yaml")
    if find_spec("jwt") is None:
        return fail("provider", "PyJWT is not installed", "pip install 'signetai[oidc]'")
    return ok("provider", detail)


def _tokens(scene: Scene) -> DoctorCheck:
    found = [] if scene.tx is None else issued.newest_tokens(scene.tx, limit=_TOKENS)
    now = clock.to_text(scene.now)
    valid = [one for one in found if not one["revokedAt"] and (one["expiresAt"] or now) > now]
    admins = [one for one in valid if one["role"] == Role.ADMIN]
    detail = f"{len(valid)} valid, {len(admins)} of them may administer"
    return warn("tokens", detail, "signet auth token list") if admins else ok("tokens", detail)


def _proof(scene: Scene, daemon: Daemon) -> DoctorCheck:
    nonce = secrets.token_hex(32)
    try:
        token = tokens.read_workspace_token(scene.workspace)
    except (OSError, BadSecret) as error:
        told = f"the workspace token cannot be read: {error}"
        return fail("identity", told, "signet daemon restart")
    reply = daemon.ask("GET", f"/api/auth/proof?nonce={nonce}", {})
    try:
        shown = str(json.loads(reply.body)["proof"])
    except (ValueError, KeyError, TypeError):
        shown = ""
    if not secrets.compare_digest(shown, tokens.proof(token, nonce, daemon.port)):
        told = f"what answers on port {daemon.port} is not the daemon of {scene.workspace.root}"
        return fail("identity", told, "signet daemon restart")
    return ok("identity", f"the daemon on port {daemon.port} proved that it serves this workspace")


def _listening(scene: Scene, daemon: Daemon) -> DoctorCheck:
    found = record.listening_addresses(daemon.port)
    if found is None:
        return warn("network", "this system does not show who may connect", "lsof -nP -iTCP")
    outside = sorted(one for one in found if not is_loopback(one))
    if not outside:
        return ok("network", "listens on this machine only")
    told = f"listens on {', '.join(outside)}"
    if scene.settings.auth.mode is AuthMode.LOCAL:
        return fail("network", f"{told} in mode local", "signet daemon restart --host 127.0.0.1")
    return warn("network", f"{told}; callers need a token. Use TLS: docs/running.md", None)


def _pages(daemon: Daemon) -> DoctorCheck:
    own, plain = f"http://{daemon.host}:{daemon.port}", {"Content-Type": "text/plain"}
    of_form = {"Sec-Fetch-Site": "same-origin"}
    tries = {
        "a page on another port may read": ({"Origin": _FOREIGN}, _READ, None),
        "a page of the same site may read": ({"Sec-Fetch-Site": "same-site"}, _READ, None),
        "a page of another site may read": ({"Sec-Fetch-Site": "cross-site"}, _READ, None),
        "a sandboxed page may read": ({"Origin": "null"}, _READ, None),
        "a page behind another name may read": ({"Host": "evil.example"}, _READ, None),
        "a page on another port may write": ({"Origin": _FOREIGN, **plain}, _SAVE, b"{}"),
        "a form may write": ({"Origin": own, **of_form, **plain}, _SAVE, b"{}"),
    }
    let_in = [
        what
        for what, (headers, (method, path), body) in tries.items()
        if daemon.ask(method, path, headers, body).status not in (401, 403, 415)
    ]
    asked = {"Origin": _FOREIGN, "Access-Control-Request-Method": "POST"}
    permission = daemon.ask("OPTIONS", "/api/memory/remember", asked).headers
    if "access-control-allow-origin" in permission:
        let_in.append("a page on another port is permitted to call")
    if let_in:
        return fail("web pages", "; ".join(let_in), "signet update")
    return ok("web pages", f"{len(tries) + 1} requests of foreign pages refused")


def _programs(daemon: Daemon) -> DoctorCheck:
    let_in = [
        f"{method} {path}"
        for method, path in _PROGRAMS
        if daemon.ask(method, path, {"Content-Type": "application/json"}, b"{}").status
        not in (401, 403)
    ]
    if let_in:
        told = f"a program without the workspace token may call {', '.join(let_in)}"
        return fail("programs", told)
    return ok("programs", "running programs needs the workspace token")


def _other_users(scene: Scene, daemon: Daemon) -> DoctorCheck:
    if scene.settings.auth.mode is AuthMode.TEAM:
        return ok("other users", "every caller needs a token")
    if os.geteuid() != 0 or not hasattr(os, "fork"):
        own = daemon.ask(*_READ, {}).status
        if own == 401:
            told = "the system does not name users, so every program needs a token"
            return ok("other users", told)
        told = "the kernel names the user of each connection; to try one: "
        told += f"sudo signet doctor --security --path {scene.workspace.root}"
        return ok("other users", told)
    status = _status_as(NOBODY, daemon)
    if status not in (401, 403):
        told = f"user {NOBODY} got access (status {status})"
        return fail("other users", told, "signet daemon restart")
    return ok("other users", f"user {NOBODY} was refused (status {status})")


def _status_as(uid: int, daemon: Daemon) -> int:
    """Return the status for another user, tested in a child process; 0 without a response."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            status = daemon.ask(*_READ, {}).status
        finally:
            os.write(write, status.to_bytes(2, "big"))
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        status = int.from_bytes(answer.read(2), "big")
    os.waitpid(child, 0)
    return status
