"""Simulate four users with twenty seeds each: does learned ranking help, and switch off where it does not?

    python loadtests/learning.py

Sixty memories of six projects have scores between 0.5 and 0.8, as at a session start. Each session has thirty of them
as candidates and injects ten. An injected memory that the user needs is used in six of ten cases. Factors, team
draft, gain and switch are the product's; gain is the nDCG@10 of the injected memories by the user's needs, minus that
of the original order.
"""

import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from signet.domain.injections.models import Team
from signet.domain.learning import influence, worth

SEEDS, SESSIONS, TOLD_FROM, LATE_FROM = 20, 60, 30, 50
PROJECTS, EACH, CANDIDATES, GIVEN = 6, 10, 30, 10
LOWEST, HIGHEST, USED = 0.5, 0.8, 0.6
WINDOW = 10
#: The session from which the changing user needs another project.
CHANGE = 30

#: Return whether a memory is needed in a session, and its label.
Needs = Callable[[int, int], bool]


@dataclass(slots=True)
class Life:
    """One user's sessions; `gains` compare the injected order with the original one."""

    needs: Needs
    coin: random.Random
    is_random: bool = False
    lies_from: int | None = None
    #: For each memory, whether it was used in each session that received it.
    told: dict[int, list[bool]] = field(default_factory=lambda: defaultdict(list))
    margins: list[float] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    states: list[bool] = field(default_factory=list)

    def run(self, sessions: int) -> None:
        """Simulate `sessions` sessions."""
        memories = range(PROJECTS * EACH)
        scores = {one: self.coin.uniform(LOWEST, HIGHEST) for one in memories}
        for session in range(sessions):
            found = self.coin.sample(list(memories), CANDIDATES)
            self._session(session, sorted(found, key=scores.__getitem__, reverse=True), scores)

    def _session(self, session: int, base: list[int], scores: dict[int, float]) -> None:
        learned = sorted(
            base, key=lambda one: scores[one] * self._factor(one, session), reverse=True
        )
        is_on = influence.standing_after(self.margins, window=WINDOW).is_on
        self.states.append(is_on)
        teams: dict[int, Team | None] = dict.fromkeys(base)
        order = base
        if is_on:
            drawn = influence.drafted(base, learned, str, seed=f"{session}{self.coin.random()}")
            teams, order = dict(drawn), [one for one, _ in drawn]
        given = order[:GIVEN]
        used = {one for one in given if self._is_used(one, session)}
        self.margins.append(_margin(given, used, base, learned, teams, is_on=is_on))
        for one in given:
            self.told[one].append(one in used)
        self.gains.append(self._gain(given, session) - self._gain(base[:GIVEN], session))

    def _factor(self, memory: int, session: int) -> float:
        count = sum(self.told[memory][-worth.LAST_SESSIONS :])
        factor = worth.learned(count, 0, count)
        return 2 - factor if self.lies_from is not None and session >= self.lies_from else factor

    def _is_used(self, memory: int, session: int) -> bool:
        if self.is_random:
            return self.coin.random() < USED / PROJECTS
        return self.needs(memory, session) and self.coin.random() < USED

    def _gain(self, order: Sequence[int], session: int) -> float:
        return influence.ndcg([float(self.needs(one, session)) for one in order])


def _margin(
    given: Sequence[int],
    used: set[int],
    base: Sequence[int],
    learned: Sequence[int],
    teams: dict[int, Team | None],
    *,
    is_on: bool,
) -> float:
    """Return how much better the learned order did, computed like compare.py."""
    if not used or len(used) == len(given):
        return 0.0
    chosen = Counter(teams[one] for one in used if teams[one])
    if is_on and any(teams[one] for one in given):
        total = sum(chosen.values())
        return (chosen[Team.LEARNED] - chosen[Team.BASE]) / total if total else 0.0
    known = set(given)
    gains = [
        influence.ndcg([float(one in used) for one in order if one in known])
        for order in (learned, base)
    ]
    return gains[0] - gains[1]


def _of_project(memory: int, session: int) -> bool:
    return memory // EACH == 0


def _changing(memory: int, session: int) -> bool:
    return memory // EACH == (0 if session < CHANGE else 1)


def _lives(name: str) -> list[Life]:
    found = []
    for seed in range(SEEDS):
        life = Life(
            _changing if name == "changes" else _of_project,
            random.Random(f"{name} {seed}"),
            is_random=name == "labels by chance",
            lies_from=CHANGE if name == "is lied to" else None,
        )
        life.run(SESSIONS)
        found.append(life)
    return found


def main() -> None:
    """Print a table."""
    print(
        "| user | gain from session 30 on | worst seed | from 50 on | worst seed | on at the end | ever on |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in ("one project", "labels by chance", "changes", "is lied to"):
        lives = _lives(name)
        gains = [statistics.fmean(life.gains[TOLD_FROM:]) for life in lives]
        late = [statistics.fmean(life.gains[LATE_FROM:]) for life in lives]
        print(
            f"| {name} | {statistics.fmean(gains):+.3f} | {min(gains):+.3f} |"
            f" {statistics.fmean(late):+.3f} | {min(late):+.3f} |"
            f" {sum(life.states[-1] for life in lives)} of {SEEDS} |"
            f" {sum(any(life.states) for life in lives)} of {SEEDS} |"
        )


if __name__ == "__main__":
    main()
