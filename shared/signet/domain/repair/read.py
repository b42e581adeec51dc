"""Parse a JSON body into options and row filters; every error is named (RP-16). Pure."""

from collections.abc import Mapping

from signet import clock
from signet.config.pipeline import Repair
from signet.domain.repair.catalog import Action, Filter, Option
from signet.domain.repair.models import Chosen, Value
from signet.errors import Invalid

MAX_IDS = 500
MAX_WORDS = 50
#: Stored length of an error (queue/transitions.py).
MAX_CHARS = 2_000
#: Alternative field names of clients.
_ALIASES = {"jobTypes": "kind", "job_types": "kind", "kinds": "kind", "dry_run": "dryRun"}


def options(action: Action, sent: Mapping[str, object], settings: Repair) -> dict[str, Value]:
    """Return the action's options with defaults; raises Invalid."""
    found: dict[str, Value] = {}
    for option in action.options:
        value = sent.get(option.name)
        if value is None and option.setting is not None:
            value = getattr(settings, option.setting)
        elif value is None:
            value = option.default
        found[option.name] = _value(option, value)
    return found


def is_dry(action: Action, sent: Mapping[str, object]) -> bool:
    """Return whether to preview only; raises Invalid."""
    value = _said(sent, "dryRun")
    if value is None:
        return action.looks_first
    if not isinstance(value, bool):
        raise Invalid("dryRun must be true or false")
    return value


def chosen(action: Action, sent: Mapping[str, object]) -> Chosen:
    """Return the row filters; raises Invalid, also for one that this action does not support."""
    found = Chosen(
        ids=_words(sent, "ids", MAX_IDS),
        kinds=_words(sent, "kind", MAX_WORDS),
        since=_instant(sent, "since"),
        until=_instant(sent, "until"),
        error=_text(sent, "error"),
    )
    said = {
        Filter.IDS: found.ids,
        Filter.KIND: found.kinds,
        Filter.AGE: found.since or found.until,
        Filter.ERROR: found.error,
    }
    for name, value in said.items():
        if value and name not in action.filters:
            raise Invalid(f"{action.path} cannot be limited by {name}")
    return found


def _value(option: Option, value: object) -> Value:
    if option.choices:
        if value not in option.choices:
            raise Invalid(f"{option.name} must be one of {', '.join(option.choices)}")
        return str(value)
    if option.type is str:
        if not isinstance(value, str) or not value.strip():
            raise Invalid(f"{option.name} is required")
        return value.strip()
    if option.type is bool:
        if not isinstance(value, bool):
            raise Invalid(f"{option.name} must be true or false")
        return value
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if option.type is int:
        if not is_whole or not option.low <= int(str(value)) <= option.high:
            low, high = int(option.low), int(option.high)
            raise Invalid(f"{option.name} must be an integer between {low} and {high}")
        return int(str(value))
    if (
        not (is_whole or isinstance(value, float))
        or not option.low <= float(str(value)) <= option.high
    ):
        low, high = int(option.low), int(option.high)
        raise Invalid(f"{option.name} must be a number between {low} and {high}")
    return float(str(value))


def _said(sent: Mapping[str, object], name: str) -> object:
    names = [name, *(other for other, meant in _ALIASES.items() if meant == name)]
    return next((sent[one] for one in names if sent.get(one) is not None), None)


def _words(sent: Mapping[str, object], name: str, most: int) -> tuple[str, ...] | None:
    value = _said(sent, name)
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not 1 <= len(listed) <= most:
        raise Invalid(f"{name} must be a list of 1 to {most} strings")
    if not all(isinstance(one, str) and one for one in listed):
        raise Invalid(f"{name} must be a list of 1 to {most} strings")
    return tuple(dict.fromkeys(listed))


def _text(sent: Mapping[str, object], name: str) -> str | None:
    value = _said(sent, name)
    if value is None:
        return None
    # SQLite ends a pattern at NUL, which would match more than requested, and rejects very long ones.
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > MAX_CHARS:
        raise Invalid(f"{name} must be text of at most {MAX_CHARS} characters")
    return value.strip()


def _instant(sent: Mapping[str, object], name: str) -> str | None:
    text = _text(sent, name)
    try:
        return text and clock.to_text(clock.given(text))
    except ValueError as error:
        raise Invalid(f"{name} must be an ISO timestamp") from error
