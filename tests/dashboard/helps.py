"""What helps: the sentence, the memories that helped or misled, and switching what was learned off and on."""

import httpx
from playwright.sync_api import expect

from cli.program import Program
from dashboard.browser import View
from dashboard.seed import HOSTILE
from signet.db import Database
from signet.paths import Workspace
from support.processes import eventually

OUTCOME = """
INSERT INTO session_outcomes (agent_id, session_key, is_held_out, prompts, corrections, asked_again, given, used,
 missed, tokens, tokens_used, created_at) VALUES ('default', ?, ?, 4, ?, 0, 2, 1, 0, 120, 60, '2026-01-01')"""
ENABLED = "pipelineV2.predictor.enabled"


def test_whether_memory_helps_is_said_and_learning_is_switched(
    view: View, ids: dict[str, str], daemon: Program, client: httpx.Client
) -> None:
    view.go("/#/engine/predictor")
    answer = view.page.get_by_role("region", name="Does memory help?")
    expect(answer).to_contain_text("Not enough sessions yet")
    # With memory one correction in four sessions, without it one or two in each.
    rows = [(f"with-{at}", 0, int(at % 4 == 0)) for at in range(52)]
    rows += [(f"without-{at}", 1, 1 + at % 2) for at in range(8)]
    database = Database(Workspace(daemon.workspace).database)
    database.write(lambda tx: [tx.run(OUTCOME, row) for row in rows])
    hostile = ids[HOSTILE[0]]
    label = (
        "INSERT INTO memory_labels (agent_id, session_key, memory_id, label, weight, reason, was_given, created_at)"
        " VALUES ('default', 'with-1', ?, -1, 1, 'misled', 1, '2026-01-01')"
    )
    database.write(lambda tx: tx.run(label, (hostile,)))
    database.close()
    view.page.reload()
    view.ready()
    expect(answer).to_contain_text("Yes: with memory there are fewer corrections")
    expect(view.page.get_by_role("region", name="Misled")).to_contain_text("<img src=x")
    assert view.run("document.title") == "Engine · Signet"
    assert view.violations() == []
    view.page.get_by_role("button", name="Switch it off").focus()
    view.press("Enter")
    view.allow("This will change pipelineV2.predictor.enabled", "false")
    view.page.get_by_text("Switched off: use does not").wait_for()
    assert client.get("/api/predictor/status").json()["enabled"] is False
    view.press("z")
    view.allow("This will change pipelineV2.predictor.enabled", "true")
    eventually(lambda: client.get("/api/predictor/status").json()["enabled"] is True)
