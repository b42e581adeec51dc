"""`signet hook …`: run a harness hook in milliseconds without ever blocking the harness.

Loads neither the command tree nor its library. An absent or slow daemon, a refusal and an unknown option are one line
on stderr and exit 0 for lifecycle hooks (CL-50). Other wrong usage exits 1.

By default a hook ends within two seconds, however slow the daemon is. A session end is spooled first, so that it can
be delivered later (see spooled.py).
"""

import codecs
import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signet.cli import hook_forms, offline
from signet.cli.hook_forms import HOOKS, SPELLINGS, Hook
from signet.client import connection, target
from signet.client.errors import BadAnswer, DaemonAway, DaemonNotRunning, DaemonSilent, absent
from signet.config.env import read_environment
from signet.errors import SignetError, StorageDamaged, Unavailable
from signet.paths import Workspace, find_workspace
from signet.text import json_text

if TYPE_CHECKING:  # import on demand: the spool and its sender
    from signet.client.call import RawReply
    from signet.domain.sessions.spool import Entry

#: Total time limit of a hook by default; users notice more than two seconds.
PATIENCE_SECONDS = 1.8
#: Time limit for reading stdin, which is available immediately or never.
INPUT_SECONDS = 1.0
LEAST_SECONDS = 0.2
MOST_INPUT = 32 * 1_048_576
#: Never 2, the usual status: on 2, harnesses block the prompt or continue the turn.
USAGE = 1

#: The daemon is unreachable, or only a proxy answers.
_UNREACHABLE = (Unavailable, BadAnswer)
#: Hooks whose output becomes model context, with the event name of the harness.
_CONTEXT_EVENTS = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}
#: The session start's text for a damaged database. Fixed, because an error answer must not enter the context.
DAMAGED = (
    "[signet] The database of the user's memories is damaged, so nothing can be recalled or saved. "
    "Tell the user to run: signet doctor"
)
#: Commands whose route has another name.
_ROUTES = {"synthesis-complete": "synthesis/complete"}


class WrongUsage(Exception):
    """The command line is invalid."""


class HookCall(NamedTuple):
    """A parsed command line."""

    name: str
    harness: str
    fields: Mapping[str, str]
    path: str | None = None
    as_json: bool = False
    #: A plugin runs this line; the harness may be connected as well.
    is_plugin: bool = False
    #: The harness's name of the event, if given.
    event: str | None = None

    @property
    def hook(self) -> Hook:
        return HOOKS[self.name]

    @property
    def route(self) -> str:
        return f"/api/hooks/{_ROUTES.get(self.name, self.name)}"


def run(arguments: Sequence[str]) -> int:
    if os.environ.get("SIGNET_NO_HOOKS") == "1":
        return 0
    is_bypassed = os.environ.get("SIGNET_BYPASS") == "1"
    started = time.monotonic()
    try:
        asked = parse(arguments)
        said = hook_forms.spoken(stdin(started + INPUT_SECONDS))
        if hook_forms.repeats(asked.harness, said, Path.home()):
            return 0
        if asked.is_plugin and hook_forms.is_installed(asked.harness, Path.home()):
            return 0
        asked = asked._replace(event=hook_forms.event_of(said))
        body = body_of(asked, said)
        if is_bypassed:
            if asked.name != "session-end" or "sessionKey" not in body:
                return 0
            # Only the key is sent, so that a backfill skips the session's log (HK-121).
            body = {**{name: body[name] for name in ("harness", "sessionKey")}, "reason": "clear"}
    except WrongUsage as error:
        from signet.cli import output

        output.failed(str(error), "usage", as_json=False)
        output.hint("See: signet hook --help")
        return USAGE
    try:
        return _deliver(asked, body, started)
    except Exception as error:  # a memory failure must not break the harness
        _tell(f"{type(error).__name__}: {error}")
        return 0 if asked.hook.is_lifecycle else 1


def parse(arguments: Sequence[str]) -> HookCall:
    """Parse a command line; raises WrongUsage."""
    name, *rest = arguments or ("",)
    hook = HOOKS.get(name)
    if hook is None:
        raise WrongUsage(f"No such hook: {name or '(none)'}")
    flags = {**hook.flags, "-H": "harness", "--harness": "harness", "--path": "path", "-p": "path"}
    found: dict[str, str] = {}
    switches, left = {"--json": False, "--plugin": False}, list(rest)
    while left:
        flag, is_joined, value = left.pop(0).partition("=")
        if flag in switches and not is_joined:
            switches[flag] = True
            continue
        if flag not in flags:
            _ignore(flag, left, is_joined=bool(is_joined))
            continue
        if not is_joined:
            if not left:
                raise WrongUsage(f"Option {flag} needs a value")
            value = left.pop(0)
        found[flags[flag]] = value
    harness, path = found.pop("harness", "").strip(), found.pop("path", None)
    if not harness:
        raise WrongUsage("Option -H/--harness is required")
    return HookCall(
        name=name,
        harness=harness,
        fields=found,
        path=path,
        as_json=switches["--json"],
        is_plugin=switches["--plugin"],
    )


def _ignore(flag: str, left: list[str], *, is_joined: bool) -> None:
    """Skip an unknown option and its value: settings may be older or newer than this program."""
    _tell(f"No such option: {flag}; ignored")
    if flag.startswith("-") and not is_joined and left and not left[0].startswith("-"):
        left.pop(0)


def body_of(asked: HookCall, said: Mapping[str, object]) -> dict[str, object]:
    """Return the request body: flags, then the harness's fields. Raises WrongUsage for missing fields."""
    body: dict[str, object] = {"harness": asked.harness}
    for name in dict.fromkeys((*asked.hook.reads, *asked.fields)):
        value = asked.fields.get(name) or _field(said, name)
        if value not in (None, ""):
            body[name] = value
    if "reason" in body:
        body["reason"] = hook_forms.reason_of(asked.harness, body["reason"])
    needed = asked.hook.needs
    if needed and needed not in body:
        raise WrongUsage(f"Option --{needed} is required")
    return body


def stdin(until: float) -> Mapping[str, object]:
    """Return the JSON object on stdin; empty for a terminal, other content, or a timeout."""
    try:
        if sys.stdin is None or sys.stdin.isatty():
            return {}
        read = _read(sys.stdin.fileno(), until)
        found = (
            json.loads(read.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"))
            if read.strip()
            else {}
        )
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(handle: int, until: float) -> bytes:
    """Read until the end or a deadline, in a thread, because not every system can wait for a pipe."""
    import _thread  # importing `threading` takes longer than reading

    read, ended = bytearray(), _thread.allocate_lock()
    ended.acquire()

    def work() -> None:
        with contextlib.suppress(OSError):
            while len(read) < MOST_INPUT and (some := os.read(handle, 65_536)):
                read.extend(some)
        ended.release()

    _thread.start_new_thread(work, ())
    ended.acquire(timeout=max(0.0, until - time.monotonic()))
    return bytes(read)


def _deliver(asked: HookCall, body: Mapping[str, object], started: float) -> int:
    workspace = find_workspace(asked.path)
    if asked.name == "compaction-complete":  # the content identifies a session end
        from signet import ids

        body = {**body, "idempotencyKey": ids.new_ordered_id()}
    found = _daemon(asked, started)
    if isinstance(found, target.CallTarget) and found.is_elsewhere:
        body = _described(body)
    entry = _spooled(asked, body, workspace, found) if asked.hook.is_spooled else None
    if isinstance(found, SignetError):
        return _unsent(asked, found, entry)
    try:
        reply = _reply(asked, body, workspace, found)
    except SignetError as error:
        if found.is_elsewhere and isinstance(error, _UNREACHABLE):
            _print_known(asked, body, workspace)
        return _unsent(asked, error, entry)
    status = _answered(asked, reply, workspace, found, entry)
    if found.is_elsewhere:
        connection.came_back(workspace)
        if reply.status == connection.KEY_REFUSED:  # a rejected key must keep no copy
            offline.forget(workspace)
        else:
            offline.behind(workspace, found, asked.name, body)
    return status


def _described(body: Mapping[str, object]) -> Mapping[str, object]:
    """Return a body with the repository of its folder, which a daemon elsewhere cannot look at."""
    from signet.domain.projects import folder

    named = body.get("project") or body.get("cwd")
    return {**body, "repository": folder.described(str(named))} if named else body


def _reply(
    asked: HookCall, body: Mapping[str, object], workspace: Workspace, daemon: target.CallTarget
) -> "RawReply":
    """Return the daemon's reply. Raises SignetError, immediately if the daemon is known to be unreachable."""
    is_start = asked.name == "session-start"
    if daemon.is_elsewhere:
        if offline.is_away(workspace, daemon, is_start=is_start):
            raise absent(daemon)
        daemon = offline.hurried(daemon, is_start=is_start)
    from signet.cli import spooled
    from signet.client import transport
    from signet.client.call import Call

    # A daemon that requires tokens reads no files (HK-73), and a remote one has other files.
    is_near = spooled.is_own(workspace, daemon) and "Authorization" not in daemon.headers
    sent = body if is_near else spooled.with_log(body)
    try:
        return transport.send(daemon, Call(method="POST", path=asked.route, body=sent))
    except _UNREACHABLE:
        if daemon.is_elsewhere:
            connection.note_away(workspace)
        raise


def _answered(
    asked: HookCall,
    reply: "RawReply",
    workspace: Workspace,
    daemon: target.CallTarget,
    entry: "Entry | None",
) -> int:
    from signet.cli import spooled

    answer = json_text.an_object(reply.body) or {}
    if entry is not None and not answer:  # another program on our port
        return _skipped(f"{daemon.url} is not a Signet daemon; hook skipped", entry)
    if reply.status >= 400:
        if entry is not None and reply.status in spooled.HOPELESS and "error" in answer:
            entry.remove()
            entry = None
        if asked.name == "session-start" and answer.get("code") == StorageDamaged.code:
            _print(asked, {"inject": DAMAGED})
        _skipped(str(answer.get("error") or f"the daemon answered {reply.status}"), entry)
        return 0 if asked.hook.is_lifecycle else 1
    if entry is not None:
        entry.remove()
    _print(asked, answer)
    if not daemon.is_elsewhere:
        spooled.deliver_behind(workspace, daemon)
    return 0


def _print_known(asked: HookCall, body: Mapping[str, object], workspace: Workspace) -> None:
    """Print the offline copy of an unreachable daemon's answer."""
    if asked.name in _CONTEXT_EVENTS:
        _print(asked, {"inject": offline.context_of(workspace, asked.name, body)})


def _print(asked: HookCall, answer: Mapping[str, object]) -> None:
    if asked.as_json:
        sys.stdout.write(f"{json.dumps(answer, ensure_ascii=False)}\n")
    elif asked.hook.prints and (text := answer.get(asked.hook.prints)):
        if usual := _CONTEXT_EVENTS.get(asked.name):
            text = hook_forms.answered(asked.harness, asked.event or usual, str(text))
        sys.stdout.write(f"{text}\n")


def _spooled(
    asked: HookCall,
    body: Mapping[str, object],
    workspace: Workspace,
    found: target.CallTarget | SignetError,
) -> "Entry | None":
    """Spool a call that must not be lost and return its entry; None if that is impossible."""
    from signet.cli import spooled
    from signet.domain.sessions import spool

    if not workspace.root.is_dir():
        return None
    headers = {"x-signet-runtime-path": "legacy"}
    if agent := os.environ.get("SIGNET_AGENT_ID", "").strip():
        headers["x-signet-agent-id"] = agent
    daemon = "" if isinstance(found, SignetError) else spooled.address_of(found)
    try:
        whole = _with_whole_path(body)
        return spool.put(workspace.spool_dir, asked.route, headers, whole, daemon=daemon)
    except SignetError as error:
        _tell(error.message)
    except OSError as error:
        _tell(f"not stored: {error.strerror}")
    return None


def _with_whole_path(body: Mapping[str, object]) -> dict[str, object]:
    path = body.get("transcriptPath")
    if not isinstance(path, str) or "\0" in path:
        return dict(body)
    return {**body, "transcriptPath": str(Path(path).expanduser().absolute())}


def _unsent(asked: HookCall, error: SignetError, entry: "Entry | None") -> int:
    if isinstance(error, DaemonAway):
        return _skipped(f"the daemon at {error.facts['url']} is unreachable, hook skipped", entry)
    if isinstance(error, DaemonNotRunning):
        return _skipped("daemon not running, hook skipped", entry)
    if isinstance(error, DaemonSilent):
        seconds = _patience(asked.hook, is_elsewhere="url" in error.facts)
        return _skipped(f"timed out after {round(seconds * 1000)} ms, hook skipped", entry)
    return _skipped(f"{error.message}; hook skipped", entry)


def _skipped(why: str, entry: "Entry | None") -> int:
    """Report why nothing was done, and that the call is spooled."""
    if entry is not None:
        from signet.domain.sessions import spool

        spool.hold(entry)
        why += "; saved, will be sent later"
    _tell(why)
    return 0


def _tell(text: str) -> None:
    if sys.stderr is not None:  # the harness may have closed it
        sys.stderr.write(f"[signet] {text}\n")


def _patience(hook: Hook, *, is_elsewhere: bool) -> float:
    """Return the hook's time limit: from its environment variable, else below what a user notices."""
    if not os.environ.get(hook.patience, "").strip():
        return offline.PATIENCE_SECONDS if is_elsewhere else PATIENCE_SECONDS
    found, _ = read_environment(os.environ)
    milliseconds = {
        "SIGNET_SESSION_START_TIMEOUT": found.session_start_timeout_ms,
        "SIGNET_PROMPT_SUBMIT_TIMEOUT": found.prompt_submit_timeout_ms,
        "SIGNET_FETCH_TIMEOUT": found.fetch_timeout_ms,
    }
    return milliseconds[hook.patience] / 1000


def _daemon(asked: HookCall, started: float) -> target.CallTarget | SignetError:
    """Return the daemon to call, or why it cannot be called. A hook never has more rights than an agent."""
    try:
        found = target.find(
            path=asked.path, actor=asked.harness, actor_type="harness", role="agent"
        )
    except SignetError as error:
        return error
    patience = _patience(asked.hook, is_elsewhere=found.is_elsewhere)
    return found._replace(
        headers={**found.headers, "X-Signet-Runtime-Path": "legacy"},
        seconds=(seconds := max(LEAST_SECONDS, patience - (time.monotonic() - started))),
        connect_seconds=min(found.connect_seconds, seconds),
    )


def _field(said: Mapping[str, object], name: str) -> object:
    """Return a field of the harness's input under any of its spellings."""
    for spelling in SPELLINGS.get(name, ()):
        value = said.get(spelling)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
