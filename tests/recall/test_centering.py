"""What candidates have in common does not tell them apart."""

import pytest

from recall.world import MODEL, meaning, remember
from signet.db import Database, ReadTx
from signet.domain.recall import vector
from signet.domain.recall.models import Scores
from signet.providers.scale import FITTED


def _compare(db: Database, text: str, weighed: str | None = None) -> tuple[Scores, Scores]:
    def go(tx: ReadTx) -> tuple[Scores, Scores]:
        seqs = [row[0] for row in tx.all("SELECT seq FROM memories ORDER BY seq")]
        return vector.compare(
            tx, meaning(text), meaning(weighed or text), seqs, model=MODEL, said={}, scale=FITTED
        )

    return db.read(go)


def test_the_only_memory_keeps_its_cosine(db: Database) -> None:
    db.write(remember, "a", "boat tea")
    cosine, apart = _compare(db, "boat")
    assert list(cosine.values()) == pytest.approx([0.5**0.5])
    assert apart == pytest.approx(cosine)


def test_what_says_little_but_the_common_comes_behind_what_says_the_rest(db: Database) -> None:
    for number in range(8):
        db.write(remember, f"m{number}", "boat boat tea" if number else "boat violin")
    db.write(remember, "plain", "boat")
    cosine, apart = _compare(db, "boat boat violin")
    special, plain = min(cosine), max(cosine)
    assert cosine[special] - cosine[plain] < apart[special] - apart[plain]


def test_the_question_with_rare_words_weighed_more_ranks_and_as_it_was_asked_is_judged(
    db: Database,
) -> None:
    db.write(remember, "a", "boat")
    db.write(remember, "b", "violin")
    cosine, apart = _compare(db, "boat ship violin", weighed="boat violin piano")
    boat, violin = sorted(cosine)
    assert cosine[boat] > cosine[violin]
    assert apart[boat] < apart[violin]


def test_cosines_keep_their_size_on_average(db: Database) -> None:
    for number, text in enumerate(("boat", "boat tea", "boat cat", "violin", "boat editor")):
        db.write(remember, f"m{number}", text)
    cosine, apart = _compare(db, "boat violin")
    assert sum(apart.values()) == pytest.approx(sum(cosine.values()))


def test_a_memory_is_as_near_as_its_best_passage_and_one_without_vector_has_none(
    db: Database,
) -> None:
    db.write(remember, "a", "boat")
    db.write(remember, "b", "tea", embedded=False)
    cosine, apart = _compare(db, "sailing")
    assert list(cosine.values()) == pytest.approx([1.0])
    assert cosine.keys() == apart.keys()


@pytest.mark.sqlite_file
def test_vectors_of_another_width_or_without_length_are_no_candidates(db: Database) -> None:
    db.write(remember, "a", "boat")
    db.write(lambda tx: tx.run("UPDATE embeddings SET vector = zeroblob(length(vector))"))
    cosine, _ = _compare(db, "boat")
    assert list(cosine.values()) == [0.0]
    db.write(lambda tx: tx.run("UPDATE embeddings SET dimensions = 3, vector = zeroblob(12)"))
    assert _compare(db, "boat") == ({}, {})
