"""Cutting a document into overlapping windows (DOC-3). Pure."""


def windows(text: str, size: int, overlap: int) -> list[str]:
    """Return windows of at most `size` characters, each sharing `overlap` with the one before; blank ones left out.

    The last window ends where the text ends. The overlap is kept to half a window, so that every step gets on.
    """
    step = size - min(overlap, size // 2)
    last = max(len(text) - size, 0)
    starts = range(0, last + step, step)
    return [window for start in starts if (window := text[start : start + size]).strip()]
