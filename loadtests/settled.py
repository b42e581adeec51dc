"""Fit the chance that a sentence settles something (`statements/settles.py`) on labelled sentences of users.

    .venv/bin/python -m loadtests.settled [--write]

`ownday/*/settled.txt` lists the sentences of an invented developer that a colleague would want to know later, as judged
by a person; all others are negative. The marked statements of `statements/` are positive as well. Each developer is
judged by weights fitted on the others; `--write` puts the weights of all, with these figures, into `settles.json`.
"""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from loadtests.fit import logistic
from loadtests.own_day import FOLDERS, turns_of
from loadtests.scenarios.statements import from_same, sessions

from signet.domain.statements import kinds, sentences, settles

ROOT = Path(__file__).parent.parent
WEIGHTS = ROOT / "shared/signet/domain/statements/settles.json"
#: Chances at which precision and recall are reported.
LEVELS = (0.4, 0.5, 0.6)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence, the agent's message before it, and whether it settles something."""

    text: str
    before: str | None
    settles: bool


def read() -> Mapping[str, Sequence[Labelled]]:
    """Return the sentences that may settle something, by developer."""
    found = {"statements": [*_marked()]}
    for folder in FOLDERS:
        if (labels := folder / "settled.txt").exists():
            found[folder.name] = [*_labelled(labels)]
    return {
        name: [one for one in some if kinds.is_meant(kinds.bare(one.text))]
        for name, some in found.items()
    }


def _labelled(labels: Path) -> Iterator[Labelled]:
    listed = set(labels.read_text().splitlines())
    for path in sorted((labels.parent / "sessions").glob("*.txt")):
        before: str | None = None
        for number, (role, said) in enumerate(turns_of(path)):
            if role == "Assistant":
                before = said
            elif role == "User":
                for text in _sentences(said):
                    yield Labelled(text, before, f"{path.stem} {number}: {text}" in listed)


def _marked() -> Iterator[Labelled]:
    for one in sessions():
        before: str | None = None
        for turn in re.split(r"\n(?=User: |Assistant: )", one.text):
            role, _, said = turn.partition(": ")
            if role == "Assistant":
                before = said
            else:
                for text in _sentences(said):
                    yield Labelled(
                        text, before, any(from_same(text, marked) for _, marked in one.marked)
                    )


def _sentences(said: str) -> list[str]:
    return [one for part in sentences.paragraphs(said) for one in part]


def fit(every: Sequence[Labelled]) -> np.ndarray:
    """Return the weights of the features, and the bias."""
    rows = np.array([settles.features(one.text, one.before) for one in every], dtype=float)
    labels = np.array([float(one.settles) for one in every])
    return logistic(rows, labels, np.ones(len(labels)))


def judged(every: Sequence[Labelled], weights: np.ndarray) -> dict[str, float]:
    """Return precision and recall at each level, and of the kinds alone, in percent."""
    rows = np.array([settles.features(one.text, one.before) for one in every], dtype=float)
    chances = 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1])))
    truth = np.array([one.settles for one in every])
    by_kind = rows[:, [settles.FEATURES.index(name) for name in ("settling", "open")]].any(axis=1)
    found = {}
    for name, chosen in [("kinds", by_kind), *((str(least), chances >= least) for least in LEVELS)]:
        right = float((chosen & truth).sum())
        found[f"{name} precision"] = round(100 * right / max(1, chosen.sum()))
        found[f"{name} recall"] = round(100 * right / max(1, truth.sum()))
    return found


def main() -> None:
    """Fit, report, and write with `--write`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    every = read()
    figures = {}
    for name in every:
        others = [one for other, some in every.items() if other != name for one in some]
        figures[name] = judged(every[name], fit(others))
        print(name, len(every[name]), figures[name])
    weights = fit([one for some in every.values() for one in some])
    named = dict(zip((*settles.FEATURES, "bias"), weights.round(3).tolist(), strict=True))
    print(named)
    if write:
        text = json.dumps({"weights": named, "held out, percent": figures}, indent=1)
        WEIGHTS.write_text(text + "\n")


if __name__ == "__main__":
    main()
