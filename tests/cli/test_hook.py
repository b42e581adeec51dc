"""The hooks of harnesses as real processes: with the daemon there, absent, silent, dying."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import DEAD_URL, PATIENT, Done, Program
from signet.domain.sessions import spool
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, PYTHONPATH, eventually

OFF = {"SIGNET_DAEMON_URL": DEAD_URL}
END = {"session_id": "s1", "cwd": "/work/heron", "reason": "other"}
TURNS = [
    {"role": "user", "content": "Where does the walrus sleep, and since when does it sleep there?"},
    {"role": "assistant", "content": "The walrus sleeps on the northern pier since March."},
]


def hook(program: Program, name: str, said: object = None, *flags: str, **environ: str) -> Done:
    stdin = said if isinstance(said, str) else json.dumps(said or {})
    return program.run("hook", name, "-H", "claude-code", *flags, stdin=stdin, **environ)


def spooled(program: Program) -> list[Path]:
    return sorted(Workspace(program.workspace).spool_dir.glob("*.json"))


@pytest.fixture
def absent(alone: Program) -> Program:
    alone.workspace.mkdir()
    return alone


def request_on(connection: socket.socket) -> bytes:
    """Return one whole request."""
    found = b""
    while b"\r\n\r\n" not in found and (more := connection.recv(65_536)):
        found += more
    head, _, body = found.partition(b"\r\n\r\n")
    [length] = re.findall(rb"content-length: *(\d+)", head.lower()) or [b"0"]
    while len(body) < int(length) and (more := connection.recv(65_536)):
        body += more
    return head + b"\r\n\r\n" + body


@contextmanager
def answering(reply: bytes | None) -> Iterator[tuple[str, list[bytes]]]:
    """Give the address of a daemon that answers each call with these bytes; None: it never does."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        open_ones: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    one, _ = server.accept()
                except OSError:
                    return
                open_ones.append(one)
                asked.append(request_on(one))
                if reply is not None:
                    one.sendall(reply)
                    one.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for one in open_ones:
                one.close()


def http(status: str, body: object) -> bytes:
    text = json.dumps(body).encode()
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status.encode(), len(text), text)


def sent(asked: list[bytes]) -> Any:
    return json.loads(asked[0].partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("variable", ["SIGNET_NO_HOOKS", "SIGNET_BYPASS"])
def test_hooks_can_be_switched_off(absent: Program, variable: str) -> None:
    for name in ("session-start", "user-prompt-submit", "session-end"):
        said = {"prompt": "x", "cwd": "/work"}
        assert hook(absent, name, said, **OFF, **{variable: "1"}) == Done(0, "", "")
    assert hook(absent, "session-end", END, **OFF, SIGNET_NO_HOOKS="1") == Done(0, "", "")
    assert spooled(absent) == []


def test_of_a_bypassed_session_only_its_key_is_kept_so_that_backfill_skips_it(
    absent: Program,
) -> None:
    assert hook(absent, "session-end", END, **OFF, SIGNET_BYPASS="1").status == 0
    [entry] = spooled(absent)
    assert json.loads(entry.read_text())["body"] == {
        "harness": "claude-code",
        "sessionKey": END["session_id"],
        "reason": "clear",
    }


def test_without_a_daemon_a_harness_goes_on(absent: Program) -> None:
    said = "[signet] daemon not running, hook skipped\n"
    for name in ("session-start", "user-prompt-submit", "pre-compaction", "synthesis"):
        assert hook(absent, name, {"session_id": "s", "prompt": "x"}, **OFF) == Done(0, "", said)
    assert spooled(absent) == []
    for odd in ("", "no json", "[1]", "\x00"):
        assert hook(absent, "session-start", odd, **OFF) == Done(0, "", said)


def test_without_a_workspace_nothing_is_made(alone: Program) -> None:
    assert hook(alone, "session-end", END, **OFF).status == 0
    assert not alone.workspace.exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["session-end"], "Option -H/--harness is required"),
        (["no-such", "-H", "x"], "No such hook: no-such"),
        (["session-end", "-H"], "Option -H needs a value"),
        (["compaction-complete", "-H", "x"], "Option --summary is required"),
        (["synthesis-complete", "--harness=x"], "Option --content is required"),
    ],
    ids=["harness", "name", "value", "summary", "content"],
)
def test_wrong_usage_is_told_without_the_status_that_blocks_a_prompt(
    alone: Program, arguments: list[str], error: str
) -> None:
    done = alone.run("hook", *arguments, **OFF)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"error: {error}\n")


@pytest.mark.parametrize(
    "unknown", [["--nope"], ["--nope", "value"], ["--nope=value"], ["stray"]], ids=str
)
def test_an_unknown_option_is_ignored_and_stdin_still_counts(
    absent: Program, unknown: list[str]
) -> None:
    done = absent.run(
        *("hook", "session-end", *unknown, "-H", "codex"), stdin=json.dumps(END), **OFF
    )
    assert (done.status, done.out) == (0, "")
    assert f"No such option: {unknown[0].partition('=')[0]}; ignored" in done.err
    [entry] = spooled(absent)
    body = json.loads(entry.read_text())["body"]
    assert (body["harness"], body["sessionKey"]) == ("codex", "s1")


def test_a_silent_daemon_is_left_in_time_and_not_called_absent(absent: Program) -> None:
    with answering(None) as (url, asked):
        done = hook(absent, "session-start", {}, SIGNET_DAEMON_URL=url)
        assert done == Done(0, "", "[signet] timed out after 1800 ms, hook skipped\n")
        quick = {"SIGNET_DAEMON_URL": url, "SIGNET_FETCH_TIMEOUT": "300"}
        done = hook(absent, "session-end", END, **quick)
        assert "timed out after 300 ms, hook skipped; saved, will be sent later" in done.err
    assert len(asked) == 2 and len(spooled(absent)) == 1


@pytest.mark.parametrize(
    ("reply", "text", "is_kept"),
    [
        (http("409 Conflict", {"error": "session claimed by plugin path"}), "claimed by", False),
        (http("503 Unavailable", {"error": "the disk is full"}), "the disk is full", True),
        (http("401 Unauthorized", {"error": "no token"}), "no token", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "broke", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<ok>", "Another program", True),
        (http("404 Not Found", {"detail": "x"}), "answered 404", True),
        (b"SSH-2.0-x\r\n", "Another program", True),
        (b"", "broke", True),
    ],
    ids=["refused", "full", "stranger", "half", "page", "elsewhere", "other", "closed"],
)
def test_whatever_a_daemon_answers_a_harness_goes_on(
    absent: Program, reply: bytes, text: str, is_kept: bool
) -> None:
    with answering(reply) as (url, _):
        done = hook(absent, "session-end", END, SIGNET_DAEMON_URL=url)
        assert (done.status, done.out) == (0, "") and text in done.err
        assert len(spooled(absent)) == is_kept
        start = hook(absent, "session-start", {}, SIGNET_DAEMON_URL=url)
        assert (start.status, start.out) == (0, "")
        failed = hook(absent, "synthesis", SIGNET_DAEMON_URL=url)
        assert failed.status == (1 if reply.startswith(b"HTTP/1.1 4") or b"503" in reply else 0)


def test_what_a_harness_says_is_sent_and_flags_win(absent: Program) -> None:
    ok = http("200 OK", {"inject": "context", "memories": []})
    for said in (
        {"session_id": "a", "cwd": "/w", "transcript_path": "/t", "user_prompt": "hi"},
        {"sessionId": "a", "cwd": "/w", "transcriptPath": "/t", "userPrompt": "hi"},
        {"session_key": "a", "cwd": "/w", "transcript_path": "/t", "prompt": "hi"},
    ):
        with answering(ok) as (url, asked):
            done = hook(absent, "user-prompt-submit", said, SIGNET_DAEMON_URL=url)
        assert done == Done(0, "context\n", "")
        assert sent(asked) == {
            "harness": "claude-code",
            "sessionKey": "a",
            "project": "/w",
            "userPrompt": "hi",
            "transcriptPath": "/t",
        }
        assert b"x-signet-runtime-path: legacy" in asked[0].lower()
    with answering(ok) as (url, asked):
        flags = ("--project", "/flag", "--agent-id=nora", "--context", "pier", "--json")
        done = hook(absent, "session-start", {"cwd": "/w"}, *flags, SIGNET_DAEMON_URL=url)
    assert done.json() == {"inject": "context", "memories": []}
    assert sent(asked) == {
        "harness": "claude-code",
        "project": "/flag",
        "agentId": "nora",
        "context": "pier",
    }


def test_an_input_that_never_ends_is_not_waited_for(absent: Program) -> None:
    process = subprocess.Popen(
        absent.command("hook", "session-start", "-H", "x"),
        env=absent.environment(**OFF),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stderr
    try:
        assert process.wait(timeout=PATIENCE_SECONDS) == 0
    finally:
        process.kill()
        process.stdin.close()
        process.stderr.close()


def test_a_hook_that_is_killed_has_kept_the_session(absent: Program) -> None:
    with answering(None) as (url, asked):
        process = subprocess.Popen(
            absent.command("hook", "session-end", "-H", "x"),
            env=absent.environment(SIGNET_DAEMON_URL=url, SIGNET_FETCH_TIMEOUT="60000"),
            stdin=subprocess.PIPE,
        )
        assert process.stdin
        process.stdin.write(json.dumps(END).encode())
        process.stdin.close()
        eventually(lambda: bool(asked))
        process.kill()
        process.wait()
    [entry] = spooled(absent)
    assert json.loads(entry.read_text())["body"]["sessionKey"] == "s1"
    assert entry.stat().st_mode & 0o777 == 0o600
    assert entry.parent.stat().st_mode & 0o777 == 0o700


def test_a_session_that_ended_without_a_daemon_is_delivered_when_there_is_one(
    served: Program, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, TURNS)))
    said = {**END, "session_id": "spooled", "transcript_path": str(log)}
    done = hook(served, "session-end", said, **OFF)
    assert done.err == "[signet] daemon not running, hook skipped; saved, will be sent later\n"
    summary = {"summary": "The walrus moved out.", "cwd": "/work/heron"}
    hook(served, "compaction-complete", summary, **OFF)
    log.unlink()
    eventually(lambda: not [*Workspace(served.workspace).spool_dir.iterdir()])
    found = served.run("memory", "list", "--json").json()
    assert "The walrus moved out." in [one["content"] for one in found["memories"]]
    start = hook(served, "session-start", {"session_id": "next", "cwd": "/work/heron"}, **PATIENT)
    assert start.status == 0 and start.out.startswith("[memory active")
    listed = served.run("bypass", "--json").json()
    assert [one["runtimePath"] for one in listed["sessions"] if one["key"] == "next"] == ["legacy"]
    assert served.run("bypass", "nex").out == "Hooks of session next are off\n"
    asked = {"session_id": "next", "prompt": "walrus"}
    assert hook(served, "user-prompt-submit", asked, **PATIENT) == Done(0, "", "")
    assert served.run("bypass", "next", "--off").out == "Hooks of session next are on again\n"
    assert "next" in served.run("bypass", "--list").out
    assert served.run("bypass", "unknown").status == 1
    assert hook(served, "session-end", {"session_id": "next"}).status == 0


@pytest.mark.parametrize("way", ["hook", "sync"])
def test_what_a_daemon_elsewhere_missed_is_handed_to_it_later(
    absent: Program, served: Program, tmp_path: Path, way: str
) -> None:
    elsewhere = {"SIGNET_DAEMON_URL": f"http://127.0.0.1:{served.port}", **PATIENT}
    log, key = tmp_path / "log.jsonl", f"far/{way}"
    log.write_text("\n".join(map(json.dumps, TURNS)))
    hook(absent, "session-end", {**END, "session_id": key, "transcript_path": str(log)}, **OFF)
    [entry] = spooled(absent)
    os.utime(entry, (0, 0))  # it has settled
    log.unlink()
    if way == "hook":
        other = hook(absent, "session-end", {**END, "session_id": "now"}, **elsewhere)
        assert (other.status, other.err) == (0, "")
    else:
        done = absent.run("sync", "--json", **elsewhere)
        assert done.json()["delivered"] == 1, done.err
    eventually(lambda: not spooled(absent))
    with httpx.Client(base_url=elsewhere["SIGNET_DAEMON_URL"], timeout=PATIENCE_SECONDS) as client:
        told = client.get(f"/api/sessions/far%2F{way}/transcript").json()
    assert told["content"].split("\n") == [
        f"{one['role'].capitalize()}: {one['content']}" for one in TURNS
    ]


@pytest.mark.parametrize(
    ("harness", "reason"), [("claude-code", "new_session"), ("codex", "clear")]
)
def test_clear_begins_the_next_session_where_people_clear_for_that(
    absent: Program, harness: str, reason: str
) -> None:
    said = json.dumps({**END, "reason": "clear"})
    absent.run("hook", "session-end", "-H", harness, stdin=said, **OFF)
    [entry] = spooled(absent)
    assert json.loads(entry.read_text())["body"]["reason"] == reason


def test_who_holds_the_default_port_is_not_handed_anything(absent: Program) -> None:
    hook(absent, "session-end", END, **OFF)
    os.utime(spooled(absent)[0], (0, 0))
    assert absent.run("sync", "--json").json()["delivered"] == 0
    assert len(spooled(absent)) == 1


def test_a_daemon_elsewhere_is_sent_the_log_and_not_its_name(
    absent: Program, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("User: The walrus sleeps.")
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    with answering(reply) as (url, asked):
        hook(absent, "session-end", {**END, "transcript_path": str(log)}, SIGNET_DAEMON_URL=url)
        assert asked
        assert b"The walrus sleeps." in asked[0] and str(log).encode() not in asked[0]


def test_the_turns_of_one_session_wait_as_one_and_its_end_with_them(tmp_path: Path) -> None:
    log, folder = tmp_path / "log.jsonl", tmp_path / "spool"
    log.write_text("said")

    def kept(key: str, reason: str) -> None:
        body = {"sessionKey": key, "transcriptPath": str(log), "reason": reason}
        spool.hold(spool.put(folder, "/r", {}, body))

    for key, reason in [("a", "Stop"), ("b", "Stop"), ("a", "Stop"), ("a", "clear"), ("a", "exit")]:
        kept(key, reason)
    left = [json.loads(file.read_text())["body"] for file in sorted(folder.glob("*.json"))]
    assert [(one["sessionKey"], one["reason"]) for one in left] == [
        ("b", "Stop"),
        ("a", "clear"),
        ("a", "exit"),
    ]
    assert len(list(folder.glob("*.log"))) == 3


def test_half_an_entry_and_a_young_one_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool.put(tmp_path, "/r", {}, {})
    assert spool.is_waiting(tmp_path) and spool.entries(tmp_path) == []
    monkeypatch.setattr(spool, "SETTLED_SECONDS", 0.0)
    (tmp_path / "half.json").write_text('{"route": "/r"')
    (tmp_path / "draft.new").write_text("{")
    assert [entry.route for entry in spool.entries(tmp_path)] == ["/r"]
    assert not (tmp_path / "half.json").exists()
    assert not spool.is_waiting(tmp_path / "none")


@pytest.mark.parametrize("closed", ["<&- >&-", "2>&-", "<&- >&- 2>&-"], ids=["out", "err", "all"])
def test_a_harness_that_closes_the_streams_of_a_hook_does_not_fail(
    absent: Program, closed: str
) -> None:
    line = shlex.join(absent.command("hook", "session-start", "-H", "x"))
    done = subprocess.run(
        ["sh", "-c", f"{line} {closed}"],
        env=absent.environment(**OFF),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stderr in ("", "[signet] daemon not running, hook skipped\n")


def test_an_odd_file_in_the_spool_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "SETTLED_SECONDS", 0.0)
    (tmp_path / "folder.json").mkdir()
    deep = f"{'[' * 100_000}{']' * 100_000}"
    (tmp_path / "deep.json").write_text(f'{{"route": "/r", "headers": {{}}, "body": {deep}}}')
    half = "\ud83d"
    spool.put(tmp_path, "/r", {"x-signet-agent-id": half}, {"transcriptPath": f"/{half}"})
    [entry] = spool.entries(tmp_path)
    assert (entry.headers, entry.body) == (
        {"x-signet-agent-id": "\ufffd"},
        {"transcriptPath": "/\ufffd"},
    )
    entry.remove()
    assert not spool.is_waiting(tmp_path) and not (tmp_path / "deep.json").exists()


def test_what_killed_hooks_have_left_goes_with_the_next_that_waits(tmp_path: Path) -> None:
    for name, age in (("old.new", 3_600), ("old.log", 3_600), ("young.new", 0)):
        (tmp_path / name).write_text("x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    log = tmp_path / "session.jsonl"
    log.write_text("{}")
    entry = spool.put(tmp_path, "/r", {}, {"transcriptPath": str(log)})
    spool.hold(entry)
    assert {path.name for path in tmp_path.iterdir()} == {
        "young.new",
        "session.jsonl",
        entry.file.name,
        entry.log.name,
    }


def test_a_hook_loads_nothing_that_takes_long() -> None:
    script = "import sys, signet.cli.hook; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "signet" in loaded
    assert not loaded & {"asyncio", "email", "http", "ssl", "sqlite3", "typer"}


@pytest.mark.parametrize(
    ("harness", "plugin", "installed", "event"),
    [
        ("claude-code", "claude-code", ".claude/settings.json", "SessionStart"),
        ("codex", "codex", ".codex/hooks.json", "SessionStart"),
        ("cursor", "cursor", ".cursor/hooks.json", "sessionStart"),
        ("gemini-cli", "gemini-cli", ".gemini/settings.json", "SessionStart"),
    ],
)
def test_a_plugin_beside_an_installed_harness_asks_once(
    alone: Program, harness: str, plugin: str, installed: str, event: str
) -> None:
    def line(file: Path) -> str:
        [found] = json.loads(file.read_text())["hooks"][event]
        return str(found.get("command") or found["hooks"][0]["command"])

    def asked_by(*lines: str) -> int:
        with answering(http("200 OK", {"inject": ""})) as (url, asked):
            for one in lines:
                said = json.dumps({"session_id": "p1", "cwd": str(alone.home)})
                env = alone.environment(SIGNET_DAEMON_URL=url, **PATIENT)
                subprocess.run(["sh", "-c", one], input=said, text=True, env=env, check=True)
            return len(asked)

    (alone.home / installed).parent.mkdir(parents=True, exist_ok=True)
    of_plugin = line(Path(__file__).parents[2] / "plugins" / plugin / "hooks" / "hooks.json")
    assert asked_by(of_plugin) == 1
    done = alone.run("harness", "install", harness)
    assert done.status == 0, done.err
    assert asked_by(of_plugin, line(alone.home / installed)) == 1
