"""`signet doctor` says when the memories are in languages that the embedding model does not read."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.care.doctor import examine
from signet.care.doctor.models import CheckStatus, DoctorCheck
from signet.db.driver import connect
from signet.paths import Workspace
from support.database import fresh_database

NOW = datetime(2026, 5, 1, tzinfo=UTC)
FOLDER = Path(__file__).parents[2] / "loadtests" / "languages"
ENGLISH = [f"The backup of machine {number} runs every night at three." for number in range(20)]


def texts(language: str) -> list[str]:
    pairs = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))["pairs"]
    return [said for said, _ in pairs]


def looked(folder: Path, saved: list[str], settings: str = "") -> DoctorCheck | None:
    workspace = Workspace(folder)
    workspace.make()
    (workspace.root / "agent.yaml").write_text(settings, "utf-8")
    db = connect(fresh_database(workspace.database))
    insert = "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, ?, '', '')"
    db.executemany(insert, enumerate(saved))
    db.close()
    found = {one.check: one for one in examine.examine(workspace, now=NOW, environ={})}
    return found.get("languages")


@pytest.mark.parametrize(
    "language", ["chinese", "japanese", "russian", "german", "french", "spanish"]
)
def test_memories_that_the_model_does_not_read_are_named(tmp_path: Path, language: str) -> None:
    found = looked(tmp_path, ENGLISH + texts(language))
    assert found is not None and found.status is CheckStatus.WARN
    assert "all-MiniLM-L6-v2 reads English only" in found.detail
    assert found.fix is not None and found.fix.startswith("signet models install multilingual")


def test_english_memories_and_other_models_are_well(tmp_path: Path) -> None:
    english = looked(tmp_path / "a", ENGLISH + texts("german")[:5])
    assert english is not None and english.status is CheckStatus.OK
    chosen = "embedding: {provider: ollama, model: bge-m3}"
    other = looked(tmp_path / "b", texts("chinese"), chosen)
    assert other is not None and other.status is CheckStatus.OK
    assert looked(tmp_path / "c", texts("chinese"), "embedding: {provider: none}") is None
