"""Whole sessions of each harness against a real daemon: what was said is known to the next one.

The input has the form that each harness writes; the sentences are ours.
"""

import json
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import PATIENT, Program
from support.processes import PATIENCE_SECONDS, eventually

Turns = Sequence[tuple[str, str]]

PLUGIN = {"x-signet-runtime-path": "plugin", "x-signet-actor-type": "harness"}


#: For each harness: what its user says of himself, what the talk is about, a decision, and the rest of the talk.
TALKS: dict[str, tuple[str, str, str, Turns]] = {
    "claude-code": (
        "I live in Tromso.",
        "heron",
        "We decided to deploy the heron service on Tuesdays because the load is low.",
        [
            ("user", "The nightly tests were red twice this week, so let us look at them first."),
            (
                "assistant",
                "Both failures came from a port that was taken; a free one is chosen now.",
            ),
            ("user", "Then write down how a failing test can be run again with the same seed."),
            ("assistant", "The manual now has a page for it, with the seed as the first argument."),
        ],
    ),
    "codex": (
        "My birthday is on 3 March.",
        "falcon",
        "We decided to store falcon invoices in Postgres because the auditors ask for it.",
        [
            ("user", "Parsing of the bank statements loses the cents of every amount in yen."),
            ("assistant", "Amounts are whole numbers of the smallest unit from here on, yen too."),
            (
                "user",
                "Please also sort the accounts by country and then by the branch of the bank.",
            ),
            ("assistant", "Sorted so, with a stable order for branches that have the same name."),
        ],
    ),
    "opencode": (
        "I work at Nordlys Robotics.",
        "osprey",
        "We decided to render osprey maps on the client because tiles were slow over satellite.",
        [
            ("user", "Zooming with two fingers jumps to the equator when the compass is turned."),
            ("assistant", "The gesture used window coordinates; it is relative to the canvas now."),
            ("user", "Contour lines vanish in the dark theme and come back after a long press."),
            (
                "assistant",
                "Their colour was cached before the theme was known; it is read late now.",
            ),
        ],
    ),
    "openclaw": (
        "I live in Alta.",
        "puffin",
        "We decided to brew puffin coffee at seven because the kitchen is empty by then.",
        [
            ("user", "Remind the gardener about the hedge whenever it rains for three days."),
            ("assistant", "A reminder goes out on the third wet day, before nine in the morning."),
            ("user", "Do not send messages to my sister after ten, she gets up very early."),
            ("assistant", "Quiet hours for her begin at ten; urgent ones wait until six instead."),
        ],
    ),
}


def turns(harness: str) -> Turns:
    """Return a talk that tells facts."""
    fact, bird, decision, rest = TALKS[harness]
    return [
        ("user", f"{fact} {decision}"),
        ("assistant", f"Understood, and good to know: that is how it is done for {bird} then."),
        *rest,
        ("user", "That is all for today, thank you. We go on with the open points tomorrow."),
        ("assistant", "Good. What is open is written down, and we take it up from there tomorrow."),
    ]


def claude_log(said: Turns) -> str:
    """Return what Claude Code writes: nested messages between events of its own."""
    records: list[dict[str, Any]] = [{"type": "summary", "summary": "A talk", "leafUuid": "1"}]
    for number, (role, text) in enumerate(said):
        parts = [{"type": "text", "text": text}, {"type": "tool_use", "name": "Bash", "input": {}}]
        content: object = parts if role == "assistant" else text
        records.append(
            {
                "type": role,
                "uuid": str(number),
                "isSidechain": False,
                "message": {"role": role, "content": content},
            }
        )
    return "\n".join(map(json.dumps, records))


def codex_log(said: Turns) -> str:
    """Return what Codex writes as a rollout."""
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "1", "cwd": "/w"}}]
    for role, text in said:
        if role == "user":
            records.append(
                {"type": "event_msg", "payload": {"type": "user_message", "message": text}}
            )
        else:
            records.append(
                {"type": "item.completed", "item": {"type": "agent_message", "text": text}}
            )
    return "\n".join(map(json.dumps, records))


def by_hooks(
    harness: str, log: Callable[[Turns], str], *, ends: bool = True
) -> Callable[..., None]:
    """Return a session that a harness serves by commands, as its connector sets them up.

    One that never `ends` a session tells of each turn instead.
    """

    def play(program: Program, key: str, project: str, said: Turns, folder: Path) -> None:
        def hook(name: str, **more: object) -> str:
            sent = {"session_id": key, "cwd": project, **more}
            done = program.run("hook", name, "-H", harness, stdin=json.dumps(sent), **PATIENT)
            assert (done.status, done.err) == (0, "")
            return context(done.out) if harness == "codex" else done.out

        # Before anything is known there is nothing to say.
        assert not (begun := hook("session-start")) or begun.startswith("[memory active")
        path = folder / "log.jsonl"
        for place in range(0, len(said), 2):
            asked = hook("user-prompt-submit", prompt=said[place][1], transcript_path=str(path))
            assert not asked or asked.startswith(("[signet:recall | ", "<signet-memory>"))
            path.write_text(log(said[: place + 2]))
            if not ends:
                hook("session-end", transcript_path=str(path), hook_event_name="Stop")
        if ends:
            assert hook("pre-compaction").startswith("Worth keeping in the summary: ")
            hook("session-end", transcript_path=str(path), reason="prompt_input_exit")

    return play


def context(said: str) -> str:
    """Return what Codex gives its model of what a hook prints."""
    if not said.startswith("{"):
        return ""
    found = json.loads(said).get("hookSpecificOutput", {})
    return str(found.get("additionalContext", ""))


def by_plugin(harness: str, key_of: Callable[[str], str]) -> Callable[..., None]:
    """Return a session that an adapter within the harness serves over HTTP."""

    def play(program: Program, key: str, project: str, said: Turns, folder: Path) -> None:
        url = f"http://127.0.0.1:{program.port}"
        with httpx.Client(base_url=url, headers=PLUGIN, timeout=PATIENCE_SECONDS) as client:

            def call(name: str, **more: object) -> Any:
                body = {
                    "harness": harness,
                    "project": project,
                    "runtimePath": "plugin",
                    "sessionKey": key_of(key),
                    **more,
                }
                answer = client.post(f"/api/hooks/{name}", json=body)
                assert answer.status_code == 200, answer.text
                return answer.json()

            assert "inject" in call("session-start")
            for role, text in said:
                if role == "user":
                    assert "inject" in call("user-prompt-submit", userMessage=text, userPrompt=text)
            assert call("pre-compaction")["guidelines"]
            assert call("compaction-complete", summary=said[-1][1])["success"]
            lines = "\n".join(f"{role.capitalize()}: {text}" for role, text in said)
            ended = call("session-end", transcript=lines, reason="deleted")
            assert ended["memoriesSaved"] == 0 and ended["queued"]

    return play


PLAYS = {
    "claude-code": by_hooks("claude-code", claude_log),
    "codex": by_hooks("codex", codex_log, ends=False),
    "opencode": by_plugin("opencode", lambda key: key),
    "openclaw": by_plugin("openclaw", lambda key: f"agent:claw:{key}"),
}


@pytest.mark.parametrize("harness", PLAYS)
def test_a_session_is_known_to_the_next_one(served: Program, tmp_path: Path, harness: str) -> None:
    fact, bird, decision, _ = TALKS[harness]
    said, project = turns(harness), f"/work/{bird}"
    PLAYS[harness](served, f"{harness}-1", project, said, tmp_path)
    agent = "claw" if harness == "openclaw" else None
    sent = {"harness": harness, "project": project, "agentId": agent}
    with httpx.Client(
        base_url=f"http://127.0.0.1:{served.port}", timeout=PATIENCE_SECONDS
    ) as client:
        key = f"{'agent:claw:' if agent else ''}{harness}-1"
        running = [one["key"] for one in client.get("/api/sessions").json()["sessions"]]
        assert (key in running) is (harness == "codex")
        stored = client.get(f"/api/sessions/{key}/transcript").json()
        lines = [f"{role.capitalize()}: {text}" for role, text in said]
        assert stored["content"].split("\n") == lines
        known = decision.removeprefix("We decided to ").partition(" because")[0]
        own = fact.rstrip(".").split()[-2:]

        def is_known() -> bool:
            told = client.post("/api/hooks/session-start", json=sent).json()["inject"]
            return " ".join(own) in told and known in told

        sessions = (f"{key}-{n}" for n in count(2))

        def reaches_a_prompt() -> bool:
            asked = {"sessionKey": next(sessions), "userMessage": f"What was decided for {bird}?"}
            given = client.post("/api/hooks/user-prompt-submit", json={**sent, **asked}).json()
            return known in given["inject"]

        eventually(is_known)
        eventually(reaches_a_prompt)
