"""Pages of other programs: those of an origin that a person trusts may call the daemon, and no page besides."""

from pathlib import Path

import pytest

from cli.program import Program
from signet.config import origins, settings_from
from signet.config.origins import NotAnOrigin
from support.http import Served
from support.processes import eventually

#: One process for the whole file.
REMEMBER = "/api/memory/remember"
EXTENSION = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
TRUSTED = (
    EXTENSION,
    "moz-extension://0f3a9b52-77aa-4b5e-8a3e-000000000001",
    "tauri://localhost",
    "http://tauri.localhost",
    "http://localhost:5173",
    "https://notes.example",
)
SENT = "authorization, content-type, x-signet-actor, x-signet-runtime-path"


def person(server: Served) -> Program:
    return Program(home=server.workspace.root.parent, workspace=server.workspace.root)


@pytest.fixture(scope="module")
def trusting(server: Served) -> Served:
    server = server.over_tcp
    for origin in TRUSTED:
        assert person(server).run("trust", "origin", "add", origin).status == 0
    eventually(lambda: all(reads(server, origin) for origin in TRUSTED))
    return server


def reads(server: Served, origin: str) -> bool:
    """Say whether a browser would let a page of the origin read an answer."""
    answer = server.get("/health/live", origin=origin, sec_fetch_site="cross-site")
    return answer.status == 200 and answer.headers.get("access-control-allow-origin") == origin


def preflight(server: Served, origin: str, **more: str) -> dict[str, str]:
    """Return the CORS headers that a browser gets which asks before it sends."""
    asked = {"origin": origin, "access_control_request_method": "POST", **more}
    found = server.send("OPTIONS", REMEMBER, headers=asked)
    return {
        name.removeprefix("access-control-"): value
        for name, value in found.headers.items()
        if name.startswith("access-control-")
    } | {"status": str(found.status), "vary": found.headers.get("vary", "")}


@pytest.mark.parametrize("origin", TRUSTED)
def test_a_trusted_page_asks_first_then_sends_and_reads(trusting: Served, origin: str) -> None:
    headers = {"access_control_request_headers": f"{SENT}, cookie, x-other"}
    assert preflight(trusting, origin, **headers) == {
        "status": "204",
        "vary": "origin",
        "allow-origin": origin,
        "allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "allow-headers": SENT,
        "expose-headers": "etag, retry-after, www-authenticate, x-signet-request-id",
        "max-age": "600",
    }
    private = preflight(trusting, origin, access_control_request_private_network="true")
    assert private["allow-private-network"] == "true"
    sent = {"origin": origin, "sec_fetch_site": "cross-site", "sec_fetch_mode": "cors"}
    sent |= {"content_type": "application/json"}
    saved = trusting.post(REMEMBER, {"content": f"Saved by {origin}."}, **sent)
    assert (saved.status, saved.headers["access-control-allow-origin"]) == (200, origin)
    assert "access-control-allow-credentials" not in saved.headers
    # It is told of refusals too.
    refused = trusting.post(REMEMBER, {}, **sent)
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (400, origin)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        f"{EXTENSION}x",
        EXTENSION[:-1],
        EXTENSION.upper(),
        EXTENSION.replace("chrome", "moz"),
        f"{EXTENSION}.",
        f"{EXTENSION}/",
        "https://notes.example.",
        "https://notes.example:8443",
        "https://notes.example.evil.example",
        "https://evil-notes.example",
        "https://Notes.example",
        "http://notes.example",
        "https://notes.example, https://evil.example",
        "http://a.tauri.localhost",
        "https://tauri.localhost",
        "http://tauri.localhost:81",
        "null",
        "",
        "*",
    ],
)
def test_a_page_that_only_looks_alike_gets_nothing(trusting: Served, origin: str) -> None:
    before = trusting.get("/api/memories").body["stats"]["total"]
    assert preflight(trusting, origin) == {"status": "403", "vary": ""}
    for site in ({}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}):
        refused = trusting.post(REMEMBER, {"content": "Stolen."}, origin=origin, **site)
        assert (refused.status, refused.body["code"]) == (403, "forbidden_origin")
        assert not [name for name in refused.headers if name.startswith("access-control")]
    assert trusting.get("/api/memories").body["stats"]["total"] == before


def test_a_loopback_page_on_another_port_may_not_call(trusting: Served) -> None:
    answer = trusting.get("/health/live", origin="http://localhost:5174")
    assert (answer.status, answer.body["code"]) == (403, "forbidden_origin")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert preflight(trusting, "http://localhost:5174")["status"] == "403"


def test_a_trusted_page_cannot_name_another_host_or_have_secrets(trusting: Served) -> None:
    rebound = trusting.get("/api/memories", origin=EXTENSION, host="evil.example")
    assert (rebound.status, rebound.error) == (403, "Host is not this machine")
    for path in ("/api/secrets/TOKEN", "/api/secrets"):
        assert trusting.get(path, origin=EXTENSION).status == 403
    run = {"command": "env", "secrets": {"A": "A"}}
    json = {"origin": EXTENSION, "content_type": "application/json"}
    assert trusting.post("/api/secrets/exec", run, **json).status == 403


def test_what_is_trusted_no_more_gets_nothing_soon(trusting: Served) -> None:
    signet = person(trusting)
    origin = "https://short.example"
    added = signet.run("trust", "origin", "add", origin)
    assert added.out == f"Pages of {origin} may call the daemon now\n"
    assert signet.run("trust", "origin", "add", origin, "--json").json()["count"] == 7
    assert signet.run("trust", "origin", "list").out.splitlines() == [*TRUSTED, origin]
    eventually(lambda: reads(trusting, origin))
    gone = signet.run("trust", "origin", "remove", origin)
    assert gone.out == f"Pages of {origin} may no longer call the daemon\n"
    eventually(lambda: preflight(trusting, origin)["status"] == "403")
    assert signet.run("trust", "origin", "list", "--json").json()["origins"] == [*TRUSTED]
    again = signet.run("trust", "origin", "remove", origin)
    assert again.status == 1 and "is not trusted" in again.err


@pytest.mark.parametrize(
    ("origin", "why"),
    [
        ("null", "every sandboxed page"),
        ("*", "Patterns are not supported"),
        ("https://*.example", "Patterns are not supported"),
        ("chrome-extension://*", "Patterns are not supported"),
        ("https://notes.example/", "Browsers send this origin as https://notes.example"),
        ("HTTPS://Notes.Example", "Browsers send this origin as https://notes.example"),
        ("https://notes.example:443", "Browsers send this origin as https://notes.example"),
        ("http://notes.example", "https is required"),
        ("https://ada@notes.example", "as browsers send it"),
        ("https://notes.example.", "as browsers send it"),
        ("https://notes.example:0x", "as browsers send it"),
        ("file:///home/ada/page.html", "as browsers send it"),
        ("chrome-extension://", "as browsers send it"),
        ("localhost:5173", "as browsers send it"),
    ],
)
def test_what_is_no_single_origin_is_refused_and_changes_nothing(origin: str, why: str) -> None:
    with pytest.raises(NotAnOrigin, match=why):
        origins.checked(origin)
    settings, warnings = settings_from({"auth": {"trustedOrigins": [origin, EXTENSION]}})
    assert settings.auth.trusted_origins == (EXTENSION,)
    assert warnings == ("auth.trustedOrigins: entry 1 is not an origin, ignored",)


def test_the_list_is_kept_in_a_file_that_stays_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("alone")
    signet = Program(home=home, workspace=home / "workspace")
    assert signet.run("trust", "origin", "list").out == "No origin is trusted\n"
    refused = signet.run("trust", "origin", "add", "https://*.example")
    assert refused.status == 1 and "Patterns" in refused.err
    assert not signet.workspace.exists()
    signet.workspace.mkdir()
    file = signet.workspace / "agent.yaml"
    file.write_text("# mine\nauth:\n  mode: local  # for now\n", "utf-8")
    signet.run("trust", "origin", "add", EXTENSION)
    added = f"# mine\nauth:\n  mode: local  # for now\n  trustedOrigins:\n    - {EXTENSION}\n"
    assert file.read_text("utf-8") == added
    file.write_text("auth: [", "utf-8")
    broken = signet.run("trust", "origin", "add", "tauri://localhost")
    assert broken.status == 1 and "agent.yaml" in broken.err
    assert file.read_text("utf-8") == "auth: ["


def test_the_help_says_what_trust_means(tmp_path: Path) -> None:
    told = " ".join(
        Program(home=tmp_path, workspace=tmp_path).run("trust", "origin", "--help").out.split()
    )
    assert "may read, save, change and forget your memories" in told
    assert "null is never trusted" in told
