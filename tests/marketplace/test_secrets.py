"""Secrets of tool servers: given to them at their start, and never seen again."""

import json
from pathlib import Path

from support.processes import eventually

from .conftest import ROOT, Tools, program, with_tools

VALUE = "oak-and-tar-77"


def everything(tools: Tools) -> str:
    """Return all that the product tells and keeps about its servers."""
    paths = ("", "/env", "/tools", "/search?q=env", "/policy")
    told = [tools.api.get(ROOT + path).body for path in paths]
    files = [
        path.read_bytes().decode("utf-8", "replace")
        for path in tools.api.state.workspace.root.rglob("*")
        if path.is_file()
    ]
    return json.dumps(told) + repr(list(tools.api.logged)) + "".join(files)


def test_a_server_has_its_secret_and_nobody_else_sees_it(tools: Tools) -> None:
    tools.api.post("/api/secrets/MAST_KEY", {"value": VALUE})
    server = tools.add("Env", "env", env={"TOKEN": "Bearer $secret:MAST_KEY", "PLAIN": "hush-hush"})
    assert server["config"]["env"] == {"TOKEN": "Bearer $secret:MAST_KEY", "PLAIN": "[hidden]"}
    found = json.loads(tools.said("env", "env"))
    assert found["TOKEN"] == "Bearer [REDACTED]"
    assert VALUE not in everything(tools)


def test_its_last_words_hold_no_secret_either(tools: Tools) -> None:
    tools.api.post("/api/secrets/MAST_KEY", {"value": VALUE})
    tools.add("Crash", "crash", env={"MAST_KEY": "$secret:MAST_KEY"})
    assert tools.call("crash", "crash", text="x").error.endswith(": out of rope [REDACTED]")
    assert VALUE not in repr(list(tools.api.logged))


def test_a_value_that_was_written_out_is_hidden_and_kept_when_it_comes_back_hidden(
    tools: Tools,
) -> None:
    tools.add("Env", "env", env={"API_KEY": "written-out-9"})
    shown = tools.api.get(f"{ROOT}/env").body["server"]["config"]
    assert shown["env"] == {"API_KEY": "[hidden]"}
    sent = {**shown, "env": {**shown["env"], "LEVEL": "2"}}
    assert tools.patch(f"{ROOT}/env", {"config": sent}).status == 200
    found = json.loads(tools.said("env", "env"))
    assert (found["API_KEY"], found["LEVEL"]) == ("[REDACTED]", "2")


def test_without_its_secret_a_server_is_not_started_and_with_it_it_is(tools: Tools) -> None:
    server = tools.add("Env", "env", env={"TOKEN": "$secret:MAST_KEY"})
    assert (server["state"], server["error"]) == ("failed", "Env: Secret 'MAST_KEY' not found")
    tools.api.post("/api/secrets/MAST_KEY", {"value": VALUE})
    tools.patch(f"{ROOT}/env", {"enabled": True})
    eventually(lambda: tools.settled("env")["state"] == "ready")


def test_a_secret_goes_only_to_the_commands_that_it_is_allowed_for(tmp_path: Path) -> None:
    settings = "secrets:\n  execAllow:\n    MAST_KEY: [git push]\n"
    with with_tools(tmp_path / "agents", settings) as tools:
        tools.api.post("/api/secrets/MAST_KEY", {"value": VALUE})
        server = tools.add("Env", "env", env={"TOKEN": "$secret:MAST_KEY"})
        assert server["error"] == (
            "Env: secrets.execAllow does not allow this command to use MAST_KEY"
        )


def test_a_secret_is_no_argument_because_everybody_sees_those(tools: Tools) -> None:
    config = {**program("echo"), "args": ["--key", "$secret:MAST_KEY"]}
    said = tools.api.post(f"{ROOT}/register", {"name": "X", "config": config})
    assert said.status == 400 and "put it into env" in said.error
