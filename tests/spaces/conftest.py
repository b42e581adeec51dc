"""A daemon with keys, and two spaces; one of them asks for review."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spaces.people import admin
from support.http import Api, an_api


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "agents", "auth:\n  mode: hybrid\n") as api:
        for name, review in (("billing", False), ("board", True)):
            made = api.post("/api/spaces", {"name": name, "review": review}, **admin(api))
            assert made.status == 201, made.body
        yield api
