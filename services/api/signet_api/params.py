"""Reading query parameters the lenient way that clients rely on."""


def whole(text: str | None, default: int, *, low: int, high: int) -> int:
    """Return a whole number within bounds; what is not a number is the default (routes.md)."""
    try:
        value = int(text) if text is not None else default
    except ValueError:
        value = default
    return min(high, max(low, value))
