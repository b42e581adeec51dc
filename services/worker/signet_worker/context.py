"""What an actor gets: the database, the settings in force, the models.

Models are made when the settings that name them change, and probed at most every 30 seconds.
"""

import threading
import time

from signet import clock
from signet.config import Settings
from signet.db import Database
from signet.domain.extraction.distill import Distiller, Model, Rules
from signet.domain.extraction.mode import Mode, mode_of
from signet.domain.summaries import distill as summaries
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet.providers import chosen, registry, resolved
from signet.providers.metered import MeteredEmbedder, MeteredModel
from signet.providers.pace import Pace, PacedModel
from signet.providers.ports import Embedder, LanguageModel
from signet.providers.ration import RationedModel
from signet.providers.registry import Resolution, TextSettings, VectorSettings
from signet.providers.resolved import Part
from signet.queue import circuit_breaker

log = logs.get("pipeline")

#: The queues of jobs that call the text provider, and the embedding provider.
WAITING_QUEUES = ("llm", "vectors")


class Context:
    """Shared by all actors of this process; for any thread."""

    def __init__(self, db: Database, live: LiveSettings, workspace: Workspace) -> None:
        self.db = db
        self.workspace = workspace
        self._live = live
        self._slots = workspace.runtime_dir / "llm"
        self._lock = threading.Lock()
        self._embedder: tuple[VectorSettings, Embedder | None] | None = None
        self._resolution: tuple[TextSettings, float, Resolution] | None = None
        #: By server: how many calls a local one takes at once.
        self._paces: dict[str, Pace] = {}
        self._named = self._names()
        #: What jobs wait for that are not to run now; unknown at first: no earlier process has looked.
        self._allowing: tuple[bool, TextSettings] | None = None

    def settings_changed(self) -> None:
        """Let the jobs that wait for a provider, or to be allowed, try at once when that has changed.

        To be called once at the start too: what allows a job may have changed while no worker ran.
        """
        allowing, self._allowing = self._allowing, (self.may_write(), self._synthesis())
        if self._allowing != allowing:
            self.db.write(circuit_breaker.settings_allow, "sessions", now=clock.now())
        before, self._named = self._named, self._names()
        for queue, was, now_is in zip(WAITING_QUEUES, before, self._named, strict=True):
            if was != now_is:
                self.db.write(circuit_breaker.reset, queue, now=clock.now())

    def _names(self) -> tuple[TextSettings, VectorSettings]:
        environment = self._live.loaded.environment
        return (
            chosen.text_settings(self._live.keyed, environment),
            chosen.vector_settings(self._live.keyed, environment),
        )

    def _synthesis(self) -> TextSettings:
        return chosen.synthesis_settings(self._live.keyed, self._live.loaded.environment)

    @property
    def settings(self) -> Settings:
        return self._live.settings

    def may_write(self) -> bool:
        """Return whether jobs may change what is remembered: not while the pipeline is off, watching or frozen."""
        return mode_of(self.settings) is Mode.CONTROLLED_WRITE

    def rest(self) -> None:
        """Give up the model of vectors and what the database keeps in memory; the next job loads it again."""
        with self._lock:
            self._embedder = None
        self.db.rest()

    def embedder(self) -> Embedder | None:
        """Return the embedder, None when embeddings are off."""
        _, wanted = self._names()
        with self._lock:
            if self._embedder is None or self._embedder[0] != wanted:
                found = registry.embedder(wanted)
                self._embedder = (wanted, MeteredEmbedder(found) if found else None)
            return self._embedder[1]

    def vector_model(self) -> str | None:
        """Return the name of the model that makes vectors, None when embeddings are off."""
        embedder = self.embedder()
        return embedder.model if embedder else None

    def distiller(self) -> Distiller | None:
        """Return what reads texts, None when extraction is off."""
        model = self.language_model()
        if model is not None:
            return Model(model, self.settings)
        return Rules() if self._resolved().effective == registry.RULES else None

    def note_taker(self) -> summaries.Reader | None:
        """Return what summarises sessions, None when extraction is off."""
        model = self.language_model()
        if model is not None:
            return summaries.Model(model, self.settings)
        return summaries.Rules() if self._resolved().effective == registry.RULES else None

    def language_model(self, *, yields: bool = False) -> LanguageModel | None:
        """Return the model that reads and writes text, counted and bounded; None when there is none.

        Background work yields: it leaves the last free call to other work.
        """
        wanted, _ = self._names()
        return self._bounded(wanted, self._resolved(), yields=yields)

    def synthesis_model(self) -> LanguageModel | None:
        """Return the model that writes MEMORY.md, counted and bounded; None when there is none."""
        extraction, _ = self._names()
        wanted = self._synthesis()
        if wanted == extraction:
            self._keep(Part.SYNTHESIS, wanted, self._resolved())
            return self.language_model()
        found = registry.resolve(wanted, _is_available)
        self._keep(Part.SYNTHESIS, wanted, found)
        return self._bounded(wanted, found)

    def _bounded(
        self, wanted: TextSettings, found: Resolution, *, yields: bool = False
    ) -> LanguageModel | None:
        if found.model is None:
            return None
        metered = MeteredModel(found.model)
        ration = chosen.ration(self.settings, self._live.loaded.environment)
        if not registry.is_rationed(wanted, found.effective):
            server = f"{found.effective} {wanted.endpoint or wanted.ollama_url}"
            with self._lock:
                pace = self._paces.setdefault(server, Pace(most=ration.at_once))
            return PacedModel(metered, pace)
        return RationedModel(metered, self.db, self._slots, ration, yields=yields)

    def _resolved(self) -> Resolution:
        wanted, _ = self._names()
        with self._lock:
            kept = self._resolution
        now = time.monotonic()
        if kept and kept[0] == wanted and now - kept[1] < registry.PROBE_KEPT_SECONDS:
            return kept[2]
        found = registry.resolve(wanted, _is_available)
        if kept is None or kept[2].reason != found.reason:
            log.info("extraction.provider", effective=found.effective, reason=found.reason)
        self._keep(Part.EXTRACTION, wanted, found)
        with self._lock:
            self._resolution = (wanted, now, found)
        return found

    def _keep(self, part: Part, wanted: TextSettings, found: Resolution) -> None:
        """Store which provider is in use, so that the API can show it."""
        kept = self.db.read(resolved.read, part)
        if kept is None or not kept.says(wanted, found):
            self.db.write_quick(resolved.keep, part, wanted, found, now=clock.now())


def _is_available(model: LanguageModel) -> bool:
    return model.available()
