"""Sessions: what a harness tells of them, which run now, what was said in them."""

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import hooks
from signet.wire import sessions as wire
from signet.wire.hooks import (
    Compacted,
    EndedSession,
    EndedTurn,
    Precompaction,
    Prompted,
    StartedSession,
)
from signet.wire.injections import SessionContext
from signet.wire.sessions import (
    Bypassed,
    Checkpoint,
    Excerpt,
    RenewedSession,
    RunningSession,
    SummaryPage,
    Transcript,
)


def _hook(
    harness: str,
    session_key: str | None,
    project: str | None,
    runtime_path: str | None,
    agent_id: str | None,
) -> dict[str, object]:
    return {
        "harness": harness,
        "sessionKey": session_key,
        "project": project,
        "runtimePath": runtime_path,
        "agentId": agent_id,
    }


class SessionCalls:
    """Sessions: what a harness tells of them, which run now, what was said in them."""

    @method
    def start_session(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        context: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[StartedSession]:
        """Return what a session begins with: who the agent is, what is remembered; `context` says what it is about.

        Raises Conflict when the session is claimed by the other runtime path.
        """
        body = _hook(harness, session_key, project, runtime_path, agent_id) | {"context": context}
        return ask(hooks.START_SESSION, body=body)

    @method
    def submit_prompt(
        self,
        harness: str,
        message: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        last_assistant_message: str | None = None,
        transcript: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[Prompted]:
        """Return what a person's message brings to mind; nothing is told twice in one session."""
        body = _hook(harness, session_key, project, runtime_path, agent_id) | {
            "userMessage": message,
            "lastAssistantMessage": last_assistant_message,
            "transcript": transcript,
        }
        return ask(hooks.SUBMIT_PROMPT, body=body)

    @method
    def end_turn(
        self,
        harness: str,
        session_key: str,
        *,
        transcript: str,
        project: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[EndedTurn]:
        """Hand over what was said so far; the session goes on, and what is new is read soon if it is enough."""
        body = _hook(harness, session_key, None, runtime_path, agent_id) | {
            "transcript": transcript,
            "cwd": project,
        }
        return ask(hooks.END_TURN, body=body, is_safe=True)

    @method
    def end_session(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        transcript: str | None = None,
        project: str | None = None,
        reason: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[EndedSession]:
        """Say that a session is over; what was said in it is read afterwards."""
        body = _hook(harness, session_key, None, runtime_path, agent_id) | {
            "transcript": transcript,
            "cwd": project,
            "reason": reason,
        }
        return ask(hooks.END_SESSION, body=body)

    @method
    def before_compaction(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        session_context: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[Precompaction]:
        """Return how to sum up a session whose context is about to be shortened."""
        body = _hook(harness, session_key, project, runtime_path, agent_id) | {
            "sessionContext": session_context
        }
        return ask(hooks.BEFORE_COMPACTION, body=body)

    @method
    def after_compaction(
        self,
        harness: str,
        summary: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> Call[Compacted]:
        """Keep the summary that a context was shortened to."""
        body = _hook(harness, session_key, project, runtime_path, agent_id) | {"summary": summary}
        return ask(hooks.AFTER_COMPACTION, body=body)

    @method
    def sessions(self, *, agent_id: str | None = None) -> Call[list[RunningSession]]:
        """Return the sessions that run now."""
        return ask(wire.SESSIONS, agent_id=agent_id).picking(lambda found: found["sessions"])

    @method
    def session(self, session_key: str) -> Call[RunningSession]:
        """Return a session that runs now; raises NotFound."""
        return ask(wire.SESSION, session_key)

    @method
    def bypass_session(self, session_key: str, *, enabled: bool = True) -> Call[Bypassed]:
        """Let the hooks of a session do nothing, or do their work again; raises NotFound."""
        return ask(wire.BYPASS_SESSION, session_key, body={"enabled": enabled}, is_safe=True)

    @method
    def renew_session(self, session_key: str) -> Call[RenewedSession]:
        """Let the claim of a session last as long as a new one; raises NotFound."""
        return ask(wire.RENEW_SESSION, session_key, body={}, is_safe=True)

    @method
    def transcript(self, session_key: str, *, agent_id: str | None = None) -> Call[Transcript]:
        """Return what was said in a session; raises NotFound."""
        return ask(wire.TRANSCRIPT, session_key, agent_id=agent_id)

    @method
    def session_context(
        self,
        session_key: str = "latest",
        *,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> Call[SessionContext]:
        """Return what a session was given, from where and why, and what of it was used; raises NotFound.

        The key may be the beginning of one, or `latest`: the newest of the folder `project`, or of all.
        """
        return ask(wire.SESSION_CONTEXT, session_key, project=project, agent_id=agent_id)

    @method
    def search_transcripts(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> Call[list[Excerpt]]:
        """Return parts of what was said in sessions that hold the words of the query."""
        body = {
            "query": query,
            "limit": limit,
            "project": project,
            "agentId": agent_id,
        }
        return ask(wire.SEARCH_SESSIONS, body=body, is_safe=True).picking(
            lambda found: found["results"]
        )

    @method
    def session_summaries(
        self,
        *,
        project: str | None = None,
        depth: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Call[SummaryPage]:
        """Return summaries of sessions, latest first; depth 0 is of one session, more of several."""
        return ask(wire.SESSION_SUMMARIES, project=project, depth=depth, limit=limit, offset=offset)

    @method
    def checkpoints(self, project: str, *, limit: int | None = None) -> Call[list[Checkpoint]]:
        """Return how far the sessions of a project were, latest first."""
        return ask(wire.CHECKPOINTS, project=project, limit=limit).picking(
            lambda found: found["checkpoints"]
        )

    @method
    def session_checkpoints(self, session_key: str) -> Call[list[Checkpoint]]:
        """Return how far one session was at each of its checkpoints, latest first."""
        return ask(wire.SESSION_CHECKPOINTS, session_key).picking(
            lambda found: found["checkpoints"]
        )
