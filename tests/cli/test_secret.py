"""`signet secret …` on the vault's file, without a daemon."""

import shlex
import subprocess

from cli.program import COMMAND_SECONDS, Program

VALUE = "correct-horse-battery"


def test_a_secret_is_kept_from_stdin_and_used(alone: Program) -> None:
    kept = alone.run("secret", "put", "KEY", stdin=f"{VALUE}\n")
    assert (kept.status, kept.out) == (0, "Secret KEY is stored\n")
    alone.run("secret", "put", "DASH", "-", stdin=f"{VALUE}\n")
    assert alone.run("secret", "get", "DASH").out == f"{VALUE}\n"
    assert alone.run("secret", "delete", "DASH", "--force").status == 0
    assert alone.run("secret", "list").out == "KEY\n"
    assert alone.run("secret", "list", "--json").json() == {"secrets": ["KEY"]}
    assert alone.run("secret", "get", "KEY").out == f"{VALUE}\n"
    has = alone.run("secret", "has", "GONE")
    assert (has.status, has.out) == (1, "false\n")
    ran = alone.run("secret", "exec", "-s", "KEY", "sh", "-c", 'echo "$KEY" $HOME; exit 4')
    assert (ran.status, ran.out) == (4, f"[REDACTED] {alone.home}\n")
    assert alone.run("secret", "exec", "-s", "A=KEY", "printenv", "A").out == "[REDACTED]\n"
    # Words go to the program as they are: no shell reads them.
    assert alone.run("secret", "exec", "-s", "KEY", "echo", "$KEY", "`id`").out == "$KEY `id`\n"
    assert alone.run("secret", "delete", "KEY", "--force").status == 0
    assert alone.run("secret", "has", "KEY").status == 1


def test_what_is_wrong_is_told(alone: Program) -> None:
    for arguments, word in (
        (("get", "GONE"), "Secret 'GONE' not found"),
        (("put", "A-B", "x"), "Invalid secret name"),
        (("put", "KEY"), "value is required. stdin is not a terminal, so pipe the value in:"),
        (("put", "KEY"), 'printf %s "$VALUE" | signet secret put KEY'),
        (("delete", "GONE", "--force"), "not found"),
        (("delete", "GONE"), "--force"),
        (("exec", "env"), "--secret is required"),
        (("exec", "-s", "GONE", "env"), "not found"),
    ):
        done = alone.run("secret", *arguments)
        assert (done.status, word in done.err) == (1, True), done


def test_reading_can_be_switched_off(alone: Program) -> None:
    alone.run("secret", "put", "KEY", VALUE)
    (alone.workspace / "agent.yaml").write_text("secrets:\n  allowRead: false\n")
    done = alone.run("secret", "get", "KEY")
    assert (done.status, done.out, "allowRead" in done.err) == (1, "", True)
    assert alone.run("secret", "exec", "-s", "KEY", "printenv", "KEY").out == "[REDACTED]\n"


def test_an_agent_uses_a_value_and_is_not_shown_it(alone: Program) -> None:
    alone.run("secret", "put", "KEY", VALUE)
    done = alone.run("secret", "get", "KEY", CLAUDECODE="1")
    assert (done.status, done.out, "Agents may not" in done.err) == (1, "", True)
    ran = alone.run("secret", "exec", "-s", "KEY", "printenv", "KEY", CLAUDECODE="1")
    assert ran.out == "[REDACTED]\n"


def test_a_value_that_is_typed_is_not_shown(alone: Program) -> None:
    drawn = alone.on_terminal("secret", "put", "KEY", typed=f"{VALUE}\n", after="KEY: ")
    assert "Secret KEY is stored" in drawn
    assert VALUE not in drawn
    assert alone.run("secret", "get", "KEY").out == f"{VALUE}\n"


def test_a_pipe_that_brings_nothing_is_explained_while_it_is_read(alone: Program) -> None:
    process = subprocess.Popen(
        alone.command("secret", "put", "KEY"),
        env=alone.environment(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None and process.stderr is not None
        assert b"| signet secret put KEY" in process.stderr.readline()
        process.stdin.write(VALUE.encode())
        process.stdin.close()
        assert process.wait(COMMAND_SECONDS) == 0
    assert alone.run("secret", "get", "KEY").out == f"{VALUE}\n"


def test_a_closed_stdin_is_explained(alone: Program) -> None:
    line = shlex.join(alone.command("secret", "put", "KEY")) + " <&-"
    done = subprocess.run(
        ["sh", "-c", line], env=alone.environment(), capture_output=True, check=False
    )
    assert (done.returncode, b"pipe the value in" in done.stderr) == (1, True), done.stderr
