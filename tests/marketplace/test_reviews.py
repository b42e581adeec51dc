"""Reviews: written, changed and dropped here; sent on only where the user has said."""

import json
from pathlib import Path
from typing import Any

from support.pages import Page, a_site, moved
from support.ports import free_port

from .conftest import Tools, with_tools

REVIEWS = "/api/marketplace/reviews"
GOOD = {"targetType": "mcp", "targetId": "time", "rating": 4, "title": "Handy", "body": "On time."}
NEAR = "marketplace:\n  allowPrivateNetworks: true\n"
JSON_PAGE = Page(body=b"{}", headers={"Content-Type": "application/json"})


def write(tools: Tools, **changes: object) -> Any:
    return tools.api.post(REVIEWS, GOOD | changes).body["review"]


def test_a_review_is_written_changed_and_dropped(tools: Tools) -> None:
    first, second = write(tools), write(tools, targetType="skill", targetId="recall", rating=1)
    assert (first["displayName"], first["rating"], first["syncedAt"]) == ("time", 4, None)
    listed = tools.api.get(REVIEWS).body
    assert [one["id"] for one in listed["reviews"]] == [second["id"], first["id"]]
    assert tools.api.get(f"{REVIEWS}?type=skill&id=recall").body["count"] == 1
    changed = tools.patch(f"{REVIEWS}/{first['id']}", {"rating": 5}).body["review"]
    assert (changed["rating"], changed["title"]) == (5, "Handy")
    assert tools.api.delete(f"{REVIEWS}/{first['id']}").status == 200
    assert tools.api.delete(f"{REVIEWS}/{first['id']}").status == 404
    assert tools.patch(f"{REVIEWS}/none", {"rating": 5}).status == 404


def test_reviews_come_in_pages_with_what_they_say_together(tools: Tools) -> None:
    assert tools.api.get(REVIEWS).body == {
        "reviews": [],
        "count": 0,
        "total": 0,
        "limit": 20,
        "offset": 0,
        "summary": {"count": 0, "avgRating": 0},
    }
    first, *_ = [write(tools, rating=rating, targetId=f"t{rating}") for rating in (5, 4, 4)]
    assert first["source"] == "local"
    page = tools.api.get(f"{REVIEWS}?limit=2&offset=1").body
    assert (page["count"], page["total"], page["limit"], page["offset"]) == (2, 3, 2, 1)
    assert page["summary"] == {"count": 3, "avgRating": 4.33}
    one = tools.api.get(f"{REVIEWS}?type=mcp&id=t5").body
    assert (one["total"], one["summary"]) == (1, {"count": 1, "avgRating": 5})
    tools.patch(f"{REVIEWS}/{first['id']}", {"title": "Handier"})
    changed = [one["updatedAt"] for one in tools.api.get(REVIEWS).body["reviews"]]
    assert changed == sorted(changed, reverse=True)


def test_a_review_that_makes_no_sense_is_refused(tools: Tools) -> None:
    for change in (
        {"rating": 6},
        {"rating": 0},
        {"targetType": "person"},
        {"targetId": " "},
        {"title": ""},
        {"body": "x" * 4_001},
    ):
        assert tools.api.post(REVIEWS, GOOD | change).status == 400, change
    assert tools.api.get(REVIEWS).body["count"] == 0


def test_nothing_is_sent_before_somebody_says_where_to(tools: Tools) -> None:
    write(tools)
    said = tools.api.post(f"{REVIEWS}/sync")
    assert said.status == 400 and "no endpoint is configured" in said.error
    assert tools.patch(f"{REVIEWS}/config", {"enabled": True}).status == 400
    assert tools.patch(f"{REVIEWS}/config", {"endpointUrl": "file:///etc"}).status == 400
    assert tools.api.get(f"{REVIEWS}/config").body == {
        "enabled": False,
        "endpointUrl": "",
        "lastSyncAt": None,
        "lastSyncError": None,
        "pending": 1,
    }


def point(tools: Tools, url: str) -> None:
    sent = {"enabled": True, "endpointUrl": url}
    assert tools.patch(f"{REVIEWS}/config", sent).status == 200


def test_what_is_new_or_changed_is_sent_once(tmp_path: Path) -> None:
    with with_tools(tmp_path / "agents", NEAR) as tools, a_site({"/in": JSON_PAGE}) as site:
        first = write(tools)
        point(tools, site.url("/in"))
        done = tools.api.post(f"{REVIEWS}/sync").body
        assert done.pop("syncedAt") == tools.api.get(f"{REVIEWS}/config").body["lastSyncAt"]
        assert done == {"success": True, "sent": 1, "synced": 1}
        assert tools.api.get(f"{REVIEWS}/config").body["pending"] == 0
        assert tools.api.post(f"{REVIEWS}/sync").body["sent"] == 0
        tools.patch(f"{REVIEWS}/{first['id']}", {"rating": 1})
        assert tools.api.post(f"{REVIEWS}/sync").body["synced"] == 1
        sent = [json.loads(body)["reviews"][0]["rating"] for body in site.posted]
        assert sent == [4, 1]
        assert tools.api.get(REVIEWS).body["reviews"][0]["syncedAt"] is not None


def test_what_cannot_be_sent_is_told_and_kept(tmp_path: Path) -> None:
    pages = {"/moved": moved("/in", 307), "/in": JSON_PAGE}
    with with_tools(tmp_path / "agents", NEAR) as tools, a_site(pages) as site:
        write(tools)
        for url in (site.url("/nothing"), site.url("/moved"), f"http://127.0.0.1:{free_port()}/"):
            point(tools, url)
            assert tools.api.post(f"{REVIEWS}/sync").status == 502
        assert len(site.posted) == 2
        config = tools.api.get(f"{REVIEWS}/config").body
        assert "could not be sent" in config["lastSyncError"]
        assert tools.api.get(REVIEWS).body["reviews"][0]["syncedAt"] is None


def test_an_address_in_the_own_network_is_not_posted_to_unless_that_is_allowed(
    tools: Tools,
) -> None:
    with a_site({"/in": JSON_PAGE}) as site:
        write(tools)
        point(tools, site.url("/in"))
        said = tools.api.post(f"{REVIEWS}/sync")
        assert said.status == 502 and "address not allowed" in said.error
        assert site.posted == []
