"""Compute query vectors without waiting for a model to load, or long for a server.

The model loads in the background at start; until then, and for a while after a server failed or was slow, questions
are answered by keywords.

A model in this process computes while the answering thread reads data that needs no vector, and returns the vector
without the event loop, whose turn takes up to 12 ms under 32 saves. A server is awaited first, so that no reader is
held.
"""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial

from signet.db import Database, ReadTx
from signet.domain.recall.models import QueryVector
from signet.errors import Invalid, SignetError
from signet.observe import logs
from signet.process.settings_reload import LiveSettings
from signet.providers import registry
from signet.providers import scale as scales
from signet.providers.metered import MeteredEmbedder
from signet.providers.native import minilm
from signet.providers.native.encoder import NativeEmbedder
from signet.providers.ports import Reading
from signet.providers.registry import VectorSettings
from signet.providers.scale import FITTED, Scale

log = logs.get("embedding")

#: Maximum wait for a vector; a model in this process needs a few milliseconds, a slower server is retried after a
#: pause.
PATIENCE_SECONDS = 0.25
PAUSE_SECONDS = 30.0
#: A call shorter than this did not cause a long wait; contention did.
SLOW_SECONDS = PATIENCE_SECONDS / 2
#: Cached encoded questions (10 kB for a short one, at most 200), and the maximum encoded length: more than any model
#: accepts.
KEPT = 512
READ_CHARS = 8_192


def read_ahead(db: Database, model: str | None) -> None:
    """Load the ranking data of all memories and passages in the background."""

    def start(tx: ReadTx) -> bool:
        from signet.domain.episodes.search import ChunkVectors
        from signet.domain.recall.columns import Columns
        from signet.domain.recall.vector import MemoryVectors

        db.caches.get(Columns).fresh(tx)
        if model is not None:
            for kind in (MemoryVectors, ChunkVectors):
                db.caches.get(kind).read_ahead(tx, model)
        return False

    db.caches.later("read-ahead", start)


class QueryVectors:
    """Computes vectors of questions once a model is available."""

    def __init__(self, live: LiveSettings, loaded: Callable[[], None] = lambda: None) -> None:
        """`loaded` is called by the loading thread after a model has been loaded."""
        self._live = live
        self._loaded = loaded
        self._lock = threading.Lock()
        self._settings: VectorSettings | None = None
        self._embedder: MeteredEmbedder | None = None
        self._native: NativeEmbedder | None = None
        self._scale = FITTED
        self._loading = False
        self._fault = ""
        self._again_at = 0.0
        self._called_at = 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="query-vectors")
        self._embed = lru_cache(KEPT)(self._call)

    @property
    def model(self) -> str | None:
        embedding = self._live.settings.embedding
        return None if embedding.provider == "none" else embedding.model

    @property
    def scale(self) -> Scale:
        """Return the range of the model's cosines."""
        return self._scale

    @property
    def is_warm(self) -> bool:
        return self._embedder is not None

    @property
    def is_loading(self) -> bool:
        is_native = self._settings is not None and self._settings.provider == registry.NATIVE
        return is_native and self._loading

    @property
    def fault(self) -> str:
        """Return why the last question without a vector has none."""
        if self._loading:
            return "the embedding model is loading"
        return self._fault or "there is no embedding model"

    def warm(self) -> None:
        """Load the model in the background before the first question."""
        if self.model is not None:
            self._ready()

    async def for_text(self, text: str) -> QueryVector:
        """Return a function that gives the question's vector; call it off the event loop."""
        embedder = self._ready() if self.model is not None else None
        if embedder is None:
            return _none
        # Notes of the call belong to the request.
        call = partial(self._embed, embedder, text[:READ_CHARS])
        work = self._thread.submit(copy_context().run, call)
        if self._settings is not None and self._settings.provider == registry.NATIVE:
            return partial(self._computed, work)
        return await self._served(work)

    def _computed(self, work: Future[Reading], tells: Mapping[str, float]) -> bytes | None:
        try:
            return work.result(PATIENCE_SECONDS)(tells)
        except (SignetError, TimeoutError, CancelledError) as error:
            self._give_up(work, error)
            return None

    async def _served(self, work: Future[Reading]) -> QueryVector:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(work), PATIENCE_SECONDS)
        except (SignetError, TimeoutError) as error:
            self._give_up(work, error)
            return _none

    def _give_up(self, work: Future[Reading], error: Exception) -> None:
        """Answer a question without its vector; after a failed or slow call, the next ones too for a while."""
        work.cancel()
        is_slow = time.monotonic() - self._called_at >= SLOW_SECONDS
        late = f"slow, and is asked again within {PAUSE_SECONDS:.0f} s" if is_slow else "busy"
        self._fault = str(error) or f"the embedding model was {late}"
        if isinstance(error, SignetError) or (isinstance(error, TimeoutError) and is_slow):
            self._again_at = time.monotonic() + PAUSE_SECONDS
            log.warning("recall.without_vector", reason=str(error) or "too slow")

    def rest(self) -> None:
        """Unload a model in this process until the next question, which reloads it in a tenth of a second."""
        if self._native is not None:
            self._native.rest()

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _ready(self) -> MeteredEmbedder | None:
        wanted = registry.vector_settings(self._live.keyed, self._live.loaded.environment)
        with self._lock:
            if wanted != self._settings:
                self._settings, self._embedder, self._again_at = wanted, None, 0.0
                self._fault = ""
                self._embed.cache_clear()
            if time.monotonic() < self._again_at:
                return None
            if self._embedder is None and not self._loading:
                self._loading = True
                threading.Thread(
                    target=self._load, args=(wanted,), name="model-load", daemon=True
                ).start()
            return self._embedder

    def _load(self, wanted: VectorSettings) -> None:
        try:
            lies, found = FITTED, registry.embedder(wanted)
            embedder = MeteredEmbedder(found) if found else None
            if embedder is not None:
                lies = _warmed(embedder, wanted)
                self._loaded()
            with self._lock:
                if wanted == self._settings:  # otherwise the settings have changed
                    self._embedder, self._scale = embedder, lies
                    self._native = found if isinstance(found, NativeEmbedder) else None
        except Exception as error:  # loading again at each question would not help
            log.warning(
                "recall.model_missing",
                reason=str(error),
                exc_info=not isinstance(error, SignetError),
            )
            with self._lock:
                if wanted == self._settings:
                    self._fault = str(error) or type(error).__name__
                    self._again_at = time.monotonic() + PAUSE_SECONDS
        finally:
            self._loading = False

    def _call(self, embedder: MeteredEmbedder, text: str) -> Reading:
        if self._native is not None and not self._native.loaded:
            self._called_at = math.inf  # reloading does not count as slow
            self._native.load()
        self._called_at = time.monotonic()
        return embedder.question(text)


def _warmed(embedder: MeteredEmbedder, wanted: VectorSettings) -> Scale:
    """Run a model once and return the range of its cosines."""
    if wanted.provider == registry.NATIVE and wanted.model == minilm.MODEL:
        embedder.embed(["warm"])
        return FITTED
    try:
        return scales.measured(embedder)
    except Invalid as error:
        log.warning("recall.model_unmeasured", model=wanted.model, reason=str(error))
        return FITTED


def _none(_: Mapping[str, float]) -> None:
    return None
