"""Numbers with their nouns."""


def count(number: int, noun: str) -> str:
    """Return a number with its noun in the right form: `1 memory`, `2 memories`, `1 row of the index`."""
    noun, of, whole = noun.partition(" of ")
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun}{of}{whole}"
