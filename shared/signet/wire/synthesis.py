"""MEMORY.md: settings, provider and last run."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class SynthesisConfig(TypedDict):
    """The settings of synthesis; `timeout` is in ms."""

    enabled: bool
    harness: str
    provider: str
    model: str
    schedule: str
    timeout: int
    maxTokens: int
    idleGapMinutes: int


class SynthesisRequest(TypedDict):
    """The request that a run would send to a model now."""

    harness: str
    model: str
    prompt: str
    fileCount: int


class Synthesised(TypedDict):
    success: bool


class TriggeredSynthesis(TypedDict):
    """The job that writes the file, or the reason why it was not queued."""

    success: bool
    skipped: bool
    jobId: NotRequired[str | None]
    reason: NotRequired[str]


class UndoneSynthesis(TypedDict):
    """The earlier file is in place again; the replaced one is kept as a backup."""

    success: bool
    chars: int


class SynthesisStatus(TypedDict):
    """Whether the file is being written, and when it last was."""

    running: bool
    lastRunAt: str | None
    config: SynthesisConfig


SYNTHESIS_CONFIG = get("/api/hooks/synthesis/config", access.LOCAL, SynthesisConfig)
SYNTHESIS_REQUEST = post("/api/hooks/synthesis", access.OPERATOR, SynthesisRequest)
COMPLETE_SYNTHESIS = post(
    "/api/hooks/synthesis/complete",
    access.programs(
        "replace MEMORY.md, which every agent reads",
        "signet hook synthesis-complete",
        for_agents=True,
    ),
    Synthesised,
)
TRIGGER_SYNTHESIS = post("/api/synthesis/trigger", access.OPERATOR, TriggeredSynthesis)
UNDO_SYNTHESIS = post("/api/synthesis/undo", access.OPERATOR, UndoneSynthesis)
SYNTHESIS_STATUS = get("/api/synthesis/status", access.LOCAL, SynthesisStatus)
