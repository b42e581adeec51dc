"""Settings for forms: described, changed by key, and never over somebody else's change."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from support.http import SETTINGS, Answer, Api, an_api
from support.tokens import a_token, bearer

PATH = "/api/config"


def schema(api: Api) -> dict[str, dict[str, Any]]:
    body = api.get(f"{PATH}/schema").body
    assert body["count"] == len(body["settings"]) > 100
    return {one["key"]: one for one in body["settings"]}


def change(api: Api, values: dict[str, object], **more: object) -> Answer:
    import json

    return api.send("PATCH", PATH, json.dumps({"set": values, **more}).encode())


def written(api: Api) -> str:
    return (api.state.workspace.root / "agent.yaml").read_text("utf-8")


def test_every_setting_says_what_it_may_be_and_where_it_comes_from(api: Api) -> None:
    api.configure("search: {alpha: 0.5}\n")
    found = schema(api)
    alpha = found["search.alpha"]
    assert (alpha["value"], alpha["default"], alpha["origin"]) == (0.5, 0.7, "agent.yaml")
    assert (alpha["kind"], alpha["low"], alpha["high"], alpha["label"]) == ("number", 0, 1, "Alpha")
    provider = found["embedding.provider"]
    assert provider["kind"] == "choice" and "ollama" in provider["choices"]
    mode = found["auth.mode"]
    assert (mode["origin"], mode["restart"]) == ("default", True) and "unknown" not in mode[
        "choices"
    ]
    git = found["git.autoSync"]
    assert (git["kind"], git["restart"], git["secret"]) == ("boolean", False, False)
    for one in found.values():
        kinds = ("boolean", "integer", "number", "choice", "text", "list", "map")
        assert one["kind"] in kinds and one["label"], one


def test_secrets_are_masked(api: Api) -> None:
    secret = [key for key, one in schema(api).items() if one["secret"]]
    assert secret
    api.configure("embedding:\n  provider: none\n  api_key: sk-verysecret\n".replace(SETTINGS, ""))
    assert "sk-verysecret" not in str(api.get(f"{PATH}/schema").body)


def test_changes_keep_comments_and_are_in_force(api: Api) -> None:
    path = api.state.workspace.root / "agent.yaml"
    path.write_text(SETTINGS + "# how words weigh\nsearch:\n  alpha: 0.5  # half\n", "utf-8")
    api.state.live.poll()
    answer = change(api, {"search.alpha": 0.25, "git.autoSync": False})
    assert answer.status == 200, answer.body
    text = written(api)
    assert "# how words weigh" in text and "alpha: 0.25 # half" in text
    assert answer.body["hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert (answer.body["file"], answer.body["restartRequired"]) == ("agent.yaml", [])
    found = schema(api)
    assert (found["search.alpha"]["value"], found["git.autoSync"]["value"]) == (0.25, False)
    assert change(api, {"search.alpha": None}).status == 200
    assert schema(api)["search.alpha"]["value"] == 0.7
    assert change(api, {"auth.mode": "team"}).body["restartRequired"] == ["auth.mode"]


@pytest.mark.parametrize(
    "values",
    [
        {"search.alpha": 7},
        {"search.alpha": "much"},
        {"search.alfa": 0.5},
        {"search.alpha": 0.5, "embedding.provider": "nobody"},
        {"search": 1, "search.alpha": 0.5},
        {},
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    api: Api, values: dict[str, object]
) -> None:
    before = written(api)
    answer = change(api, values)
    assert answer.status == 400 and answer.error
    assert written(api) == before


def test_the_last_writer_does_not_win_over_what_it_has_not_read(api: Api) -> None:
    read = api.get(f"{PATH}/schema").body["hash"]
    listed = {file["name"]: file for file in api.get(PATH).body["files"]}
    assert listed["agent.yaml"]["hash"] == read
    api.configure("search: {alpha: 0.5}\n")
    refused = change(api, {"search.alpha": 0.6}, if_hash=read)
    now = api.get(f"{PATH}/schema").body["hash"]
    assert (refused.status, refused.body["code"]) == (409, "changed_meanwhile")
    assert refused.body["hash"] == now != read
    assert change(api, {"search.alpha": 0.6}, if_hash=now).status == 200
    soul = {"file": "SOUL.md", "content": "Calm."}
    assert api.post(PATH, soul | {"if_hash": "x"}).status == 409
    assert api.post(PATH, soul | {"if_hash": ""}).status == 200
    assert api.post(PATH, soul | {"content": "Wild.", "if_hash": ""}).status == 409
    old = hashlib.sha256(b"Calm.").hexdigest()
    assert api.post(PATH, soul | {"content": "Wild.", "if_hash": old}).status == 200


def test_only_who_may_edit_files_sees_and_changes_settings(tmp_path: Path) -> None:
    with an_api(tmp_path / "agents", "auth: {mode: team}\n") as api:
        for role, sees, changes in (
            ("readonly", 403, 403),
            ("operator", 200, 403),
            ("admin", 200, 200),
        ):
            token = bearer(a_token(api, role))
            assert api.get(f"{PATH}/schema", **token).status == sees
            body = b'{"set": {"search.alpha": 0.5}}'
            assert api.send("PATCH", PATH, body, token).status == changes, role
