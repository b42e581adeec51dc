"""Claude Code and Codex, as programs that behave like them: found on the PATH, spoken to by pipes."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.providers.command import ClaudeCodeModel, CodexModel, environment
from support.processes import eventually, is_running

#: A program that writes down how it was called, then does what the test wants.
PROGRAM = """#!{python}
import json, os, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1:] == ["--version"]:
    print("1.0.0"); sys.exit(0)
with open(os.path.join(here, "call.json"), "w") as call:
    json.dump({{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "env": dict(os.environ), "cwd": os.getcwd()}}, call)
{body}
"""


class Programs:
    """A folder at the front of the PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, body: str) -> None:
        path = self.folder / name
        path.write_text(PROGRAM.format(python=sys.executable, body=body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def call(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.folder / "call.json").read_text())
        return found


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    return Programs(folder)


def printing(*answers: object) -> str:
    lines = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
    return "\n".join(f"print({line!r})" for line in lines)


def claude(seconds: float = 10.0) -> str:
    return (
        ClaudeCodeModel("haiku").generate("the prompt", timeout_seconds=seconds, max_tokens=9).text
    )


def codex(seconds: float = 10.0) -> str:
    return CodexModel("gpt-5").generate("the prompt", timeout_seconds=seconds, max_tokens=9).text


def test_claude_gets_the_prompt_by_stdin_and_its_result_and_tokens_are_read(
    programs: Programs, tmp_path: Path
) -> None:
    usage = {"input_tokens": 11, "output_tokens": 3}
    programs.write("claude", printing({"type": "result", "result": "said", "usage": usage}))
    answer = ClaudeCodeModel("haiku").generate("the prompt", timeout_seconds=10, max_tokens=9)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("said", 11, 3)
    call = programs.call()
    assert call["stdin"] == "the prompt"
    assert call["argv"] == [
        *("-p", "--model", "haiku", "--no-session-persistence", "--output-format", "json")
    ]
    assert call["cwd"] == str(tmp_path)


def test_codex_gets_the_prompt_by_stdin_and_its_messages_are_joined(
    programs: Programs, tmp_path: Path
) -> None:
    programs.write(
        "codex",
        printing(
            "a line that is no JSON",
            {"type": "thread.started"},
            {"type": "item.completed", "item": {"type": "reasoning", "text": "hmm"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "one"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "two"}},
            {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 2}},
        ),
    )
    answer = CodexModel("gpt-5").generate("the prompt", timeout_seconds=10, max_tokens=9)
    assert (answer.text, answer.input_tokens, answer.output_tokens) == ("one\ntwo", 5, 2)
    call = programs.call()
    assert call["stdin"] == "the prompt"
    sandbox = ["--json", "--sandbox", "read-only"]
    place = ["-C", str(tmp_path), "--model", "gpt-5", "-"]
    assert call["argv"] == ["exec", "--skip-git-repo-check", *sandbox, *place]
    assert isinstance(call["env"], dict)
    assert call["env"]["SIGNET_CODEX_BYPASS_WRAPPER"] == "1"


def test_a_program_is_kept_from_our_hooks_and_from_the_session_around_us() -> None:
    outer = {
        "PATH": "/bin",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_OAUTH_TOKEN": "token",
        "CLAUDE_CONFIG_DIR": "/etc/claude",
    }
    assert environment(outer) == {
        "PATH": "/bin",
        "CLAUDE_CODE_OAUTH_TOKEN": "token",
        "CLAUDE_CONFIG_DIR": "/etc/claude",
        "NO_COLOR": "1",
        "SIGNET_NO_HOOKS": "1",
    }


def test_text_that_is_no_json_is_the_answer_of_claude(programs: Programs) -> None:
    programs.write("claude", printing("just words"))
    assert claude() == "just words\n"


def test_a_program_that_is_not_there_makes_the_job_wait(programs: Programs) -> None:
    with pytest.raises(ProviderDown, match="cannot run claude"):
        claude()
    assert not ClaudeCodeModel("haiku").available()
    programs.write("claude", "")
    assert ClaudeCodeModel("haiku").available()


@pytest.mark.parametrize("said", ["", "   "])
def test_a_program_that_prints_nothing_has_failed(programs: Programs, said: str) -> None:
    programs.write("codex", f"print({said!r})")
    with pytest.raises(ProviderFailed, match="printed nothing"):
        codex()


def test_a_failure_repeats_the_start_of_what_the_program_said(programs: Programs) -> None:
    programs.write("codex", "sys.stderr.write('boom ' * 400); sys.exit(3)")
    with pytest.raises(ProviderFailed) as failed:
        codex()
    assert "exit status 3: boom boom" in failed.value.message
    assert len(failed.value.message) < 600


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("claude", "sys.stderr.write('Invalid API key. Please run /login'); sys.exit(1)"),
        ("claude", printing({"is_error": True, "result": "Claude usage limit reached"})),
        ("codex", "sys.stderr.write('stream error: 503 Service Unavailable'); sys.exit(1)"),
        ("codex", printing({"type": "turn.failed", "error": {"message": "rate limit exceeded"}})),
    ],
)
def test_a_program_whose_service_refuses_makes_the_job_wait(
    programs: Programs, name: str, body: str
) -> None:
    programs.write(name, body)
    with pytest.raises(ProviderDown):
        claude() if name == "claude" else codex()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("claude", printing({"is_error": True, "subtype": "error_during_execution"})),
        ("claude", printing({"result": ""})),
        ("codex", printing({"type": "turn.failed", "error": {"message": "out of ideas"}})),
        ("codex", printing({"type": "turn.completed"})),
    ],
)
def test_an_answer_without_text_is_a_failure(programs: Programs, name: str, body: str) -> None:
    programs.write(name, body)
    with pytest.raises(ProviderFailed):
        claude() if name == "claude" else codex()


def test_a_program_that_hangs_is_ended_with_all_that_it_started(
    programs: Programs, tmp_path: Path
) -> None:
    programs.write(
        "claude",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "open('child.pid', 'w').write(str(child.pid))\n"
        "time.sleep(600)",
    )
    with pytest.raises(ProviderTimeout, match="timeout"):
        claude(seconds=3.0)
    pid = int((tmp_path / "child.pid").read_text())
    eventually(lambda: not is_running(pid))
