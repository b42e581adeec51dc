"""The client: one method for each thing the daemon does, and waiting for its work to be done."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from signet import __version__
from signet.client import transport
from signet.client.address import find_url
from signet.client.errors import BadAnswer
from signet.client.work import Job, Work, work
from signet.config.env import read_environment

#: A JSON object of the HTTP interface.
Body = dict[str, Any]

#: How often a wait for jobs looks; two looks a second are seen as a move, more would only slow the work down.
LOOK_SECONDS = 0.25
#: The most jobs the daemon shows at once.
PAGE = 500


class Signet:
    """Speaks to the daemon of a workspace; holds no connection, may be shared by threads.

    `path` names a workspace, `url` an address; without either the environment decides (see `address.py`). Every call
    raises DaemonNotRunning or DaemonSilent when nobody answers, and the `SignetError` of a refusal.
    """

    def __init__(
        self,
        *,
        path: str | None = None,
        url: str | None = None,
        token: str | None = None,
        actor: str = "python",
        actor_type: str = "sdk",
        timeout_seconds: float | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        found, _ = read_environment(environ)
        self.url = (url or find_url(path, environ, found)).rstrip("/")
        self._timeout = timeout_seconds or found.fetch_timeout_ms / 1000
        token = token or found.token
        named = {
            "Authorization": f"Bearer {token}" if token else None,
            "X-Signet-Agent-Id": found.agent_id,
            "X-Signet-Actor": actor,
            "X-Signet-Actor-Type": actor_type,
            "User-Agent": f"signet/{__version__}",
        }
        self._headers = {name: value for name, value in named.items() if value}

    def remember(
        self,
        content: str,
        *,
        type: str | None = None,
        who: str | None = None,
        project: str | None = None,
        importance: float | None = None,
        tags: str | Sequence[str] | None = None,
        pinned: bool = False,
        private: bool = False,
        agent_id: str | None = None,
        source_type: str | None = None,
        source_id: str | None = None,
        ordinal: int | None = None,
        transcript: str | None = None,
        harness: str | None = None,
        hints: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Body:
        """Save a text; `deduped` in the answer says that it was there before."""
        body = {
            "content": content,
            "type": type,
            "who": who,
            "project": project,
            "importance": importance,
            "tags": tags if tags is None or isinstance(tags, str) else list(tags),
            "pinned": pinned or None,
            "visibility": "private" if private else None,
            "agentId": agent_id,
            "sourceType": source_type,
            "sourceId": source_id,
            "ordinal": ordinal,
            "transcript": transcript,
            "harness": harness,
            "hints": None if hints is None else list(hints),
            "idempotencyKey": idempotency_key,
        }
        return self.call("POST", "/api/memory/remember", body=_given(body))

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        keyword_query: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        project: str | None = None,
        pinned: bool = False,
        importance_min: float | None = None,
        min_score: float | None = None,
        since: str | None = None,
        until: str | None = None,
        expand: bool = False,
        explain: bool = False,
        agent_id: str | None = None,
    ) -> Body:
        """Return what answers a question, best first, under `results`."""
        body = {
            "query": query,
            "limit": limit,
            "keywordQuery": keyword_query,
            "type": type,
            "tags": tags if tags is None or isinstance(tags, str) else list(tags),
            "who": who,
            "project": project,
            "pinned": pinned or None,
            "importance_min": importance_min,
            "min_score": min_score,
            "since": since,
            "until": until,
            "expand": expand or None,
            "explain": explain or None,
            "agentId": agent_id,
        }
        return self.call("POST", "/api/memory/recall", body=_given(body))

    def get(self, memory_id: str) -> Body:
        """Return one memory; raises NotFound."""
        return self.call("GET", f"/api/memory/{_part(memory_id)}")

    def history(self, memory_id: str, *, limit: int | None = None) -> list[Body]:
        """Return what has happened to a memory, oldest first; raises NotFound."""
        found = self.call("GET", f"/api/memory/{_part(memory_id)}/history", limit=limit)
        return _list(found, "history")

    def memories(self, *, limit: int = 100, offset: int = 0, type: str | None = None) -> Body:
        """Return a page of memories, newest first, and counts over all under `stats`."""
        return self.call("GET", "/api/memories", limit=limit, offset=offset, type=type)

    def jobs(
        self, *, status: str | None = None, kind: str | None = None, limit: int = 50
    ) -> list[Job]:
        """Return jobs, latest change first; at most 500."""
        return _list(self.call("GET", "/api/jobs", status=status, kind=kind, limit=limit), "jobs")

    def job(self, job_id: str) -> Job:
        """Return one job; raises NotFound."""
        return self.call("GET", f"/api/memory/jobs/{_part(job_id)}")

    def work(self, mine: Callable[[Job], bool] | None = None) -> Work:
        """Return how far the queue is, or the part of it that `mine` picks."""
        pipeline = self.pipeline_status()
        pending = self.jobs(status="pending", limit=PAGE)
        leased = self.jobs(status="leased", limit=PAGE) if mine else []
        stopped = self.status()["waitingForProvider"] if pending else {}
        return work(pipeline, pending, leased, stopped, mine)

    def wait_for_jobs(
        self,
        mine: Callable[[Job], bool] | None = None,
        *,
        watch: Callable[[Work], None] | None = None,
        patience_seconds: float = 60.0,
    ) -> Work:
        """Return when no open job is left, when the queue is paused, or when nothing moved for so long.

        Jobs that wait for a provider are not waited for. `watch` hears of each look.
        """
        seen: Work | None = None
        moved_at = time.monotonic()
        while True:
            found = self.work(mine)
            if watch is not None:
                watch(found)
            if found != seen:
                seen, moved_at = found, time.monotonic()
            is_stuck = time.monotonic() - moved_at > patience_seconds
            if found.open == 0 or found.paused or is_stuck:
                return found
            time.sleep(LOOK_SECONDS)

    def pipeline_status(self) -> Body:
        """Return what runs, what waits and what died."""
        return self.call("GET", "/api/pipeline/status")

    def pause(self) -> Body:
        """Let running jobs finish and start none until `resume`."""
        return self.call("POST", "/api/pipeline/pause", body={})

    def resume(self) -> Body:
        """Let jobs start again."""
        return self.call("POST", "/api/pipeline/resume", body={})

    def status(self) -> Body:
        """Return version, processes, queue, providers and settings in force."""
        return self.call("GET", "/api/status")

    def add_document(
        self, content: str, *, title: str | None = None, content_type: str | None = None
    ) -> Body:
        """Hand over a text to be read in chunks; a known one is answered with `deduplicated`."""
        body = {"source_type": "text", "content": content, "title": title}
        return self.call(
            "POST", "/api/documents", body=_given({**body, "content_type": content_type})
        )

    def documents(self, *, status: str | None = None, limit: int = 50, offset: int = 0) -> Body:
        """Return a page of documents, newest first."""
        return self.call("GET", "/api/documents", status=status, limit=limit, offset=offset)

    def document(self, document_id: str) -> Body:
        """Return one document; raises NotFound."""
        return self.call("GET", f"/api/documents/{_part(document_id)}")

    def chunks(self, document_id: str) -> list[Body]:
        """Return the memories made from a document, in its order; raises NotFound."""
        return _list(self.call("GET", f"/api/documents/{_part(document_id)}/chunks"), "chunks")

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None = None,
        **params: str | int | None,
    ) -> Body:
        """Return the JSON object of any route; `params` that are None are left out."""
        query = urlencode(_given(params))
        target = f"{path}?{query}" if query else path
        answer = transport.send(
            self.url,
            method,
            target,
            body=body,
            headers=self._headers,
            timeout_seconds=self._timeout,
        )
        if not isinstance(answer, dict):
            raise BadAnswer(f"{path} did not answer with a JSON object")
        return answer


def _given(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _part(text: str) -> str:
    """Return an id as one part of a path; an empty one would name another route."""
    return quote(text, safe="") or "%20"


def _list(body: Body, name: str) -> list[Body]:
    found = body.get(name)
    if not isinstance(found, list):
        raise BadAnswer(f"The answer has no list of {name}")
    return found
