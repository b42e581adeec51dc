"""`signet mcp …`: tool servers of others, which the daemon starts and through which agents reach their tools."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote

import typer

from signet.cli import output
from signet.cli.command import Answer, Output, command
from signet.client import Signet
from signet.client.call import Body
from signet.domain.marketplace.models import ServerFailed
from signet.errors import Invalid

app = typer.Typer(
    help="Install, enable and disable MCP servers for your agents.",
    no_args_is_help=True,
)

#: Longer than a server may take to start.
SECONDS = 65.0
_ROOT = "/api/marketplace/mcp"
_DESCRIPTION_CHARS = 90
#: A server in one of these states has not answered yet, and how often it is looked at again.
_UNDECIDED = ("waiting", "starting")
_LOOK_SECONDS = 0.2

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the server; see: signet mcp list.")
]
CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="COMMAND", help="After --: command that starts the server."),
]
UrlOption = Annotated[
    str | None, typer.Option("--url", help="URL of the server, instead of a command.")
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        "-e",
        metavar="NAME=VALUE",
        help="Environment variable; the value may be $secret:NAME. Repeatable.",
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header",
        metavar="NAME=VALUE",
        help="HTTP header; the value may hold $secret:NAME. Repeatable.",
    ),
]
EnableOption = Annotated[
    bool, typer.Option("--enable", help="Enable it at once; exit 1 if it does not answer.")
]


@command(app, "list")
def list_servers(signet: Signet) -> Output:
    """List the installed MCP servers and their state.

    Examples: signet mcp list · signet mcp list --json
    """
    found = signet.call("GET", _ROOT)
    yield found
    rows = [(one["id"], _standing(one), one["description"]) for one in found["servers"]]
    yield from _rows(rows, "No MCP server is installed. To see some: signet mcp browse")


@command(app)
def browse(
    signet: Signet,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="Words to search for.")] = "",
) -> Output:
    """List the MCP servers that can be installed by name.

    Examples: signet mcp browse · signet mcp browse web
    """
    found = signet.call("GET", f"{_ROOT}/browse?q={quote(words, safe='')}")
    yield found
    marked = [
        (one["id"], "installed" if one["installed"] else "", one["description"])
        for one in found["results"]
    ]
    yield from _rows(marked, "No MCP server matches")
    if found["registryError"]:
        output.hint(found["registryError"])


@command(app, seconds=SECONDS)
def install(
    signet: Signet,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the server; see: signet mcp browse.")
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="NAME=VALUE",
            help="An input that the server needs. Repeatable.",
        ),
    ] = None,
    source: Annotated[str, typer.Option(help="Catalog: signet (default) or registry.")] = "signet",
    enable: EnableOption = False,
    as_json: bool = False,
) -> Output:
    """Install an MCP server by name. It runs only once enabled.

    Examples: signet mcp install time --enable · signet mcp install filesystem -i folder=/work
    """
    body = {"id": name, "source": source, "inputs": _pairs(inputs)}
    yield from _install(signet, "install", body, is_on=enable, quiet=as_json)


@command(app, seconds=SECONDS)
def add(
    signet: Signet,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name for the server.")],
    command: CommandArgument = None,
    url: UrlOption = None,
    env: EnvOption = None,
    header: HeaderOption = None,
    enable: EnableOption = False,
    as_json: bool = False,
) -> Output:
    """Install an MCP server by command or URL. It runs only once enabled.

    Examples: signet mcp add notes -- npx -y notes-mcp · signet mcp add deck --url http://127.0.0.1:9000/mcp
    """
    body = {"name": name, "config": _config(command, url, env, header)}
    yield from _install(signet, "register", body, is_on=enable, quiet=as_json)


@command(app, seconds=SECONDS)
def test(
    signet: Signet,
    command: CommandArgument = None,
    url: UrlOption = None,
    env: EnvOption = None,
    header: HeaderOption = None,
) -> Output:
    """List the tools of an MCP server without installing it.

    Examples: signet mcp test -- npx -y notes-mcp · signet mcp test --url http://127.0.0.1:9000/mcp
    """
    body = {"config": _config(command, url, env, header)}
    found = signet.call("POST", f"{_ROOT}/test", body=body)
    yield Answer(found, status=0 if found["success"] else 1)
    if found["success"]:
        yield from _rows(
            [(one["name"], "", one["description"]) for one in found["tools"]], "No tools"
        )
    else:
        output.failed(found["error"], "tool_server_failed", as_json=False)


@command(app, seconds=SECONDS)
def tools(signet: Signet) -> Output:
    """List the tools of all enabled servers.

    Examples: signet mcp tools · signet mcp tools --json
    """
    found = signet.call("GET", f"{_ROOT}/tools?refresh=1")
    yield found
    yield from _rows([(one["name"], "", one["description"]) for one in found["tools"]], "No tools")
    for one in found["servers"]:
        if one["error"]:
            output.hint(output.plain(one["error"]))


@command(app, seconds=SECONDS)
def enable(signet: Signet, server: IdArgument, as_json: bool = False) -> Output:
    """Enable an MCP server. Agents see its tools once it answers.

    Examples: signet mcp enable filesystem · signet mcp enable time --json
    """
    yield from _shown(_switched_on(signet, server, quiet=as_json))


@command(app, seconds=SECONDS)
def disable(signet: Signet, server: IdArgument) -> Output:
    """Disable an MCP server: it is stopped and its tools are hidden.

    Examples: signet mcp disable filesystem · signet mcp disable time --json
    """
    yield from _shown(_switch(signet, server, is_on=False))


@command(app)
def remove(signet: Signet, server: IdArgument) -> Output:
    """Stop and uninstall an MCP server.

    Examples: signet mcp remove filesystem · signet mcp remove time --json
    """
    done = signet.call("DELETE", f"{_ROOT}/{quote(server, safe='')}")
    yield done
    output.say(f"Removed {output.plain(server)}")


def _install(
    daemon: Signet, how: str, body: Mapping[str, object], *, is_on: bool, quiet: bool
) -> Output:
    done = daemon.call("POST", f"{_ROOT}/{how}", body={**body, "enabled": False})
    if is_on:
        done |= _switched_on(daemon, done["server"]["id"], quiet=quiet)
    yield from _shown(done)


def _switched_on(daemon: Signet, server: str, *, quiet: bool) -> Body:
    """Switch a server on and wait until it has answered; one that fails is switched off again: ServerFailed."""
    done = _switch(daemon, server, is_on=True)
    until = time.monotonic() + SECONDS
    with output.Passing(quiet=quiet) as passing:
        while done["server"]["state"] in _UNDECIDED and time.monotonic() < until:
            if passing.is_live:
                passing.show(f"Waiting for {output.plain(server)} to answer …")
            time.sleep(_LOOK_SECONDS)
            done |= daemon.call("GET", f"{_ROOT}/{quote(server, safe='')}")
    found = done["server"]
    if found["state"] == "failed" or found["state"] in _UNDECIDED:
        _switch(daemon, server, is_on=False)
        why = found["error"] or f"{found['id']} did not answer within {SECONDS:.0f} s"
        raise ServerFailed(
            f"{output.plain(why)}. {found['id']} is installed, but disabled",
            hint=f"Try again with: signet mcp enable {found['id']}. Or: signet mcp remove {found['id']}",
        )
    return done


def _switch(daemon: Signet, server: str, *, is_on: bool) -> Body:
    return daemon.call("PATCH", f"{_ROOT}/{quote(server, safe='')}", body={"enabled": is_on})


def _config(
    command: Sequence[str] | None,
    url: str | None,
    env: Sequence[str] | None,
    header: Sequence[str] | None,
) -> dict[str, object]:
    """Return the config that the options say; raises Invalid when they say two or none."""
    if bool(command) == bool(url):
        raise Invalid("pass either --url, or a command after --")
    if url:
        return {"url": url, "headers": _pairs(header)}
    program, *arguments = command or ()
    return {"command": program, "args": arguments, "env": _pairs(env)}


def _pairs(given: Sequence[str] | None) -> dict[str, str]:
    found = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise Invalid("expected NAME=VALUE")
        found[name.strip()] = value
    return found


def _shown(done: Mapping[str, Any]) -> Output:
    yield done
    server = done["server"]
    output.say(f"{output.plain(server['id'])}: {_standing(server)}")
    if not server["enabled"]:
        output.hint(f"To enable it: signet mcp enable {server['id']}")


def _standing(server: Mapping[str, Any]) -> str:
    if server["state"] == "failed":
        return f"failed ({output.plain(server['error'])})"
    many = output.count(server["toolCount"], "tool")
    return f"{server['state']}, {many}" if server["toolCount"] else str(server["state"])


def _rows(rows: Iterable[tuple[str, str, str]], otherwise: str) -> Iterator[str]:
    shown = [
        (name, mark, output.short(output.plain(told), _DESCRIPTION_CHARS))
        for name, mark, told in rows
    ]
    return output.table(shown, otherwise)
