"""Sessions: hooks of harnesses, active and past sessions, transcripts."""

from signet.client.method import asks
from signet.wire import hooks
from signet.wire import sessions as wire
from signet.wire.injections import SessionContext, SessionReplay


class SessionCalls:
    """Sessions: hooks of harnesses, active and past sessions, transcripts."""

    @asks(hooks.START_SESSION)
    def start_session(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        context: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> hooks.StartedSession:
        """Return the text for a session start: the agent's identity and its memories; `context` is the session's
        topic.

        Raises Conflict if the other runtime path has claimed the session.
        """

    @asks(hooks.SUBMIT_PROMPT, names={"message": "user_message"})
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
    ) -> hooks.Prompted:
        """Return the context for a user's message; each text is injected once per session."""

    @asks(hooks.PREPARE_OFFLINE, is_safe=True)
    def prepare_offline(
        self, projects: list[str], *, agent_id: str | None = None
    ) -> hooks.OfflineContexts:
        """Return the session starts of these projects for offline use; "" means no project."""

    @asks(hooks.END_TURN, names={"project": "cwd"}, is_safe=True)
    def end_turn(
        self,
        harness: str,
        session_key: str,
        *,
        transcript: str,
        project: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> hooks.EndedTurn:
        """Submit the transcript so far; the session continues, and new text is processed soon if there is enough."""

    @asks(hooks.END_SESSION, names={"project": "cwd"})
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
    ) -> hooks.EndedSession:
        """End a session; its transcript is processed afterwards."""

    @asks(hooks.BEFORE_COMPACTION)
    def before_compaction(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        session_context: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> hooks.Precompaction:
        """Return instructions for summarising a session before compaction."""

    @asks(hooks.AFTER_COMPACTION)
    def after_compaction(
        self,
        harness: str,
        summary: str,
        *,
        session_key: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        agent_id: str | None = None,
    ) -> hooks.Compacted:
        """Save the summary of a compaction."""

    @asks(wire.SESSIONS, kind=wire.RunningSessions, pick=lambda found: found["sessions"])
    def sessions(self, *, agent_id: str | None = None) -> list[wire.RunningSession]:
        """Return the active sessions."""

    @asks(wire.SESSIONS, kind=wire.SessionPage, fixed={"state": "all"})
    def all_sessions(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        project: str | None = None,
        harness: str | None = None,
        outcome: wire.Outcome | None = None,
        agent_id: str | None = None,
    ) -> wire.SessionPage:
        """Return active and ended sessions, latest activity first, with counts of injected and used items.

        `outcome` selects those that received nothing, or used nothing. `session_context` has the details; `cursor` is
        `next` of the previous page.
        """

    @asks(wire.SESSION)
    def session(self, session_key: str) -> wire.RunningSession:
        """Return an active session; raises NotFound."""

    @asks(wire.BYPASS_SESSION, is_safe=True)
    def bypass_session(self, session_key: str, *, enabled: bool = True) -> wire.Bypassed:
        """Disable or enable a session's hooks; raises NotFound."""

    @asks(wire.FORGET_SESSION, kind=wire.SessionPreview, fixed={"mode": "preview"}, is_safe=True)
    def preview_forget_session(
        self, session_key: str, *, agent_id: str | None = None
    ) -> wire.SessionPreview:
        """Return what `forget_session` would delete; changes nothing. Raises NotFound."""

    @asks(wire.FORGET_SESSION, kind=wire.SessionForgotten, fixed={"mode": "execute"})
    def forget_session(
        self, session_key: str, *, reason: str, agent_id: str | None = None
    ) -> wire.SessionForgotten:
        """Delete a session's stored data permanently, and forget memories that come only from it.

        Only these memories can be recovered. Nothing more of the session is stored. Raises NotFound.
        """

    @asks(wire.RENEW_SESSION, is_safe=True)
    def renew_session(self, session_key: str) -> wire.RenewedSession:
        """Renew a session's claim to its full duration; raises NotFound."""

    @asks(wire.TRANSCRIPT)
    def transcript(self, session_key: str, *, agent_id: str | None = None) -> wire.Transcript:
        """Return a session's transcript; raises NotFound."""

    @asks(wire.SESSION_CONTEXT)
    def session_context(
        self,
        session_key: str = "latest",
        *,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> SessionContext:
        """Return a session's injections with sources, reasons and use; raises NotFound.

        The key may be a prefix, or `latest`: the newest of the folder `project`, or of all.
        """

    @asks(wire.SESSION_REPLAY)
    def session_replay(
        self,
        session_key: str = "latest",
        *,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> SessionReplay:
        """Return a whole session: context, messages, saved memories, summary.

        The key is as for `session_context`. Raises NotFound.
        """

    @asks(wire.SEARCH_SESSIONS, pick=lambda found: found["results"], is_safe=True)
    def search_transcripts(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> list[wire.Excerpt]:
        """Return transcript passages that contain the query's words."""

    @asks(wire.SESSION_SUMMARIES)
    def session_summaries(
        self,
        *,
        project: str | None = None,
        depth: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> wire.SummaryPage:
        """Return session summaries, latest first; depth 0 covers one session, higher ones several."""

    @asks(wire.CHECKPOINTS, pick=lambda found: found["checkpoints"])
    def checkpoints(self, project: str, *, limit: int | None = None) -> list[wire.Checkpoint]:
        """Return the checkpoints of a project's sessions, latest first."""

    @asks(wire.SESSION_CHECKPOINTS, pick=lambda found: found["checkpoints"])
    def session_checkpoints(self, session_key: str) -> list[wire.Checkpoint]:
        """Return the checkpoints of one session, latest first."""
