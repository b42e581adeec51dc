"""`signet why`: what a session was given and what it used, from the hooks to the printed page."""

import json
import random
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from cli.program import Program
from support.processes import PATIENCE_SECONDS, eventually

LETTERS = "bcdfghjklm"
DIGITS = str.maketrans(LETTERS, "1234567899")
SAID = "In {} the lighthouse keeper paints the railing with oxide {} each spring."
OTHER = "The ferry to {} leaves from the stone quay at low tide."


def said(word: str) -> str:
    """Return what is used of a session's second prompt; no other session's has its number."""
    return SAID.format(word[::-1], int(word.translate(DIGITS)))


@pytest.fixture(scope="module")
def played(served: Program) -> tuple[str, str]:
    """Play a session of two prompts in this folder, of which the second one's memory is used; return key and word."""
    word, key = "".join(random.choices(LETTERS, k=9)), str(uuid4())
    session = {"harness": "claude-code", "sessionKey": key, "cwd": str(Path.cwd())}
    asked = (
        f"Where does the ferry to {word} leave at low tide?",
        f"What does the lighthouse keeper paint each spring in {word[::-1]}?",
    )
    url = f"http://127.0.0.1:{served.port}"
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS) as client:

        def hook(name: str, **body: object) -> Any:
            answer = client.post(f"/api/hooks/{name}", json={**session, **body})
            assert answer.status_code == 200, answer.text
            return answer.json()

        hook("session-start")
        for one in (OTHER.format(word), said(word)):
            client.post("/api/memory/remember", json={"content": one})
        told = [hook("user-prompt-submit", userMessage=one)["inject"] for one in asked]
        number = said(word).split("oxide ")[1].split()[0]
        assert "stone quay" in told[0] and number in told[1], told
        edit = {"type": "tool_use", "name": "Edit", "input": {"new_string": f"oxide = {number}"}}
        log = [
            ("user", asked[0]),
            ("assistant", "I do not know."),
            ("user", asked[1]),
            ("assistant", [{"type": "text", "text": "Like so."}, edit]),
        ]
        lines = [
            json.dumps({"type": role, "message": {"role": role, "content": content}})
            for role, content in log
        ]
        hook("session-end", transcript="\n".join(lines), reason="other")

        def is_known() -> bool:
            found = client.get(f"/api/sessions/{key}/context").json()
            return bool(found["totals"]["unknown"] == 0)

        eventually(is_known)
    return key, word


def test_the_newest_session_of_the_folder_fits_a_terminal(
    served: Program, played: tuple[str, str]
) -> None:
    key, word = played
    drawn = served.on_terminal("why", columns=80, NO_COLOR="1").replace("\r", "")
    lines = drawn.splitlines()
    assert max(map(len, lines)) <= 80, drawn
    assert lines[0].startswith("The newest session of ") and lines[1] == f"Session {key}"
    # The start may list memories of other tests.
    assert re.search(r"2 prompts · \d+ injected: 1 used, \d+ not used", drawn), drawn
    first, second = drawn.split("Prompt 1")[1].split("Prompt 2")
    assert "not used  memory " in first and f"The ferry to {word}" in first
    assert "  used      memory " in second and "paints the railing" in second
    assert f"Texts: signet why {key} --prompt 1" in drawn
    assert "it matches the prompt" in second


def test_a_prompt_is_shown_with_its_texts(served: Program, played: tuple[str, str]) -> None:
    key, word = played
    done = served.run("why", key[:8], "--prompt", "2")
    assert done.status == 0, done.err
    assert said(word) in done.out and OTHER.format(word) not in done.out
    assert "used in a call of Edit (its values appear there), message 4" in done.out
    found = json.loads(served.run("why", key, "--json").out)
    assert (found["sessionKey"], len(found["injections"])) == (key, 3)
    [only] = json.loads(served.run("why", key, "--prompt", "1", "--json").out)["injections"]
    assert only["given"][0]["use"] == "not used"


def test_what_nobody_knows_is_said_with_what_comes_near(
    served: Program, played: tuple[str, str]
) -> None:
    key, _ = played
    done = served.run("why", f"{key[:-1]}x")
    assert done.status != 0 and f"similar: {key}" in done.err
    done = served.run("why", key, "--prompt", "9")
    assert done.status != 0 and "This session has 2 prompts; there is no 9" in done.err


def test_sessions_are_listed_with_what_each_was_given(
    served: Program, played: tuple[str, str]
) -> None:
    key, _ = played
    page = served.run("sessions", "--harness", "claude-code", "--json").json()
    (one,) = [one for one in page["sessions"] if one["key"] == key]
    assert (one["prompts"], one["given"] >= 2, one["used"]) == (2, True, 1)
    shown = served.run("sessions", "-l", "200")
    lines = shown.out.splitlines()
    place = next(at for at, line in enumerate(lines) if line.startswith(key[:8]))
    assert "Where does the ferry to" in lines[place]
    assert f"2 prompts · {one['given']} injected, 1 used" in lines[place + 1]
    assert "signet why SESSION" in shown.err
    for other in (str(uuid4()), str(uuid4())):
        body = {"harness": "codex", "sessionKey": other, "cwd": "/work/quay"}
        url = f"http://127.0.0.1:{served.port}/api/hooks/session-start"
        assert httpx.post(url, json=body, timeout=PATIENCE_SECONDS).status_code == 200
    more = served.run("sessions", "-l", "1", "--harness", "codex")
    assert "More: signet sessions list -l 1 --harness codex --cursor " in more.err
    told = served.run("sessions", "show", key, "--given")
    first, _, second = told.out.partition("What does the lighthouse keeper")
    assert "Session start" in first and f"The ferry to {played[1]}" in told.out
    assert "paints the railing" in second and "Like so." in second


def test_the_texts_that_are_pointed_to_are_those_of_a_prompt_that_was_given_something(
    served: Program,
) -> None:
    word, key = "".join(random.choices(LETTERS, k=9)), str(uuid4())
    session = {"harness": "codex", "sessionKey": key, "cwd": f"/work/{word}"}
    hint = f"Texts: signet why {key} --prompt"
    url = f"http://127.0.0.1:{served.port}/api/hooks"
    for told, name, message in (
        ("0", "session-start", ""),
        ("0", "user-prompt-submit", "Zyx wvu tsr qpo?"),
        ("2", "user-prompt-submit", f"Where does the ferry to {word} leave at low tide?"),
    ):
        body = {**session, "userMessage": message}
        assert httpx.post(f"{url}/{name}", json=body, timeout=PATIENCE_SECONDS).status_code == 200
        assert f"{hint} {told}" in served.run("why", key).err
        if name == "session-start":  # what is there before may be given at the start
            served.run("remember", OTHER.format(word))
    start = served.run("why", key, "--prompt", "0").out
    assert "section date" in start and "20" in start.split("section date")[1][:400]
