"""`signet auth …`: show your identity, and manage tokens for others.

The first token is signed here with the workspace's secret, so it needs neither a daemon nor a token.
"""

import sys
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from signet import clock
from signet.cli import identify, output
from signet.cli.command import Output, PathOption, arg, client, command, opt
from signet.cli.options import known_project
from signet.client import DaemonNotRunning, Signet
from signet.errors import Conflict, Invalid
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.client.answers import IssuedToken, Token

app = typer.Typer(help="Show your identity; create and revoke access tokens.", no_args_is_help=True)
token_app = typer.Typer(
    help="Access tokens, for the auth modes team and hybrid.", no_args_is_help=True
)
app.add_typer(token_app, name="token")

#: The role that saves a person's own words.
OWN_ROLE = "operator"
ROLES = ("admin", "operator", "agent", "readonly", "monitor")
VERBS = ("read", "write", "promote")
DAY_SECONDS = 86_400
_ID, _NAME = itemgetter("jti"), itemgetter("sub")


@command(app)
def whoami(signet: Signet) -> Output:
    """Show your identity and permissions, as the daemon sees them.

    Examples: signet auth whoami · SIGNET_TOKEN=… signet auth whoami
    """
    me = signet.whoami()
    yield me
    claims = me["claims"]
    if claims is None:
        output.say(f"{me['standing']} of this daemon · mode {me['mode']}")
    else:
        scope = ", ".join(f"{name} {limit(value)}" for name, value in claims["scope"].items())
        limited = f" · only {output.plain(scope)}" if scope else ""
        output.say(f"{output.plain(claims['sub'])} · {claims['role']}{limited} · mode {me['mode']}")
    output.say(f"may: {', '.join(me['permissions'])}")


@command(token_app, does="create an access token for another caller")
def create(
    role: Annotated[
        str | None,
        opt(
            ", ".join(ROLES)
            + ". Only admins run programs on the daemon's machine. Default: agent.",
            autocompletion=lambda: list(ROLES),
        ),
    ] = None,
    own: Annotated[
        bool,
        "For a machine of your own: what you save and correct there counts as yours (role operator).",
    ] = False,
    sub: Annotated[
        str | None, opt("Machine, agent or person it is for; shown in history.", "--name", "--sub")
    ] = None,
    project: Annotated[
        str | None, opt("Limit it to this project.", metavar="PROJECT", parser=known_project)
    ] = None,
    agent: Annotated[str | None, "Limit it to this agent."] = None,
    user: Annotated[str | None, "Give it a private memory for this user."] = None,
    space: Annotated[
        list[str] | None,
        opt("Let it use a space: NAME, or NAME:read,write,promote. Repeatable.", "--space"),
    ] = None,
    days: Annotated[float | None, opt("Days until it expires; default: 7.", min=0.0001)] = None,
    path: PathOption = None,
) -> Output:
    """Create a token and print it once. Works without a daemon.

    A machine that should use this memory (signet connect) needs its own token as key; --own for your machines.

    Examples: signet auth token create --name laptop --own --days 365 · signet auth token create --role admin
    """
    if own and role not in (None, OWN_ROLE):
        raise typer.BadParameter(f"--own is role {OWN_ROLE}; choose one of --own and --role")
    if role is None:
        role = OWN_ROLE if own or _is_own_machine() else "agent"
    if role not in ROLES:
        raise typer.BadParameter(f"--role: {role!r} is not one of {', '.join(ROLES)}")
    if agent and user:
        raise typer.BadParameter("limit a token to an agent or to a user, not to both")
    if user and role in ("admin", "monitor"):
        raise typer.BadParameter(f"--user does not fit role {role}; for a person: operator")
    spaces = _spaces(space or ()) or None
    limits: dict[str, Any] = {"project": project, "agent": agent, "user": user, "spaces": spaces}
    if spaces and not (agent or user):
        raise typer.BadParameter("--space needs --user or --agent, who its sessions belong to")
    seconds = None if days is None else days * DAY_SECONDS
    try:
        signet = client(path)
        is_path = project is None or Path(project).is_absolute()
        if not is_path and project not in {one["project"] for one in signet.projects()}:
            raise typer.BadParameter(f"--project: no folder and no project is {project!r}")
        if sub and any(one["sub"] == sub for one in _valid(signet)):
            why = f"Another token is called {sub}. Choose another name, or revoke it first"
            raise Conflict(why, "name_taken", hint=f"signet auth token revoke {sub}")
        made = signet.issue_token(cast("Any", role), sub=sub, ttl_seconds=seconds, **limits)
    except DaemonNotRunning:
        made = _signed_here(path, role, sub, limits, seconds)
    yield made
    output.say(made["token"])
    output.hint(f"Expires {made['expiresAt']}; set it as SIGNET_TOKEN. It is not shown again.")
    output.hint(f"Revoke it with: signet auth token revoke {made['jti']}")


def _spaces(named: Iterable[str]) -> dict[str, list[str]]:
    """Return the verbs by space of options like `billing:read,promote`; a name alone means `read`."""
    found: dict[str, list[str]] = {}
    for one in named:
        name, _, verbs = one.partition(":")
        given = verbs.split(",") if verbs else ["read"]
        if unknown := sorted({*given} - {*VERBS}):
            raise typer.BadParameter(f"unknown verb {unknown[0]!r}; choose from {', '.join(VERBS)}")
        found[name] = given
    return found


def _is_own_machine() -> bool:
    """Ask whether the token is for a machine of the user; False where no one can answer."""
    question = "Is it for a machine of your own, where you save and correct as yourself?"
    return output.can_ask() and typer.confirm(question, default=False, err=True)


@command(token_app, "own", does="create an access token")
def own_token(path: PathOption = None) -> Output:
    """Print a token for your own calls to the daemon of this machine, valid for 15 minutes.

    Examples: signet auth token own · curl -H "Authorization: Bearer $(signet auth token own)" localhost:3850/api/status
    """
    from signet.domain.auth import tokens

    workspace, now = find_workspace(path), clock.now()
    made = tokens.own_token(workspace, "cli", now=now)
    if made is None:
        raise DaemonNotRunning(
            f"You run no daemon for {workspace.root}. Start it with: signet daemon start"
        )
    yield {"token": made, "expiresAt": clock.to_text(now + tokens.HOLDS)}
    output.say(made)


@command(token_app, "list")
def list_tokens(signet: Signet) -> Output:
    """List tokens that were created or used, newest first, with their last use.

    Examples: signet auth token list · signet auth token list --json
    """
    found = signet.tokens()
    yield {"tokens": found, "count": len(found)}
    yield from output.listed(_lines(found), "No tokens")


@command(token_app, does="revoke an access token")
def revoke(
    signet: Signet,
    jti: Annotated[str | None, arg("Its name, ID, or 8 characters of the ID.", "TOKEN")] = None,
    user: Annotated[str | None, "Revoke every token of this user."] = None,
) -> Output:
    """Revoke a token, or all of a user: the daemon refuses it from now on.

    To revoke all tokens: delete .daemon/auth-secret and restart the daemon.

    Examples: signet auth token revoke laptop · signet auth token revoke --user anna
    """
    if (jti is None) == (user is None):
        raise typer.BadParameter("name one token, or a user with --user")
    valid = _valid(signet)
    if jti is not None:
        near = [one for one in valid if len(jti) >= identify.SHORTEST or one["sub"] == jti]
        found = [identify.one(near, jti, noun="token", see="auth token list", id=_ID, name=_NAME)]
    else:
        found = [one for one in valid if one["scope"].get("user") == user]
    gone = [signet.revoke_token(one["jti"]) for one in found]
    yield gone[0] if jti is not None else {"tokens": gone, "count": len(gone)}
    for one in found:
        output.say(f"Revoked {one['jti']} of {output.plain(_NAME(one))}")
    if not found:
        output.say("Revoked nothing: no valid token is limited to this user")


def _valid(signet: Signet) -> "list[Token]":
    """Return the valid tokens."""
    now = clock.to_text(clock.now())
    return [one for one in signet.tokens(limit=1_000) if not _ended(one, now)]


def _signed_here(
    path: str | None, role: str, sub: str | None, limits: Mapping[str, Any], seconds: float | None
) -> "IssuedToken":
    """Return a token signed with the workspace's secret. Raises Conflict without one, and BadSecret."""
    from datetime import timedelta
    from uuid import uuid4

    from signet import config
    from signet.domain.auth import tokens
    from signet.wire.access import Role

    workspace = find_workspace(path)
    if not workspace.auth_secret.exists():
        raise Conflict(
            "This workspace has no token secret: set auth.mode to team or hybrid, then start the daemon once",
            "no_auth_secret",
        )
    usual = config.load(workspace).safe.auth.default_token_ttl_seconds
    scope = tokens.scope_of({name: value for name, value in limits.items() if value is not None})
    if scope is None:
        raise Invalid(tokens.BAD_SPACE_NAME)
    claims = tokens.claim(
        sub=sub or scope.user or f"token:{role}",
        role=Role(role),
        scope=scope,
        now=clock.now(),
        ttl=timedelta(seconds=seconds or usual),
        jti=uuid4().hex,
    )
    return {
        "token": tokens.sign(claims, tokens.read_secret(workspace.auth_secret)),
        "expiresAt": tokens.text(claims.exp),
        "jti": claims.jti or "",
    }


def limit(value: Any) -> str:
    """Return a limit of a token, or its verbs by space."""
    if not isinstance(value, dict):
        return str(value)
    return " ".join(f"{space}:{','.join(verbs)}" for space, verbs in value.items())


def _lines(found: "Iterable[Token]") -> Iterable[str]:
    ink = output.ink(sys.stdout)
    now = clock.to_text(clock.now())
    for one in found:
        ended = _ended(one, now)
        scope = " ".join(f"{name}={limit(value)}" for name, value in one["scope"].items())
        until = f"until {output.local(end) if (end := one['expiresAt']) else '?'}"
        seen = f"seen {output.local(at)}" if (at := one["lastSeenAt"]) else "never seen"
        name = output.plain(one["sub"] or "?")
        facts = (one["role"] or "?", name, output.plain(scope), until, seen)
        said = "  ".join(fact for fact in facts if fact)
        yield f"{ink.dim(one['jti'])}  {said}" + (f"  {ink.bad(ended)}" if ended else "")


def _ended(one: "Token", now: str) -> str:
    """Return why a token is invalid; empty while it is valid."""
    return "revoked" if one["revokedAt"] else "ended" if (one["expiresAt"] or "") < now else ""
