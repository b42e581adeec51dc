"""Stable error codes and their stages.

Pure: error and location determine the code.
"""

from collections.abc import Mapping
from enum import StrEnum

from signet.errors import (
    NotNow,
    ProviderBusy,
    ProviderDown,
    ProviderTimeout,
    SignetError,
    Unavailable,
)


class ErrorStage(StrEnum):
    """The part of the product in which an error happened."""

    EXTRACTION = "extraction"
    DECISION = "decision"
    EMBEDDING = "embedding"
    MUTATION = "mutation"
    CONNECTOR = "connector"
    PREDICTOR = "predictor"


class Code(StrEnum):
    """Error codes; the first word is the stage."""

    EXTRACTION_TIMEOUT = "EXTRACTION_TIMEOUT"
    EXTRACTION_PARSE_FAIL = "EXTRACTION_PARSE_FAIL"
    DECISION_TIMEOUT = "DECISION_TIMEOUT"
    DECISION_INVALID = "DECISION_INVALID"
    EMBEDDING_PROVIDER_DOWN = "EMBEDDING_PROVIDER_DOWN"
    EMBEDDING_TIMEOUT = "EMBEDDING_TIMEOUT"
    MUTATION_CONFLICT = "MUTATION_CONFLICT"
    MUTATION_SCOPE_DENIED = "MUTATION_SCOPE_DENIED"
    CONNECTOR_SYNC_FAIL = "CONNECTOR_SYNC_FAIL"
    CONNECTOR_AUTH_FAIL = "CONNECTOR_AUTH_FAIL"
    PREDICTOR_TIMEOUT = "PREDICTOR_TIMEOUT"
    PREDICTOR_CRASH = "PREDICTOR_CRASH"
    PREDICTOR_PARSE_ERROR = "PREDICTOR_PARSE_ERROR"
    PREDICTOR_TRAIN_FAILURE = "PREDICTOR_TRAIN_FAILURE"
    PREDICTOR_CHECKPOINT_ERROR = "PREDICTOR_CHECKPOINT_ERROR"

    @property
    def stage(self) -> ErrorStage:
        return ErrorStage(self.partition("_")[0].lower())


#: Refused changes, by the client's code.
_REFUSALS: Mapping[str, Code] = {
    "version_conflict": Code.MUTATION_CONFLICT,
    "duplicate_content_hash": Code.MUTATION_CONFLICT,
    "scope_denied": Code.MUTATION_SCOPE_DENIED,
}


#: Errors that end a run without failing the job: it waits for a provider, a lock or a setting.
_WAITS = (Unavailable, NotNow, ProviderBusy, ProviderDown)


def of_refusal(error: SignetError) -> Code | None:
    """Return the code of a refused change, None for other refusals."""
    return _REFUSALS.get(error.code)


def of_embedding(error: BaseException) -> Code | None:
    """Return the code of a failed embedding call; None if the provider is not involved."""
    if isinstance(error, ProviderTimeout):
        return Code.EMBEDDING_TIMEOUT
    return Code.EMBEDDING_PROVIDER_DOWN if isinstance(error, SignetError) else None


def of_decision(error: BaseException) -> Code:
    is_late = isinstance(error, ProviderTimeout)
    return Code.DECISION_TIMEOUT if is_late else Code.DECISION_INVALID


def of_job(kind: str, code: str, error: BaseException | None) -> Code | None:
    """Return the code of a job's failed run; None if the taxonomy has none."""
    if isinstance(error, _WAITS):
        return None
    if kind == "extract":
        is_late = isinstance(error, ProviderTimeout | TimeoutError) or code == "timeout"
        return Code.EXTRACTION_TIMEOUT if is_late else Code.EXTRACTION_PARSE_FAIL
    if kind == "label_session":
        return Code.PREDICTOR_TRAIN_FAILURE
    if kind == "connector_sync":
        is_closed = code == Code.CONNECTOR_AUTH_FAIL
        return Code.CONNECTOR_AUTH_FAIL if is_closed else Code.CONNECTOR_SYNC_FAIL
    return None
