"""The graph follows the folder of skills: at the start, soon after a change, and without doing anything twice."""

import json
from collections.abc import Iterator

import pytest
import structlog

from signet import clock, config
from signet.db import WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import VectorSource
from signet.domain.skills import files, install, jobs, node
from signet.domain.skills.models import SkillRules
from signet.process.settings_reload import LiveSettings
from signet_scheduler.skills import STABLE_SECONDS, SkillWatch
from support.processes import eventually
from support.skills import write
from worker.home import Home

FULL = "name: {0}\ndescription: Everything one needs to know about {0}\ntriggers: [{0} a boat]\n"


class Watched:
    """A home whose skills are watched by hand: each `look` is at an instant of its own."""

    def __init__(self, home: Home) -> None:
        self.home = home
        home.configure({"embedding": {"provider": "none"}})
        self.live = LiveSettings(home.workspace, config.load(home.workspace, {}))
        self.watch = SkillWatch(home.db, self.live, home.workspace)
        self.folder = home.workspace.skills_dir
        self.at = 1_000.0

    def poll(self, after: float = 0.0) -> None:
        self.at += after
        self.watch.poll(self.at)

    def settle(self) -> None:
        """Look until what has changed has stood still long enough."""
        self.poll(0.1)
        self.poll(STABLE_SECONDS)

    def nodes(self) -> dict[str, str]:
        rows = self.home.rows(
            "SELECT e.canonical_name, e.description FROM skill_meta JOIN entities e ON e.id = entity_id"
            " ORDER BY 1"
        )
        return {row[0]: row[1] for row in rows}

    def jobs(self, kind: str) -> int:
        counted = self.home.value("SELECT count(*) FROM memory_jobs WHERE job_type = ?", kind)
        assert isinstance(counted, int)
        return counted


@pytest.fixture
def watched(home: Home) -> Watched:
    return Watched(home)


@pytest.fixture
def logged() -> Iterator[list[dict[str, object]]]:
    with structlog.testing.capture_logs() as lines:
        yield lines  # type: ignore[misc]  # structlog's own type of an event


def dump(home: Home) -> list[list[tuple[object, ...]]]:
    tables = ("entities", "skill_meta", "memory_jobs", "relations", "entity_dependencies", "beats")
    return [home.dump(table) for table in tables]


def test_the_first_look_brings_in_what_is_there(watched: Watched) -> None:
    watched.poll()
    write(watched.folder, "sail")
    write(watched.folder, "tie", FULL.format("tie"))
    fresh = Watched(watched.home)
    fresh.poll()
    assert fresh.nodes() == {
        "sail": "How to do sail",
        "tie": "Everything one needs to know about tie",
    }
    [row] = fresh.home.rows("SELECT * FROM skill_meta WHERE entity_id = 'skill:default:tie'")
    assert (row["source"], row["role"], row["importance"]) == ("reconciler", "utility", 0.7)
    assert row["fs_path"] == str(fresh.folder / "tie" / "SKILL.md")
    assert json.loads(row["triggers"]) == ["tie a boat"]
    # Only a skill that says too little of itself is to be enriched.
    assert (fresh.jobs("skill_enrich"), fresh.jobs("skill_entities")) == (1, 2)


def test_a_change_counts_once_it_has_stood_still(watched: Watched) -> None:
    watched.poll()
    write(watched.folder, "sail")
    watched.poll(0.25)
    assert watched.nodes() == {}
    write(watched.folder, "sail", "name: sail\ndescription: Changed while it was written")
    watched.poll(0.3)
    watched.poll(0.3)
    assert watched.nodes() == {}
    watched.poll(0.3)
    assert watched.nodes() == {"sail": "Changed while it was written"}
    write(watched.folder, "sail", "name: sail\ndescription: And changed again")
    watched.settle()
    assert watched.nodes() == {"sail": "And changed again"}
    files.remove(watched.folder, "sail")
    watched.settle()
    assert watched.nodes() == {}


@pytest.mark.parametrize(
    "front", ["name: sail\ndescription: x", "name: Sail the Sea\ndescription: x"]
)
def test_a_second_pass_does_nothing(watched: Watched, front: str) -> None:
    write(watched.folder, "sail", front)
    watched.poll()
    before = dump(watched.home)
    watched.poll(3_600)
    Watched(watched.home).poll()
    assert dump(watched.home) == before


def test_a_model_that_has_said_more_is_not_asked_again(watched: Watched) -> None:
    write(watched.folder, "sail")
    watched.poll()
    watched.home.run("UPDATE entities SET description = 'Said by a model'")
    watched.home.run("UPDATE skill_meta SET enriched = 1, triggers = '[\"set sail\"]'")
    watched.home.run("DELETE FROM memory_jobs")
    watched.poll(3_600)
    assert watched.nodes() == {"sail": "Said by a model"}
    assert watched.jobs("skill_enrich") == 0


def test_a_missing_vector_is_looked_for_at_a_later_pass_and_rests_after_its_death(
    watched: Watched,
) -> None:
    watched.home.configure({"embedding": {"provider": "native", "model": "m"}})
    watched.live.poll()
    model = watched.live.settings.embedding.model
    write(watched.folder, "sail")
    watched.poll()
    assert watched.jobs("skill_embed") == 1
    watched.home.run("DELETE FROM memory_jobs")
    watched.poll(1.0)
    assert watched.jobs("skill_embed") == 0
    watched.poll(60.0)
    assert watched.jobs("skill_embed") == 1
    watched.home.run(
        "UPDATE memory_jobs SET status = 'dead', failed_at = ?", clock.to_text(clock.now())
    )
    watched.poll(60.0)
    assert watched.jobs("skill_embed") == 1
    watched.home.run("DELETE FROM memory_jobs")
    text = "sail — How to do sail"

    def store(tx: WriteTx) -> None:
        pair = (text, b"\0\0\x80\x3f")
        embeddings.replace(
            tx,
            "skill:default:sail",
            jobs.digest(text),
            [pair],
            model,
            clock.now(),
            source_type=VectorSource.SKILL,
        )

    watched.home.db.write(store)
    watched.poll(60.0)
    assert watched.jobs("skill_embed") == 0
    files.remove(watched.folder, "sail")
    watched.settle()
    assert watched.home.rows("SELECT * FROM embeddings") == []


def test_a_file_that_is_no_skill_is_told_once_for_each_change_and_stops_nobody(
    watched: Watched, logged: list[dict[str, object]]
) -> None:
    bad = write(watched.folder, "bad", "name: [")
    write(watched.folder, "sail")
    (watched.folder / "Sail").mkdir()
    (watched.folder / "sail" / "SKILL.md").rename(watched.folder / "Sail" / "SKILL.md")
    write(watched.folder, "sail")
    (watched.folder / b"\xff".decode(errors="surrogateescape")).mkdir()
    write(watched.folder, "tie")

    def told() -> list[object]:
        return [line["skill"] for line in logged if line["log_level"] == "warning"]

    for _ in range(3):
        watched.poll(60.0)
    assert sorted(watched.nodes()) == ["sail", "tie"]
    assert told() == ["bad", "sail"], "two folders that differ only in capitals are one name"
    bad.write_text("---\nname: {\n---\n", "utf-8")
    watched.settle()
    assert told() == ["bad", "sail", "bad"]
    write(watched.folder, "bad")
    watched.settle()
    assert sorted(watched.nodes()) == ["bad", "sail", "tie"]


def test_a_folder_that_is_renamed_in_its_capitals_keeps_a_node(watched: Watched) -> None:
    write(watched.folder, "sail")
    watched.poll()
    (watched.folder / "sail").rename(watched.folder / "Sail")
    watched.settle()
    assert watched.home.value("SELECT fs_path FROM skill_meta") == str(
        watched.folder / "Sail" / "SKILL.md"
    )


def test_a_skill_whose_front_matter_breaks_keeps_its_node(watched: Watched) -> None:
    write(watched.folder, "sail")
    watched.poll()
    write(watched.folder, "sail", "name: [")
    watched.settle()
    assert watched.nodes() == {"sail": "How to do sail"}


@pytest.mark.parametrize("key", ["procedural: {enabled: false}", "mutationsFrozen: true"])
def test_without_procedural_memory_nothing_is_followed(watched: Watched, key: str) -> None:
    (watched.home.workspace.root / "agent.yaml").write_text(
        f"embedding: {{provider: none}}\nmemory: {{pipelineV2: {{{key}}}}}\n", "utf-8"
    )
    watched.live.poll()
    write(watched.folder, "sail")
    watched.settle()
    assert watched.nodes() == {}
    watched.home.configure({"embedding": {"provider": "none"}})
    watched.live.poll()
    watched.poll(0.1)
    assert list(watched.nodes()) == ["sail"]


def test_a_thing_that_memories_know_is_adopted_and_given_back(watched: Watched) -> None:
    home = watched.home
    home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, description, mentions, created_at,"
        " updated_at) VALUES ('e1', 'Sail', 'sail', 'tool', 'a cloth', 1, '', '')"
    )
    memory_id = home.remember("The cloth is white.")
    home.run("INSERT INTO memory_entity_mentions VALUES (?, 'e1', 'Sail', 1, '')", memory_id)
    home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES ('e2', 'Tie', 'tie', 'tool', '', '')"
    )
    for name in ("sail", "tie"):
        write(watched.folder, name)
    watched.poll()
    kinds = "SELECT id, name, entity_type, description FROM entities WHERE id IN ('e1', 'e2') ORDER BY id"
    assert [tuple(row) for row in home.rows(kinds)] == [
        ("e1", "sail", "skill", "How to do sail"),
        ("e2", "tie", "skill", "How to do tie"),
    ]
    write(watched.folder, "sail", FULL.format("sail"))
    watched.settle()
    for name in ("sail", "tie"):
        files.remove(watched.folder, name)
    watched.settle()
    # Memories speak of the one, of the other nobody does.
    assert [tuple(row) for row in home.rows(kinds)] == [("e1", "Sail", "tool", "a cloth")]
    assert home.rows("SELECT * FROM memory_entity_mentions WHERE entity_id = 'e1'")
    assert home.rows("SELECT * FROM skill_meta") == []


def test_a_skill_keeps_its_use_and_its_first_day_through_changes(watched: Watched) -> None:
    write(watched.folder, "sail")
    watched.poll()
    watched.home.run("UPDATE skill_meta SET use_count = 7, installed_at = 'then', importance = 0.9")
    write(watched.folder, "sail", FULL.format("sail"))
    watched.settle()
    [row] = watched.home.rows("SELECT * FROM skill_meta")
    assert (row["use_count"], row["installed_at"], row["importance"]) == (7, "then", 0.9)


def test_skills_of_an_older_file_are_taken_over_by_the_names_of_their_folders(
    watched: Watched,
) -> None:
    write(watched.folder, "sail", "name: Sailing\ndescription: x")
    watched.home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES ('skill:default:Sailing', 'Sailing', 'sailing', 'skill', '', '')"
    )
    watched.home.run(
        "INSERT INTO skill_meta (entity_id, source, installed_at, fs_path, use_count)"
        " VALUES ('skill:default:Sailing', 'reconciler', 'then', '/old/home/skills/sail/SKILL.md', 3)"
    )
    watched.poll()
    [row] = watched.home.rows("SELECT * FROM skill_meta")
    assert (row["entity_id"], row["use_count"]) == ("skill:default:Sailing", 3)
    assert row["fs_path"] == str(watched.folder / "sail" / "SKILL.md")


def test_the_products_skills_are_complete_and_never_replace_a_persons_own(
    watched: Watched,
) -> None:
    names = {"remember", "recall", "memory-debug", "signet", "onboarding", "web-search"}
    own = write(watched.folder, "recall", "name: recall\ndescription: Mine")
    outside = write(watched.home.workspace.root / "elsewhere", "signet")
    (watched.folder / "signet").symlink_to(outside.parent)
    assert set(install.sync_builtin(watched.folder)) == names - {"recall", "signet"}
    assert "Mine" in own.read_text("utf-8")
    assert (watched.folder / "signet").is_symlink()
    assert install.sync_builtin(watched.folder) == []
    changed = watched.folder / "onboarding" / "SKILL.md"
    changed.write_text(changed.read_text("utf-8") + "More.", "utf-8")
    assert install.sync_builtin(watched.folder) == ["onboarding"]
    shipped = files.every(install.builtin_folder())
    assert {skill.name for skill in shipped} == names
    for skill in shipped:
        assert skill.builtin and skill.problem is None and skill.title == skill.name
        assert not node.is_thin(skill, SkillRules())
        assert set(skill.skills) <= names
        assert skill.user_invocable is (skill.name != "remember")


def test_a_running_scheduler_follows_files_within_seconds(home: Home) -> None:
    home.configure({"embedding": {"provider": "none"}})
    folder = home.workspace.skills_dir
    names = "SELECT group_concat(canonical_name) FROM entities WHERE entity_type = 'skill'"
    with home.runs("signet_scheduler"):
        assert not folder.exists()
        write(folder, "sail")
        eventually(lambda: home.value(names) == "sail")
        (folder / "sail").rename(folder / "tie")
        eventually(lambda: home.value(names) == "tie")
        files.remove(folder, "tie")
        eventually(lambda: home.value(names) is None)
