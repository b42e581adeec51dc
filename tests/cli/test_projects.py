"""A decision made in a worktree reaches every folder of its repository, in the formats of each harness."""

import json
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import pytest

from cli.program import PATIENT, Program
from support.processes import PATIENCE_SECONDS, eventually
from support.repositories import Copy, needs_git

pytestmark = needs_git
AT = "2026-11-22T09:00:00Z"


def claude(text: str, cwd: str) -> list[dict[str, object]]:
    message = {"role": "user", "content": text}
    return [{"type": "user", "sessionId": "s", "cwd": cwd, "timestamp": AT, "message": message}]


def codex(text: str, cwd: str) -> list[dict[str, object]]:
    meta = {"id": "s", "cwd": cwd, "cli_version": "0.171.0"}
    said = {"type": "user_message", "message": text}
    return [
        {"type": "session_meta", "timestamp": AT, "payload": meta},
        {"type": "event_msg", "timestamp": AT, "payload": said},
    ]


def gemini(text: str, cwd: str) -> list[dict[str, object]]:
    return [{"type": "user", "timestamp": AT, "content": text}]


def copilot(text: str, cwd: str) -> list[dict[str, object]]:
    return [{"type": "user.message", "timestamp": AT, "data": {"content": text}}]


#: What harnesses that run commands write, and the events that end a session or turn.
COMMANDS: dict[str, tuple[Callable[[str, str], list[dict[str, object]]], str]] = {
    "claude-code": (claude, "SessionEnd"),
    "codex": (codex, "Stop"),
    "gemini-cli": (gemini, "SessionEnd"),
    "copilot": (copilot, "sessionEnd"),
}
#: What plugins send with the name of the folder.
PLUGINS = {"opencode": {"project": "", "cwd": ""}, "openclaw": {"project": ""}}
WORDS = ("KESTREL", "PELICAN", "DUNLIN", "PLOVER", "CURLEW", "OSPREY")


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    root = tmp_path_factory.mktemp("work") / "atlas"
    (root / "client").mkdir(parents=True)
    copy = Copy(root)
    copy.git("init", "--quiet", "--initial-branch", "main")
    copy.commit("README", "text")
    copy.git("worktree", "add", "--quiet", ".claude/worktrees/fix", "-b", "fix")
    (root.parent / "link").symlink_to(root)
    return copy


def plugin(program: Program, route: str, harness: str, folder: str, **fields: object) -> str:
    body = {"harness": harness, **dict.fromkeys(PLUGINS[harness], folder), **fields}
    answer = httpx.post(
        f"http://127.0.0.1:{program.port}/api/hooks/{route}", json=body, timeout=PATIENCE_SECONDS
    )
    assert answer.status_code == 200, answer.text
    return str(answer.json().get("inject", ""))


def command(program: Program, name: str, harness: str, folder: str, **said: object) -> str:
    stdin = json.dumps({"cwd": folder, **said})
    done = program.run("hook", name, "-H", harness, stdin=stdin, **PATIENT)
    assert (done.status, done.err) == (0, ""), shlex.quote(stdin)
    return done.out


@pytest.mark.parametrize(
    ("harness", "word"),
    [*zip([*COMMANDS, *PLUGINS], WORDS, strict=True)],
    ids=[*COMMANDS, *PLUGINS],
)
def test_a_decision_of_a_worktree_reaches_the_checkout_a_subfolder_and_a_link(
    served: Program, atlas: Copy, tmp_path: Path, harness: str, word: str
) -> None:
    tree = f"{atlas.root}/.claude/worktrees/fix"
    decision = f"Decision: invoice numbers of {harness} get the prefix {word}, because the auditors want it."
    if harness in COMMANDS:
        form, event = COMMANDS[harness]
        log = tmp_path / "session.jsonl"
        log.write_text("\n".join(map(json.dumps, form(decision, tree))) + "\n", "utf-8")
        ended = {"session_id": harness, "transcript_path": str(log), "hook_event_name": event}
        command(served, "session-end", harness, tree, **ended)
    else:
        told = f"User: {decision}"
        plugin(served, "session-end", harness, tree, sessionKey=harness, transcript=told)
    question = f"Which prefix do invoice numbers of {harness} get?"

    def asked(folder: str, key: str) -> str:
        if harness in COMMANDS:
            said = {"session_id": key, "prompt": question, "hook_event_name": "UserPromptSubmit"}
            return command(served, "user-prompt-submit", harness, folder, **said)
        given = plugin(
            served, "user-prompt-submit", harness, folder, sessionKey=key, userMessage=question
        )
        return given

    places = {
        "checkout": str(atlas.root),
        "subfolder": f"{atlas.root}/client",
        "link": f"{atlas.root.parent}/link",
        "worktree": tree,
    }
    for name, folder in places.items():
        key = f"{harness}-{name}"
        eventually(partial(_holds, asked, folder, key, word))
    assert word not in asked(str(tmp_path), f"{harness}-elsewhere")


def _holds(asked: Callable[[str, str], str], folder: str, key: str, word: str) -> bool:
    return word in asked(folder, key)
