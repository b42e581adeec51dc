"""Find the skills for a question, limited to those of the agent; skills without use fade."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx, fts, vectors
from signet.db.dialect import as_list
from signet.domain.skills import sql
from signet.domain.skills.models import SkillNode
from signet.ids import DEFAULT_AGENT

#: The names of an agent's skills; who is not in it sees all of them.
SkillLimits = Mapping[str, frozenset[str]]


def limits(settings: Settings) -> SkillLimits:
    """Return the skills of agents with a list; an empty list shows no skill."""
    return {
        agent.name: frozenset(agent.skills)
        for agent in settings.agents.roster
        if agent.skills is not None
    }


def shows(limits: SkillLimits, agent_id: str, name: str, title: str) -> bool:
    """Return whether an agent sees a skill, by the name of its folder or what it calls itself."""
    wanted = limits.get(agent_id)
    return wanted is None or name in wanted or title in wanted


DAY = timedelta(days=1)


def use(tx: WriteTx, entity_ids: Sequence[str], now: datetime) -> None:
    """Count that skills were placed into an agent's context, once each; unknown ones are passed over."""
    tx.run(sql.USE, (clock.to_text(now), as_list(entity_ids)))


def importance(node: SkillNode, now: datetime, *, least: float) -> float:
    """Return what a skill matters now: less for each day since it was last used, never below `least`."""
    since = clock.parsed(node.last_used_at) or clock.parsed(node.installed_at) or now
    days = max((now - since) / DAY, 0.0)
    faded: float = node.importance * node.decay_rate**days
    return max(least, faded)


#: Cosine from which a skill is near a question. Measured with MiniLM and the product's own skills: 0.8 % of 400
#: questions about memories have a skill this near, 57 % of 30 requests that were written for one of them.
NEAR = 0.33
#: How much of its place a skill may lose by not being used.
FADE = 0.2
#: Share of a question's words that a skill must hold to be found by words, and how many at least.
WORDS_SHARE, MIN_WORDS = 0.5, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillHit:
    """A skill that has to do with a question: how near 0..1, and what it matters now."""

    node: SkillNode
    score: float
    importance: float


def near(
    tx: ReadTx,
    vector: bytes | None,
    *,
    now: datetime,
    model: str | None,
    limit: int,
    least: float = NEAR,
    min_importance: float = 0.3,
    agent_id: str = DEFAULT_AGENT,
    limits: SkillLimits | None = None,
) -> list[SkillHit]:
    """Return the skills whose meaning is near a question, best first; none without its vector."""
    if not vector or limit < 1:
        return []
    rows = tx.tuples(
        sql.VECTORS, (as_list(agents_reading(agent_id)), vectors.dimensions(vector), model, model)
    )
    if not rows:
        return []
    scores = vectors.cosines(vector, [row[1] for row in rows])
    found = {row[0]: score for row, score in zip(rows, scores, strict=True) if score >= least}
    ranked = _ranked(tx, found, now, min_importance)
    return _shown(ranked, agent_id, limits or {})[:limit]


def worded(
    tx: ReadTx,
    words: Sequence[str],
    *,
    now: datetime,
    limit: int,
    min_importance: float = 0.3,
    agent_id: str = DEFAULT_AGENT,
    limits: SkillLimits | None = None,
) -> list[SkillHit]:
    """Return the skills that hold the words of a question (lower-case, as `fts.words` gives them), best first."""
    wanted = set(words)
    needed = min(len(wanted), MIN_WORDS)
    found = {}
    for agent in agents_reading(agent_id):
        for node in sql.nodes(tx, agent):
            held = len(wanted & _words(node))
            if wanted and held >= needed and held / len(wanted) >= WORDS_SHARE:
                found[node.entity_id] = held / len(wanted)
    ranked = _ranked(tx, found, now, min_importance)
    return _shown(ranked, agent_id, limits or {})[:limit]


def agents_reading(agent_id: str) -> tuple[str, ...]:
    """Return whose skills an agent has: its own, and those of the workspace, which belong to the default agent."""
    return tuple(dict.fromkeys((agent_id, DEFAULT_AGENT)))


def _ranked(
    tx: ReadTx, scores: dict[str, float], now: datetime, min_importance: float
) -> list[SkillHit]:
    nodes = sql.by_ids(tx, list(scores)) if scores else {}
    found = []
    for entity_id, node in nodes.items():
        matters = importance(node, now, least=min(min_importance, node.importance))
        kept = matters / node.importance if node.importance else 1.0
        score = scores[entity_id] * (1.0 - FADE * (1.0 - kept))
        found.append(SkillHit(node=node, score=score, importance=matters))
    return sorted(found, key=lambda one: (-one.score, one.node.name))


def _shown(found: Sequence[SkillHit], agent_id: str, limits: SkillLimits) -> list[SkillHit]:
    return [one for one in found if shows(limits, agent_id, one.node.name, one.node.title)]


def _words(node: SkillNode) -> set[str]:
    name = node.name.replace("-", " ").replace("_", " ")
    return set(fts.words(f"{node.name} {name} {node.text} {' '.join(node.tags)}"))
