"""What earlier sessions and commits say of a prompt, for a session that was not given it yet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from signet.db import ReadTx
from signet.domain.auth import caller
from signet.domain.episodes import brief, search
from signet.domain.episodes.models import Match
from signet.domain.hooks.progress import Call
from signet.observe import logs
from signet_api.deps import State

log = logs.get("hooks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The block that is injected, empty for nothing; `given` names its episodes, for the session to remember.

    `room` is how many characters are left for memories beside it.
    """

    text: str = ""
    room: int
    given: Sequence[str] = ()


async def brief_of(call: Call, message: str, given: Collection[str], state: State) -> Brief:
    """Return the episodes that a message is about, without those in `given`. Never raises: a prompt goes on."""
    rules = state.settings.hooks.user_prompt_submit
    is_first = not any(map(_is_episode, given))
    chars = rules.max_brief_chars if is_first else rules.max_later_chars
    none = Brief(room=rules.max_inject_chars)
    if not rules.enabled or chars <= brief.FRAME_CHARS:
        return none
    try:
        vector = await state.vectors.of(message)

        def read(tx: ReadTx) -> list[brief.Stretch]:
            found = search.find(
                tx,
                message,
                vector=vector(),
                agent_id=call.agent_id,
                project=caller.current().scope.project or call.project,
                but=call.key,
                commits=state.settings.hooks.session_start.read_commits,
            )
            new = [match for match in found if _name(match) not in given]
            return brief.stretches(tx, message, new, chars=chars - brief.FRAME_CHARS)

        stretches = await state.db.aread(read)
    except Exception as error:
        log.error("prompt.without_episodes", exc_info=error)
        return none
    text = brief.told(stretches, is_first=is_first)
    return Brief(
        text=text,
        given=tuple(_name(stretch.match) for stretch in stretches),
        room=min(rules.max_inject_chars, max(0, chars - len(text))),
    )


def _name(match: Match) -> str:
    return f"episode:{match.source.type}:{match.source.id}"


def _is_episode(given: str) -> bool:
    return given.startswith("episode:")
