"""A machine that uses a daemon elsewhere: connecting, the day without it, and what is refused meanwhile."""

import http.client as http_client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.program import DEAD_URL, PATIENT, SETTINGS, Program
from cli.test_backfill import talked
from cli.test_hook import answering, http
from signet import clock
from signet.client import connection
from signet.domain.sessions import spool
from signet.errors import Unavailable
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually
from support.repositories import needs_git
from support.shifted_clock import ShiftedClock
from support.wire import Wire

IN_A_YEAR = time.time() + 365 * 86_400
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("team")
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS + "auth: {mode: team}\n")
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    yield program
    assert program.run("daemon", "stop").out == "Daemon stopped\n"


@pytest.fixture
def wire(team: Program) -> Iterator[Wire]:
    with Wire(team.port) as found:
        yield found


@pytest.fixture(scope="module")
def key(team: Program) -> str:
    made = team.run("auth", "token", "create", "--json", "--sub", "laptop")
    assert made.status == 0, made.err
    return str(made.json()["token"])


@pytest.fixture
def machine(alone: Program, wire: Wire, key: str) -> Program:
    """Give a machine that is connected."""
    done = alone.run("connect", wire.url, "--key", "-", stdin=f"{key}\n")
    assert done.status == 0, done.err
    return alone


def waiting(program: Program) -> list[dict[str, Any]]:
    """Return the stored calls, without those that are delivered meanwhile."""
    found = []
    for one in sorted(Workspace(program.workspace).spool_dir.glob("*.json")):
        with suppress(FileNotFoundError):
            assert one.stat().st_mode & 0o777 == 0o600
            found.append(json.loads(one.read_text()))
    return found


def contents(team: Program, word: str) -> list[str]:
    """Return the memories that hold a word, oldest first."""
    found = team.run("memory", "list", "--json", "--limit", "200").json()["memories"]
    return [one["content"] for one in reversed(found) if word in one["content"]]


def test_a_connected_machine_has_a_memory_and_no_database(
    machine: Program, team: Program, wire: Wire
) -> None:
    assert machine.run("remember", "The gannet nests at Runde.").status == 0
    assert contents(team, "gannet") == ["The gannet nests at Runde."]
    assert "gannet" in machine.run("recall", "gannet").out
    said = {"session_id": "g1", "cwd": "/work/gannet"}
    start = machine.run("hook", "session-start", "-H", "codex", stdin=json.dumps(said), **PATIENT)
    assert "gannet" in start.out, start.err
    files = {
        one.name
        for one in machine.workspace.rglob("*")
        if one.is_file() and one.parent.name != "offline"
    }
    assert files == {"connection.json"}
    held = Workspace(machine.workspace).connection_file
    assert held.stat().st_mode & 0o777 == 0o600
    shown = machine.run("connect", "--json").json()
    assert (shown["url"], shown["name"], shown["reachable"]) == (wire.url, "laptop", True)
    assert "as laptop (agent)" in machine.run("status").out
    assert machine.run("disconnect").out == f"Disconnected from {wire.url}\n"
    assert not held.exists()
    assert machine.run("connect").out.startswith("Not connected")


@pytest.mark.parametrize(
    "words", ["daemon start", "daemon status", "doctor", "backup", "setup", "models list"]
)
def test_commands_about_a_daemon_here_say_so_in_one_line(machine: Program, words: str) -> None:
    done = machine.run(*words.split(), "--json")
    assert done.status == 1 and done.json()["code"] == "connected_elsewhere"
    assert f"`signet {words.split()[0]}` is about a daemon on this machine" in done.json()["error"]
    assert machine.run(*words.split(), "--help").status == 0
    assert not Workspace(machine.workspace).database.exists()


def test_a_way_that_others_can_read_is_only_taken_when_asked_for(alone: Program) -> None:
    done = alone.run("connect", "http://192.0.2.7:3850", "--key", "k", "--json")
    assert (done.status, done.json()["code"]) == (1, "not_private")
    assert not alone.workspace.exists()


@pytest.mark.parametrize(
    ("url", "is_private"),
    [
        ("https://signet.example", True),
        ("http://127.0.0.1:3850", True),
        ("http://100.101.102.103:3850", True),
        ("http://[fd7a:115c:a1e0::1]:3850", True),
        ("http://brain.tail1234.ts.net:3850", True),
        ("http://192.168.1.4:3850", False),
        ("http://100.128.0.1:3850", False),
        ("http://10.0.0.1", False),
    ],
)
def test_a_tailnet_and_this_machine_are_private(url: str, is_private: bool) -> None:
    assert connection.is_private(url) is is_private


def test_a_key_that_does_not_hold_connects_nothing(alone: Program, wire: Wire) -> None:
    done = alone.run("connect", wire.url, "--key", "no.key", "--json")
    assert (done.status, done.json()["error"]) == (1, "invalid signature")
    told = alone.run("connect", wire.url.removeprefix("http://"), "--key", "nokey")
    assert (told.status, "incomplete" in told.err) == (1, True), told.err
    assert not Workspace(alone.workspace).connection_file.exists()


def test_the_environment_wins_and_never_sees_the_key(
    machine: Program, wire: Wire, key: str
) -> None:
    with answering(http("200 OK", {"results": []})) as (url, asked):
        machine.run("recall", "gannet", SIGNET_DAEMON_URL=url)
        assert b"authorization" not in asked[0].lower()
        machine.run("recall", "gannet", SIGNET_DAEMON_URL=url, SIGNET_TOKEN="mine")
        assert b"authorization: bearer mine" in asked[1].lower()
    shown = machine.run("connect", "--json", SIGNET_DAEMON_URL=DEAD_URL).json()
    assert shown["instead"] == DEAD_URL
    again = machine.run("connect", wire.url, "--key", "-", stdin=f"{key}\n", SIGNET_PORT="9")
    assert "overrides this connection: http://127.0.0.1:9" in again.err


def test_what_was_said_while_the_daemon_was_away_comes_once_and_in_order(
    machine: Program, team: Program, wire: Wire, tmp_path: Path
) -> None:
    wire.cut()
    for number in (1, 2, 3):
        done = machine.run("remember", f"The skua counted {number}.")
        assert (done.status, done.out[:6]) == (0, "Stored"), done.err
    machine.run("remember", f"The skua has the key {SECRET}.")
    log = tmp_path / "log.jsonl"
    turns = [{"role": "user", "content": f"Where does the skua sleep? {'It rains. ' * 60}"}]
    log.write_text("\n".join(map(json.dumps, turns)))
    end = {"session_id": "skua", "cwd": "/work/skua", "transcript_path": str(log)}
    done = machine.run("hook", "session-end", "-H", "codex", stdin=json.dumps(end))
    assert done.status == 0 and done.err.endswith(
        "is unreachable, hook skipped; saved, will be sent later\n"
    )
    summary = json.dumps({"session_id": "skua", "summary": "The skua moved to the cliff."})
    machine.run("hook", "compaction-complete", "-H", "codex", stdin=summary)
    assert SECRET not in json.dumps(waiting(machine)) and len(waiting(machine)) == 6
    log.unlink()
    shown = machine.run("connect", "--json").json()
    assert (shown["reachable"], shown["code"], shown["waiting"]) == (False, "daemon_away", 6)

    folder = Workspace(machine.workspace).spool_dir
    twice = {one: one.read_bytes() for one in folder.iterdir()}
    for one in twice:
        os.utime(one, (0, 0))
    wire.mend()
    done = machine.run("remember", "The skua counted 4.")
    assert done.out.startswith("Saved memory"), done.err
    assert waiting(machine) == []
    # A machine that lost its power before it noted the deliveries.
    for one, content in twice.items():
        one.write_bytes(content)
        one.chmod(0o600)
        os.utime(one, (0, 0))
    assert machine.run("connect", "--json").json()["sent"] == 6
    said = contents(team, "skua")
    assert [one for one in said if "counted" in one] == [
        f"The skua counted {n}." for n in (1, 2, 3, 4)
    ]
    assert len([one for one in said if "key" in one]) == 1
    assert len([one for one in said if "cliff" in one]) == 1
    sessions = team.run("sessions", "--json").json()["sessions"]
    assert len([one for one in sessions if one["key"] == "skua"]) == 1


def test_what_waits_is_sent_at_once_with_a_new_key(
    machine: Program, team: Program, wire: Wire, tmp_path: Path
) -> None:
    wire.cut()
    assert machine.run("remember", "The knot rests.").status == 0
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"role": "user", "content": f"Where is the knot? {'Rain. ' * 99}"}))
    end = {"session_id": "knot", "cwd": "/work/knot", "transcript_path": str(log)}
    machine.run("hook", "session-end", "-H", "codex", stdin=json.dumps(end))
    wire.mend()
    made = team.run("auth", "token", "create", "--json", "--name", "new laptop").json()
    assert machine.run("connect", wire.url, "--key", made["token"], "--json").json()["sent"] == 2
    assert waiting(machine) == [] and contents(team, "knot") == ["The knot rests."]


def test_what_an_agent_saves_while_the_daemon_is_away_is_kept(
    machine: Program, team: Program, wire: Wire
) -> None:
    def tell(name: str, **arguments: str) -> Any:
        params = {"name": name, "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        done = subprocess.run(
            [sys.executable, "-m", "signet.cli.mcp"],
            input=json.dumps(call).encode(),
            capture_output=True,
            env=machine.environment(**PATIENT),
            check=True,
        )
        return json.loads(done.stdout)["result"]

    wire.cut()
    for _ in range(2):
        kept = tell("memory_store", content="The fulmar spits.", tags="birds")
        assert kept["content"][0]["text"].startswith(f"Kept on this machine: {wire.url} is away")
        assert "isError" not in kept
    tell("memory_store", content=f"The fulmar knows {SECRET}.")
    assert [one["route"] for one in waiting(machine)] == ["/api/memory/remember"] * 3
    assert SECRET not in json.dumps(waiting(machine))
    assert tell("memory_search", query="fulmar")["isError"]
    wire.mend()
    assert "isError" not in tell("memory_search", query="fulmar")
    eventually(lambda: waiting(machine) == [])
    saved = tell("memory_store", content="The fulmar glides.")
    assert json.loads(saved["content"][0]["text"])["id"]
    [*_, masked, last] = contents(team, "fulmar")
    assert SECRET not in masked and last == "The fulmar glides."
    assert contents(team, "spits") == ["The fulmar spits."]


def test_harnesses_are_connected_as_on_a_machine_with_a_daemon(machine: Program) -> None:
    (machine.home / ".config" / "opencode").mkdir(parents=True)
    done = machine.run("harness", "install", "claude-code", "opencode", "codex")
    assert done.status == 0, done.err
    plugin = (machine.home / ".config" / "opencode" / "plugins" / "signet.mjs").read_text()
    held = Workspace(machine.workspace).connection_file
    assert json.dumps(str(machine.workspace)) in plugin
    assert json.loads(held.read_text())["key"] not in plugin
    assert not Workspace(machine.workspace).database.exists()


def test_a_hook_that_knows_of_the_absence_does_not_try(machine: Program, wire: Wire) -> None:
    space = Workspace(machine.workspace)
    connection.note_away(space)
    os.utime(space.away_file, (IN_A_YEAR, IN_A_YEAR))  # just now, however slow the test is
    before = wire.calls
    said = json.dumps({"session_id": "s", "prompt": "gannet"})
    for name in ("user-prompt-submit", "session-start"):
        done = machine.run("hook", name, "-H", "codex", stdin=said)
        assert done.status == 0 and "is unreachable" in done.err
    assert wire.calls == before
    # After some seconds a process of its own looks, and nobody waits for it.
    os.utime(space.away_file, (0, 0))
    assert (
        "is unreachable" in machine.run("hook", "user-prompt-submit", "-H", "codex", stdin=said).err
    )
    eventually(lambda: not space.away_file.exists())
    assert machine.run("hook", "user-prompt-submit", "-H", "codex", stdin=said, **PATIENT).err == ""


def test_sessions_begin_with_what_the_daemon_last_said_and_not_with_what_is_forgotten(
    machine: Program, team: Program, wire: Wire
) -> None:
    rule, gone = "Never push to the puffin branch.", "Never feed the puffin of Vera."
    team.run("remember", rule)
    forgotten = team.run("remember", gone, "--json").json()["id"]
    other = machine.run("remember", "Always greet the puffin.", "--json").json()["id"]
    folder = Workspace(machine.workspace).offline_dir

    def hook(name: str, key: str, **more: str) -> str:
        said = {"session_id": key, "cwd": "/work/puffin", **more}
        done = machine.run("hook", name, "-H", "claude-code", stdin=json.dumps(said), **PATIENT)
        assert done.status == 0
        return done.out

    def kept() -> str:
        return "".join(one.read_text() for one in folder.glob("*.json"))

    hook("session-start", "p1")
    eventually(lambda: rule in kept() and gone in kept())
    assert [one.stat().st_mode & 0o777 for one in folder.iterdir()] == [0o600]
    assert team.run("memory", "forget", forgotten, "--reason", "gone", "--yes").status == 0
    hook("session-start", "p2")
    eventually(lambda: rule in kept() and gone not in kept())
    assert machine.run("memory", "forget", other, "--reason", "gone", "--yes").status == 0
    eventually(lambda: rule in kept() and "greet" not in kept())
    wire.cut()
    start = hook("session-start", "p3")
    assert start.startswith("[signet: the memory is unreachable; this copy is from 2")
    assert rule in start and gone not in start and "Today is" not in start
    told = hook("user-prompt-submit", "p3", prompt="Push it.")
    assert "## Standing rules" in told and rule in told and gone not in told
    assert hook("user-prompt-submit", "p3", prompt="Push it again.") == ""
    assert machine.run("disconnect").status == 0
    assert not folder.exists()


def test_a_machine_whose_key_was_revoked_keeps_nothing_and_is_told_what_to_do(
    alone: Program, team: Program, wire: Wire
) -> None:
    made = team.run("auth", "token", "create", "--json", "--name", "stolen").json()
    assert alone.run("connect", wire.url, "--key", made["token"]).status == 0
    team.run("remember", "Always count the razorbill twice.")
    folder = Workspace(alone.workspace).offline_dir
    said = json.dumps({"session_id": "r1", "cwd": "/work/razorbill", "prompt": "Count."})

    def hook(name: str) -> str:
        return alone.run("hook", name, "-H", "claude-code", stdin=said, **PATIENT).err

    hook("session-start")
    eventually(lambda: any("razorbill" in one.read_text() for one in folder.glob("*.json")))
    assert team.run("auth", "token", "revoke", "stolen").status == 0
    # What is known here is new, so that no look behind the hook would take it away.
    assert "token revoked" in hook("user-prompt-submit")
    assert not folder.exists()
    assert hook("session-end").endswith("token revoked; saved, will be sent later\n")
    for words in (("recall", "razorbill"), ("connect",)):
        done = alone.run(*words)
        assert done.status == 1 and "signet connect URL --key KEY" in done.err
    again = team.run("auth", "token", "create", "--json", "--name", "found").json()
    assert alone.run("connect", wire.url, "--key", again["token"]).status == 0
    eventually(lambda: alone.run("connect", "--json").json()["waiting"] == 0)


def test_what_the_daemon_does_not_want_is_shown_and_holds_nobody_up(
    machine: Program, team: Program, wire: Wire
) -> None:
    wire.cut()
    machine.run("remember", "The auk is 1.", "--type", "x" * 99)
    machine.run("remember", "The auk is 2.")
    wire.mend()
    shown = machine.run("connect", "--json").json()
    assert (shown["sent"], shown["waiting"]) == (1, 0)
    assert [one["what"] for one in shown["refused"]] == ["The auk is 1."]
    assert contents(team, "auk") == ["The auk is 2."]


def test_a_proxy_whose_daemon_is_away_is_no_daemon(alone: Program) -> None:
    space = Workspace(alone.workspace)
    reply = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>"
    with answering(reply) as (url, asked):
        connection.keep(space, connection.Connection(url=url, key="k", since="2026-01-01"))
        assert alone.run("remember", "The fulmar waits.").out.startswith("Stored locally:")
        assert [one["body"]["content"] for one in waiting(alone)] == ["The fulmar waits."]
        os.utime(space.away_file, (IN_A_YEAR, IN_A_YEAR))
        seen = len(asked)
        said = json.dumps({"session_id": "s", "prompt": "fulmar"})
        assert alone.run("hook", "user-prompt-submit", "-H", "codex", stdin=said).status == 0
        assert len(asked) == seen
        assert "a proxy without its daemon" in alone.run("connect").out


def test_nothing_that_waits_is_given_up_unasked(machine: Program, wire: Wire) -> None:
    wire.cut()
    machine.run("remember", "The tern waits.")
    with answering(http("200 OK", {})) as (other, _):
        done = machine.run("connect", other, "--key", "k", "--json")
        assert (done.status, done.json()["code"]) == (1, "calls_wait")
    done = machine.run("disconnect", "--json")
    assert (done.status, done.json()["code"]) == (1, "calls_wait")
    assert machine.run("disconnect", "--discard", "--json").json()["discarded"] == 1


def test_a_full_spool_says_so_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MOST_ENTRIES", 3)
    kept = [spool.put(tmp_path, "/r", {}, {"number": number}) for number in range(3)]
    with pytest.raises(Unavailable, match=r"3 calls .* nothing more is kept"):
        spool.put(tmp_path, "/r", {}, {"number": 3})
    assert all(one.file.exists() for one in kept)
    kept[0].remove()
    monkeypatch.setattr(spool, "MOST_BYTES", 1)
    with pytest.raises(Unavailable, match="nothing more is kept"):
        spool.put(tmp_path, "/r", {}, {"number": 4})


def test_what_is_followed_ends_with_its_key(team: Program) -> None:
    made = team.run("auth", "token", "create", "--json", "--sub", "watcher").json()
    asked = http_client.HTTPConnection("127.0.0.1", team.port, timeout=PATIENCE_SECONDS)
    with closing(asked):
        asked.request("GET", "/api/events", headers={"Authorization": f"Bearer {made['token']}"})
        answer = asked.getresponse()
        assert (answer.status, answer.readline()[:1] != b"") == (200, True)
        assert team.run("auth", "token", "revoke", made["jti"]).status == 0
        answer.read()  # to its end, which comes by itself


def test_what_was_said_on_a_machine_before_reaches_the_daemon_elsewhere(
    machine: Program, team: Program, wire: Wire
) -> None:
    talked(machine.home)
    [old] = machine.home.rglob("first.jsonl")
    os.utime(old, (1.77e9, 1.77e9))  # in February
    shown = machine.run("backfill", "--dry-run")
    assert shown.out.startswith("Will be sent: 2 of Claude Code")
    wire.cut()
    away = machine.run("backfill", "--json")
    assert (away.status, away.json()["sent"]) == (1, 0)
    wire.mend()
    assert machine.run("backfill", "--since", "2026-03-04", "--json").json()["sent"] == 1
    rest = machine.run("backfill", "--json").json()
    assert (rest["sessions"], rest["newSessions"], rest["sent"], rest["failed"]) == (2, 1, 1, 0)
    assert machine.run("backfill").out == "No session that was not sent\n"
    listed = team.run("sessions", "--json").out
    assert "first" in listed and "second" in listed
    eventually(lambda: "Redis" in team.run("recall", "gannet sessions", "--type", "session").out)
    text = team.run("sessions", "show", "first").out
    assert "2026-03-03" in text and "17 seconds" in text
    refused = machine.run("backfill", "status")
    assert refused.status == 1 and "Run it there" in refused.err


def test_two_machines_with_clocks_an_hour_apart_share_facts_and_corrections(
    team: Program, wire: Wire, tmp_path: Path
) -> None:
    """The desk's clock is an hour ahead: what it said while the daemon was away stays older than a later correction."""
    made = team.run("auth", "token", "create", "--json", "--name", "both desks", "--own").json()
    machines = {}
    for name, ahead in (("desk", 3_600), ("laptop", 0)):
        home = tmp_path / name
        home.mkdir()
        shifted = ShiftedClock(home)
        shifted.set(ahead)
        machines[name] = Program(home=home, workspace=home / f"{name}-agents"), shifted.environ

    def run(name: str, *words: str, stdin: str = "") -> str:
        program, clocks = machines[name]
        done = subprocess.run(
            program.command(*words),
            input=stdin.encode(),
            capture_output=True,
            env=program.environment(**clocks),
            cwd=program.home,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    for name in machines:
        run(name, "connect", wire.url, "--key", "-", stdin=f"{made['token']}\n")
    wire.cut()
    kept = run("desk", "remember", "The engineer Ada Razorbill lives in Trondheim.")
    assert kept.startswith("Stored locally")
    wire.mend()
    run("laptop", "remember", "The engineer Ada Razorbill moved to Bergen.")
    assert "Sent 1 waiting call" in run("desk", "connect", wire.url, "--key", made["token"])
    older, newer = (
        "The engineer Ada Razorbill lives in Trondheim.",
        "The engineer Ada Razorbill moved to Bergen.",
    )
    assert [one for one in contents(team, "Razorbill") if one in (older, newer)] == [older, newer]
    rows = team.run("memory", "list", "--json", "--query", "razorbill").json()["memories"]
    assert max(clock.parse(row["created_at"]) for row in rows) <= clock.now()
    found = {row["content"]: row for row in rows}
    assert {found[one]["origin"] for one in (older, newer)} == {"user"}
    old, new = (found[one]["id"] for one in (older, newer))
    show = partial(team.run, "memory", "show", "--json")
    eventually(lambda: show(old).json()["superseded_by"] == new)
    assert show(new).json()["superseded_by"] is None
    for name in machines:
        assert "Bergen" in run(name, "memory", "list", "--query", "razorbill", "--since", "2m")
        assert "Bergen" not in run(name, "memory", "list", "--query", "razorbill", "--until", "2m")


def a_clone(home: Path, name: str, of: Path) -> Path:
    """Clone a repository into the home of a machine, with the address that all clones have."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    git(of, "clone", "--quiet", str(of), str(path))
    git(path, "remote", "set-url", "origin", "git@example.org:org/rail.git")
    return path


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@needs_git
def test_one_repository_on_two_machines_is_one_project_and_a_claim_alone_is_none(
    team: Program, tmp_path: Path
) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "--quiet")
    git(origin, "commit", "--quiet", "--allow-empty", "--message", "begin")
    machines = [Program(home=tmp_path / name, workspace=tmp_path / name / "w") for name in "ab"]
    first = a_clone(machines[0].home, "work/rail", origin)
    second = a_clone(machines[1].home, "src/rail", origin)
    git(second, "commit", "--quiet", "--allow-empty", "--message", "made here")
    evil = machines[1].home / "evil"
    evil.mkdir()
    git(evil, "init", "--quiet")
    git(evil, "commit", "--quiet", "--allow-empty", "--message", "prepared")
    git(evil, "remote", "add", "origin", "git@example.org:org/rail.git")
    key = team.run("auth", "token", "create", "--json", "--sub", "rail").json()["token"]
    scope = ("--project", str(evil))
    bound = team.run("auth", "token", "create", "--json", "--sub", "bound", *scope).json()["token"]
    machines.append(Program(home=machines[1].home, workspace=tmp_path / "bound"))
    for one, secret in zip(machines, (key, key, bound), strict=True):
        url = f"http://127.0.0.1:{team.port}"
        assert one.run("connect", url, "--key", "-", stdin=f"{secret}\n").status == 0

    def hook(program: Program, name: str, folder: Path, **said: object) -> str:
        stdin = json.dumps({"cwd": str(folder), **said})
        done = program.run("hook", name, "-H", "claude-code", stdin=stdin, **PATIENT)
        assert done.status == 0
        return done.out

    log = tmp_path / "log.jsonl"
    text = "Decision: signal boxes of the rail module get the prefix WHEATEAR, because of the auditors."
    message = {"role": "user", "content": text}
    log.write_text(json.dumps({"type": "user", "cwd": str(first), "message": message}))
    ended = {"session_id": "rail-1", "transcript_path": str(log), "reason": "other"}
    hook(machines[0], "session-end", first / "src", **ended)
    asked = {"prompt": "Which prefix do signal boxes of the rail module get?"}

    def recalled(number: int, folder: Path) -> bool:
        program = machines[number]
        command = program.command("recall", asked["prompt"], "--project", ".", "-t", "session")
        done = subprocess.run(
            command, cwd=folder, env=program.environment(), capture_output=True, text=True
        )
        return "WHEATEAR" in done.stdout

    def found_by_tool(number: int, folder: Path) -> bool:
        program = machines[number]
        call = {"name": "memory_search", "arguments": {"query": asked["prompt"]}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        done = subprocess.run(
            [sys.executable, "-m", "signet.cli.mcp"],
            cwd=folder,
            env=program.environment(),
            input=json.dumps(message) + "\n",
            capture_output=True,
            text=True,
        )
        return "WHEATEAR" in done.stdout

    below = second / "src"
    below.mkdir()
    eventually(lambda: recalled(0, first))
    # Its first call of all is no hook.
    assert recalled(1, below)
    assert not recalled(1, evil)
    assert not recalled(2, evil)
    assert found_by_tool(1, below)

    def is_told(number: int, folder: Path, session: str) -> bool:
        said = {"session_id": session, **asked}
        return "WHEATEAR" in hook(machines[number], "user-prompt-submit", folder, **said)

    eventually(lambda: is_told(1, second, "rail-2"))
    assert not is_told(1, evil, "rail-3")
    assert not is_told(2, evil, "rail-4")
    assert not is_told(2, second, "rail-5")
