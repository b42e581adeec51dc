"""`signet share`, `signet spaces` and `signet audit` of people with keys on a team's daemon."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import SETTINGS, Program

TEAM = SETTINGS + "auth: {mode: team}\n"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("team")
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(TEAM)
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    yield program
    assert program.run("daemon", "stop").out == "Daemon stopped\n"


def key(team: Program, *options: str) -> str:
    made = team.run("auth", "token", "create", *options)
    assert made.status == 0, made.err
    return made.out.strip()


def test_a_memory_is_shared_reviewed_and_withdrawn(team: Program, tmp_path: Path) -> None:
    made = team.run("spaces", "create", "board", "--review", "--description", "Decisions")
    assert made.out == "Created board\n" and "--space board:read,promote" in made.err
    anna = key(team, "--user", "anna", "--space", "board:read,promote")
    bert = key(team, "--user", "bert", "--space", "board:read,write")
    as_anna, as_bert = {"SIGNET_TOKEN": anna}, {"SIGNET_TOKEN": bert}
    saved = team.run("remember", "The board meets on Mondays.", "--json", **as_anna).json()["id"]
    shared = team.run("share", saved[:18], "--to", "board", "--note", "since May", **as_anna)
    assert shared.out == "Proposed for board; another person decides\n", shared.err
    assert "board meets" not in team.run("recall", "when does the board meet", **as_bert).out
    listed = team.run("spaces", "shares", "--state", "proposed", **as_bert).out
    assert "The board meets on Mondays." in listed and "anna in board" in listed
    assert team.run("spaces", "approve", saved, **as_anna).status == 1
    assert team.run("spaces", "approve", saved[:18], **as_bert).out == "Approved\n"
    found = team.run("recall", "when does the board meet", **as_bert).out
    assert "The board meets on Mondays." in found and "shared by anna in board" in found
    assert "in space board" in team.run("memory", "show", saved, **as_bert).out
    spaces = team.run("spaces", **as_bert).out
    assert "board" in spaces and "you may read, write" in spaces and "reviewed" in spaces
    assert team.run("spaces", "withdraw", saved, **as_anna).out == "Withdrawn from board\n"
    assert "board meets" not in team.run("recall", "when does the board meet", **as_bert).out
    assert "withdrawn by anna" in team.run("spaces", "shares", **as_anna).out
    assert team.run("spaces", "change", "board", "--no-review").status == 0
    again = team.run("share", saved, "--to", "board", **as_anna)
    assert again.out == "Shared in board\n"
    file = tmp_path / "audit.ndjson"
    assert team.run("audit", "export", str(file)).status == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    acts = [(one["action"], one["actor"]) for one in lines if one["action"] != "read"]
    expected = [("propose", "anna"), ("share", "bert"), ("withdraw", "anna"), ("share", "anna")]
    assert acts == expected
    assert "Mondays" not in file.read_text()
    shown = team.run("audit", "--actor", "bert", "--action", "read").out
    assert "recall" in shown and saved[:18] in shown
    assert team.run("audit", **as_anna).status == 1
    assert team.run("spaces", "remove", "board", "--force").out == "Removed board\n"


def test_a_key_says_its_spaces(team: Program) -> None:
    refused = team.run("auth", "token", "create", "--space", "board")
    assert refused.status == 2 and "--space needs --user or --agent" in refused.err
    unknown = team.run("auth", "token", "create", "--user", "a", "--space", "board:own")
    assert (
        unknown.status == 2
        and "unknown verb 'own'; choose from read, write, promote" in unknown.err
    )
    team.run("spaces", "create", "board")
    token = key(team, "--user", "carl", "--space", "board")
    assert "spaces board:read" in team.run("auth", "whoami", SIGNET_TOKEN=token).out
    assert "board:read" in team.run("auth", "token", "list").out


def test_an_agent_does_not_share(team: Program) -> None:
    refused = team.run("share", "x", "--to", "board", CLAUDECODE="1")
    assert refused.status == 1 and "Agents may not share memories" in refused.err


def test_a_restore_brings_back_no_access(team: Program, tmp_path: Path) -> None:
    assert team.run("spaces", "create", "cellar").status == 0
    anna = {"SIGNET_TOKEN": key(team, "--user", "anna", "--space", "cellar:read,promote")}
    bert = {"SIGNET_TOKEN": key(team, "--user", "bert", "--space", "cellar:read")}
    saved = team.run("remember", "The cellar key hangs left.", "--json", **anna).json()["id"]
    assert team.run("share", saved, "--to", "cellar", **anna).status == 0
    backup = tmp_path / "b.zip"
    assert team.run("backup", str(backup)).status == 0
    assert team.run("spaces", "withdraw", saved, **anna).status == 0
    listed = team.run("auth", "token", "list", "--json").json()["tokens"]
    jti = next(
        one["jti"] for one in listed if "cellar" in json.dumps(one) and "anna" in json.dumps(one)
    )
    assert team.run("auth", "token", "revoke", jti).status == 0
    done = team.run("restore", str(backup), "--yes", "--settings", "keep")
    assert done.status == 0, done.err
    assert team.run("list", **anna).status == 1
    assert "cellar key" not in team.run("recall", "where is the cellar key", **bert).out
    assert "withdraw" in team.run("audit", "--action", "withdraw").out


def test_undo_takes_back_one_s_own_changes_alone(team: Program) -> None:
    anna = {"SIGNET_TOKEN": key(team, "--user", "anna")}
    carl = {"SIGNET_TOKEN": key(team, "--user", "carl", "--role", "operator")}
    assert "Nothing to undo" in team.run("undo", **carl).err
    for who, text in (
        (anna, "Anna's kayak is red."),
        (carl, "Carl's kayak is blue."),
        ({}, "Kiwis."),
    ):
        assert team.run("remember", text, **who).status == 0
    for who, text in ((anna, "kayak is red"), (carl, "kayak is blue")):
        done = team.run("undo", **who)
        assert done.status == 0 and text in done.out, done.err
        assert "Nothing to undo" in team.run("undo", **who).err or who is anna
    assert "Kiwis." in team.run("list").out
