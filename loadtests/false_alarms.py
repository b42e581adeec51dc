"""Count the texts in which `signet.text.masking` finds a secret, and print each finding for a person to judge.

Reads every string of the evaluation data, turn by turn. The data contains almost no real secrets, so the share of
texts with a finding is an upper bound of the false alarms. No data is stored.

    python loadtests/false_alarms.py [--data ../shared/data]
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from signet.text.masking import mask

#: Characters to print before a finding, and from its start.
BEFORE, AFTER = 60, 50
#: Shorter strings are names, dates or marks of the data.
LEAST_CHARS = 20


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each text with its set."""
    for path in sorted(folder.rglob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for text in _strings(json.load(file)):
                if len(text) >= LEAST_CHARS:
                    yield path.parent.name, text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def main() -> None:
    """Print each finding, then the share of texts with one for each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    folder = parser.parse_args().data
    read: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for name, text in texts(folder):
        read[name] += 1
        masked = mask(text)
        if not masked.kinds:
            continue
        found[name] += 1
        at = masked.text.index("[masked: ")
        around = re.sub(r"\s+", " ", text[max(0, at - BEFORE) : at + AFTER])
        print(f"{name}: {', '.join(masked.kinds)}: {around}")
    for name in read:
        print(f"{name}: {found[name]} of {read[name]} texts")
    total = read.total()
    print(f"all: {found.total()} of {total} texts, {found.total() / max(1, total):.2%}")


if __name__ == "__main__":
    main()
