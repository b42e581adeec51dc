"""A table comes into a TOML text and goes out of it; the rest stays as it was."""

import tomllib

import pytest

from signet.domain.harnesses import codex
from signet.domain.harnesses.jsonedit import ConfigUnreadable

WANTED = {"command": "signet-mcp"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1\n",
        "a = 1",
        "# only a comment\n",
        "[mcp_servers]\n\n[mcp_servers.other]\ncommand = 'x'\n",
        "[mcp_servers.other]\nenv = { A = '[b]' }\n\n# about z\n[z]\ny = '''\n[not.a.table]\n'''\n",
        "a = 1\r\n[b]\r\nc = 2\r\n",
    ],
    ids=["empty", "plain", "no-end", "comment", "header", "texts", "windows"],
)
def test_a_table_is_added_and_dropped(text: str) -> None:
    changed = codex.put_table(text, "mcp_servers", "signet", WANTED)
    assert tomllib.loads(changed)["mcp_servers"]["signet"] == WANTED
    assert changed.startswith(text.rstrip("\n"))
    assert codex.put_table(changed, "mcp_servers", "signet", WANTED) == changed
    assert codex.drop_table(changed, "mcp_servers", "signet").rstrip("\n") == text.rstrip("\n")


def test_an_older_table_is_replaced_with_what_is_in_it() -> None:
    text = (
        '[mcp_servers.signet]\ncommand = "node"\ndisabled_tools = ["x"]\n'
        '[mcp_servers.signet.env]\nA = "1"\n\n# mine\n[z]\na = 1\n'
    )
    changed = codex.put_table(text, "mcp_servers", "signet", WANTED)
    assert tomllib.loads(changed) == {"mcp_servers": {"signet": WANTED}, "z": {"a": 1}}
    assert changed.startswith("# mine\n[z]\na = 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { other = { command = 'x' } }\n",
        "mcp_servers.signet.command = 'x'\n",
        "a = \n",
    ],
    ids=["inline", "dotted", "broken"],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(ConfigUnreadable):
        codex.put_table(text, "mcp_servers", "signet", WANTED)


def test_a_value_with_quotes_is_written_so_that_it_is_read() -> None:
    wanted = {"command": 'C:\\it\'s "it"'}
    changed = codex.put_table("", "mcp_servers", "signet", wanted)
    assert tomllib.loads(changed)["mcp_servers"]["signet"] == wanted
