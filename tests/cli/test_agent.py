"""`signet agent …`, with and without a daemon."""

import pytest

from cli.program import Program


def test_an_agent_is_added_looked_at_and_removed(served: Program) -> None:
    done = served.run("agent", "add", "scout", "--memory", "group", "--group", "crew")
    assert (done.status, done.out) == (0, "Added scout; it reads what the group crew shares\n"), (
        done.err
    )
    assert (served.workspace / "agents" / "scout" / "SOUL.md").exists()
    assert "name: scout" in (served.workspace / "agent.yaml").read_text()
    served.run("remember", "The reef is near.", "--agent", "scout")
    rows = served.run("agent", "list").out.splitlines()
    assert rows[0].startswith("default  shared  ")
    assert [row for row in rows if row == "scout    group crew  1 memory"]
    told = served.run("agent", "info", "scout").out
    assert "reads     group crew" in told and "memories  1 global" in told
    assert "files     IDENTITY.md, SOUL.md" in told
    assert served.run("agent", "info", "scout", "--json").json()["memories"] == {"global": 1}
    again = served.run("agent", "add", "scout")
    assert again.status == 1 and "already" in again.err
    refused = served.run("agent", "remove", "scout", "--purge")
    assert refused.status == 1 and "--force" in refused.err
    gone = served.run("agent", "remove", "scout", "--purge", "--force")
    assert gone.out == "Removed scout; its memories are erased\n"
    assert served.run("agent", "info", "scout").status == 1
    served.run("agent", "add", "mate")
    served.run("remember", "The tide turns at nine.", "--agent", "mate")
    assert served.run("agent", "remove", "mate").out.startswith(
        "Removed mate; its memories are archived"
    )
    archived = served.run("memory", "list", "--archived")
    assert "The tide turns at nine." in archived.out
    id_ = served.run("memory", "list", "--archived", "--json").json()["memories"][0]["id"]
    assert f"signet memory adopt {id_[:12]}" in archived.err
    assert served.run("memory", "adopt", id_[:18]).out.startswith("Restored: ")
    assert "The tide turns at nine." in served.run("memory", "list").out
    assert served.run("agent", "remove", "default").status == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "Scout"), "small letters"),
        (("add", "default"), "small letters"),
        (("add", "scout", "--memory", "group"), "--group"),
        (("add", "scout", "--memory", "shared", "--group", "crew"), "--memory group"),
        (("list",), "Daemon is not running"),
    ],
    ids=["capital", "default", "no-group", "needless-group", "no-daemon"],
)
def test_what_cannot_be_done_fails_with_one(
    alone: Program, arguments: tuple[str, ...], words: str
) -> None:
    failed = alone.run("agent", *arguments)
    assert (failed.status, failed.out) == (1, "")
    assert words in failed.err


def test_an_agent_is_added_without_a_daemon(alone: Program) -> None:
    assert alone.run("agent", "add", "scout").out == "Added scout; it reads what all agents share\n"
    assert "read_policy: shared" in (alone.workspace / "agent.yaml").read_text()
    assert (alone.workspace / "agents" / "scout" / "IDENTITY.md").exists()
    twice = alone.run("agent", "add", "scout")
    assert twice.status == 1 and "already" in twice.err
