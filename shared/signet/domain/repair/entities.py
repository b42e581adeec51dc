"""Repair entities: delete invalid ones, classify unknown ones, recompute communities (KG-17, KG-18).

Invalid are artefacts, isolated names and names that no writer would make now. Never touches pinned or suppressed
entities, skills or tasks (RP-15).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.graph import analysis, classify, communities, names
from signet.domain.graph import link as graph
from signet.domain.graph.models import ENTITY_TYPES
from signet.domain.repair import sql, steps
from signet.domain.repair.models import RefusalReason, RepairDone, RepairOrder, RepairRefused
from signet.domain.repair.steps import RepairWork
from signet.errors import ProviderDown, ProviderFailed
from signet.providers import answers, asking
from signet.providers.asking import INTEGER, an_object, ask_model, list_of, one_of
from signet.text.plural import count
from signet.wire.knowledge import Communities

#: Entities whose names are checked in one batch.
READ = 2_000
#: Newest memories to read for each of them.
TEXTS = 20
#: Texts whose names are cached: consecutive entities often come from the same text.
KEPT = 1_000
#: Facts to show the model for each, its time limit and its token limit.
FACTS = 3
FACT_CHARS = 200
SECONDS = 90.0
TOKENS = 1_024

_ASK = f"""\
Classify each numbered thing by its name and the facts about it. Return one JSON object
and nothing else: {{"results": [{{"i": 1, "type": "..."}}]}}
- type: {", ".join(sorted(ENTITY_TYPES - {"skill", "task"}))}, or unknown if it is not clear.
"""
#: A model must not create skills or tasks, which have their own rows.
_TYPES = ENTITY_TYPES - {"skill", "task"}
_SHAPE = an_object(results=list_of(an_object(i=INTEGER, type=one_of(_TYPES | {"unknown"}))))


#: Entities that only connect the pieces of long texts; rarely mentioned ones of unknown type; and all of unknown
#: type.
chunk_groups = steps.selecting(sql.CHUNK_GROUPS)
singletons = steps.selecting(sql.SINGLETONS, most="maxMentions")
_untyped = steps.selecting(sql.UNTYPED_ENTITIES)


def shown(row: Row) -> object:
    return row["name"]


preview_reclassify = steps.previewing(_untyped, "ask for the type of {}", "entity", shown)


def generic(tx: ReadTx, order: RepairOrder) -> list[Row]:
    return list(islice(_generic(tx, order), order.number("batchSize")))


def _generic(tx: ReadTx, order: RepairOrder) -> Iterator[Row]:
    found_by = {"found": analysis.MENTION_CONFIDENCE, "limit": READ, "after": 0}
    asked = {**sql.parameters(order.chosen), **found_by}
    made = lru_cache(KEPT)(_made)
    while some := tx.all(sql.ENTITIES, asked):
        for row in some:
            if names.problem(row["name"]) or _is_outdated(tx, row, made):
                yield row
        asked["after"] = some[-1]["seq"]


def _made(text: str) -> frozenset[str]:
    return frozenset(name.canonical for name in names.find(text) if name.is_certain)


def _is_outdated(tx: ReadTx, row: Row, made: Callable[[str], frozenset[str]]) -> bool:
    texts = tx.column(sql.MENTIONING_TEXTS, (row["id"], TEXTS)) if row["is_found"] else []
    return bool(texts) and not any(row["canonical_name"] in made(text) for text in texts)


def delete(tx: WriteTx, what: str, found: Sequence[Row]) -> RepairDone:
    ids = [row["id"] for row in found]
    graph.delete_entities(tx, ids)
    message = f"deleted {count(len(ids), what)}"
    return RepairDone(len(ids), message, steps.sample(found, shown))


def reclassify(work: RepairWork) -> RepairDone:
    """Ask the model for the types of entities, and store them."""
    found = work.db.read(_with_facts, work.order)
    if not found:
        return RepairDone(0, "no entities of unknown type found")
    model = work.models.language_model()
    if model is None:
        message = "no extraction model is configured; set pipelineV2.extraction.provider"
        raise RepairRefused(RefusalReason.DISABLED, message)
    listed = "\n".join(
        f"{number}. {name}: {' / '.join(facts) or 'no facts known'}"
        for number, (_, name, facts) in enumerate(found, 1)
    )
    request = f"{_ASK}{asking.fenced('things', listed)}"
    try:
        types = ask_model(
            model,
            request,
            lambda raw: _types(raw, len(found)),
            shape=_SHAPE,
            timeout_seconds=SECONDS,
            max_tokens=TOKENS,
        )
    except (ProviderDown, ProviderFailed) as error:
        message = f"the model did not answer: {error.message}"
        raise RepairRefused(RefusalReason.UNAVAILABLE, message) from error
    types = types or {}
    for place, type in types.items():
        work.step(partial(_set_type, entity_id=found[place][0], type=type))
    message = f"reclassified {work.affected} of {count(len(found), 'entity')}"
    named = {found[place][1]: type for place, type in types.items()}
    return RepairDone(work.affected, message, {"types": named})


def _with_facts(tx: ReadTx, order: RepairOrder) -> list[tuple[str, str, list[str]]]:
    def facts(entity_id: str) -> list[str]:
        texts = tx.column(sql.ENTITY_FACTS, (FACT_CHARS, entity_id, FACTS))
        return [" ".join(text.split()) for text in texts]

    return [(row["id"], row["name"], facts(row["id"])) for row in _untyped(tx, order)]


def _types(text: str, most: int) -> dict[int, str] | None:
    """Return the types in an answer, by index from 0; None without results."""
    answer = classify.read_results(text)
    if answer is None:
        return None
    results = answer["results"]
    found: dict[int, str] = {}
    for item in results if isinstance(results, list) else ():
        number = answers.number(item, "i")
        type = answers.text(item, "type").lower()
        if number is not None and 1 <= number <= most and type in _TYPES:
            found.setdefault(int(number) - 1, type)
    return found


def _set_type(tx: WriteTx, *, entity_id: str, type: str) -> int:
    graph.set_type(tx, entity_id, type, now=clock.now())
    return 1


def preview_cluster(tx: ReadTx, order: RepairOrder) -> RepairDone:
    """Return whether there is anything to recompute; computing is too slow for a preview."""
    agent_id = _agent_id(order)
    graph, known = communities.snapshot(tx, agent_id), _overview(tx, agent_id)
    changed = len(graph.entities) if graph.is_new else 0
    message = "the groups are up to date"
    if changed:
        message = f"would regroup {count(changed, 'entity')}"
    details = {"entities": len(graph.entities), "dependencies": len(graph.edges)}
    details["communities"] = known["count"]
    return RepairDone(changed, f"dry run: {message}", details)


def cluster(work: RepairWork) -> RepairDone:
    """Recompute an agent's communities, unless its graph is unchanged."""
    agent_id = _agent_id(work.order)
    made = communities.compute(work.db.read(communities.snapshot, agent_id), agent_id)
    if made is not None:
        work.check()
        work.write(partial(communities.replace, made=made, now=clock.now()))
    found = work.db.read(_overview, agent_id)
    members = [
        {key: row[key] for key in ("id", "name", "cohesion")} | {"count": row["member_count"]}
        for row in found["items"]
    ]
    fields = {
        "communities": found["count"],
        "modularity": found["modularity"],
        "quality": found["quality"],
        "members": members,
    }
    message = f"found {count(len(members), 'community')}; modularity {found['modularity']:.2f}"
    return RepairDone(len(members), message, fields, extra=fields)


def _agent_id(order: RepairOrder) -> str:
    return str(order.options["agentId"])


def _overview(tx: ReadTx, agent_id: str) -> Communities:
    return communities.overview(tx, reader=agents.reader(tx, agent_id))
