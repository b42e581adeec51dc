"""What models make of skills: words to be found by, vectors, and the things their texts speak of."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock, config
from signet.domain.skills import files, jobs, node
from signet.domain.skills.models import SkillRules
from support.database import indexed_vectors
from support.models import FakeServer, Hang
from support.processes import eventually
from support.skills import BODY, write
from worker.home import Home, Tree, a_home, manifest
from worker.script import Script, found, triple

#: Words that only the request to enrich holds.
ENRICH = "A skill is a page of instructions"
SAID = {"description": "Moors a boat safely.", "triggers": ["moor the boat"], "tags": ["Sea"]}


@pytest.fixture(scope="module")
def script() -> Script:
    made = Script()
    made.reads(ENRICH, json.dumps(SAID))
    made.reads(BODY, found(entities=[triple("Harbour Guild", "owns", "Quay Crane")]))
    return made


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest("ollama", server.url, embedding="ollama"))
        with made.worker():
            yield made


def put(home: Home, name: str, front: str | None = None, body: str = BODY) -> Path:
    """Write a skill and its node, as the reconciler does."""
    file = write(home.workspace.skills_dir, name, front, body)
    rules = SkillRules.from_settings(config.load(home.workspace, {}).settings)
    skill = files.load(home.workspace.skills_dir, name)
    home.db.write(node.put, skill, rules=rules, now=clock.now())
    return file


def done(home: Home) -> None:
    """Wait until no job of a skill is open."""
    opened = (
        "SELECT count(*) FROM memory_jobs WHERE job_type LIKE 'skill_%'"
        " AND status IN ('pending', 'leased')"
    )
    eventually(lambda: home.value(opened) == 0)


def test_a_thin_skill_is_enriched_beside_its_file_and_found_by_that(home: Home) -> None:
    file = put(home, "moor")
    before = file.read_bytes()
    done(home)
    [row] = home.rows(
        "SELECT * FROM skill_meta JOIN entities e ON e.id = entity_id"
        " WHERE entity_id = 'skill:default:moor'"
    )
    assert (row["description"], row["enriched"]) == (SAID["description"], 1)
    assert (json.loads(row["triggers"]), json.loads(row["tags"])) == (["moor the boat"], ["sea"])
    assert file.read_bytes() == before
    [vector] = home.rows(
        f"SELECT * FROM embeddings WHERE id IN (SELECT id FROM {indexed_vectors()})"
        " AND source_type = 'skill' AND source_id = 'skill:default:moor'"
    )
    text = "moor — Moors a boat safely. — moor the boat"
    assert (vector["chunk_text"], vector["content_hash"]) == (text, jobs.digest(text))


def test_a_skill_that_says_enough_is_not_enriched(home: Home, server: FakeServer) -> None:
    told = "Everything that one must know to lay a rope"
    put(home, "lay", f"name: lay\ndescription: {told}\ntriggers: [lay a rope]")
    done(home)
    assert not any(ENRICH in prompt and told in prompt for prompt in server.prompts)
    [row] = home.rows("SELECT * FROM skill_meta WHERE entity_id = 'skill:default:lay'")
    assert row["enriched"] == 0


def test_what_a_text_speaks_of_is_tied_to_the_skill_and_goes_with_it(home: Home) -> None:
    put(home, "hoist")
    done(home)
    spoken_of = (
        "SELECT e.name FROM relations r JOIN entities e ON e.id = r.target_entity_id"
        " WHERE r.source_entity_id = ? AND r.relation_type = 'mentions' ORDER BY 1"
    )
    names = [row[0] for row in home.rows(spoken_of, "skill:default:hoist")]
    assert names == ["Harbour Guild", "Quay Crane"]
    for name in ("hoist", "moor", "lay"):
        home.db.write(node.remove, name, now=clock.now())
    for table in ("relations", "entity_dependencies", "entities", "skill_meta", "embeddings"):
        assert home.rows(f"SELECT * FROM {table}") == [], table


def test_jobs_of_a_skill_that_has_changed_or_gone_do_nothing(
    home: Home, server: FakeServer
) -> None:

    def about(name: str) -> int:
        return sum(name in str(request.body) for request in server.requests)

    put(home, "drift")
    done(home)
    home.db.write(node.remove, "drift", now=clock.now())
    asked = about("drift")
    from signet.queue import enqueue

    for kind in (node.ENRICH, node.EMBED, node.ENTITIES):
        home.db.write(enqueue, node.job(kind, "skill:default:drift"), now=clock.now())
    done(home)
    results = home.rows(
        "SELECT result ->> 'skipped' FROM memory_jobs WHERE dedupe_key LIKE '%:skill:default:drift'"
        " ORDER BY created_at DESC LIMIT 3"
    )
    assert {row[0] for row in results} == {
        "nothing_to_enrich",
        "nothing_to_embed",
        "nothing_to_read",
    }
    assert about("drift") == asked


@pytest.mark.parametrize("asked", ["enrich", "entities"])
def test_a_skill_that_changes_while_a_model_reads_it_is_read_again(
    home: Home, script: Script, server: FakeServer, asked: str
) -> None:
    name, waiting, told = f"swing-{asked}", Hang(), found(entities=[triple("Quay", "has", "Crane")])
    mark = ENRICH if asked == "enrich" else name
    script.reads(ENRICH, *([waiting] if asked == "enrich" else []), json.dumps(SAID))
    script.reads(name, *([waiting] if asked == "entities" else []), told)
    put(home, name, "description: short", f"All hands {name} the quay crane at noon.")
    eventually(lambda: any(mark in prompt and name in prompt for prompt in server.prompts))
    put(home, name, "description: short", f"All hands {name} the quay crane at dusk.")
    waiting.release.set()
    done(home)
    id_ = f"skill:default:{name}"
    assert home.value("SELECT enriched FROM skill_meta WHERE entity_id = ?", id_) == 1
    assert home.value("SELECT count(*) FROM relations WHERE source_entity_id = ?", id_) == 2
    home.db.write(node.remove, name, now=clock.now())


def test_without_a_model_a_skill_is_there_all_the_same(tmp_path: Path) -> None:
    tree: Tree = manifest("none")
    with a_home(tmp_path / "w") as home:
        home.configure(tree)
        put(home, "alone")
        with home.worker():
            done(home)
        results = home.rows("SELECT result ->> 'skipped' FROM memory_jobs ORDER BY 1")
        assert [row[0] for row in results] == ["enrichment_off", "entities_off"]
        assert home.value("SELECT entity_type FROM entities") == "skill"
