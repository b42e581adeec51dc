"""The vector of a question, without ever waiting for a model to load, nor long for a server.

The model is loaded in the background when the API starts; until it is there every question is answered by words, and
again for a while after an embedding server has failed or was slow.

A model of this process computes while the answer's thread reads what needs no vector, and hands over without the event
loop, whose turn takes up to 12 ms beside 32 saves. A server is waited for before, so that it keeps no reader.
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
from signet.providers import chosen, registry
from signet.providers import scale as scales
from signet.providers.metered import MeteredEmbedder
from signet.providers.native import minilm
from signet.providers.native.encoder import NativeEmbedder
from signet.providers.ports import Reading
from signet.providers.registry import VectorSettings
from signet.providers.scale import FITTED, Scale

log = logs.get("embedding")

#: The longest a question may wait for its vector; an in-process model needs a few milliseconds, a server that
#: needs longer is asked again after a pause.
PATIENCE_SECONDS = 0.25
PAUSE_SECONDS = 30.0
#: A call that has taken less, when a question has waited for long, did not keep it waiting: others did.
SLOW_SECONDS = PATIENCE_SECONDS / 2
#: Questions that are kept as the model has read them (a short one takes 10 kB, the longest 200), and how much of a
#: question is read: more than any model takes in.
KEPT = 512
READ_CHARS = 8_192


def read_ahead(db: Database, model: str | None) -> None:
    """Begin to read what ranking needs of every memory behind everything else, before anybody asks."""

    def start(tx: ReadTx) -> bool:
        from signet.domain.recall.columns import Columns
        from signet.domain.recall.vector_cache import VectorCache

        db.caches.of(Columns).fresh(tx)
        if model is not None:
            db.caches.of(VectorCache).read_ahead(tx, model)
        return False

    db.caches.later("read-ahead", start)


class QueryVectors:
    """Turns questions into vectors once somebody is there to do it."""

    def __init__(self, live: LiveSettings, loaded: Callable[[], None] = lambda: None) -> None:
        """`loaded` is called when a model has been loaded, from the thread that did it."""
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
        """Return the model whose vectors questions are compared with, None when there is none."""
        embedding = self._live.settings.embedding
        return None if embedding.provider == "none" else embedding.model

    @property
    def scale(self) -> Scale:
        """Return where the cosines of the model lie."""
        return self._scale

    @property
    def is_warm(self) -> bool:
        """Return whether questions get vectors now."""
        return self._embedder is not None

    @property
    def is_loading(self) -> bool:
        """Return whether a model of this process is being loaded."""
        is_native = self._settings is not None and self._settings.provider == registry.NATIVE
        return is_native and self._loading

    @property
    def fault(self) -> str:
        """Return why the last question that got no vector got none, in words."""
        if self._loading:
            return "the embedding model is loading"
        return self._fault or "there is no embedding model"

    def warm(self) -> None:
        """Begin to load the model in the background, so that it is there when the first question comes."""
        if self.model is not None:
            self._ready()

    async def of(self, text: str) -> QueryVector:
        """Return what gives the vector of a question; to be called off the event loop."""
        embedder = self._ready() if self.model is not None else None
        if embedder is None:
            return _none
        # What is noted of the call belongs to the request.
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
        """Leave a question without vector, and all for a while when that is the fault of who makes them."""
        work.cancel()
        is_slow = time.monotonic() - self._called_at >= SLOW_SECONDS
        late = f"slow, and is asked again within {PAUSE_SECONDS:.0f} s" if is_slow else "busy"
        self._fault = str(error) or f"the embedding model was {late}"
        if isinstance(error, SignetError) or (isinstance(error, TimeoutError) and is_slow):
            self._again_at = time.monotonic() + PAUSE_SECONDS
            log.warning("recall.without_vector", reason=str(error) or "too slow")

    def rest(self) -> None:
        """Let a model of this process go until the next question, which loads it again in a tenth of a second."""
        if self._native is not None:
            self._native.rest()

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _ready(self) -> MeteredEmbedder | None:
        wanted = chosen.vector_settings(self._live.keyed, self._live.loaded.environment)
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
                if wanted == self._settings:  # else somebody wants another one by now
                    self._embedder, self._scale = embedder, lies
                    self._native = found if isinstance(found, NativeEmbedder) else None
        except Exception as error:  # whatever it is, loading again at each question mends nothing
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
            self._called_at = math.inf  # to load it again is not to be slow
            self._native.load()
        self._called_at = time.monotonic()
        return embedder.question(text)


def _warmed(embedder: MeteredEmbedder, wanted: VectorSettings) -> Scale:
    """Make a model embed something, and return where its cosines lie."""
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
