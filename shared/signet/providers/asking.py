"""Ask a model for a machine-readable answer, and once more if it cannot be parsed."""

from collections.abc import Callable
from typing import TypeVar

from signet.observe import logs, metrics
from signet.providers import answers, track
from signet.providers.ports import LanguageModel, Shape

T = TypeVar("T")

log = logs.get("pipeline")

_AGAIN = "\nYour last answer could not be read. Answer with the JSON object only, in the form asked for.\n"


def asked(
    model: LanguageModel,
    request: str,
    read: Callable[[str], T | None],
    *,
    shape: Shape,
    timeout_seconds: float,
    max_tokens: int,
) -> T | None:
    """Return `read` of the model's answer, None if two answers could not be parsed.

    Raises what the provider raises.
    """
    for text in (request, request + _AGAIN):
        said = model.generate(
            text, timeout_seconds=timeout_seconds, max_tokens=max_tokens, shape=shape
        ).text
        found = read(said)
        track.judged(model.name, is_usable=found is not None)
        if found is not None:
            return found
        reason = "no_json" if next(answers.objects(said), None) is None else "other_shape"
        metrics.UNREADABLE.labels(model.name.partition(":")[0], reason).inc()
        log.info("model.unreadable", model=model.name, reason=reason, characters=len(said))
    return None
