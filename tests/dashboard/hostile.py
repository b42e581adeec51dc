"""Texts of strangers in every place where the dashboard shows one: no script runs and no element is made from them."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from cli.program import running
from dashboard.browser import View
from dashboard.conftest import quiet
from signet import clock
from signet.db import Database, WriteTx
from signet.domain.auth import tokens
from signet.paths import Workspace
from support.database import ENGINES
from support.processes import PATIENCE_SECONDS, eventually

#: A script that runs leaves this name in the page.
RUN = "window.owned=1"
#: Each tries another way from text to script: elements, attributes, addresses, ends of contexts, encodings, Markdown.
PAYLOADS = (
    f"<script>{RUN}</script>",
    f"<script src=data:text/javascript,{RUN}></script>",
    f"<img src=x onerror={RUN}>",
    f"<img src=x onerror='{RUN}'//",
    f"<IMG SRC=x oNeRrOr={RUN}>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN.removeprefix('window.')}</script>'></iframe>",
    f"<iframe src='javascript:parent.{RUN.removeprefix('window.')}'></iframe>",
    f"<object data='data:text/html,<script>{RUN}</script>'></object>",
    f"<embed src='javascript:{RUN}'>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<video><source onerror={RUN}></video>",
    f"<audio src=x onerror={RUN}>",
    f"<body onload={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<marquee onstart={RUN}>x</marquee>",
    f"<a href='javascript:{RUN}'>press</a>",
    f"<form action='javascript:{RUN}'><button>press</button></form>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    "<base href='https://evil.example/'>",
    f"<link rel=stylesheet href='https://evil.example/x.css' onload={RUN}>",
    f"<style>@import 'https://evil.example/x.css';</style><b style='background:url(javascript:{RUN})'>",
    f'"><script>{RUN}</script>',
    f"' onmouseover='{RUN}' x='",
    f'" autofocus onfocus="{RUN}" x="',
    f"</title></textarea></script><script>{RUN}</script>",
    f"--><script>{RUN}</script>",
    f"]]><script>{RUN}</script>",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"${{{RUN}}}",
    f'[press](javascript:{RUN}) <javascript:{RUN}> ![x](x"onerror="{RUN})',
    f"[press](data:text/html,<script>{RUN}</script>)",
    f"&lt;script&gt;{RUN}&lt;/script&gt; &#60;script&#62;{RUN}&#60;/script&#62;",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"\x00<script\x00>{RUN}</script>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    f"java\tscript:{RUN}",
)
#: Elements and attributes that the page itself never has.
MADE = (
    "iframe, object, embed, base, marquee, math, svg script, svg animate, audio, video, meta[http-equiv=refresh], "
    "script:not([src^='/assets/']), link[href*='evil'], a[href^='javascript' i], a[href^='data' i], "
    "form[action^='javascript' i], [onerror], [onload], [onfocus], [ontoggle], [onbegin], [onstart], [onmouseover]"
)
SESSION = "<img src=x onerror=window.owned=1>"
VIEWS = (
    "/", "/#/today?triage=1", "/#/sessions", "/#/sessions/{session}", "/#/sessions/{payload}", "/#/engine",
    "/#/engine/queue", "/#/engine/queue?status=dead", "/#/engine/repair", "/#/engine/logs", "/#/engine/cost",
    "/#/engine/tasks", "/#/memories", "/#/memories?ask=crane", "/#/memories?ask={payload}", "/#/memories?bar=1",
    "/#/memories?id={id}&part=why", "/#/memories?id={id}&part=history", "/#/memories?id={id}&part=used",
    "/#/memories?id={id}&part=from", "/#/memories?id={id}&part=access", "/#/memories?id={id}&part=edit",
    "/#/memories?state=forgotten", "/#/map?view=list", "/#/map", "/#/map?view=meaning", "/#/settings/agent",
    "/#/settings/files", "/#/settings/harnesses", "/#/settings/sources", "/#/settings/skills", "/#/settings/access",
    "/#/settings/secrets", "/#/settings/about", "/#/{payload}", "/capture",
)  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Workspace, str]]:
    """Run a daemon whose store is full of such texts; yield its address, its workspace and the ID of a memory."""
    with running(tmp_path_factory.mktemp("hostile")) as program:
        workspace, base = Workspace(program.workspace), f"http://127.0.0.1:{program.port}"
        socket = httpx.HTTPTransport(uds=str(workspace.api_socket))
        with httpx.Client(base_url=base, timeout=PATIENCE_SECONDS, transport=socket) as client:
            id_ = _fill(client, workspace, program.home)
        yield base, workspace, id_


def _fill(client: httpx.Client, workspace: Workspace, home: Path) -> str:
    def post(path: str, body: object) -> dict[str, str]:
        answer = client.post(path, json=body)
        assert answer.is_success, (path, answer.text)
        return dict(answer.json())

    skill = workspace.root / "skills" / "dig"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        f"---\nname: dig\ndescription: {json.dumps(PAYLOADS[2])}\n---\n{PAYLOADS[0]}\n", "utf-8"
    )
    (workspace.root / "MEMORY.md").write_text("\n\n".join(PAYLOADS), "utf-8")
    for number, payload in enumerate(PAYLOADS):
        memory = {
            "content": f"crane {number}: {payload}",
            "who": payload,
            "tags": [payload],
            "project": f"/srv/{payload}",
            "hints": [payload],
            "entities": [{"source": f"{payload} crane", "relationship": payload, "target": "yard"}],
            "aspects": [
                {"entity": f"{payload} crane", "aspect": payload[:60], "attributes": [payload]}
            ],
        }
        saved = post("/api/memory/remember", memory)
    call = {"harness": PAYLOADS[2], "sessionKey": SESSION, "project": f"/srv/{PAYLOADS[5]}"}
    post("/api/hooks/session-start", call)
    for payload in PAYLOADS[:6]:
        post("/api/hooks/user-prompt-submit", {**call, "userPrompt": f"crane {payload}"})
    turns = "\n\n".join(f"User: {one}\n\nAssistant: {one}" for one in PAYLOADS)
    post("/api/hooks/session-end", {**call, "transcript": turns})
    post(
        "/api/documents",
        {"source_type": "text", "title": PAYLOADS[2], "content": "\n".join(PAYLOADS)},
    )
    notes = home / f"notes {PAYLOADS[2]}"
    notes.mkdir()
    (notes / "<img src=x onerror=window.owned=1>.md").write_text(PAYLOADS[0], "utf-8")
    source = {"rootPath": str(notes)}
    folder = {"provider": "filesystem", "displayName": PAYLOADS[2], "settings": source}
    if not ENGINES.on_postgres:  # hosts that share a server refuse it
        post("/api/connectors", {**folder, "sync": True})
    post("/api/config", {"file": "SOUL.md", "content": "\n".join(PAYLOADS)})
    forgotten = post("/api/memory/remember", {"content": f"gone {PAYLOADS[2]}"})["id"]
    client.request("DELETE", f"/api/memory/{forgotten}", json={"reason": PAYLOADS[2]})
    _rows(workspace)

    def is_done() -> bool:
        status = client.get("/api/pipeline/status").json()
        return bool(status["queue"] == 0 and status["processing"] == 0)

    eventually(is_done)
    return saved["id"]


def _rows(workspace: Workspace) -> None:
    """Insert a task with a run, a dead job and a token, whose texts programs of others have written."""
    at, text = "2026-11-01T10:00:00.000Z", PAYLOADS[2]
    database = Database(workspace.database)
    for sql, params in (
        ("INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, harness, working_directory, created_at,"
         " updated_at, enabled) VALUES ('task-1', ?, ?, '0 3 * * *', 'codex', ?, ?, ?, 0)", (text, text, text, at, at)),
        ("INSERT INTO task_runs (id, task_id, status, started_at, completed_at, stdout, stderr, error)"
         " VALUES ('run-1', 'task-1', 'failed', ?, ?, ?, ?, ?)", (at, at, text, text, text)),
        ("INSERT INTO memory_jobs (id, job_type, status, payload, failed_at, error, created_at, updated_at, queue,"
         " due_ms, last_error_code) VALUES ('job-1', ?, 'dead', ?, ?, ?, ?, ?, 'default', 0, ?)",
         (text, json.dumps(text), at, text, at, at, text)),
        ("INSERT INTO tokens (jti, sub, role, scope_json, issued_at, expires_at) VALUES ('t', ?, 'agent', '{}', ?,"
         " '2099-01-01T00:00:00.000Z')", (text, at)),
    ):  # fmt: skip
        database.write(WriteTx.run, sql, params)
    database.close()


def test_no_text_of_a_stranger_becomes_a_script(
    browser: Browser, hostile: tuple[str, Workspace, str]
) -> None:
    base, workspace, id_ = hostile
    with quiet(browser, base) as view:
        view.go(f"/#code={tokens.login_code(workspace, now=clock.now())}")
        shown = 0
        for address in VIEWS:
            view.go(address.format(id=id_, session=_quoted(SESSION), payload=_quoted(PAYLOADS[2])))
            _open_all(view)
            assert view.run("window.owned") is None, address
            assert (
                view.run(
                    f"[...document.querySelectorAll({json.dumps(MADE)})].map((e) => e.outerHTML)"
                )
                == []
            ), address
            shown += "window.owned=1" in view.page.locator("body").inner_text()
        assert shown >= 20, shown
        view.press("Control+k")
        view.page.locator(".palette input").fill("crane <img")
        view.page.locator(".palette [role=option]").first.wait_for()
        assert view.run("window.owned") is None


def _quoted(text: str) -> str:
    return str(httpx.URL("http://x/", params={"q": text}).query.decode()[2:])


def _open_all(view: View) -> None:
    """Open what a view folds, so that everything in it is drawn."""
    view.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
