"""The actors' dependencies: database, effective settings, models.

Models are recreated when their settings change, and probed at most every 30 seconds.
"""

import threading
import time

from signet import clock
from signet.config import Settings
from signet.db import Database
from signet.domain.extraction.distill import Distiller, ModelDistiller, RuleDistiller
from signet.domain.extraction.models import Mode, mode_of
from signet.domain.summaries import distill as summaries
from signet.observe import logs
from signet.paths import Workspace
from signet.process.settings_reload import LiveSettings
from signet.providers import registry, resolved, track
from signet.providers.metered import MeteredEmbedder, MeteredModel
from signet.providers.pace import Pace, PacedModel
from signet.providers.ports import Embedder, LanguageModel
from signet.providers.ration import RationedModel
from signet.providers.registry import Resolution, TextSettings, VectorSettings
from signet.providers.resolved import PipelinePart
from signet.providers.served import Served
from signet.queue import circuit_breaker
from signet.queue.job_context import JobContext
from signet_worker.job_model import JobModel

log = logs.get("pipeline")

#: Queues of jobs that call the text provider, and the embedding provider.
WAITING_QUEUES = ("llm", "vectors")


class Context:
    """Shared by all actors of this process; thread-safe."""

    def __init__(self, db: Database, live: LiveSettings, workspace: Workspace) -> None:
        self.db = db
        self.workspace = workspace
        self._live = live
        self._slots = workspace.runtime_dir / "llm"
        self._lock = threading.Lock()
        self._embedder: tuple[VectorSettings, Embedder | None] | None = None
        self._resolution: tuple[TextSettings, float, Resolution] | None = None
        #: By server: the concurrent calls of a local one.
        self._paces: dict[str, Pace] = {}
        self._named = self._names()
        #: What jobs may currently do; unknown at first, because no earlier process has checked.
        self._allowing: tuple[bool, TextSettings] | None = None
        db.read(track.load)

    def settings_changed(self) -> None:
        """Retry jobs that wait for a provider or a permission, if that setting has changed.

        Call it at the start too: a permission may have changed while no worker ran.
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
            registry.text_settings(self._live.keyed, environment),
            registry.vector_settings(self._live.keyed, environment),
        )

    def _synthesis(self) -> TextSettings:
        return registry.synthesis_settings(self._live.keyed, self._live.loaded.environment)

    @property
    def settings(self) -> Settings:
        return self._live.settings

    def may_write(self) -> bool:
        """Return whether jobs may change memories: not while the pipeline is off, in shadow mode or frozen."""
        return mode_of(self.settings) is Mode.CONTROLLED_WRITE

    def rest(self) -> None:
        """Unload the embedding model and the database caches; the next job reloads them."""
        with self._lock:
            self._embedder = None
        self.db.rest()

    def embedder(self) -> Embedder | None:
        """Return the embedder, None if embeddings are off."""
        _, wanted = self._names()
        with self._lock:
            if self._embedder is None or self._embedder[0] != wanted:
                found = registry.embedder(wanted)
                self._embedder = (wanted, MeteredEmbedder(found) if found else None)
            return self._embedder[1]

    def vector_model(self) -> str | None:
        """Return the name of the embedding model, None if embeddings are off."""
        embedder = self.embedder()
        return embedder.model if embedder else None

    def distiller(self, job: JobContext) -> Distiller | None:
        """Return the fact extractor, None if extraction is off."""
        model = self.language_model(job, keeps=True)
        if model is not None:
            return ModelDistiller(model, self.settings)
        return RuleDistiller() if self._resolved().effective == registry.RULES else None

    def note_taker(self, job: JobContext) -> summaries.NoteTaker | None:
        """Return the session summariser, None if extraction is off."""
        model = self.language_model(job, keeps=True)
        if model is not None:
            return summaries.ModelReader(model, self.settings)
        return summaries.RuleReader() if self._resolved().effective == registry.RULES else None

    def language_model(
        self, job: JobContext | None = None, *, yields: bool = False, keeps: bool = False
    ) -> LanguageModel | None:
        """Return the text model with metrics and limits, None without one.

        Background work yields: it never takes the last free call. With `keeps`, answers outlive a failure of the job.
        """
        wanted, _ = self._names()
        found = self._bounded(wanted, self._resolved(), yields=yields)
        return self._of_job(found, job, keeps=keeps)

    def _of_job(
        self, model: LanguageModel | None, job: JobContext | None, *, keeps: bool = False
    ) -> LanguageModel | None:
        if model is None or job is None:
            return model
        return JobModel(model, job, self.workspace if keeps else None)

    def synthesis_model(self, job: JobContext) -> LanguageModel | None:
        """Return the model for MEMORY.md with metrics and limits, None without one."""
        extraction, _ = self._names()
        wanted = self._synthesis()
        if wanted == extraction:
            self._keep(PipelinePart.SYNTHESIS, wanted, self._resolved())
            return self.language_model(job)
        found = registry.resolve(wanted, _is_available)
        self._keep(PipelinePart.SYNTHESIS, wanted, found)
        return self._of_job(self._bounded(wanted, found), job)

    def _bounded(
        self, wanted: TextSettings, found: Resolution, *, yields: bool = False
    ) -> LanguageModel | None:
        if found.model is None:
            return None
        metered = MeteredModel(found.model)
        ration = registry.ration(self.settings, self._live.loaded.environment)
        is_local = not registry.is_rationed(wanted, found.effective)
        if is_local and isinstance(found.model, Served):
            server = f"{found.effective} {wanted.endpoint or wanted.ollama_url}"
            with self._lock:
                pace = self._paces.setdefault(server, Pace(most=ration.at_once))
            return PacedModel(metered, pace, found.model)
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
        self._keep(PipelinePart.EXTRACTION, wanted, found)
        with self._lock:
            self._resolution = (wanted, now, found)
        return found

    def _keep(self, part: PipelinePart, wanted: TextSettings, found: Resolution) -> None:
        """Store the provider in use for the API."""
        kept = self.db.read(resolved.read, part)
        if kept is None or not kept.says(wanted, found):
            self.db.write_quick(resolved.keep, part, wanted, found, now=clock.now())


def _is_available(model: LanguageModel) -> bool:
    return model.available()
