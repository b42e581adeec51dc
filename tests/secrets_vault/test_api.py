"""`/api/secrets`: who may read what, and commands that are run with values nobody sees."""

import json
from pathlib import Path

import pytest

from signet_api.routes import config as routes
from support.asgi import OVER_TCP
from support.http import Api, an_api
from support.processes import eventually, is_running

VALUE = "correct-horse-battery"


def keep(api: Api, name: str = "KEY", value: str = VALUE) -> None:
    assert api.post(f"/api/secrets/{name}", {"value": value}).body == {
        "success": True,
        "name": name,
    }


def run(api: Api, command: str, **secrets: str) -> dict[str, object]:
    body = api.post("/api/secrets/exec", {"command": command, "secrets": secrets}).body
    assert isinstance(body, dict)
    return body


def test_a_secret_is_kept_named_shown_to_a_person_and_dropped(api: Api) -> None:
    keep(api)
    keep(api, "OTHER", "x")
    assert api.get("/api/secrets").body == {"secrets": ["KEY", "OTHER"]}
    shown = api.get("/api/secrets/KEY")
    assert shown.body == {"name": "KEY", "value": VALUE}
    assert shown.headers["cache-control"] == "no-store"
    assert api.delete("/api/secrets/KEY").body == {"success": True, "name": "KEY"}
    gone = api.get("/api/secrets/KEY")
    assert (gone.status, gone.error) == (404, "Secret 'KEY' not found")
    assert api.delete("/api/secrets/KEY").status == 404


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("/api/secrets/A-B", {"value": "x"}, 400, "Invalid secret name 'A-B'."),
        ("/api/secrets/A", {}, 400, "value is required"),
        ("/api/secrets/A", {"value": ""}, 400, "value"),
        ("/api/secrets/A", b"no", 400, "Invalid JSON body"),
        (
            "/api/secrets/exec",
            {"command": " ", "secrets": {"A": "KEY"}},
            400,
            "command is required",
        ),
        ("/api/secrets/exec", {"command": "env"}, 400, "secrets map is required"),
        (
            "/api/secrets/exec",
            {"command": "env", "secrets": {"A": "GONE"}},
            404,
            "'GONE' not found",
        ),
        ("/api/secrets/exec", {"command": "env", "secrets": {"A=": "KEY"}}, 400, "Invalid secret"),
        (
            "/api/secrets/exec",
            {"command": "env", "secrets": {"A": "KEY"}, "timeoutMs": 5},
            400,
            "timeoutMs must be",
        ),
        (
            "/api/secrets/exec",
            {"command": "true " + "x" * 200_000, "secrets": {"A": "KEY"}},
            400,
            "too long",
        ),
        ("/api/secrets/exec", {"command": "true \0", "secrets": {"A": "KEY"}}, 400, "NUL"),
    ],
    ids=[
        "name",
        "none",
        "empty",
        "json",
        "blank",
        "map",
        "gone",
        "variable",
        "timeout",
        "long",
        "nul",
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_run(
    api: Api, path: str, body: object, status: int, error: str
) -> None:
    keep(api)
    refused = api.post(path, body)
    assert refused.status == status
    assert error in refused.error


@pytest.mark.parametrize(
    "headers",
    [
        {"x_signet_actor_type": "harness"},
        {"x_signet_actor_type": "agent"},
        {"origin": "http://127.0.0.1:3850"},
    ],
    ids=["harness", "agent", "page"],
)
def test_a_value_is_shown_neither_to_agents_nor_to_pages(api: Api, headers: dict[str, str]) -> None:
    keep(api)
    assert api.get("/api/secrets/KEY", **headers).status == 403


def test_a_page_of_another_program_on_this_machine_gets_nothing(api: Api) -> None:
    keep(api)
    for origin in ("http://localhost:5173", "http://127.0.0.1:9", "null"):
        assert api.get("/api/secrets", origin=origin).status == 403
        assert api.send("DELETE", "/api/secrets/KEY", headers={"origin": origin}).status == 403
    assert api.get("/api/secrets", origin="http://127.0.0.1:3850").status == 200


def test_reading_can_be_switched_off(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "secrets:\n  allowRead: false\n") as api:
        keep(api)
        refused = api.get("/api/secrets/KEY")
        assert (refused.status, refused.error) == (403, "secrets.allowRead is false")
        assert run(api, "echo $A", A="KEY")["stdout"] == "[REDACTED]\n"


def test_a_peer_that_is_not_this_machine_gets_nothing(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", peer="10.0.0.9") as api:
        api.connection = OVER_TCP
        for path in ("/api/secrets", "/api/secrets/KEY"):
            assert api.get(path).status == 401


def test_a_command_has_the_value_and_nobody_sees_it(api: Api) -> None:
    keep(api)
    ran = run(api, 'printf %s "$A" | wc -c; echo "$A"; echo "x${A}y" >&2; pwd; exit 3', A="KEY")
    root = str(api.state.workspace.root)
    assert ran == {
        "stdout": f"{len(VALUE)}\n[REDACTED]\n{root}\n",
        "stderr": "x[REDACTED]y\n",
        "code": 3,
    }
    one = api.post("/api/secrets/KEY/exec", {"command": "echo $KEY $SIGNET_NO_HOOKS"}).body
    assert one["stdout"] == "[REDACTED] 1\n"


def test_no_form_of_a_value_is_left_in_the_output(api: Api) -> None:
    keep(api)
    coded = run(api, 'printf "a%s" "$A" | base64; printf %s "$A" | base64', A="KEY")["stdout"]
    assert str(coded).count("[REDACTED]") == 2
    # In two writes, and so in two reads.
    split = run(api, 'printf %s "${A%%-*}"; sleep 0; printf %s "-${A#*-}"', A="KEY")["stdout"]
    assert split == "[REDACTED]"


def test_a_command_that_is_late_is_killed_with_its_children(api: Api) -> None:
    keep(api)
    body = {
        "command": "echo before; sleep 60 & echo $! > child; wait",
        "secrets": {"A": "KEY"},
        "timeoutMs": 3_000,
    }
    ran = api.post("/api/secrets/exec", body).body
    assert (ran["code"], ran["stdout"]) == (124, "before\n")
    child = int((api.state.workspace.root / "child").read_text())
    eventually(lambda: not is_running(child))


def test_a_command_that_says_much_is_cut(api: Api) -> None:
    keep(api)
    said = run(api, "yes $A | head -c 3000000", A="KEY")["stdout"]
    assert str(said).endswith("\n[truncated]")
    assert VALUE not in str(said) and VALUE[:8] not in str(said)


def test_a_command_that_was_killed_tells_the_signal(api: Api) -> None:
    keep(api)
    assert run(api, "kill -9 $$", A="KEY")["code"] == 128 + 9


def test_a_secret_goes_only_to_the_commands_that_are_allowed(tmp_path: Path) -> None:
    settings = "secrets:\n  execAllow:\n    KEY: ['echo hi']\n    BAD: 3\n"
    with an_api(tmp_path / "agents", settings) as api:
        keep(api)
        keep(api, "BAD")
        assert run(api, "echo hi there", A="KEY")["stdout"] == "hi there\n"
        for command, name in (
            ("env", "KEY"),
            ("echo hi; env", "KEY"),
            ("echo\u00a0hi /x", "KEY"),
            ("echo hi", "BAD"),
        ):
            body = {"command": command, "secrets": {"A": name}}
            refused = api.post("/api/secrets/exec", body)
            assert (refused.status, "execAllow" in refused.error) == (403, True)


def test_nothing_that_is_logged_or_stored_holds_a_value(api: Api) -> None:
    keep(api)
    api.get("/api/secrets/KEY")
    run(api, "echo $A; env", A="KEY")
    assert VALUE not in json.dumps([dict(line) for line in api.logged], default=str)
    api.state.flusher.flush()
    root = api.state.workspace.root
    for path in root.rglob("*"):
        if path.is_file():
            assert VALUE.encode() not in path.read_bytes(), path


def test_settings_may_name_a_secret_that_is_kept_later(api: Api) -> None:
    api.state.live._lookup = routes.vault_of(api.state).find
    api.configure("pipelineV2:\n  extraction:\n    apiKey: $secret:LATER\n")
    live = api.state.live
    assert live.keyed.pipeline.extraction.api_key is None
    keep(api, "LATER")
    live.poll()
    assert live.keyed.pipeline.extraction.api_key == VALUE
    assert VALUE not in json.dumps(api.get("/api/status").body)
