"""What sessions and commits say, in an answer: beside memories, alone, and only to whom it belongs (REC-29)."""

import pytest

from recall.world import MODEL, NOW, ask, found, meaning, remember
from signet import clock
from signet.db import Database, WriteTx
from signet.db.visibility import Reader
from signet.domain.episodes import split, sql
from signet.domain.episodes.models import Chunk, SourceType
from signet.domain.episodes.models import Source as Origin
from signet.domain.recall import said
from signet.domain.recall.models import Filters, FoundBy, RecallSettings
from signet.domain.recall.recall import touched
from signet.domain.transcripts import withheld

OWN = Reader()
LEDGER = (
    "User: The export fails again. What did we want there?\n"
    "Assistant: It reads the ledger while that is still open.\n"
    "User: Then it is settled: the ledger is frozen at 23:40, and the export never tries twice.\n"
    "Assistant: Done, the export waits for the flag."
)


def say(
    db: Database,
    key: str,
    text: str,
    *,
    type: SourceType = SourceType.SESSION,
    agent: str = "default",
    project: str = "/p",
    at: str = "2026-02-03T09:00:00Z",
) -> str:
    """Index a session or commit and return the id of its result."""
    source = Origin(type=type, id=key, agent_id=agent, project=project)
    chunk = Chunk(position=0, content=text, said_at=at)

    def index(tx: WriteTx) -> None:
        sql.insert(tx, source, [chunk])
        lacking = sql.lacking(tx, source, MODEL, most=1)
        sql.give_vectors(tx, [(one, [meaning(one.content)]) for one in lacking], MODEL)

    db.write(index)
    return source.name


def test_what_a_session_said_is_found_though_nothing_was_distilled(db: Database) -> None:
    one = say(db, "s1", LEDGER)
    result = ask(db, "when is the ledger frozen", reader=OWN)
    [hit] = result.hits
    assert (hit.id, hit.source, hit.type, hit.source_id) == (one, FoundBy.EPISODE, "session", "s1")
    assert "frozen at 23:40" in hit.content
    assert (hit.created_at, hit.project) == ("2026-02-03T09:00:00Z", "/p")
    assert touched(result) == []
    assert ask(db, "who paints the fence", reader=OWN).hits == ()


def test_the_only_memory_does_not_follow_a_session_that_answers(db: Database) -> None:
    one = say(db, "s1", LEDGER)
    db.write(remember, "m1", "User prefers vim as the editor of choice")
    settings = RecallSettings(embedding_model=MODEL)
    asked = {"reader": OWN, "by_meaning": True, "settings": settings}
    assert found(ask(db, "when is the ledger frozen", **asked)) == [one]  # type: ignore[arg-type]
    assert found(ask(db, "which editor", **asked))[0] == "m1"  # type: ignore[arg-type]
    low = RecallSettings(embedding_model=MODEL, floor=1e-9)
    result = ask(db, "when is the ledger frozen", reader=OWN, by_meaning=True, settings=low)
    assert found(result) == [one, "m1"]


def test_it_stands_among_memories_by_its_relevance(db: Database) -> None:
    one = say(db, "s1", LEDGER)
    db.write(remember, "m1", "The ledger is frozen by Ana.")
    db.write(remember, "m2", "A frozen ledger is read only.")
    asked = ask(db, "frozen ledger", reader=OWN)
    assert set(found(asked)) == {"m2", "m1", one}
    scores = [hit.score for hit in asked.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(found(ask(db, "frozen ledger", reader=OWN, limit=2))) == 2


def test_a_more_relevant_fact_of_the_session_stands_for_it(db: Database) -> None:
    say(db, "s1", LEDGER)

    def distil(tx: WriteTx) -> None:
        text = "The ledger is frozen at 23:40."
        remember(tx, "m1", text, source_type="session_end", source_id="s1")

    db.write(distil)
    assert found(ask(db, "ledger frozen", reader=OWN)) == ["m1"]


def test_an_empty_page_takes_what_is_near_by_meaning_and_else_names_it(db: Database) -> None:
    said = say(db, "s1", "User: Which harbour has room?\nAssistant: That of pier seven.")
    settings = RecallSettings(embedding_model=MODEL)
    asked = {"reader": OWN, "by_meaning": True, "settings": settings}
    assert found(ask(db, "a vessel and its sailing", **asked)) == [said]  # type: ignore[arg-type]
    far = ask(db, "seven blankets, pillows, chairs, tables and windows", reader=OWN)
    assert far.hits == () and far.nearest is not None
    assert far.nearest.hit.id == said and far.nearest.why.endswith("relevant, 40% required")


def test_of_passages_that_say_the_same_the_later_one_is_first(db: Database) -> None:
    old = say(db, "s1", LEDGER, at="2026-02-03T09:00:00Z")
    new = say(db, "s2", LEDGER.replace("23:40", "22:10"), at="2026-03-09T09:00:00Z")
    assert found(ask(db, "when is the ledger frozen", reader=OWN)) == [new, old]


def test_what_shares_no_word_is_found_beside_many_that_share_some(db: Database) -> None:
    said = say(db, "s1", "User: Which harbour has room?\nAssistant: That of pier seven.")
    for number in range(80):
        say(db, f"other-{number}", f"User: note {number}\nAssistant: Noted.")
    settings = RecallSettings(embedding_model=MODEL)
    asked = ask(db, "note of the vessel", reader=OWN, by_meaning=True, settings=settings)
    assert said in found(asked)


def test_a_commit_is_found_unless_commits_are_not_read(db: Database) -> None:
    commit = say(db, "c" * 40, "Freeze the ledger at 23:40", type=SourceType.COMMIT)
    assert found(ask(db, "freeze ledger", reader=OWN)) == [commit]
    assert found(ask(db, "freeze ledger", reader=OWN, settings=RecallSettings(commits=False))) == []


def test_of_a_type_it_is_asked_for_alone(db: Database) -> None:
    one = say(db, "s1", LEDGER)
    two = say(db, "s2", LEDGER.replace("23:40", "22:10"))
    db.write(remember, "m1", "The ledger is frozen by Ana.")
    sessions = ask(db, "ledger frozen", reader=OWN, filters=Filters(type="session"))
    assert set(found(sessions)) == {one, two}
    assert not any(hit.supplementary for hit in sessions.hits)
    assert found(ask(db, "ledger frozen", reader=OWN, filters=Filters(type="commit"))) == []


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ({"filters": Filters(project="/p")}, True),
        ({"filters": Filters(since="2026-02-03", until="2026-02-03")}, True),
        ({"filters": Filters(project="/q")}, False),
        ({"filters": Filters(since="2026-02-04")}, False),
        ({"filters": Filters(until="2026-02-02")}, False),
        ({"filters": Filters(who="Ana")}, False),
        ({"filters": Filters(tags=("a",))}, False),
        ({"floor": 0.0}, False),
        ({"as_of": NOW}, False),
        ({"reader": Reader(scope="s")}, False),
        ({"reader": Reader(project="/q")}, False),
        ({"reader": Reader(agent_id="ben")}, False),
        ({"min_score": 1.01}, False),
    ],
)
def test_filters_hold_and_a_question_for_memories_gets_no_session(
    db: Database, query: dict[str, object], is_found: bool
) -> None:
    one = say(db, "s1", LEDGER)
    asked = {"reader": OWN, **query}
    assert found(ask(db, "ledger frozen", **asked)) == ([one] if is_found else [])  # type: ignore[arg-type]


def test_what_was_forgotten_is_not_found_in_a_session(db: Database) -> None:
    say(db, "s1", "User: The ledger is frozen at 23:40.\nAssistant: Noted.")

    def forget(tx: WriteTx) -> None:
        text = "The ledger is frozen at 23:40."
        withheld.withhold(tx, "m1", "default", text, at=clock.now())

    db.write(forget)
    result = ask(db, "ledger frozen", reader=OWN)
    shown = [*result.hits, *([result.nearest.hit] if result.nearest else [])]
    assert not any("23:40" in hit.content for hit in shown)


def test_a_session_that_only_asked_ranks_below_the_one_that_answered(db: Database) -> None:
    asked = "User: when is the ledger frozen for the export?\nAssistant: I don't know.\nUser: hm ok"
    say(db, "s2", asked, at="2026-02-10T09:00:00Z")
    one = say(db, "s1", "User: The ledger closes at 23:40, so the export waits.\nAssistant: Done.")
    result = ask(db, "when is the ledger frozen for the export?", reader=OWN)
    assert found(result)[0] == one


@pytest.mark.parametrize(
    ("question", "wrong", "right"),
    [
        (
            "labels.arrow",
            "User: Print the labels of the labelled cards.",
            "Assistant: It is in `labels.arrow`.",
        ),
        (
            "ECONNREFUSED",
            "Assistant: The socket says ECONNRESET again.",
            "User: Error: ECONNREFUSED 127.0.0.1",
        ),
        ("what was E1042", "User: E104 is done, and E10421 too.", "User: E1042 is the deadlock."),
        ("getUserName", "User: getUsers is slow.", "User: getUserName returns None."),
        ("Heron-Signature", "User: The heron-api is slow.", "User: Sent as Heron-Signature."),
    ],
)
def test_an_identifier_is_found_as_a_whole(
    db: Database, question: str, wrong: str, right: str
) -> None:
    say(db, "s1", wrong, at="2026-02-20T09:00:00Z")
    two = say(db, "s2", right)
    assert found(ask(db, question, reader=OWN)) == [two]


def test_a_passage_of_a_long_answer_is_cut_around_the_words_behind_its_question(
    db: Database,
) -> None:
    filler = " ".join(f"The harbour log has entry {number} of the watch." for number in range(20))
    answer = f"{filler} The walrus gauge is moored at Granville. {filler}"
    say(db, "s1", f"User: Where is the gauge moored, and who reads it?\nAssistant: {answer}")
    [hit] = ask(db, "walrus gauge Granville", reader=OWN).hits
    question, said = hit.content.split("\n")
    assert question == "User: Where is the gauge moored, and who reads it?"
    assert said.startswith("Assistant: […] ") and said.endswith(" […]")
    assert "The walrus gauge is moored at Granville." in said
    assert len(hit.content) <= split.CHUNK_CHARS


def test_a_chunk_within_an_answer_is_told_with_its_question_and_speaker(db: Database) -> None:
    source = Origin(type=SourceType.SESSION, id="s1", agent_id="default", project="/p")
    parts = (
        "User: Where is the gauge moored?\nAssistant: The log says this.",
        "It was moved twice in May.",
        "The walrus gauge is moored at Granville now.",
    )
    chunks = [
        Chunk(position=at, content=text, said_at="2026-02-03T09:00:00Z")
        for at, text in enumerate(parts)
    ]
    db.write(lambda tx: sql.insert(tx, source, chunks))
    [hit] = ask(db, "walrus gauge Granville", reader=OWN).hits
    assert hit.content == (
        "User: Where is the gauge moored?\n"
        "Assistant: […] The walrus gauge is moored at Granville now.\n"
        "[earlier in this session]\n"
        "Assistant: The log says this."
    )


def test_the_first_results_show_other_exchanges_of_their_session_that_answer(db: Database) -> None:
    filler = "\n".join(
        f"User: And pier {number}, has it a crane?\nAssistant: {'It has none so far. ' * 12}"
        for number in range(30)
    )
    say(db, "s1", f"{LEDGER}\n{filler}\nUser: ledger frozen at 22:10 in winter\nAssistant: Noted.")
    [hit] = ask(db, "when is the ledger frozen", reader=OWN).hits
    best, earlier = hit.content.split(f"\n{said.EARLIER}\n", 1)
    assert "22:10" in best and "23:40" in earlier
    assert "crane" not in earlier


def test_an_asked_name_ranks_before_a_later_value_of_another_setting(db: Database) -> None:
    both = "User: kiosk in the foyer\nAssistant: `IDLE_RESET_S = 90`, `IDLE_WARN_S = 15`."
    old = say(db, "s1", both, at="2026-02-03T09:00:00Z")
    new = say(db, "s2", "User: kiosk\nAssistant: `IDLE_RESET_S = 150`.", at="2026-02-20T09:00:00Z")
    assert found(ask(db, "IDLE_WARN_S", reader=OWN))[0] == old
    assert found(ask(db, "foyer", reader=OWN))[0] == old
    assert found(ask(db, "what is IDLE_RESET_S", reader=OWN))[:2] == [new, old]


def test_a_later_value_is_found_although_it_shares_no_word_with_the_question(db: Database) -> None:
    said = "User: who may refund how much alone\nAssistant: `REFUND_SOLO = 250`, per payment."
    old = say(db, "s1", f"{said}\nUser: and disputes\nAssistant: Five days.")
    new = say(
        db, "s2", "User: twice that\nAssistant: `REFUND_SOLO = 500`.", at="2026-02-20T09:00:00Z"
    )
    for number in range(60):  # more than the passages that are compared
        say(db, f"other-{number}", f"User: note {number}\nAssistant: Noted.")
    asked = ask(db, "who may refund alone", reader=OWN)
    assert found(asked)[:2] == [new, old] and asked.hits[1].newer


def test_a_passage_is_shown_with_an_unsure_fact_of_its_session(db: Database) -> None:
    talk = "User: The audit begins on Monday. Its auditor is PJ Vos of Tollens.\nAssistant: Noted."
    passage = say(db, "s1", talk)

    def distil(tx: WriteTx) -> None:
        remember(tx, "m1", "The audit begins on Monday.", source_type="session_end", source_id="s1")

    db.write(distil)
    every = RecallSettings(floor=0.0)
    asked = ask(db, "audit firm guy, name and phone number", reader=OWN, settings=every)
    assert set(found(asked)) == {passage, "m1"}


POOL = (
    "User: since the pooler is in front I get\n"
    "```\n"
    'heron.errors.StatementTwice: prepared statement "__heron_stmt_3__" already exists, and the pooler hints that in\n'
    "transaction mode a server connection changes under the statements that were prepared on another one before it,\n"
    "so that each of them should be named for its connection or not be prepared at all\n"
    "```\n"
    "Assistant: Name each statement for its connection."
)


@pytest.mark.parametrize("word", ["__heron_stmt_3__", "heron_stmt_3", "StatementTwice"])
def test_a_name_in_pasted_code_is_found_and_shown(db: Database, word: str) -> None:
    said = say(db, "s1", POOL)
    say(db, "s2", LEDGER)
    [hit] = ask(db, word, reader=OWN).hits
    assert hit.id == said and word in hit.content


def test_the_first_passage_is_whole_and_others_are_cut_around_the_question(db: Database) -> None:
    others = "\n".join(
        f"User: And pier {number}?\nAssistant: It is closed from dusk until dawn in winter."
        for number in range(8)
    )
    talk = f"{LEDGER}\n{others}"
    best = say(db, "s1", talk, at="2026-03-03T09:00:00Z")
    other = say(db, "s2", talk.replace("23:40", "23:50").replace("pier", "quay"))
    hits = {hit.id: hit.content for hit in ask(db, "when is the ledger frozen", reader=OWN).hits}
    assert list(hits) == [best, other]
    assert hits[best] == talk and len(talk) > 500
    assert "23:50" in hits[other] and len(hits[other]) < 520


def test_a_later_commit_stands_before_the_talk_whose_amount_it_changed(db: Database) -> None:
    old = say(db, "s1", LEDGER, at="2026-02-03T09:00:00Z")
    text = "ledger: freeze the export at 22:10"
    new = say(db, "c" * 40, text, type=SourceType.COMMIT, at="2026-03-09T09:00:00Z")
    first, second = ask(db, "when is the ledger frozen for the export", reader=OWN).hits
    assert (first.id, second.id) == (new, old)
    assert second.newer is not None and second.newer["says"] == text
    assert "[until 2026-03-09]" in second.content
    first, *_ = ask(db, "waits flag", reader=OWN).hits
    assert (first.id, first.newer) == (old, None)
