"""Create large stores in minutes: rows written directly to the tables, cached in /tmp and reused.

Texts have word frequencies of Zipf and Mandelbrot. Each memory belongs to one of 2,000 topics, shares words with its
topic, and has a vector near the topic's (the native model's vector of a typical text, if installed). The words come
first from the model's vocabulary, because vectors of invented words all point in similar directions. Measured at
10,000 against 28,600 passages of real conversations: length of the mean 0.42 (real 0.29), mean cosine of the 1st,
10th and 50th neighbour 0.73, 0.62 and 0.39 (0.75, 0.58, 0.47); with invented words alone 0.82 and 0.87, 0.80, 0.76.

Memories have projects, types, entities, and half of them a place in a session. Indexes and full text are built after
the rows. The same count gives the same store.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
from loadtests.fill import DIMENSIONS

from signet import clock
from signet.db import fts, migrate, vectors
from signet.db.driver import Connection, connect
from signet.db.transaction import WriteTx
from signet.paths import Workspace
from signet.providers.native import minilm
from signet.providers.native.encoder import NativeEmbedder

#: Part of the folder's name: increase it when this file creates other rows.
VERSION = 3

WORDS = 60_000
TOPICS = 2_000
ENTITIES = 5_000
PROJECTS = 300
TYPES = ("fact", "preference", "decision", "procedural", "rationale")
TYPE_SHARES = (0.7, 0.1, 0.1, 0.095, 0.005)
#: A vector is its topic's, moved towards another topic and randomly in every direction. (Random noise alone would
#: make unrealistic vectors, all equally distant.)
OTHER = 0.7
NOISE = 0.35
BATCH = 20_000
SESSION = 20
START = datetime(2025, 1, 1, tzinfo=UTC)

_MEMORY = """
INSERT INTO memories (seq, id, type, content, normalized_content, content_hash, importance, project, source_type,
  source_id, ordinal, created_at, updated_at, embedding_model) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_EMBEDDING = """
INSERT INTO embeddings (seq, id, content_hash, vector, dimensions, source_type, source_id, ordinal, chunk_text,
  model, created_at) VALUES (?, ?, ?, ?, ?, 'memory', ?, 0, ?, ?, ?)"""
_ENTITY = """
INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, created_at, updated_at)
VALUES (?, ?, ?, 'extracted', 1, 'default', ?, ?)"""
_MENTION = """
INSERT OR IGNORE INTO memory_entity_mentions (memory_id, entity_id, mention_text, confidence, created_at)
VALUES (?, ?, ?, 0.7, ?)"""
_COUNT_MENTIONS = """
UPDATE entities SET mentions = (SELECT count(*) FROM memory_entity_mentions x WHERE x.entity_id = entities.id)"""
#: Rebuilt after the rows: indexes with a text, and the full-text triggers.
_LATER = """
SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
AND tbl_name IN ('memories', 'embeddings', 'memory_entity_mentions')"""

Floats = npt.NDArray[np.float32]


class World:
    """The words, topics and vectors of memories and questions."""

    def __init__(self, seed: int = 7) -> None:
        self.chance = np.random.default_rng(seed)
        self.words = _vocabulary(self.chance)
        weights = 1.0 / (np.arange(WORDS) + 30.0)
        self._cumulated = np.cumsum(weights / weights.sum())
        self.topics = self.draw(TOPICS * 12).reshape(TOPICS, 12)
        texts = [" ".join(self.words[word] for word in topic) for topic in self.topics]
        self.centres = _embedded(texts)

    def draw(self, count: int) -> npt.NDArray[np.int64]:
        """Draw `count` words by frequency."""
        return np.searchsorted(self._cumulated, self.chance.random(count))

    def near(self, topics: npt.NDArray[np.int64]) -> Floats:
        """Return one vector of length one near each topic."""
        noise = self.chance.standard_normal((len(topics), DIMENSIONS), dtype=np.float32)
        other = self.centres[self.chance.integers(0, TOPICS, len(topics))]
        found = self.centres[topics] + OTHER * other + NOISE / DIMENSIONS**0.5 * noise
        near: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
        return near

    def question(self) -> str:
        """Return a question: words of one topic and one random word."""
        topic = self.topics[self.chance.integers(TOPICS)]
        chosen = [*self.chance.choice(topic, 4, replace=False), *self.draw(1)]
        return "what about the " + " ".join(self.words[word] for word in chosen)


def store(count: int) -> Workspace:
    """Return a workspace with `count` memories, reusing that of an earlier run."""
    folder = Path(tempfile.gettempdir()) / "signet-scale" / f"{VERSION}-{_schema()}-{count}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        workspace = Workspace(unfinished)
        workspace.make()
        _fill(workspace.database, count)
        unfinished.rename(folder)
    return Workspace(folder)


def _schema() -> str:
    """Return a short name of the schema, which invalidates stores of another one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.db"
        migrate.upgrade(path, now=START)
        tables = migrate.schema(path)
    wanted = [text for name, text in tables.items() if "memor" in name or "embed" in name]
    return hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:8]


def _fill(database: Path, count: int) -> None:
    migrate.upgrade(database, now=START)
    connection = connect(database)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"):
        connection.execute(f"PRAGMA {pragma}")
    later = [tuple(row) for row in connection.execute(_LATER)]
    connection.execute("BEGIN IMMEDIATE")
    for kind, name, _ in later:
        connection.execute(f"DROP {kind} {name}")
    world = World()
    _entities(connection, world)
    for first in range(0, count, BATCH):
        _rows(connection, world, first, min(BATCH, count - first))
    for _, _, sql in later:
        connection.execute(sql)
    connection.execute(_COUNT_MENTIONS)
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    vectors.ensure(WriteTx(connection), DIMENSIONS)
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def _entities(connection: Connection, world: World) -> None:
    at = clock.to_text(START)
    names = [world.words[200 + number] for number in range(ENTITIES)]
    connection.executemany(_ENTITY, [(name, name, name, at, at) for name in names])


def _rows(connection: Connection, world: World, first: int, count: int) -> None:
    topics = world.chance.integers(0, TOPICS, count)
    contents = list(_texts(world, topics))
    near = world.near(topics)
    types = world.chance.choice(len(TYPES), count, p=TYPE_SHARES)
    projects = (PROJECTS * world.chance.random(count) ** 2).astype(int)
    entities = 200 + (ENTITIES * world.chance.random(count) ** 3).astype(int)
    model = NativeEmbedder.model
    memories, embeddings, mentions = [], [], []
    for place, content in enumerate(contents):
        seq = first + place + 1
        id_ = f"m{seq:08d}"
        at = clock.to_text(START + timedelta(seconds=30 * seq))
        session = f"s{seq // SESSION}" if (seq // SESSION) % 2 else None
        memories.append(
            (
                *(seq, id_, TYPES[types[place]], content, content, f"h{seq}", 0.5),
                *(f"p{projects[place]}", "session" if session else None, session),
                *(seq % SESSION if session else None, at, at, model),
            )
        )
        vector = near[place].tobytes()
        embeddings.append(
            (seq, f"e{seq:08d}", f"h{seq}", vector, DIMENSIONS, id_, content, model, at)
        )
        mentions.append((id_, world.words[entities[place]], world.words[entities[place]], at))
    connection.executemany(_MEMORY, memories)
    connection.executemany(_EMBEDDING, embeddings)
    connection.executemany(_MENTION, mentions)


def _texts(world: World, topics: npt.NDArray[np.int64]) -> Iterator[str]:
    """Yield a text about each topic: four of its words among eight to thirty others."""
    lengths = world.chance.integers(8, 31, len(topics))
    others = iter(world.draw(int(lengths.sum())).tolist())
    places = world.chance.integers(0, 12, (len(topics), 4))
    for topic, length, own in zip(world.topics[topics], lengths, places, strict=True):
        chosen = [*(next(others) for _ in range(length)), *topic[own]]
        world.chance.shuffle(chosen)
        yield " ".join(world.words[word] for word in chosen)


def _vocabulary(chance: np.random.Generator) -> list[str]:
    """Return distinct words: the native model's whole-word tokens by frequency, then pronounceable ones."""
    starts = "b c d f g h k l m n p r s t v w z br cl dr fr gr pl st tr sh".split()
    middles = "a e i o u ai ea ou".split()
    found = dict.fromkeys(_known())
    while len(found) < WORDS:
        parts = range(int(chance.integers(2, 4)))
        found["".join(str(chance.choice(starts)) + str(chance.choice(middles)) for _ in parts)] = (
            None
        )
    return list(found)


def _known() -> list[str]:
    """Return the native model's words, empty if it is not installed."""
    path = minilm.model_folder() / minilm.VOCABULARY_FILE
    pieces = path.read_text().split() if path.is_file() else []
    plain = (piece for piece in pieces if piece.isascii() and piece.isalpha() and len(piece) > 2)
    return [word for word in plain if word not in fts.STOP_WORDS]


def _embedded(texts: Sequence[str]) -> Floats:
    """Return the model's vectors of texts, random ones if it is not installed."""
    embedder = NativeEmbedder()
    if embedder.available():
        return np.stack([np.frombuffer(embedder.embed([text])[0], dtype="<f4") for text in texts])
    made = np.random.default_rng(1).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)
