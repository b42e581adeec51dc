"""`signet mcp …`: tool servers of others from their installation to their end."""

import sys
from pathlib import Path

import pytest

from cli.program import Program
from support.ports import free_port

SERVER = [sys.executable, "-I", str(Path(__file__).parents[1] / "support" / "toolserver.py")]


def test_a_server_is_tried_added_switched_and_removed(served: Program) -> None:
    tried = served.run("mcp", "test", "--", *SERVER, "echo")
    assert (tried.status, tried.out) == (0, "echo  Repeats a text\n"), tried.err
    added = served.run("mcp", "add", "Echo", "-e", "LEVEL=3", "--", *SERVER, "echo")
    assert (added.status, added.out) == (0, "echo: off\n"), added.err
    assert served.run("mcp", "list").out.startswith("echo  off")
    on = served.run("mcp", "enable", "echo", "--json").json()["server"]
    assert on["enabled"] is True and on["config"]["env"] == {"LEVEL": "[hidden]"}
    assert served.run("mcp", "disable", "echo").out == "echo: off\n"
    assert served.run("mcp", "tools").out == "No tools\n"
    assert served.run("mcp", "remove", "echo").out == "Removed echo\n"
    assert served.run("mcp", "list").out.startswith("No MCP server is installed.")


@pytest.mark.parametrize("how", ["program", "mute", "address"])
def test_a_server_that_does_not_answer_stays_off_and_that_is_said(
    served: Program, how: str
) -> None:
    there: list[str] = {
        "program": ["--", "/no/such/program"],
        "mute": ["--", sys.executable, "-c", "print('not JSON-RPC')"],
        "address": ["--url", f"http://127.0.0.1:{free_port()}/mcp"],
    }[how]
    failed = served.run("mcp", "add", "Ghost", "--enable", *there)
    assert failed.status == 1, failed.out
    assert (
        "ghost is installed, but disabled" in failed.err and "signet mcp enable ghost" in failed.err
    )
    assert ("/no/such/program" in failed.err) == (how == "program")
    listed = served.run("mcp", "list", "--json").json()["servers"]
    assert [(one["id"], one["enabled"], one["state"]) for one in listed] == [
        ("ghost", False, "off")
    ]
    again = served.run("mcp", "enable", "ghost", "--json")
    assert (again.status, again.json()["code"]) == (1, "tool_server_failed")
    assert served.run("mcp", "remove", "ghost").status == 0


def test_a_server_that_answers_is_on_at_once(served: Program) -> None:
    added = served.run("mcp", "add", "Echo", "--enable", "--", *SERVER, "echo")
    assert (added.status, added.out) == (0, "echo: ready, 1 tool\n"), added.err
    assert "Repeats a text" in served.run("mcp", "tools").out
    assert served.run("mcp", "remove", "echo").status == 0


def test_a_server_of_the_catalog_is_found_and_installed(served: Program) -> None:
    assert served.run("mcp", "browse", "zones").out.startswith("time  ")
    lacking = served.run("mcp", "install", "filesystem")
    assert lacking.status == 1 and "folder" in lacking.err
    done = served.run("mcp", "install", "filesystem", "-i", "folder=/work", "--json").json()
    assert done["server"]["config"]["args"][-1] == "/work"
    assert served.run("mcp", "remove", "filesystem").status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "x"), "pass either --url, or a command after --"),
        (("add", "x", "--url", "http://a/", "--", "b"), "pass either --url"),
        (("add", "x", "-e", "A", "--", "b"), "expected NAME=VALUE"),
        (("test", "--", "/none/such"), "/none/such"),
        (("enable", "none"), "There is no tool server 'none'"),
        (("remove", "none"), "There is no tool server 'none'"),
    ],
    ids=range(6),
)
def test_what_cannot_be_done_fails_with_one(
    served: Program, arguments: tuple[str, ...], words: str
) -> None:
    failed = served.run("mcp", *arguments)
    assert failed.status == 1 and words in failed.err
