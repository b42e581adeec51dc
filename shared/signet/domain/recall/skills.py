"""Skills as results: what is asked for by `type: skill`, and what lies near any other question (SK-41).

Beside memories they are supplements: they take no place of a memory, and never come first.
"""

from collections.abc import Sequence

from signet.domain.graph.models import SKILL
from signet.domain.recall.models import Filters, Hit, Source
from signet.domain.recall.run import Run
from signet.domain.skills import files as skills
from signet.domain.skills.files import SkillHit

#: Skills beside the memories of one answer.
BESIDE = 2
#: Cosine from which a skill answers a question for skills.
ASKED_NEAR = 0.2


def find(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the skills that belong to the answer, best first."""
    query = run.query
    if not run.settings.skills or query.as_of is not None:
        return []
    if query.filters.type == SKILL:
        room = max(0, query.size - len(hits))
        least = query.min_score or 0.0
        return [_hit(one, is_beside=False) for one in _asked(run, room) if one.score >= least]
    if query.filters != Filters() or query.reader.scope or query.reader.project:
        return []
    return [_hit(found, is_beside=True) for found in _near(run, BESIDE, skills.NEAR)]


def _asked(run: Run, room: int) -> list[SkillHit]:
    """Return skills by meaning; by words where meaning finds none, as long as there are no vectors."""
    near = _near(run, room, ASKED_NEAR)
    return near or skills.worded(
        run.tx,
        run.words,
        now=run.now,
        limit=room,
        min_importance=run.settings.skill_importance,
        agent_id=run.query.reader.agent_id,
        limits=run.settings.skill_limits,
    )


def _near(run: Run, limit: int, least: float) -> list[SkillHit]:
    return skills.near(
        run.tx,
        run.query_vector,
        now=run.now,
        model=run.settings.embedding_model,
        limit=limit,
        least=least,
        min_importance=run.settings.skill_importance,
        agent_id=run.query.reader.agent_id,
        limits=run.settings.skill_limits,
    )


def _hit(found: SkillHit, *, is_beside: bool) -> Hit:
    node = found.node
    return Hit(
        id=node.entity_id,
        content=f"{node.name}: {node.description}" if node.description else node.name,
        score=min(1.0, found.score),
        source=Source.SKILL,
        type=SKILL,
        tags=",".join(node.tags) or None,
        importance=round(found.importance, 4),
        created_at=node.installed_at,
        source_type=SKILL,
        source_id=node.name,
        access_count=node.use_count,
        last_accessed=node.last_used_at,
        supplementary=is_beside,
    )
