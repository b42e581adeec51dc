"""What is erased leaves no bytes below the workspace, but in the copies that the answer names."""

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.program import Program, running
from signet.client import Signet
from signet.db import driver, remains
from support.processes import eventually
from support.repositories import Copy, needs_git

WORD = "quetzalcoatlus"
SAID = f"Nora keeps a {WORD} model in the attic."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("erased")) as program:
        yield program


@pytest.fixture(scope="module")
def signet(home: Program) -> Signet:
    return Signet(url=f"http://127.0.0.1:{home.port}")


def holding(root: Path, word: str = WORD) -> list[str]:
    """Return the files below a folder that have a word in them, in whatever case."""
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and word.encode() in path.read_bytes().lower():
            found.append(str(path.relative_to(root)))
    return found


def is_idle(signet: Signet) -> bool:
    """Return whether no job is left to be done."""
    return not any(one["status"] in ("pending", "leased") for one in signet.jobs(limit=500))


def test_a_document_that_says_it_is_named_and_says_it_until_it_is_deleted(
    home: Program, signet: Signet
) -> None:
    word = "brontothere"
    said = f"Ola hides a {word} tooth below the stairs."
    text = f"The mill is old. {said} The lock of the shed is new."
    document = signet.add_document(text, title="Notes")["id"]
    saved = signet.remember(said)["id"]
    eventually(lambda: is_idle(signet))
    assert signet.erase(saved, reason="private")["heldBy"] == [f"document:{document} Notes"]
    eventually(lambda: is_idle(signet))
    [piece] = signet.recall("lock of the shed")["results"]
    assert word not in piece["content"]
    assert word not in str(signet.history(piece["id"])) + str(signet.all_history(limit=500))
    assert holding(home.workspace, word)
    signet.delete_document(document, reason="private")
    eventually(lambda: is_idle(signet) and not holding(home.workspace, word))


def test_a_document_that_says_nothing_else_is_named_too(signet: Signet) -> None:
    said = "Mats keeps a tapir in the boathouse."
    saved = signet.remember(said)["id"]
    document = signet.add_document(said, title="Note")["id"]
    eventually(lambda: is_idle(signet))
    assert [one["id"] for one in signet.chunks(document)] == [saved]
    held_by = [f"document:{document} Note"]
    assert signet.forget(saved, reason="moved")["heldBy"] == held_by
    assert signet.erase(saved, reason="private")["heldBy"] == held_by


def test_no_byte_of_an_erased_memory_stays(home: Program, signet: Signet) -> None:
    plain = signet.remember("The mill grinds rye on Mondays.")["id"]
    kept = signet.remember(f"{SAID} It is green.", hints=[f"Where is the {WORD}?"])["id"]
    signet.modify(kept, reason="a colour", content=f"{SAID} It is blue, and Nora painted it.")
    other = signet.remember(f"We met Ana {WORD.title()}, who lives in Port Ellen.")["id"]
    eventually(lambda: is_idle(signet))
    assert signet.recall(WORD)["results"]
    signet.forget(other, reason="old")
    before = holding(home.workspace)
    assert before
    done = signet.erase(kept, reason="private")
    assert done["heldBy"] == []
    signet.erase(other, reason="private")
    eventually(lambda: is_idle(signet) and not holding(home.workspace))
    assert signet.recall("mill rye")["results"][0]["id"] == plain


def test_no_copy_of_memory_md_holds_what_was_erased(home: Program, signet: Signet) -> None:
    word, root = "ichthyosaur", home.workspace
    texts = [
        f"Piet hides the {word} jaw under the workbench.",
        "The kiln in Oban fires on Fridays.",
    ]
    ids = [signet.remember(text)["id"] for text in texts]
    eventually(lambda: is_idle(signet))
    for content in (f"# Memory\n\n- {texts[0]}\n- {texts[1]}", f"# Memory\n\n- {texts[1]}"):
        call = ("hook", "synthesis-complete", "-H", "codex", "--content", content)
        assert home.run(*call).status == 0
    folder = root / "agents" / "scout" / "memory"
    folder.mkdir(parents=True)
    for path in (folder.parent / "MEMORY.md", folder / "MEMORY.backup-2026-01-01T00-00-00.md"):
        path.write_text(
            f"<!-- generated 2026-01-01 00:00, by project -->\n\n- {texts[0]}\n- {texts[1]}\n"
        )
    (root / ".MEMORY.md.new").write_text(texts[0])  # a killed writer
    signet.forget(ids[0], reason="old")
    signet.recover(ids[0], reason="still true")
    (root / "USER.md").write_text(f"I am Piet. {texts[0]}")
    assert signet.erase(ids[0], reason="private")["heldBy"] == [str(root / "USER.md")]
    (root / "USER.md").unlink()
    eventually(lambda: is_idle(signet) and not holding(root, word))
    assert len(holding(root, "kiln in oban")) >= 4  # the other line stays in each file
    signet.erase(ids[1], reason="private")
    eventually(lambda: is_idle(signet) and not holding(root, "kiln in oban"))


@needs_git
def test_the_git_history_is_named_only_if_it_has_the_text(home: Program, signet: Signet) -> None:
    root = home.workspace
    said = ["Lotte bakes spelt bread at dawn.", "Lotte sells jam at the ferry."]
    ids = [signet.remember(text)["id"] for text in said]
    copy = Copy(root)
    copy.git("init", "-q")
    try:
        assert signet.erase(ids[0], reason="private")["heldBy"] == []
        for text in (said[1], "Nothing else."):
            copy.commit("notes.txt", text, only=True)
        assert signet.erase(ids[1], reason="private")["heldBy"] == [str(root / ".git")]
    finally:
        shutil.rmtree(root / ".git")


#: Tables whose texts the nouns clean or name; this file and test_forgetting_drill.py fill them.
CLEANED_BY_NOUNS = frozenset(
    "memories memory_hints memories_cold embeddings documents memory_entity_mentions entity_attributes relations"
    " session_transcripts session_overviews session_summaries session_checkpoints session_states session_steps"
    " section_texts episode_chunks umap_cache entity_communities".split()
)
#: Tables of numbers, times, names, hashes and settings, and what the user writes for others: tasks, spaces, skills.
WITHOUT_TEXTS = frozenset(
    "agents audit_log backfill_sessions beats chunk_vectors community_runs connectors document_memories"
    " forgotten_sessions forgotten_values import_aliases injected_items memory_changes memory_labels memory_sources"
    " memory_withdrawals memory_worth memory_worth_changes predictor_session_comparisons predictor_state"
    " predictor_training_log processes project_folders provider_breakers provider_outcomes provider_usage queue_control"
    " rate_limit_events repair_runs runtime_counters runtime_settings scheduled_tasks scheduler_lease schema_migrations"
    " schema_migrations_audit session_injections session_memories session_outcomes session_parts session_readings"
    " session_summary_children session_summary_memories signet_schema_version skill_meta spaces telemetry_events tokens"
    " unkept_sessions withheld_statements".split()
)
#: Values that a row of a table must have.
NEEDED: dict[str, dict[str, object]] = {
    "agent_feedback": {"feedback_type": "negative"},
    "entity_dependencies": {"target_entity_id": "other"},
    "entity_pinning": {"pin_type": "pin"},
    "memory_jobs": {"status": "completed", "job_type": "embed", "completed_at": "2026"},
    "summary_jobs": {"status": "done"},
    "task_runs": {"status": "completed"},
}


def test_no_table_holds_what_was_erased(home: Program, signet: Signet) -> None:
    word = "plesiosaur"
    said = f"Wim found a {word} rib in the quarry."
    saved = signet.remember(said)["id"]
    eventually(lambda: is_idle(signet))
    with closing(driver.connect(home.workspace / "memory" / "memories.db")) as db:
        tables = {
            name
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not re.search(r"_(fts|vec)|^vec_|^sqlite_|memories_vector", name)
        }
        assert tables - CLEANED_BY_NOUNS - WITHOUT_TEXTS - remains.COLUMNS.keys() == set()
        for table, columns in remains.COLUMNS.items():
            known = db.execute(f"PRAGMA table_info({table})").fetchall()
            texts = dict.fromkeys(columns, f"{said} It is said that the lake was deep.")
            texts |= dict.fromkeys(
                {"errors", "result", "context_json"} & set(columns), f'["{said}"]'
            )
            row = (
                {one[1]: "0" for one in known if (one[3] or one[5]) and one[4] is None}
                | texts
                | NEEDED.get(table, {})
            )
            places = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", [*row.values()])
        db.commit()
    assert holding(home.workspace, word)
    signet.erase(saved, reason="private")
    eventually(lambda: is_idle(signet) and not holding(home.workspace, word))
    with closing(driver.connect(home.workspace / "memory" / "memories.db")) as db:
        for table, columns in remains.COLUMNS.items():
            if table == "entity_aspects":  # unused, so it is deleted
                continue
            for column in set(columns) - {"errors", "result", "context_json"}:
                kept = (
                    f"SELECT 1 FROM {table} WHERE {column} = 'It is said that the lake was deep.'"
                )
                assert len(db.execute(kept).fetchall()) == 1, (table, column)
