"""What holds for every command: exit status, streams, colour, help, speed of the start."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.testing import CliRunner

from cli import overview as written
from cli.program import COMMAND_SECONDS, Program
from client.speaking import Act, loopback, raw, sends
from signet import __version__
from signet.cli import main as entry
from signet.cli import overview, status, tree
from signet.client import connection
from signet.client.connection import Connection
from signet.domain.auth import tokens
from signet.paths import Workspace


def leaves(group: TyperGroup, *above: str) -> Iterator[list[str]]:
    """Yield the words of each command below a group."""
    for name, one in group.commands.items():
        if isinstance(one, TyperGroup):
            yield from leaves(one, *above, name)
        else:
            yield [*above, name]


COMMANDS = sorted(leaves(tree.command()))
ESCAPE = "\x1b["


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed_alone(alone: Program, flag: str) -> None:
    done = alone.run(flag)
    assert (done.status, done.out, done.err) == (0, f"{__version__}\n", "")


HEAVY = {
    "httpx",
    "sqlalchemy",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "fastapi",
    "alembic",
    "structlog",
    "rich",
}


def test_the_version_loads_no_library_at_all(alone: Program) -> None:
    assert not alone.loaded("--version") & {*HEAVY, "typer", "pydantic", "http", "json"}


#: What takes a hook longer to load than to run, of the standard library.
SLOW = {
    *("dataclasses", "inspect", "datetime", "hashlib", "socket", "ssl", "select", "subprocess"),
    *("threading", "http", "email", "uuid", "shutil", "tempfile"),
}


@pytest.mark.sqlite_file
def test_the_overview_loads_no_library_at_all(alone: Program) -> None:
    assert not alone.loaded("--help") & {*HEAVY, "typer", "pydantic", "http", "dataclasses"}
    assert not alone.loaded() & {*HEAVY, "typer", "pydantic", "http", "dataclasses"}


def test_a_memory_command_loads_no_heavy_library(served: Program) -> None:
    light = {*HEAVY, "typer", "pydantic", "inspect", "dataclasses", "ast"}
    assert not served.loaded("recall", "anything", "--limit", "3", "-t", "decision") & light
    # The library reads what is wrong, and explains it.
    script = "import sys, signet.cli.words as w; print(w.ready(sys.argv[1:]))"
    asked = [sys.executable, "-c", script, "recall", "anything", "--limit", "x"]
    assert subprocess.run(asked, capture_output=True, text=True).stdout == "None\n"


def test_a_hook_whose_daemon_is_known_to_be_away_loads_next_to_nothing(alone: Program) -> None:
    workspace = Workspace(alone.workspace)
    workspace.daemon_dir.mkdir(parents=True)
    connection.keep(workspace, Connection("http://127.0.0.1:9", "k", "2026-01-01T00:00:00Z"))
    alone.environment()  # a database on a server is made before the note, which holds for seconds
    connection.note_away(workspace)
    loaded = alone.loaded("hook", "user-prompt-submit", "-H", "codex")
    assert "json" in loaded
    assert not loaded & {*HEAVY, *SLOW, "typer", "pydantic"}
    # What keeps a call has a digest, and does not load what sends one.
    ended = alone.loaded("hook", "session-end", "-H", "codex")
    assert ended & {*HEAVY, *SLOW, "typer", "pydantic"} == {"hashlib"}


def test_a_hook_loads_only_what_it_sends_with(served: Program, alone: Program) -> None:
    asked = ("hook", "user-prompt-submit", "-H", "codex")
    loaded = served.loaded(*asked)
    assert "signet.client.transport" in loaded
    assert not loaded & {*HEAVY, "typer", "pydantic", "dataclasses", "inspect", "datetime"}
    # Over TCP it signs a token, and needs no settings for that.
    workspace = Workspace(alone.workspace)
    workspace.make()
    tokens.create_workspace_token(workspace)
    loaded = alone.loaded(*asked)
    assert "signet.domain.auth.tokens" in loaded
    assert not loaded & {*HEAVY, "typer", "pydantic", "signet.config.sections"}


@pytest.mark.sqlite_file
def test_without_a_command_the_map_and_the_next_step_are_shown(alone: Program) -> None:
    done = alone.run()
    assert (done.status, done.err) == (0, "")
    shown = list(tree.command().commands)
    for name in shown:
        assert re.search(rf"^  {name} +\S", done.out, re.MULTILINE), name
    assert "Next: signet setup" in done.out


def test_wrong_usage_is_explained(alone: Program) -> None:
    refused = alone.run("backup", "lst")
    assert "signet backup list? For a file of this name: ./lst" in refused.err
    assert not (alone.home / "lst").exists()
    wrong = alone.run("recall", "tides", "--limit", "many")
    assert "'many' is not a whole number" in wrong.err
    assert "(quote a text of several words): (two)" in alone.run("recall", "one", "two").err
    assert "Did you mean claude-code?" in alone.run("harness", "install", "claude").err


def test_help_before_a_command_shows_its_help(alone: Program) -> None:
    for words in (["forget"], ["memory", "show"], ["recall"], ["jobs"]):
        assert alone.run("help", *words).out == alone.run(*words, "--help").out
    assert "Examples: signet forget ID" in alone.run("help", "forget").out
    assert alone.run("help").out == alone.run("--help").out


def test_each_group_of_commands_has_examples(alone: Program) -> None:
    groups = [name for name, one in tree.command().commands.items() if isinstance(one, TyperGroup)]
    assert {"memory", "jobs", "trust", "config"} <= {*groups}
    for name in groups:
        shown = " ".join(alone.run(name, "--help").out.split())
        assert f"Examples: signet {name}" in shown, name


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["recall"],
        ["recall", "x", "--wings"],
        ["jobs", "fly"],
        ["remember", "x", "-i", "7"],
    ],
)
def test_wrong_usage_exits_with_2_and_says_where_help_is(
    alone: Program, arguments: list[str]
) -> None:
    done = alone.run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert "--help" in done.err
    as_json = alone.run(*arguments, "--json")
    assert as_json.status == 2
    assert as_json.json()["code"] == "usage"


def test_a_choice_that_there_is_not_is_told_in_our_words_only(alone: Program) -> None:
    told = alone.run("jobs", "list", "--status", "lost").err
    assert told.startswith("error: Invalid value for '--status': 'lost' is not one of 'pending'")


def test_a_group_without_a_command_shows_its_help_and_exits_with_2(alone: Program) -> None:
    done = alone.run("jobs")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Usage: signet jobs")
    assert alone.run("jobs", "--json").json()["code"] == "usage"


def test_completion_knows_the_commands(alone: Program) -> None:
    typed = {"_SIGNET_COMPLETE": "complete_bash", "COMP_WORDS": "signet re", "COMP_CWORD": "1"}
    wanted = {name for name in tree.command().commands if name.startswith("re")}
    assert set(alone.run(**typed).out.split()) == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("remember x --type pr", ["preference", "procedural"]),
        ("recall x --agent b", ["bea", "bob"]),
        ("skill show on", ["onboarding"]),
        ("secret get A", ["API_KEY"]),
    ],
    ids=["types", "agents", "skills", "secrets"],
)
def test_completion_offers_names_from_local_files(
    alone: Program, words: str, wanted: list[str]
) -> None:
    for folder in ("agents/bob", "skills/onboarding", ".secrets"):
        (alone.workspace / folder).mkdir(parents=True)
    (alone.workspace / "agent.yaml").write_text("agents: {roster: [{name: bea}]}\n")
    vault = {"version": 1, "secrets": {"API_KEY": {"ciphertext": "x"}}}
    (alone.workspace / ".secrets" / "secrets.enc").write_text(json.dumps(vault))
    typed = {
        "_SIGNET_COMPLETE": "complete_bash",
        "COMP_WORDS": f"signet {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    assert alone.run(**typed).out.split() == wanted


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed_for_each_shell(alone: Program, shell: str) -> None:
    alone.home.mkdir(exist_ok=True)
    (alone.home / ".zshrc").write_bytes(b"\n  setopt autocd\n\n")
    (alone.home / ".bashrc").write_bytes(b"alias ll='ls -l'")
    before = {one: one.read_bytes() for one in alone.home.rglob("*") if one.is_file()}
    done = alone.run("--install-completion", shell)
    assert (done.status, f"{shell} completion installed" in done.out) == (0, True), done.err
    written = [one for one in alone.home.rglob("*") if one.is_file()]
    assert any("signet" in one.name for one in written)
    gone = alone.run("uninstall", "--yes", PATH="/nowhere")
    assert "shell completion in" in gone.out, gone.err
    assert {one: one.read_bytes() for one in alone.home.rglob("*") if one.is_file()} == before


def test_the_overview_says_what_each_command_says_of_itself(alone: Program) -> None:
    assert overview.FILE.read_text("utf-8") == written.text(), written.__doc__
    shown = alone.run("--help")
    assert (shown.status, "--no-color" in shown.out) == (0, True)
    assert alone.run("-v", "--help").out == shown.out


def test_the_map_ends_its_lines_where_a_sentence_can_end(alone: Program) -> None:
    assert overview.brief("Stop the daemon; a job goes back", 20) == "Stop the daemon"
    lines = alone.run(COLUMNS="80").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line.endswith("...")]


def test_a_slip_of_the_finger_is_answered_with_the_right_command(alone: Program) -> None:
    assert "recall" in alone.run("recal").err


@pytest.mark.parametrize("arguments", [["recall", "x"], ["remember", "x"], ["jobs", "list"]])
def test_a_command_that_needs_the_daemon_says_how_to_start_it(
    alone: Program, arguments: list[str]
) -> None:
    url = {"SIGNET_DAEMON_URL": f"http://127.0.0.1:{alone.port}"}
    done = alone.run(*arguments, **url)
    assert (done.status, done.out) == (1, "")
    assert done.err == "error: Daemon is not running. Start it with: signet daemon start\n"
    assert alone.run(*arguments, "--json", **url).json() == {
        "error": "Daemon is not running. Start it with: signet daemon start",
        "code": "daemon_not_running",
    }


def test_status_and_paths_work_without_a_daemon(alone: Program) -> None:
    url = {"SIGNET_DAEMON_URL": f"http://127.0.0.1:{alone.port}"}
    assert alone.run("status", **url).out.startswith("○ Daemon stopped")
    shown = alone.run("status", "--json", **url)
    assert (shown.status, shown.json()["running"]) == (0, False)
    places = alone.run("paths", "--json").json()
    assert places["workspace"] == str(alone.workspace)
    assert places["database"] == str(alone.workspace / "memory" / "memories.db")
    assert not alone.workspace.exists()


def test_colour_is_for_terminals_only_and_can_be_refused(alone: Program) -> None:
    assert ESCAPE not in alone.run().out
    assert ESCAPE in alone.on_terminal()
    assert ESCAPE not in alone.on_terminal(NO_COLOR="1")
    assert ESCAPE not in alone.on_terminal(TERM="dumb")
    assert ESCAPE not in alone.on_terminal("--no-color")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_examples_that_fits_80_columns(words: list[str]) -> None:
    done = CliRunner().invoke(tree.app, [*words, "-h"], env={"COLUMNS": "80"}, prog_name="signet")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.count("signet ") >= 3, "usage and two examples"


def broken(*_: object) -> None:
    raise RuntimeError("the roof is on fire")


#: Every command that can ask or open an editor, said so that it would.
ASKING = [
    ("config", "edit"),
    ("setup", "--path", "NEW"),
    ("secret", "delete", "KEY"),
    ("memory", "edit", "MEMORY"),
    ("memory", "forget", "MEMORY"),
    ("agent", "add", "scout"),
    ("agent", "remove", "default", "--purge"),
    ("uninstall", "--purge"),
    ("restore", "BACKUP"),
]


def test_no_command_waits_where_nobody_can_answer(served: Program) -> None:
    memory_id = served.run("remember", "The bell is cracked", "--json").json()["id"]
    backup = str(served.home / "asking.tar")
    assert served.run("backup", backup).status == 0
    waits = served.home / "editor"
    waits.write_text(f"#!/bin/sh\ntouch {served.home}/opened\n")
    waits.chmod(0o755)
    words = {"MEMORY": memory_id, "BACKUP": backup, "NEW": str(served.home / "new")}
    for command in ASKING:
        with subprocess.Popen(
            served.command(*(words.get(word, word) for word in command)),
            env=served.environment(EDITOR=str(waits)),
            stdin=subprocess.PIPE,  # open, and nobody ever writes
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.wait(timeout=COMMAND_SECONDS) in (0, 1), command
    assert not (served.home / "opened").exists()
    assert served.run("memory", "show", memory_id).status == 0
    assert served.run("agent", "remove", "scout").status == 0


STRANGER = "Another program answers on port {port}, not the Signet daemon of"


def answers_nothing(connection: socket.socket) -> None:
    connection.recv(1)  # comes back when the client has gone


@pytest.mark.parametrize(
    "command", ["recall tea", "remember tea", "memory list", "status", "jobs list"]
)
@pytest.mark.parametrize(
    ("act", "words"),
    [
        (sends(404, b"<html>Not Found</html>"), STRANGER),
        (sends(200, b'{"hello": "world"}'), STRANGER),
        (sends(404, b'{"error": "no handler"}'), STRANGER),
        (raw(b"SSH-2.0-OpenSSH\r\n"), STRANGER),
        (answers_nothing, "{url} accepts connections but did not answer within 0.3 s"),
    ],
    ids=["page", "json", "json-error", "ssh", "silent"],
)
def test_a_foreign_program_on_the_port_is_named_with_what_to_do(
    alone: Program, command: str, act: Act, words: str
) -> None:
    tokens.ensure_secret(Workspace(alone.workspace).token_file)
    with loopback(act) as server:
        port = server.url.rpartition(":")[2]
        done = alone.run(*command.split(), SIGNET_PORT=port, SIGNET_FETCH_TIMEOUT="300")
    assert done.status == 1, done
    assert (
        words.format(url=server.url, port=port) in done.err
        and "signet daemon start --port" in done.err
    )


def test_an_unexpected_error_is_one_line_and_a_trace_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(status, "find_workspace", broken)
    assert entry.main(["paths"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "error: unexpected RuntimeError: the roof is on fire"
    assert re.fullmatch(r"For the stack trace: \S*signet -vv paths", lines[1])
    assert entry.main(["paths", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["code"] == "internal"
    with pytest.raises(RuntimeError):
        entry.main(["-vv", "paths"])


def test_a_file_that_cannot_be_written_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/disk")

    monkeypatch.setattr(status, "find_workspace", full)
    assert entry.main(["paths"]) == 1
    assert capsys.readouterr().err == "error: /disk: No space left on device\n"


def test_an_interrupted_command_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(status, "find_workspace", interrupted)
    assert entry.main(["paths"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error_of_ours(alone: Program) -> None:
    with subprocess.Popen(
        alone.command("paths"),
        env=alone.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""


def test_the_manual_page_has_every_command_and_its_options(alone: Program) -> None:
    page = alone.run("--man").out.replace("\\-", "-")
    for text in ('.SS "signet setup"', '.SS "signet jobs retry', '.SS "signet backfill status"'):
        assert text in page
    assert ".B --dry-run" in page and "for the answer to a question" in page
    # What begins a line with a dot is one of these requests, or escaped.
    asked = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert asked == {".TH", ".SH", ".SS", ".PP", ".TP", ".B"}


def test_a_stored_text_steers_no_terminal(tmp_path: Path) -> None:
    program = Program(home=tmp_path / "home", workspace=tmp_path / "home" / "workspace")
    folder = program.workspace / "skills" / "lamp"
    folder.mkdir(parents=True)
    text = "---\nname: lamp\ndescription: x\n---\nOne \x1b[8mhidden\x1b[0m\nline.\n"
    (folder / "SKILL.md").write_text(text)
    shown = program.on_terminal("skill", "show", "lamp")
    assert "One hidden" in shown and "\x1b" not in shown
    failed = program.on_terminal("skill", "show", "\x1b[8mno")
    assert "error:" in failed and "\x1b[8m" not in failed
