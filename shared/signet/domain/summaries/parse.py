"""Reading a model's notes and judgements, strictly and without ever raising."""

from collections.abc import Sequence

from signet.domain.episodes import overview
from signet.domain.extraction.grounding import Grounds, Verdict
from signet.domain.extraction.models import FACT_TYPES, MAX_FACT_CHARS, MIN_FACT_CHARS
from signet.domain.memory import wording
from signet.domain.summaries.models import MOST_IMPORTANT, USUAL_IMPORTANCE, Notes, Said, Score
from signet.providers import answers
from signet.text.surrogates import encodable

MAX_TAGS = 8
#: A summary is cut here; it is read by people and shown to models.
MAX_SUMMARY_CHARS = 20_000


def read_notes(raw: str, *, day: str, most: int, grounds: Grounds) -> Notes | None:
    """Return the notes of an answer, None when it has no summary or one that the session does not support (PIP-64)."""
    found = next((one for one in answers.objects(raw) if answers.text(one, "summary")), None)
    if found is None:
        return None
    listed = found.get("facts")
    facts = [_said(item) for item in listed] if isinstance(listed, list) else []
    summary = grounds.supported(answers.text(found, "summary"))
    if not summary:
        return None
    said = [fact for fact in facts if fact and grounds.judge(fact.content) is Verdict.SAID]
    summary = headed(summary, day)
    return Notes(summary=summary, topic=topic(summary), facts=tuple(distinct(said)[:most]))


def topic(summary: str) -> str | None:
    """Return the first heading below the title of a model's notes as a line, None without one."""
    named = (line[3:] for line in summary.split("\n") if line.startswith("## "))
    return next(overview.lines(next(named, "")), None)


def headed(summary: str, day: str) -> str:
    """Return a summary that begins with its day, as a database and a file can hold it (PIP-39)."""
    text = _cut(encodable(summary.replace("\0", "")).strip())
    return text if text.startswith(f"# {day}") else f"# {day} Session Notes\n\n{text}"


def _cut(text: str) -> str:
    """Return at most MAX_SUMMARY_CHARS characters, whole lines where there are any."""
    if len(text) <= MAX_SUMMARY_CHARS:
        return text
    return text[:MAX_SUMMARY_CHARS].rpartition("\n")[0] or text[:MAX_SUMMARY_CHARS]


def distinct(facts: Sequence[Said]) -> list[Said]:
    """Return facts without those that say again what one before them says."""
    kept: dict[str, Said] = {}
    for fact in facts:
        kept.setdefault(wording.content_hash(fact.content), fact)
    return list(kept.values())


def read_condensed(raw: str, grounds: Grounds) -> str | None:
    """Return the Markdown of an answer, None for an answer that the notes do not support."""
    text = encodable(answers.markdown(raw).replace("\0", "")).strip()
    return _cut(grounds.supported(text)) or None


def score(raw: str, shown: Sequence[str]) -> Score | None:
    """Return the judgement of an answer about the memories with these ids, None when it is unusable."""
    found = next(
        (one for one in answers.objects(raw) if answers.number(one, "score") is not None), None
    )
    if found is None:
        return None
    return Score(
        score=_share(found, "score"),
        confidence=_share(found, "confidence"),
        used=max(int(answers.number(found, "memories_used") or 0), 0),
        novel=max(int(answers.number(found, "novel_context_count") or 0), 0),
        reasoning=wording.one_line(answers.text(found, "reasoning"))[:MAX_FACT_CHARS],
        relevance=tuple(_relevance(found.get("per_memory"), shown)),
    )


def _relevance(listed: object, shown: Sequence[str]) -> list[tuple[str, float]]:
    """Return the relevance of each memory that is named without doubt."""
    found: list[tuple[str, float]] = []
    for item in listed if isinstance(listed, list) else []:
        short = answers.text(item, "id")
        meant = [memory_id for memory_id in shown if short and memory_id.startswith(short)]
        if (
            len(meant) == 1
            and isinstance(item, dict)
            and answers.number(item, "relevance") is not None
        ):
            found.append((meant[0], _share(item, "relevance")))
    return found


def _said(item: object) -> Said | None:
    content = wording.storage(answers.text(item, "content"))
    if len(content) < MIN_FACT_CHARS or not wording.normalize(content).has_words:
        return None
    assert isinstance(item, dict)
    kind = answers.text(item, "type").lower()
    given = answers.number(item, "importance")
    return Said(
        content=content[:MAX_FACT_CHARS].rstrip(),
        type=kind if kind in FACT_TYPES else "fact",
        importance=min(max(USUAL_IMPORTANCE if given is None else given, 0.0), MOST_IMPORTANT),
        tags=tuple(_tags(item.get("tags"))),
    )


def _tags(listed: object) -> list[str]:
    words = listed.split(",") if isinstance(listed, str) else listed
    if not isinstance(words, list):
        return []
    found = (wording.one_line(word).lower() for word in words if isinstance(word, str))
    return list(dict.fromkeys(tag for tag in found if tag and "," not in tag))[:MAX_TAGS]


def _share(item: answers.Json, key: str) -> float:
    return min(max(answers.number(item, key) or 0.0, 0.0), 1.0)
