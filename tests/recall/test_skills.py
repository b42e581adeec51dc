"""Skills in an answer: beside memories when they are near, as results when they are asked for."""

from datetime import timedelta
from pathlib import Path

import pytest

from recall.world import MODEL, NOW, SHARED, ask, found, meaning, remember
from signet.db import Database, WriteTx
from signet.db.visibility import Reader
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import VectorSource
from signet.domain.recall.models import Filters, FoundBy, RecallSettings
from signet.domain.recall.recall import touched, used_skills
from signet.domain.skills import files, jobs, node
from signet.domain.skills.models import SkillRules

SKILLS = Filters(type="skill")


def learn(db: Database, name: str, description: str, *, days_ago: float = 0.0) -> str:
    """Put a skill into the graph, with its toy vector, and return its id."""
    raw = f"---\nname: {name}\ndescription: {description}\n---\nx".encode()
    skill = files.skill(name, Path(f"/skills/{name}/SKILL.md"), raw)
    entity_id = f"skill:default:{name}"

    def write(tx: WriteTx) -> None:
        node.put(tx, skill, rules=SkillRules(embed=False), now=NOW - timedelta(days=days_ago))
        text = f"{name} — {description}"
        embeddings.replace(
            tx,
            entity_id,
            jobs.digest(text),
            [(text, meaning(text))],
            MODEL,
            NOW,
            source_type=VectorSource.SKILL,
        )

    db.write(write)
    return entity_id


def test_a_near_skill_stands_behind_the_memories_and_takes_no_place(db: Database) -> None:
    steer = learn(db, "steer", "Steers a ship")
    learn(db, "brew", "Makes an espresso")
    db.write(remember, "m1", "Ana's boat lies in the harbour.")
    db.write(remember, "m2", "A vessel left the harbour.", days_ago=2)
    result = ask(db, "sailing a boat", by_meaning=True, limit=1)
    assert found(result) == ["m1", steer]
    skill = result.hits[1]
    assert (skill.source, skill.source_id, skill.supplementary) == (FoundBy.SKILL, "steer", True)
    assert skill.content == "steer: Steers a ship"
    assert (touched(result), used_skills(result)) == (["m1"], [steer])


@pytest.mark.parametrize(
    ("query", "settings"),
    [
        ({"filters": Filters(who="Ana")}, None),
        ({"reader": Reader(scope="s")}, None),
        ({"reader": Reader(project="/p")}, None),
        ({"as_of": NOW}, None),
        ({"by_meaning": False}, None),
        ({}, RecallSettings(skills=False)),
        ({}, RecallSettings(embedding_model="another")),
    ],
)
def test_no_skill_stands_beside_an_answer_that_is_narrowed(
    db: Database, query: dict[str, object], settings: RecallSettings | None
) -> None:
    learn(db, "steer", "Steers a ship")
    asked = {"by_meaning": True, "settings": settings, **query}
    assert found(ask(db, "sailing a boat", **asked)) == []  # type: ignore[arg-type]  # passed on


def test_skills_are_asked_for_by_type_and_found_by_words_without_vectors(db: Database) -> None:
    steer = learn(db, "steer-ship", "Steers a vessel out of any port")
    learn(db, "brew", "Makes an espresso out of beans")
    by_meaning = ask(db, "how do I handle a boat?", by_meaning=True, filters=SKILLS)
    assert found(by_meaning) == [steer]
    assert not by_meaning.hits[0].supplementary
    assert found(ask(db, "steer the vessel", filters=SKILLS)) == [steer]
    assert found(ask(db, "tee", filters=SKILLS)) == []
    assert found(ask(db, "steer", filters=SKILLS, limit=0)) == [steer]
    assert found(ask(db, "sailing", by_meaning=True, filters=SKILLS, min_score=0.99)) == [steer]


def test_of_two_alike_the_one_that_is_used_comes_first(db: Database) -> None:
    old, new = learn(db, "helm", "Steers a ship", days_ago=90), learn(db, "steer", "Steers a ship")
    assert found(ask(db, "sailing", by_meaning=True, filters=SKILLS)) == [new, old]
    db.write(files.use, [old], NOW)
    assert found(ask(db, "sailing", by_meaning=True, filters=SKILLS))[0] == old


def test_a_row_of_an_older_file_may_leave_out_what_has_a_default(db: Database) -> None:
    steer = learn(db, "steer", "Steers a ship")
    empty = "UPDATE skill_meta SET importance = NULL, decay_rate = NULL, use_count = NULL, triggers = '{'"
    db.write(lambda tx: tx.run(empty))
    db.write(files.use, [steer], NOW)
    [hit] = ask(db, "sailing", by_meaning=True, filters=SKILLS).hits
    assert (hit.importance, hit.access_count) == (0.7, 1)


def test_another_agent_has_the_skills_of_the_workspace(db: Database) -> None:
    steer = learn(db, "steer", "Steers a ship")
    reader = Reader(agent_id="ben")
    assert found(ask(db, "sailing", by_meaning=True, filters=SKILLS, reader=reader)) == [steer]
    assert found(ask(db, "sailing", by_meaning=True, reader=SHARED)) == [steer]
