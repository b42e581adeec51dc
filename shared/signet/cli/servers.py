"""`signet mcp …`: tool servers of others, which the daemon starts and through which agents reach their tools."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote

import typer

from signet.cli import output
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
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


@app.command("list")
def list_servers(path: PathOption = None, as_json: JsonOption = False) -> None:
    """List the installed MCP servers and their state.

    Examples: signet mcp list · signet mcp list --json
    """
    found = client(path).call("GET", _ROOT)
    if as_json:
        output.show(found)
        return
    rows = [(one["id"], _standing(one), one["description"]) for one in found["servers"]]
    _say_rows(rows, "No MCP server is installed. To see some: signet mcp browse")


@app.command()
def browse(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="Words to search for.")] = "",
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the MCP servers that can be installed by name.

    Examples: signet mcp browse · signet mcp browse web
    """
    found = client(path).call("GET", f"{_ROOT}/browse?q={quote(words, safe='')}")
    if as_json:
        output.show(found)
        return
    marked = [
        (one["id"], "installed" if one["installed"] else "", one["description"])
        for one in found["results"]
    ]
    _say_rows(marked, "No MCP server matches")
    if found["registryError"]:
        output.hint(found["registryError"])


@app.command()
def install(
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
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Install an MCP server by name. It runs only once enabled.

    Examples: signet mcp install time --enable · signet mcp install filesystem -i folder=/work
    """
    body = {"id": name, "source": source, "inputs": _pairs(inputs)}
    _install("install", body, path, as_json, is_on=enable)


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name for the server.")],
    command: CommandArgument = None,
    url: UrlOption = None,
    env: EnvOption = None,
    header: HeaderOption = None,
    enable: EnableOption = False,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Install an MCP server by command or URL. It runs only once enabled.

    Examples: signet mcp add notes -- npx -y notes-mcp · signet mcp add deck --url http://127.0.0.1:9000/mcp
    """
    body = {"name": name, "config": _config(command, url, env, header)}
    _install("register", body, path, as_json, is_on=enable)


@app.command()
def test(
    command: CommandArgument = None,
    url: UrlOption = None,
    env: EnvOption = None,
    header: HeaderOption = None,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the tools of an MCP server without installing it.

    Examples: signet mcp test -- npx -y notes-mcp · signet mcp test --url http://127.0.0.1:9000/mcp
    """
    body = {"config": _config(command, url, env, header)}
    found = _asked(path).call("POST", f"{_ROOT}/test", body=body)
    if as_json:
        output.show(found)
    elif found["success"]:
        _say_rows([(one["name"], "", one["description"]) for one in found["tools"]], "No tools")
    if not found["success"]:
        if not as_json:
            output.failed(found["error"], "tool_server_failed", as_json=False)
        raise typer.Exit(1)


@app.command()
def tools(path: PathOption = None, as_json: JsonOption = False) -> None:
    """List the tools of all enabled servers.

    Examples: signet mcp tools · signet mcp tools --json
    """
    found = _asked(path).call("GET", f"{_ROOT}/tools?refresh=1")
    if as_json:
        output.show(found)
        return
    _say_rows([(one["name"], "", one["description"]) for one in found["tools"]], "No tools")
    for one in found["servers"]:
        if one["error"]:
            output.hint(output.plain(one["error"]))


@app.command()
def enable(server: IdArgument, path: PathOption = None, as_json: JsonOption = False) -> None:
    """Enable an MCP server. Agents see its tools once it answers.

    Examples: signet mcp enable filesystem · signet mcp enable time --json
    """
    _tell_server(_switched_on(_asked(path), server, quiet=as_json), as_json)


@app.command()
def disable(server: IdArgument, path: PathOption = None, as_json: JsonOption = False) -> None:
    """Disable an MCP server: it is stopped and its tools are hidden.

    Examples: signet mcp disable filesystem · signet mcp disable time --json
    """
    _tell_server(_switch(_asked(path), server, is_on=False), as_json)


@app.command()
def remove(server: IdArgument, path: PathOption = None, as_json: JsonOption = False) -> None:
    """Stop and uninstall an MCP server.

    Examples: signet mcp remove filesystem · signet mcp remove time --json
    """
    done = client(path).call("DELETE", f"{_ROOT}/{quote(server, safe='')}")
    if as_json:
        output.show(done)
    else:
        output.say(f"Removed {output.plain(server)}")


def _asked(path: str | None) -> Signet:
    return client(path, timeout_seconds=SECONDS)


def _install(
    how: str, body: Mapping[str, object], path: str | None, as_json: bool, *, is_on: bool
) -> None:
    daemon = _asked(path)
    done = daemon.call("POST", f"{_ROOT}/{how}", body={**body, "enabled": False})
    if is_on:
        done |= _switched_on(daemon, done["server"]["id"], quiet=as_json)
    _tell_server(done, as_json)


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


def _tell_server(done: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        output.show(done)
        return
    server = done["server"]
    output.say(f"{output.plain(server['id'])}: {_standing(server)}")
    if not server["enabled"]:
        output.hint(f"To enable it: signet mcp enable {server['id']}")


def _standing(server: Mapping[str, Any]) -> str:
    if server["state"] == "failed":
        return f"failed ({output.plain(server['error'])})"
    many = output.count(server["toolCount"], "tool")
    return f"{server['state']}, {many}" if server["toolCount"] else str(server["state"])


def _say_rows(rows: Sequence[tuple[str, str, str]], otherwise: str) -> None:
    if not rows:
        output.advise(otherwise)
        return
    ink = output.ink(sys.stdout)
    width = max(output.cells(output.plain(name)) for name, *_ in rows)
    for name, mark, told in rows:
        shown = output.plain(name)
        pad = " " * (width - output.cells(shown))
        text = output.short(output.plain(told), _DESCRIPTION_CHARS)
        output.say("  ".join(filter(None, [ink.name(shown) + pad, mark, text])).rstrip())
