"""What can be installed by name: the list of the product, and a registry that the user has named."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.pages import Page, a_site

from .conftest import ROOT, Tools, with_tools


def answer(*servers: Mapping[str, object]) -> Page:
    """Return what a registry answers."""
    body = json.dumps({"servers": [{"server": server} for server in servers]})
    return Page(body=body.encode(), headers={"Content-Type": "application/json"})


def npm(name: str, **package: object) -> dict[str, object]:
    """Return a server of a registry that is a package of npm."""
    kind = {"registryType": "npm", "transport": {"type": "stdio"}}
    return {"name": f"io.example/{name}", "description": "x", "packages": [{**kind, **package}]}


TIDES = npm(
    "tides",
    identifier="@example/tides",
    version="1.2.0",
    packageArguments=[
        {"type": "positional", "value": "serve"},
        {"type": "named", "name": "--port", "isRequired": True, "valueHint": "harbour"},
        {"type": "named", "name": "--verbose"},
    ],
    environmentVariables=[
        {"name": "TIDE_KEY", "isRequired": True, "isSecret": True, "description": "A key"},
        {"name": "UNITS", "default": "metres"},
        {"name": "COLOUR"},
    ],
)
AFAR = {
    "name": "io.example/afar",
    "title": "Afar",
    "remotes": [{"type": "streamable-http", "url": "https://afar.example/mcp"}],
}
ODD = [
    npm("option", identifier="--exec=evil"),
    npm("path", identifier="../evil"),
    {**npm("kind"), "packages": [{"registryType": "oci", "identifier": "x"}]},
]


def test_the_list_of_the_product_is_there_without_any_network(tools: Tools) -> None:
    found = tools.api.get(f"{ROOT}/browse").body
    ids = [entry["id"] for entry in found["results"]]
    assert "filesystem" in ids and ids == sorted(ids) and found["total"] == len(ids)
    assert (found["registryError"], {one["installed"] for one in found["results"]}) == (
        None,
        {False},
    )
    [git] = tools.api.get(f"{ROOT}/browse?q=git repository").body["results"]
    assert git["id"] == "git"
    detail = tools.api.get(f"{ROOT}/detail?id=time&source=signet").body
    assert detail["entry"]["config"]["command"] == "uvx"
    assert tools.api.get(f"{ROOT}/detail").status == 400
    assert tools.api.get(f"{ROOT}/detail?id=none").status == 404


def test_the_catalog_has_the_shape_that_dashboards_read(tools: Tools) -> None:
    page = tools.api.get(f"{ROOT}/browse?pages=5").body
    count = len(page["results"])
    assert (page["total"], page["shown"], page["pageSize"], page["pages"]) == (*[count] * 3, 1)
    entries = {one["id"]: one for one in page["results"]}
    assert [one["popularityRank"] for one in page["results"]] == list(range(1, count + 1))
    home = "https://github.com/modelcontextprotocol/servers/tree/main/src/time"
    time = entries["time"]
    assert {name: time[name] for name in ("source", "catalogId", "sourceUrl", "sponsor")} == {
        "source": "signet",
        "catalogId": "time",
        "sourceUrl": home,
        "sponsor": False,
    }
    assert time["official"] is True and entries["github"]["official"] is False
    detail = tools.api.get(f"{ROOT}/detail?id=time&source={time['source']}").body
    assert detail.pop("entry")["id"] == "time"
    assert detail == {
        "id": "time",
        "source": "signet",
        "name": "Time",
        "description": "Gives the time and converts it between time zones",
        "githubUrl": home,
        "defaultConfig": time["config"],
    }
    assert detail["defaultConfig"]["transport"] == "stdio"


def test_what_an_entry_needs_is_asked_for_and_put_in_its_place(tools: Tools) -> None:
    lacking = tools.api.post(f"{ROOT}/install", {"id": "filesystem"})
    assert (lacking.status, lacking.body["missing"]) == (422, ["folder"])
    body = {"id": "filesystem", "inputs": {"folder": "/work/boat"}}
    made = tools.api.post(f"{ROOT}/install", body).body
    server = made["server"]
    assert (made["updated"], server["enabled"], server["state"]) == (False, False, "off")
    assert server["config"]["args"][-1] == "/work/boat"
    assert tools.api.get(f"{ROOT}/detail?id=filesystem").body["entry"]["installed"] is True
    again = tools.api.post(f"{ROOT}/install", body | {"inputs": {"folder": "/work/pier"}}).body
    assert (again["updated"], again["server"]["id"]) == (True, server["id"])
    assert tools.api.get(ROOT).body["count"] == 1


def test_a_token_of_an_entry_is_kept_as_a_reference(tools: Tools) -> None:
    inputs = {"token": "$secret:GITHUB_TOKEN"}
    server = tools.api.post(f"{ROOT}/install", {"id": "github", "inputs": inputs}).body["server"]
    assert server["config"]["headers"] == {"Authorization": "Bearer $secret:GITHUB_TOKEN"}


@pytest.fixture
def registry(tmp_path: Path) -> Any:
    with a_site() as site:
        settings = f"marketplace:\n  registryUrl: {site.url('')}\n  allowPrivateNetworks: true\n"
        with with_tools(tmp_path / "agents", settings) as tools:
            yield tools, site


def test_a_registry_that_was_named_is_asked_and_installed_from(registry: Any) -> None:
    tools, site = registry
    site.pages["/v0/servers"] = answer(TIDES, AFAR, *ODD, {"no": "name"})
    found = tools.api.get(f"{ROOT}/browse?q=tides").body
    assert "search=tides" in site.asked[0][0]
    entries = {one["id"]: one for one in found["results"] if one["source"] == "registry"}
    assert [one["config"] for name, one in entries.items() if "tides" not in name][1:] == [
        None,
        None,
        None,
    ]
    tides = entries["io.example/tides"]
    assert [one["name"] for one in tides["inputs"]] == ["harbour", "TIDE_KEY"]
    body = {
        "id": "io.example/tides",
        "source": "registry",
        "inputs": {"harbour": "80", "TIDE_KEY": "$secret:TIDE"},
    }
    server = tools.api.post(f"{ROOT}/install", body).body["server"]
    assert server["config"]["args"] == ["-y", "@example/tides@1.2.0", "serve", "--port", "80"]
    assert server["config"]["env"] == {"TIDE_KEY": "$secret:TIDE", "UNITS": "[hidden]"}
    afar = {"id": "io.example/afar", "source": "registry"}
    url = tools.api.post(f"{ROOT}/install", afar).body["server"]["config"]["url"]
    assert url == "https://afar.example/mcp"
    odd = {"id": "io.example/option", "source": "registry"}
    assert tools.api.post(f"{ROOT}/install", odd).status == 422


def test_a_registry_that_fails_takes_nothing_else_away(registry: Any) -> None:
    tools, site = registry
    for page in (
        Page(status=500),
        Page(body=b"<p>", headers={"Content-Type": "text/html"}),
        Page(body=b"[]", headers={"Content-Type": "application/json"}),
    ):
        site.pages["/v0/servers"] = page
        found = tools.api.get(f"{ROOT}/browse").body
        assert found["registryError"] and found["total"] > 5
        assert tools.api.get(f"{ROOT}/detail?id=x&source=registry").status == 502
        assert tools.api.post(f"{ROOT}/install", {"id": "x", "source": "registry"}).status == 502


def test_a_registry_in_the_own_network_is_not_asked_unless_that_is_allowed(tmp_path: Path) -> None:
    with a_site({"/v0/servers": answer(AFAR)}) as site:
        settings = f"marketplace:\n  registryUrl: {site.url('')}\n"
        with with_tools(tmp_path / "agents", settings) as tools:
            assert "not allowed" in tools.api.get(f"{ROOT}/browse").body["registryError"]
            assert site.asked == []


def test_without_a_registry_none_can_be_asked(tools: Tools) -> None:
    assert tools.api.get(f"{ROOT}/detail?id=x&source=registry").status == 400
