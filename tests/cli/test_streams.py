"""Streams in another encoding than UTF-8, as Windows gives a pipe: nothing is lost, nothing fails."""

import json
import subprocess
from uuid import uuid4

from cli.program import PATIENT, Program

PIPE = {"PYTHONIOENCODING": "cp1252", **PATIENT}


def piped(program: Program, *arguments: str, stdin: str | bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a command with bytes on its streams."""
    sent = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        program.command(*arguments),
        input=sent,
        env=program.environment(**PIPE),
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_commands_replace_what_a_stream_cannot_show(served: Program) -> None:
    word = uuid4().hex
    assert piped(served, "remember", f"Größe 🚀 of {word}")[0] == 0
    for command in (("recall", word), ("memory", "list", "--query", word)):
        status, out, _ = piped(served, *command)
        assert status == 0 and f"Größe ? of {word}".encode("cp1252") in out
    assert piped(served, "status")[0] == 0
    status, out, _ = piped(served, "recall", word, "--json")
    assert (status, json.loads(out.decode("ascii"))[0]["content"]) == (0, f"Größe 🚀 of {word}")
    status, out, _ = piped(served, "export", "-o", "-")
    assert (status, f"Größe 🚀 of {word}" in out.decode()) == (0, True)


def test_input_is_utf8_and_what_is_not_is_refused(served: Program) -> None:
    for mark in ("", "\ufeff"):
        text = f"Straße über Ähre 🌾 {uuid4()}\n  - eins"
        status, out, _ = piped(served, "remember", "-", "--json", stdin=f"{mark}{text}\r\n")
        assert (status, json.loads(out)["content"]) == (0, text)
    status, out, err = piped(served, "remember", "-", stdin=b"Stra\xdfe")
    assert (status, out, err) == (1, b"", b"error: The input is not UTF-8 text\n")


def test_hooks_speak_utf8(served: Program) -> None:
    word = uuid4().hex
    served.run("remember", f"Größe 🚀 bei Eilauftrag {word}")
    sent = json.dumps(
        {"session_id": word, "prompt": f"Größe bei Eilauftrag {word}?"}, ensure_ascii=False
    )
    status, out, _ = piped(served, "hook", "user-prompt-submit", "-H", "claude-code", stdin=sent)
    assert (status, f"Größe 🚀 bei Eilauftrag {word}" in out.decode()) == (0, True)


def test_prefixes_are_read_where_a_person_types_and_nowhere_else(served: Program) -> None:
    def saved(*arguments: str, stdin: str = "") -> tuple[str, str | None, bool]:
        body = served.run("remember", *arguments, "--json", stdin=stdin).json()
        return body["content"], body["tags"], body["pinned"]

    word = uuid4().hex
    assert saved(f"critical: [ops, auth]: never expose {word}") == (
        f"never expose {word}",
        "ops,auth",
        True,
    )
    for text in (
        f"[ERROR]: disk full {word}",
        f"[1]: https://example.org/{word}",
        f"[WIP]: {word}",
    ):
        assert saved(text) == (text, None, False)
    text = f"critical: section of {word}"
    assert saved("-", stdin=text) == (text, None, False)
