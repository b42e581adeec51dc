"""Sessions: what a harness tells of them, which run now, what was said in them."""

from signet.client.method import asks
from signet.wire import hooks
from signet.wire import sessions as wire
from signet.wire.injections import SessionContext, SessionReplay


class SessionCalls:
    """Sessions: what a harness tells of them, which run now, what was said in them."""

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
        """Return what a session begins with: who the agent is, what is remembered; `context` says what it is about.

        Raises Conflict when the session is claimed by the other runtime path.
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
        """Return what a person's message brings to mind; nothing is told twice in one session."""

    @asks(hooks.PREPARE_OFFLINE, is_safe=True)
    def prepare_offline(
        self, projects: list[str], *, agent_id: str | None = None
    ) -> hooks.OfflineContexts:
        """Return what sessions in these projects begin with while the daemon is away; "" is without a project."""

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
        """Hand over what was said so far; the session goes on, and what is new is read soon if it is enough."""

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
        """Say that a session is over; what was said in it is read afterwards."""

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
        """Return how to sum up a session whose context is about to be shortened."""

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
        """Keep the summary that a context was shortened to."""

    @asks(wire.SESSIONS, kind=wire.RunningSessions, pick=lambda found: found["sessions"])
    def sessions(self, *, agent_id: str | None = None) -> list[wire.RunningSession]:
        """Return the sessions that run now."""

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
        """Return sessions, running and ended, those heard of last first, each with what it was given and used.

        `outcome` keeps those that were given nothing, or used nothing of what they were given. What exactly one was
        given says `session_context`; `cursor` is `next` of another page.
        """

    @asks(wire.SESSION)
    def session(self, session_key: str) -> wire.RunningSession:
        """Return a session that runs now; raises NotFound."""

    @asks(wire.BYPASS_SESSION, is_safe=True)
    def bypass_session(self, session_key: str, *, enabled: bool = True) -> wire.Bypassed:
        """Let the hooks of a session do nothing, or do their work again; raises NotFound."""

    @asks(wire.FORGET_SESSION, kind=wire.SessionPreview, fixed={"mode": "preview"}, is_safe=True)
    def preview_forget_session(
        self, session_key: str, *, agent_id: str | None = None
    ) -> wire.SessionPreview:
        """Return what `forget_session` would take along; changes nothing. Raises NotFound."""

    @asks(wire.FORGET_SESSION, kind=wire.SessionForgotten, fixed={"mode": "execute"})
    def forget_session(
        self, session_key: str, *, reason: str, agent_id: str | None = None
    ) -> wire.SessionForgotten:
        """Delete what is stored of a session for good, and forget the memories that were distilled from it alone.

        Only these memories can be recovered. Nothing more of the session is stored. Raises NotFound.
        """

    @asks(wire.RENEW_SESSION, is_safe=True)
    def renew_session(self, session_key: str) -> wire.RenewedSession:
        """Let the claim of a session last as long as a new one; raises NotFound."""

    @asks(wire.TRANSCRIPT)
    def transcript(self, session_key: str, *, agent_id: str | None = None) -> wire.Transcript:
        """Return what was said in a session; raises NotFound."""

    @asks(wire.SESSION_CONTEXT)
    def session_context(
        self,
        session_key: str = "latest",
        *,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> SessionContext:
        """Return what a session was given, from where and why, and what of it was used; raises NotFound.

        The key may be the beginning of one, or `latest`: the newest of the folder `project`, or of all.
        """

    @asks(wire.SESSION_REPLAY)
    def session_replay(
        self,
        session_key: str = "latest",
        *,
        project: str | None = None,
        agent_id: str | None = None,
    ) -> SessionReplay:
        """Return a session as it went: its context, with all messages, what was remembered, and its summary.

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
        """Return parts of what was said in sessions that hold the words of the query."""

    @asks(wire.SESSION_SUMMARIES)
    def session_summaries(
        self,
        *,
        project: str | None = None,
        depth: int | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> wire.SummaryPage:
        """Return summaries of sessions, latest first; depth 0 is of one session, more of several."""

    @asks(wire.CHECKPOINTS, pick=lambda found: found["checkpoints"])
    def checkpoints(self, project: str, *, limit: int | None = None) -> list[wire.Checkpoint]:
        """Return how far the sessions of a project were, latest first."""

    @asks(wire.SESSION_CHECKPOINTS, pick=lambda found: found["checkpoints"])
    def session_checkpoints(self, session_key: str) -> list[wire.Checkpoint]:
        """Return how far one session was at each of its checkpoints, latest first."""
