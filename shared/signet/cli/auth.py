"""`signet auth …`: show your identity, and manage tokens for others.

The first token is signed here with the workspace's secret, so it needs neither a daemon nor a token.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, arg, client, command, opt
from signet.cli.options import folder
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
        scope = ", ".join(f"{name} {_limit(value)}" for name, value in claims["scope"].items())
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
    project: Annotated[str | None, opt("Limit it to this project.", parser=folder)] = None,
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
        raise typer.BadParameter(
            f"unknown role {role!r}; choose one of: {', '.join(ROLES)}", param_hint="--role"
        )
    if agent and user:
        raise typer.BadParameter("limit a token to an agent or to a user, not to both")
    spaces = _spaces(space or ())
    if spaces and not (agent or user):
        raise typer.BadParameter("--space needs --user or --agent, who its sessions belong to")
    seconds = None if days is None else days * DAY_SECONDS
    try:
        signet = client(path)
        if sub and _valid(signet, sub):
            raise Conflict(
                f"Another token is called {sub}. Choose another name, or revoke it first: "
                f"signet auth token revoke {sub}",
                "name_taken",
            )
        made = signet.issue_token(
            cast("Any", role),
            sub=sub,
            project=project,
            agent=agent,
            user=user,
            spaces=spaces or None,
            ttl_seconds=seconds,
        )
    except DaemonNotRunning:
        limits = {"project": project, "agent": agent, "user": user, "spaces": spaces or None}
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
            raise typer.BadParameter(
                f"--space: unknown verb {unknown[0]!r}; choose from {', '.join(VERBS)}"
            )
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
    yield from _lines(found)
    if not found:
        output.say("No tokens")


@command(token_app, does="revoke an access token")
def revoke(
    signet: Signet,
    jti: Annotated[str, arg("Id of the token, or its name; see: signet auth token list.", "TOKEN")],
) -> Output:
    """Revoke a token: the daemon refuses it from now on.

    To revoke all tokens: delete .daemon/auth-secret and restart the daemon.

    Examples: signet auth token revoke laptop · signet auth token revoke 0f3a… --json
    """
    done = signet.revoke_token(_resolve(signet, jti))
    yield done
    output.say(f"Revoked {output.plain(done['jti'])} of {output.plain(done['sub'] or '?')}")


def _resolve(signet: Signet, named: str) -> str:
    """Resolve the name of a valid token to its ID; return the input if none matches. Raises Conflict for several."""
    found = _valid(signet, named)
    if len(found) > 1:
        raise Conflict(f"{len(found)} tokens are called {named}; revoke them by ID", ids=found)
    return found[0] if found else named


def _valid(signet: Signet, name: str) -> list[str]:
    """Return the ids of the valid tokens of this name."""
    now, every = clock.to_text(clock.now()), signet.tokens(limit=1_000)
    return [one["jti"] for one in every if one["sub"] == name and not _ended(one, now)]


def _signed_here(
    path: str | None,
    role: str,
    sub: str | None,
    limits: Mapping[str, object],
    seconds: float | None,
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
        raise Invalid("the name of a space has small letters, digits and hyphens, at most 48")
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


def _limit(value: Any) -> str:
    """Return a limit of a token, or its verbs by space."""
    if not isinstance(value, dict):
        return str(value)
    return " ".join(f"{space}:{','.join(verbs)}" for space, verbs in value.items())


def _lines(found: "Iterable[Token]") -> Iterable[str]:
    ink = output.ink(sys.stdout)
    now = clock.to_text(clock.now())
    for one in found:
        ended = _ended(one, now)
        scope = " ".join(f"{name}={_limit(value)}" for name, value in one["scope"].items())
        until = f"until {output.local(end) if (end := one['expiresAt']) else '?'}"
        seen = f"seen {output.local(at)}" if (at := one["lastSeenAt"]) else "never seen"
        name = output.plain(one["sub"] or "?")
        facts = (one["role"] or "?", name, output.plain(scope), until, seen)
        said = "  ".join(fact for fact in facts if fact)
        yield f"{ink.dim(one['jti'])}  {said}" + (f"  {ink.bad(ended)}" if ended else "")


def _ended(one: "Token", now: str) -> str:
    """Return why a token is invalid; empty while it is valid."""
    return "revoked" if one["revokedAt"] else "ended" if (one["expiresAt"] or "") < now else ""
