"""The two months of invented developers (`ownday/`): repositories, Claude Code sessions, notes, and who may see what.

Days count back from the day of the run. `Sources` names the sources of a text by word sequences that occur in few.
"""

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

#: A folder for each developer. The rules were written with marit, and repaired with ines, tariq, chiara and noor in
#: view; all but marit are by authors who had not seen the product.
FOLDERS = sorted(path for path in (Path(__file__).parent / "ownday").iterdir() if path.is_dir())
#: The scopes of imported notes and of facts about the person; other scopes are repositories.
NOTE, PERSON = "note", "person"
#: Age of the notes; no question about a time means them.
NOTES_DAY = 100
#: Words in a row that identify a source.
RUN = 5
#: Number and length of words that identify a source if one line contains them, and words of our own headings and notes.
SINGLE, LONG = 2, 5
FRAME = frozenset(
    """
    active agents changed comes commit facts imported inferred instructions memories memory session since user wrong
    yesterday
    """.split()
)
_WORD = re.compile(r"\w+")
_TURN = re.compile(r"^(User|Assistant|Tool|@cd)(?:: | )", re.MULTILINE)
_HEAD = re.compile(r"day=(\d+) at=(\S+) in=(\S+)\n")


@dataclass(frozen=True, slots=True)
class Source:
    """A session, commit, note or saved memory. `scopes` are the repositories it belongs to, NOTE or PERSON."""

    name: str
    day: int
    scopes: frozenset[str]
    text: str


class Sources:
    """All sources, and the sequences of words that identify them."""

    def __init__(self, every: Sequence[Source]) -> None:
        self.by_name = {source.name: source for source in every}
        self._runs: defaultdict[str, set[str]] = defaultdict(set)
        for source in every:
            for length in (1, RUN):
                for run in runs(source.text, length):
                    self._runs[run].add(source.name)

    def of(self, text: str) -> set[str]:
        """Return the names of the sources that share a sequence of words with a text."""
        return set[str]().union(*(self._runs.get(run, ()) for run in runs(text)))

    def foreign(self, text: str, repository: str) -> set[str]:
        """Return the sources with a sequence of words, or several single ones in a line, that only they contain.

        Sources that this repository may see are not among them.
        """
        found = set[str]().union(*(self._unseen(run, repository) for run in runs(text)))
        for line in text.splitlines():
            if line.startswith("Today is "):  # a day and a month may be rare words
                continue
            words = {word for word in runs(line, 1) if len(word) >= LONG} - FRAME
            single = [names for word in words if (names := self._unseen(word, repository))]
            if len(single) >= SINGLE and (both := set.intersection(*single)):
                found |= both
        return found

    def _unseen(self, run: str, repository: str) -> set[str]:
        names = self._runs.get(run, set())
        allowed = {repository, PERSON}
        return set() if any(self.by_name[name].scopes & allowed for name in names) else names

    def containing(self, word: str) -> set[str]:
        """Return the sources that contain a text literally."""
        return {name for name, source in self.by_name.items() if word in source.text}


def runs(text: str, length: int = RUN) -> Iterator[str]:
    """Yield all sequences of `length` words."""
    words = _WORD.findall(text.casefold())
    return (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))


def make(home: Path, today: date, data: Path) -> Sources:
    """Write everything below a home: `work/` with the repositories, Claude Code's logs, and `notes/`."""
    commits = json.loads((data / "commits.json").read_text())
    made = [*_repositories(home, today, commits)]
    for path in sorted((data / "sessions").glob("*.txt")):
        made.append(_session(home, today, path))
    made += _notes(home, today, data)
    for number, one in enumerate(saved(data)):
        made.append(Source(f"saved-{number}", 0, frozenset({one.get("in") or PERSON}), one["text"]))
    return Sources(made)


def saved(data: Path) -> list[dict[str, str]]:
    """Return what the person saves by hand."""
    found: list[dict[str, str]] = json.loads((data / "saved.json").read_text())
    return found


def folder(home: Path, place: str) -> Path:
    """Return the folder of `repository`, `repository/part` or `repository@worktree`, made if needed."""
    path = home / "work" / place.replace("@", "-")
    repository, _, branch = place.partition("@")
    if branch and not path.exists():
        _git(home / "work" / repository, "worktree", "add", "-q", "-b", branch, str(path))
    path.mkdir(parents=True, exist_ok=True)
    return path


def repository_of(place: str) -> str:
    """Return the repository of a place."""
    return re.split("[/@]", place)[0]


def _instant(today: date, day: int, at: str) -> datetime:
    moment = datetime.combine(today - timedelta(days=day), time.fromisoformat(at))
    return moment.astimezone()


def _repositories(
    home: Path, today: date, commits: dict[str, list[dict[str, str]]]
) -> Iterator[Source]:
    for name in (*commits, "scratch"):
        path = folder(home, name)
        _git(path, "init", "-q")
        for number, commit in enumerate(commits.get(name, ())):
            day, message = int(commit["day"]), commit["message"]
            at = _instant(today, day, "12:00").isoformat()
            _git(path, "commit", "-q", "--allow-empty", "-m", message, at=at)
            yield Source(f"{name}-commit-{number}", day, frozenset({name}), message)


def _git(path: Path, *words: str, at: str = "") -> None:
    who = {"NAME": "Marit", "EMAIL": "marit@hafnet.example", **({"DATE": at} if at else {})}
    env = {
        f"GIT_{part}_{key}": value for part in ("AUTHOR", "COMMITTER") for key, value in who.items()
    }
    subprocess.run(["git", "-C", str(path), *words], check=True, env={**os.environ, **env})


def turns_of(path: Path) -> list[tuple[str, str]]:
    """Return the parts of a session's file: `User`, `Assistant`, `Tool` or `@cd`, and the text."""
    text = path.read_text()
    head = _HEAD.match(text)
    assert head, path
    _, *parts = _TURN.split(text[head.end() :])
    return [(role, said.strip()) for role, said in zip(parts[::2], parts[1::2], strict=True)]


def _session(home: Path, today: date, path: Path) -> Source:
    """Write one session as Claude Code's log: messages, and tool output as the result of a call."""
    text = path.read_text()
    head = _HEAD.match(text)
    assert head, path
    day, place = int(head[1]), head[3]
    at, first = _instant(today, day, head[2]), folder(home, place)
    cwd, scopes, lines = first, {repository_of(place)}, list[str]()
    for number, (role, said) in enumerate(turns_of(path)):
        if role == "@cd":
            cwd = folder(home, said)
            scopes.add(repository_of(said))
            continue
        at += timedelta(minutes=2)
        for who, content in _messages(role, said, number):
            stamp = at.astimezone().isoformat(timespec="seconds")
            record = {"type": who, "message": {"role": who, "content": content}}
            lines.append(json.dumps({**record, "cwd": str(cwd), "timestamp": stamp}) + "\n")
    log = home / ".claude" / "projects" / str(first).replace("/", "-") / f"{path.stem}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(lines))
    os.utime(log, (at.timestamp(), at.timestamp()))
    return Source(path.stem, day, frozenset(scopes), text)


def _messages(role: str, said: str, number: int) -> Iterator[tuple[str, object]]:
    if role == "Tool":
        first, _, rest = said.partition("\n")
        is_command = first.startswith("$ ")
        command = {"command": first.removeprefix("$ ") if is_command else "./run"}
        told = rest if is_command else said
        yield (
            "assistant",
            [{"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": command}],
        )
        yield "user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": told}]
    else:
        yield role.lower(), said if role == "User" else [{"type": "text", "text": said}]


def _notes(home: Path, today: date, data: Path) -> Iterator[Source]:
    written = _instant(today, NOTES_DAY, "18:00").timestamp()
    for file in sorted(data.glob("notes-*.md")):
        for note in file.read_text().split("=== ")[1:]:
            name, _, text = note.partition("\n")
            path = home / "notes" / file.stem.removeprefix("notes-") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (written, written))
            yield Source(f"{file.stem}/{name}", NOTES_DAY, frozenset({NOTE}), text)
