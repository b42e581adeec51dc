"""What skills have to do with each other, how they fade, and counts as they are shown."""

from datetime import UTC, datetime, timedelta

import pytest

from signet import clock
from signet.domain.skills import files, install, jobs
from signet.domain.skills import node as skill_nodes
from signet.domain.skills.models import SkillNode

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def node(
    name: str,
    triggers: str = "",
    tags: str = "",
    requires: str = "",
    *,
    used: datetime | None = None,
) -> SkillNode:
    return SkillNode(
        entity_id=f"skill:default:{name}",
        agent_id="default",
        title=name,
        description="",
        triggers=tuple(triggers.split()),
        tags=tuple(tags.split()),
        requires=tuple(requires.split()),
        fingerprint=None,
        fs_path=f"/skills/{name}/SKILL.md",
        source="reconciler",
        enriched=False,
        importance=0.7,
        decay_rate=0.99,
        installed_at=clock.to_text(NOON),
        last_used_at=clock.to_text(used) if used else None,
        use_count=0,
    )


def edges(*nodes: SkillNode) -> set[tuple[str, str, str]]:
    found = skill_nodes.edges_between(nodes)
    return {(a.rsplit(":")[-1], kind, b.rsplit(":")[-1]) for a, b, kind, *_ in found}


def test_a_skill_requires_what_it_declares_if_that_is_there() -> None:
    found = edges(node("sail", requires="knots oars sail"), node("knots"))
    assert found == {("sail", "requires", "knots")}


def test_a_shared_trigger_or_two_shared_tags_relate_skills_once() -> None:
    assert edges(node("a", "Moor"), node("b", "moor")) == {("a", "related_to", "b")}
    assert edges(node("b", "", "sea rope"), node("a", "", "rope sea")) == {("a", "related_to", "b")}
    assert edges(node("a", "", "sea"), node("b", "", "sea")) == set()
    assert edges(node("a", "moor", requires="b"), node("b", "moor")) == {("a", "requires", "b")}


def test_what_all_share_relates_none_and_no_skill_is_related_to_very_many() -> None:
    assert edges(*(node(f"s{n}", "help") for n in range(skill_nodes.COMMON + 1))) == set()
    found = skill_nodes.edges_between([node(f"s{n}", "help") for n in range(skill_nodes.COMMON)])
    ends = [end for edge in found for end in edge[:2]]
    assert max(ends.count(end) for end in ends) == skill_nodes.MOST


def test_a_skill_fades_from_its_last_use_and_never_below_the_least() -> None:
    def matters(days: int, used: datetime | None = None) -> float:
        now = NOON + timedelta(days=days)
        return files.importance(node("a", used=used), now, least=0.3)

    assert matters(0) == matters(-5) == 0.7
    assert matters(10) == pytest.approx(0.7 * 0.99**10)
    assert matters(10, NOON + timedelta(days=10)) == 0.7
    assert matters(1_000) == 0.3


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (950, "950"), (1_000, "1K"), (1_234, "1.2K"), (3_400_000, "3.4M")],
)
def test_counts_are_short(number: int, text: str) -> None:
    assert install.short(number) == text


def test_the_text_of_a_node_leaves_out_what_is_empty() -> None:
    assert node("a").text == "a"
    assert node("a", "x y").text == "a — x, y"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (
            '<think>{"description": "no"}</think>```json\n{"description": "Ties.", "tags": ["Sea"]}\n```',
            jobs.Enriched(description="Ties.", tags=("sea",)),
        ),
        ('{"triggers": ["moor", 5, "moor", ""]}', jobs.Enriched(triggers=("moor",))),
        ('{"description": "", "triggers": []}', None),
        ('{"description": 5, "triggers": "moor"}', None),
        ("nothing", None),
    ],
)
def test_an_answer_is_taken_when_it_says_something(raw: str, found: jobs.Enriched | None) -> None:
    assert jobs.parse_enriched(raw) == found
